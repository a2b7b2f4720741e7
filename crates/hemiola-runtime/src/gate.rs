//! The gate at which a stepped robot waits for observers that want every message.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::{Generation, Wakeup};

/// The gate at which a stepped robot waits.
#[derive(Default)]
pub struct Gate {
    /// The signal that is notified of each message for an observer that is waited for.
    sent: Arc<Wakeup>,
    observers: Mutex<Vec<Arc<Taken>>>,
}

/// The signal up to which an observer has received everything; `None` if it does not wait yet.
#[derive(Default)]
struct Taken(Mutex<Option<Generation>>);

/// The pass of an observer for which the robot waits, as long as the pass exists.
pub struct Pass {
    gate: Arc<Gate>,
    taken: Arc<Taken>,
}

impl Gate {
    /// Returns when all observers have received everything that was sent so far, or have gone.
    pub fn wait(&self) {
        let is_behind = |taken: &Arc<Taken>| taken.get().is_some_and(|taken| taken != self.sent.generation());
        while self.observers().iter().any(is_behind) {
            std::thread::yield_now();
        }
    }

    /// Makes the robot wait for one more observer from now on.
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
    /// Returns the signal to be notified of each message.
    pub fn sent(&self) -> &Arc<Wakeup> {
        &self.gate.sent
    }

    /// Notes that there are messages to receive from now on.
    pub fn begin(&self) {
        let sent = self.gate.sent.generation();
        self.taken.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(sent);
    }

    /// Notes that everything that was sent before this signal was received.
    pub fn take(&self, sent: Generation) {
        *self.taken.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sent);
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.gate.observers().retain(|taken| !Arc::ptr_eq(taken, &self.taken));
    }
}
