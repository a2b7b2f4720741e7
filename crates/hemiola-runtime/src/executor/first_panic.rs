use std::any::Any;

use crate::containment::discard;
use crate::sync::{AtomicBool, Mutex, Ordering};

/// The first panic of several threads that work on the same job: it is kept for the thread that
/// waits for them, the others are dropped. Nothing is locked unless a thread has panicked.
#[derive(Default)]
pub struct FirstPanic {
    is_there: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl FirstPanic {
    #[cold]
    pub fn note(&self, panic: Box<dyn Any + Send>) {
        if self.is_there.swap(true, Ordering::AcqRel) {
            discard(panic);
        } else if let Ok(mut first) = self.panic.lock() {
            *first = Some(panic);
        }
    }

    /// Removes and returns the panic, if there is one, when all threads that may have panicked are
    /// done.
    pub fn take(&self) -> Option<Box<dyn Any + Send>> {
        if !self.is_there.load(Ordering::Acquire) {
            return None;
        }
        let first = self.panic.lock().ok()?.take();
        self.is_there.store(false, Ordering::Release);
        first
    }
}

impl Drop for FirstPanic {
    fn drop(&mut self) {
        self.take().into_iter().for_each(discard);
    }
}
