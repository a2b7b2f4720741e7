use std::any::Any;
use std::ptr;

use crate::containment::discard;
use crate::sync::{AtomicPtr, Ordering};

/// What somebody panicked with while several worked on one thing: the first one is kept for whoever waits for them, the others are
/// dropped.
pub struct FirstPanic(AtomicPtr<Box<dyn Any + Send>>);

impl FirstPanic {
    pub fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    #[cold]
    pub fn note(&self, panic: Box<dyn Any + Send>) {
        let panic = Box::into_raw(Box::new(panic));
        if self.0.compare_exchange(ptr::null_mut(), panic, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            // SAFETY: just made by Box::into_raw, and not given away.
            discard(*unsafe { Box::from_raw(panic) });
        }
    }

    /// Takes it out, if there is one.
    pub fn take(&self) -> Option<Box<dyn Any + Send>> {
        if self.0.load(Ordering::Acquire).is_null() {
            return None;
        }
        let panic = self.0.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: it was made by Box::into_raw in `note`, and belongs to whoever takes it out.
        (!panic.is_null()).then(|| *unsafe { Box::from_raw(panic) })
    }
}

impl Drop for FirstPanic {
    fn drop(&mut self) {
        self.take().into_iter().for_each(discard);
    }
}
