//! The newest value, by triple buffering.
//!
//! # Protocol
//! Three buffers; each belongs at any time to exactly one of: the writer (`back`), the reader
//! (`front`), or the shared word (`middle`). The word holds the number of the middle buffer and a
//! mark that it is newer than the front.
//!
//! | who | step | effect |
//! |---|---|---|
//! | writer | fills the back buffer | nobody else knows of it |
//! | writer | swaps back and middle, sets the mark | the filled buffer can be taken; the writer owns what was in the middle |
//! | reader | reads the mark; if set: swaps front and middle, clears it | the reader owns the newest buffer |
//!
//! Ownership only moves by the swap of one word, so no buffer ever has two owners. The swaps
//! release (what the owner did to its buffer is seen by the next owner) and acquire (the new owner
//! sees it). Reading the mark may be relaxed: it decides only whether to swap.
#![expect(unsafe_code, reason = "buffers are shared between threads as the protocol above says")]

use crate::sync::{Arc, AtomicU8, CellAccess, Ordering, UnsafeCell};
use std::marker::PhantomData;

/// The mark that the middle buffer is newer than the reader's.
const NEWER: u8 = 0b100;

struct Shared<T> {
    buffers: [UnsafeCell<T>; 3],
    middle: AtomicU8,
}

// SAFETY: each buffer is touched by its one owner (see the protocol), so only sending T between
// threads is needed.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    #[inline]
    fn buffer(&self, number: u8) -> &UnsafeCell<T> {
        // SAFETY: the numbers 0, 1 and 2 go round between the two ends and the word, and no others.
        unsafe { self.buffers.get_unchecked(usize::from(number)) }
    }
}

/// The writing end of [`latest`].
///
/// ```
/// use hemiola_bus::exchange::latest;
///
/// let (mut writer, _reader) = latest(|| 0);
/// *writer.back() = 1;
/// assert!(writer.publish());
/// *writer.back() = 2;
/// assert!(!writer.publish()); // nobody took the 1, and nobody will
/// ```
pub struct LatestWriter<T> {
    shared: Arc<Shared<T>>,
    back: u8,
}

/// The reading end of [`latest`].
///
/// ```
/// use hemiola_bus::exchange::latest;
///
/// let (mut writer, mut reader) = latest(|| "nothing yet");
/// *writer.back() = "an image";
/// writer.publish();
/// assert_eq!(*reader.front(), "nothing yet"); // what is looked at does not change under the reader
/// assert!(reader.has_new() && reader.take());
/// assert_eq!(*reader.front(), "an image");
/// ```
///
/// Threads that share a reader share the value, so the value must be one that threads can share:
///
/// ```compile_fail,E0277
/// use hemiola_bus::exchange::latest;
/// use std::cell::RefCell;
///
/// let (_writer, reader) = latest(|| RefCell::new(vec![0]));
/// std::thread::scope(|scope| {
///     for number in 1..=2 {
///         let reader = &reader;
///         // error: `RefCell<Vec<i32>>` cannot be shared between threads safely
///         scope.spawn(move || reader.with_front(|value| value.borrow_mut().push(number)));
///     }
/// });
/// ```
pub struct LatestReader<T> {
    shared: Arc<Shared<T>>,
    front: u8,
    /// The reader hands out references to the value: threads may share it if they may share the
    /// value.
    shares: PhantomData<T>,
}

/// Creates both ends of a hand-over of the newest value; `make` makes the three buffers.
///
/// ```
/// use hemiola_bus::exchange::latest;
///
/// let (mut writer, mut reader) = latest(|| 0);
/// assert!(!reader.take());
/// for value in 1..=3 {
///     *writer.back() = value;
///     writer.publish();
/// }
/// assert!(reader.take());
/// assert_eq!(*reader.front(), 3);
/// ```
pub fn latest<T>(mut make: impl FnMut() -> T) -> (LatestWriter<T>, LatestReader<T>) {
    let shared = Arc::new(Shared {
        buffers: [UnsafeCell::new(make()), UnsafeCell::new(make()), UnsafeCell::new(make())],
        middle: AtomicU8::new(1),
    });
    (LatestWriter { shared: shared.clone(), back: 0 }, LatestReader { shared, front: 2, shares: PhantomData })
}

impl<T> LatestWriter<T> {
    /// Returns the buffer to fill. After [`publish`](Self::publish) it holds an older value.
    #[cfg(not(loom))]
    pub fn back(&mut self) -> &mut T {
        // SAFETY: the writer owns the back buffer, and is borrowed exclusively.
        unsafe { &mut *self.shared.buffer(self.back).get() }
    }

    /// Changes the buffer to fill.
    pub fn with_back<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the writer owns the back buffer, and is borrowed exclusively.
        self.shared.buffer(self.back).change(|buffer| change(unsafe { &mut *buffer }))
    }

    /// Publishes the filled buffer. Returns `false` if the reader never took the one before it:
    /// that one is lost, and is the back buffer now. Wait-free: one atomic swap.
    pub fn publish(&mut self) -> bool {
        let middle = self.shared.middle.swap(self.back | NEWER, Ordering::AcqRel);
        self.back = middle & !NEWER;
        middle & NEWER == 0
    }

    /// Returns whether the reading end still exists.
    pub fn is_read(&self) -> bool {
        Arc::strong_count(&self.shared) > 1
    }
}

impl<T> LatestReader<T> {
    /// Returns whether there is a value that was not taken yet.
    #[inline]
    pub fn has_new(&self) -> bool {
        self.shared.middle.load(Ordering::Relaxed) & NEWER != 0
    }

    /// Takes the newest value and returns `true`, if there is one that was not taken yet.
    /// Wait-free: at most one atomic swap.
    #[inline]
    pub fn take(&mut self) -> bool {
        if !self.has_new() {
            return false;
        }
        let middle = self.shared.middle.swap(self.front, Ordering::AcqRel);
        self.front = middle & !NEWER;
        true
    }

    /// Returns the value that was taken last.
    #[inline]
    pub fn front(&self) -> &T {
        // SAFETY: the reader owns the front buffer; taking another one needs exclusive access.
        self.shared.buffer(self.front).look(|buffer| unsafe { &*buffer })
    }

    /// Calls `look` with the value that was taken last.
    #[inline]
    pub fn with_front<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the reader owns the front buffer; taking another one needs exclusive access.
        self.shared.buffer(self.front).look(|buffer| look(unsafe { &*buffer }))
    }

    /// Changes the value that was taken last: it is the reader's until the next is taken.
    #[inline]
    pub fn with_front_mut<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: the reader owns the front buffer, and is borrowed exclusively.
        self.shared.buffer(self.front).change(|buffer| change(unsafe { &mut *buffer }))
    }
}
