//! What something is at present, for everybody who looks at it without waiting.
//!
//! A change of a robot calls constructors and defaults of users while the controls are locked, and
//! these may take their time, or never return. Nobody who only looks waits for that: what the robot
//! consists of is shown here when a change is made, under a lock that is held for no longer than it
//! takes to exchange a pointer.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// See the module.
pub struct Present<T>(Mutex<Arc<T>>);

impl<T> Present<T> {
    pub fn new(now: T) -> Self {
        Self(Mutex::new(Arc::new(now)))
    }

    /// What was shown last.
    pub fn get(&self) -> Arc<T> {
        self.lock().clone()
    }

    /// It is this from now on.
    pub fn show(&self, now: T) {
        let now = Arc::new(now);
        let before = mem::replace(&mut *self.lock(), now);
        // With nothing locked: it may be large.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        // A pointer is whole even if somebody panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
