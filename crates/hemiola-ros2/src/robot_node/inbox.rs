//! The queue from Zenoh's threads to the node's thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::Wakeup;

/// A bounded queue from Zenoh's threads to the node's. Pushing never waits: an item that does not
/// fit replaces the oldest one, or is given back.
pub struct Inbox<T> {
    waiting: Mutex<VecDeque<T>>,
    capacity: usize,
    wakeup: Arc<Wakeup>,
}

impl<T> Inbox<T> {
    pub fn new(capacity: usize, wakeup: Arc<Wakeup>) -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::default(), capacity, wakeup })
    }

    /// Queues an item; if the queue is full, the oldest one is dropped.
    pub fn push(&self, item: T) {
        let mut waiting = self.waiting();
        let oldest = if waiting.len() >= self.capacity { waiting.pop_front() } else { None };
        waiting.push_back(item);
        drop(waiting);
        drop(oldest);
        self.wakeup.notify_all();
    }

    /// Queues an item, or gives it back if the queue is full.
    pub fn offer(&self, item: T) -> Result<(), T> {
        let mut waiting = self.waiting();
        if waiting.len() >= self.capacity {
            return Err(item);
        }
        waiting.push_back(item);
        drop(waiting);
        self.wakeup.notify_all();
        Ok(())
    }

    /// Drains the queue.
    pub fn drain(&self) -> VecDeque<T> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<T>> {
        // The queue is consistent even if another thread has panicked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_replaces_the_oldest_or_is_given_back() {
        let wakeup = Arc::new(Wakeup::new());
        let seen = wakeup.generation();
        let inbox = Inbox::new(2, wakeup.clone());
        (1..=3).for_each(|number| inbox.push(number));
        assert_eq!(inbox.offer(4), Err(4));
        assert_ne!(wakeup.generation(), seen);
        assert_eq!(inbox.drain(), [2, 3]);
        assert_eq!(inbox.offer(4), Ok(()));
    }
}
