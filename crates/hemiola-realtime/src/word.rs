//! Words that one process sets and others read.

use crate::sync::{AtomicU64, Ordering, fence};

/// A number in memory that processes share. Whoever reads a value sees what its writer did before
/// it [was set](Self::set).
#[repr(transparent)]
pub(crate) struct Word(AtomicU64);

impl Word {
    /// Sets the value.
    pub(crate) fn set(&self, value: u64) {
        // Release: whoever sees the value sees that all reads before it are done.
        self.0.store(value, Ordering::Release);
    }

    /// Returns the value. No stronger load than a relaxed one may be used where memory can only be
    /// read; the [`acquire`] that follows is up to whoever acts on the value.
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Makes all that follows come after what was done before the words were set that were read so far.
pub(crate) fn acquire() {
    fence(Ordering::Acquire);
}

#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Arc;

    use loom::cell::UnsafeCell;

    use super::*;

    /// A block is written, lent, read, given back, and written again: the second writing comes
    /// after the reading.
    #[test]
    fn what_was_given_back_is_not_read_any_more() {
        loom::model(|| {
            let shared = Arc::new((UnsafeCell::new(1_u64), Word(AtomicU64::new(0))));
            let (send, receive) = loom::sync::mpsc::channel();
            let theirs = shared.clone();
            let reader = loom::thread::spawn(move || {
                // The socket over which blocks are lent.
                receive.recv().unwrap();
                let (block, done) = &*theirs;
                // SAFETY: loom reports an access that races with this one.
                assert_eq!(block.with(|value| unsafe { *value }), 1);
                done.set(1);
            });
            send.send(()).unwrap();
            let (block, done) = &*shared;
            while done.get() == 0 {
                loom::thread::yield_now();
            }
            acquire();
            // SAFETY: as above.
            block.with_mut(|value| unsafe { *value = 2 });
            reader.join().unwrap();
        });
    }
}
