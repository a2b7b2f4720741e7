//! Words that one process sets and others read.

use crate::sync::{AtomicU64, Ordering, fence};

/// A number in memory that processes share. A reader of a value sees what its writer did before it
/// [set](Self::set) the value.
#[repr(transparent)]
pub(crate) struct Word(AtomicU64);

impl Word {
    /// Sets the value.
    pub(crate) fn set(&self, value: u64) {
        // Release: a reader that sees the value sees that all reads before it are done.
        self.0.store(value, Ordering::Release);
    }

    /// Returns the value. No stronger load than a relaxed one may be used on read-only memory; the
    /// caller that acts on the value calls [`acquire`] afterwards.
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Orders everything that follows after what was done before the words that were read so far were
/// set.
pub(crate) fn acquire() {
    fence(Ordering::Acquire);
}

#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Arc;

    use loom::cell::UnsafeCell;

    use super::*;

    /// A block is written, lent, read, returned, and written again: the second write comes after
    /// the read.
    #[test]
    fn what_was_given_back_is_not_read_any_more() {
        loom::model(|| {
            let shared = Arc::new((UnsafeCell::new(()), Word(AtomicU64::new(0))));
            let (send, receive) = loom::sync::mpsc::channel();
            let theirs = shared.clone();
            let reader = loom::thread::spawn(move || {
                // The socket over which blocks are lent.
                receive.recv().unwrap();
                let (block, done) = &*theirs;
                // An access, which loom reports if another one races with it.
                block.with(|_| ());
                done.set(1);
            });
            send.send(()).unwrap();
            let (block, done) = &*shared;
            while done.get() == 0 {
                loom::thread::yield_now();
            }
            acquire();
            block.with_mut(|_| ());
            reader.join().unwrap();
        });
    }

    /// A block is read, and kept: the reader says so in a word before it says that it has read. It
    /// is dropped by another thread, and returned by the first one when it finds that out. The
    /// second write comes after the last read.
    #[test]
    fn what_is_kept_is_not_written_until_whoever_keeps_it_has_dropped_it() {
        loom::model(|| {
            type Shared = (UnsafeCell<()>, [Word; 2]);
            let words = [0, 0].map(|value| Word(AtomicU64::new(value)));
            let shared: Arc<Shared> = Arc::new((UnsafeCell::new(()), words));
            let theirs = shared.clone();
            // It was lent before.
            let reader = loom::thread::spawn(move || {
                let mut held = loom::sync::Arc::new(theirs.clone());
                let kept = held.clone();
                let (_, [read, place]) = &*theirs;
                place.set(1);
                read.set(1);
                let user = loom::thread::spawn(move || kept.0.with(|_| ()));
                while loom::sync::Arc::get_mut(&mut held).is_none() {
                    loom::thread::yield_now();
                }
                place.set(0);
                user.join().unwrap();
            });
            let (block, [read, place]) = &*shared;
            while read.get() == 0 {
                loom::thread::yield_now();
            }
            acquire();
            while place.get() == 1 {
                loom::thread::yield_now();
            }
            acquire();
            block.with_mut(|_| ());
            reader.join().unwrap();
        });
    }
}
