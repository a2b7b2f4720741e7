//! The usual hand-written queue: a mutex, a condition variable, and a receiver that checks every
//! millisecond whether to end.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

const POLL: Duration = Duration::from_millis(1);

pub struct SafeQueue<T> {
    capacity: usize,
    queue: Mutex<VecDeque<T>>,
    filled: Condvar,
    emptied: Condvar,
}

impl<T> SafeQueue<T> {
    pub fn new(capacity: usize) -> Self {
        let queue = Mutex::new(VecDeque::with_capacity(capacity));
        Self { capacity, queue, filled: Condvar::new(), emptied: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<T>> {
        self.queue.lock().expect("nobody panics")
    }

    /// Appends a value; waits while there is no room.
    pub fn push(&self, value: T) {
        let queue = self.emptied.wait_while(self.lock(), |queue| queue.len() == self.capacity);
        queue.expect("nobody panics").push_back(value);
        self.filled.notify_one();
    }

    /// Appends a value; returns `false`, and drops it, if there is no room.
    pub fn try_push(&self, value: T) -> bool {
        let mut queue = self.lock();
        if queue.len() == self.capacity {
            return false;
        }
        queue.push_back(value);
        drop(queue);
        self.filled.notify_one();
        true
    }

    /// Removes the first value; waits for a millisecond at most.
    pub fn pop(&self) -> Option<T> {
        let waited = self.filled.wait_timeout_while(self.lock(), POLL, |queue| queue.is_empty());
        let value = waited.expect("nobody panics").0.pop_front();
        if value.is_some() {
            self.emptied.notify_one();
        }
        value
    }
}
