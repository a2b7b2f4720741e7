//! Where a robot that is stepped waits for those who want every message.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::{Generation, Wakeup};

/// Where a stepped robot waits.
#[derive(Default)]
pub struct Gate {
    /// Signalled with each message that somebody wants who is waited for.
    sent: Arc<Wakeup>,
    observers: Mutex<Vec<Arc<Taken>>>,
}

/// Up to which signal an observer has taken all; `None`: it wants nothing yet.
#[derive(Default)]
struct Taken(Mutex<Option<Generation>>);

/// The robot waits for who has it.
pub struct Pass {
    gate: Arc<Gate>,
    taken: Arc<Taken>,
}

impl Gate {
    /// Returns when all have taken all that was sent so far, or have gone.
    pub fn wait(&self) {
        let is_behind = |taken: &Arc<Taken>| taken.get().is_some_and(|taken| taken != self.sent.generation());
        while self.observers().iter().any(is_behind) {
            std::thread::yield_now();
        }
    }

    /// Waits for one more.
    pub fn enter(self: &Arc<Self>) -> Pass {
        let taken = Arc::<Taken>::default();
        self.observers().push(taken.clone());
        Pass { gate: self.clone(), taken }
    }

    fn observers(&self) -> MutexGuard<'_, Vec<Arc<Taken>>> {
        self.observers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn get(&self) -> Option<Generation> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass {
    /// What is to be signalled with each message.
    pub fn sent(&self) -> &Arc<Wakeup> {
        &self.gate.sent
    }

    /// There is something to be taken from now on.
    pub fn begin(&self) {
        let sent = self.gate.sent.generation();
        self.taken.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(sent);
    }

    /// All was taken that was sent before this signal.
    pub fn take(&self, sent: Generation) {
        *self.taken.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sent);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.observers().retain(|taken| !Arc::ptr_eq(taken, &self.taken));
    }
}
