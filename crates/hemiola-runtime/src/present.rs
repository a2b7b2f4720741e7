//! The present state of a value, for readers that must not wait.
//!
//! A change of a robot calls constructors and defaults of users while the controls are locked, and
//! these may take their time, or never return. A thread that only reads does not wait for that: the
//! robot's contents are published here when a change is made, under a lock that is held no longer
//! than it takes to exchange a pointer.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value that is exchanged as a whole, and can be read without waiting.
pub struct Present<T>(Mutex<Arc<T>>);

impl<T> Present<T> {
    pub fn new(now: T) -> Self {
        Self(Mutex::new(Arc::new(now)))
    }

    /// Returns the present value.
    pub fn get(&self) -> Arc<T> {
        self.lock().clone()
    }

    /// Exchanges the value.
    pub fn show(&self, now: T) {
        let now = Arc::new(now);
        let before = mem::replace(&mut *self.lock(), now);
        // The old value is dropped with nothing locked: it may be large.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<T>> {
        // A pointer is consistent even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
