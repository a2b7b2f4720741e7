//! What Zenoh's threads have for the node's thread.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::Wakeup;

/// A bounded queue from Zenoh's threads to the node's. Whoever pushes waits for nobody: what does
/// not fit takes the place of the oldest, or is given back.
pub struct Inbox<T> {
    waiting: Mutex<VecDeque<T>>,
    capacity: usize,
    wakeup: Arc<Wakeup>,
}

impl<T> Inbox<T> {
    pub fn new(capacity: usize, wakeup: Arc<Wakeup>) -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::default(), capacity, wakeup })
    }

    /// Queues something; the oldest makes room.
    pub fn push(&self, item: T) {
        let mut waiting = self.waiting();
        let oldest = if waiting.len() >= self.capacity { waiting.pop_front() } else { None };
        waiting.push_back(item);
        drop(waiting);
        drop(oldest);
        self.wakeup.notify_all();
    }

    /// Queues something, or gives it back if there is no room.
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

    /// Returns all that waits.
    pub fn drain(&self) -> VecDeque<T> {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<T>> {
        // A queue is whole even if another thread has panicked.
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
