//! A bounded ring that hands over all values in order.
//!
//! # Protocol
//! Two counters that only grow: `written` belongs to the writer, `taken` to the reader. A place of
//! the ring belongs to the reader while its number is within `taken .. written`, to the writer
//! otherwise.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | writer | reads `taken`; full if `written - taken` is the capacity | acquire: the reader is done with the place |
//! | writer | fills the place, then advances `written` | release: the reader sees what is in it |
//! | reader | reads `written`; empty if it equals `taken` | acquire |
//! | reader | empties the place, then advances `taken` | release |
//!
//! Each side keeps its own counter and the value that it last read of the other's, which it reads
//! again only when the ring seems full or empty.
#![expect(unsafe_code, reason = "places are shared between threads as the protocol above says")]

use crate::circle::Circle;
use crate::sync::{Arc, AtomicUsize, CellAccess, Line, Ordering, UnsafeCell};
use std::mem::{ManuallyDrop, MaybeUninit};

struct Shared<T> {
    /// The places of the ring: those of `taken .. written` hold values.
    places: Circle<UnsafeCell<MaybeUninit<T>>>,
    capacity: usize,
    written: Line<AtomicUsize>,
    taken: Line<AtomicUsize>,
}

// SAFETY: each place is touched by its one owner (see the protocol), so only sending T between
// threads is needed.
unsafe impl<T: Send> Sync for Shared<T> {}

/// The writing end of [`queue`].
///
/// ```
/// use hemiola_bus::exchange::queue;
///
/// let (mut commands, _cycle) = queue(1);
/// assert_eq!(commands.push("install"), Ok(()));
/// assert_eq!(commands.push("restart"), Err("restart")); // full: the writer decides what becomes of it
/// ```
pub struct QueueWriter<T> {
    shared: Arc<Shared<T>>,
    written: usize,
    seen_taken: usize,
}

/// A function that returns how many values wait in a queue, as long as one of its ends exists.
pub(crate) type Depth = Box<dyn Fn() -> Option<u64> + Send + Sync>;

/// The reading end of [`queue`].
///
/// ```
/// use hemiola_bus::exchange::queue;
///
/// let (mut writer, mut reader) = queue(8);
/// std::thread::spawn(move || (0..8).for_each(|sample| writer.push(sample).expect("there is room for 8"))).join().unwrap();
/// assert_eq!(std::iter::from_fn(|| reader.pop()).sum::<i32>(), 28);
/// ```
pub struct QueueReader<T> {
    shared: Arc<Shared<T>>,
    taken: usize,
    seen_written: usize,
}

/// Creates a queue of at most `capacity` values.
///
/// ```
/// use hemiola_bus::exchange::queue;
///
/// let (mut writer, mut reader) = queue(2);
/// assert_eq!(writer.push('a'), Ok(()));
/// assert_eq!(writer.push('b'), Ok(()));
/// assert_eq!(writer.push('c'), Err('c')); // full: the value comes back, nobody waits
/// assert_eq!((reader.pop(), reader.pop(), reader.pop()), (Some('a'), Some('b'), None));
/// ```
///
/// # Panics
/// Panics if the capacity is zero.
pub fn queue<T>(capacity: usize) -> (QueueWriter<T>, QueueReader<T>) {
    assert!(capacity > 0, "a queue has room for at least one value");
    let shared = Arc::new(Shared {
        places: Circle::new(capacity, || UnsafeCell::new(MaybeUninit::uninit())),
        capacity,
        written: Line(AtomicUsize::new(0)),
        taken: Line(AtomicUsize::new(0)),
    });
    (
        QueueWriter { shared: shared.clone(), written: 0, seen_taken: 0 },
        QueueReader { shared, taken: 0, seen_written: 0 },
    )
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        let (mut taken, written) = (self.taken.load(Ordering::Acquire), self.written.load(Ordering::Acquire));
        while taken != written {
            // SAFETY: the place holds a value, and both ends are gone.
            self.places.at(taken as u64).change(|place| unsafe { (*place).assume_init_drop() });
            taken = taken.wrapping_add(1);
        }
    }
}

impl<T> QueueWriter<T> {
    /// Appends a value. Wait-free: a load at most and a store.
    ///
    /// # Errors
    /// Fails if the queue is full; the value is returned.
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), T> {
        // SAFETY: the place is written.
        unsafe { self.push_with(value, |place, value| _ = place.write(value)) }
    }

    /// Returns for how many values there is room.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        let taken = self.shared.taken.load(Ordering::Acquire);
        self.shared.capacity.saturating_sub(self.written.wrapping_sub(taken))
    }

    /// Returns how many values were appended.
    #[inline]
    pub(crate) fn written(&self) -> u64 {
        self.written as u64
    }

    /// Returns a function by which any thread can read how many values wait.
    #[cfg(not(loom))]
    pub(crate) fn depth(&self) -> Depth
    where
        T: Send + 'static,
    {
        let shared = Arc::downgrade(&self.shared);
        Box::new(move || {
            let shared = shared.upgrade()?;
            // The loads come in this order because both counters grow.
            let taken = shared.taken.load(Ordering::Acquire);
            let waiting = shared.written.load(Ordering::Acquire).wrapping_sub(taken);
            Some(waiting.min(shared.capacity) as u64)
        })
    }

    /// Appends `value` as `write` writes it, in the place where it will lie.
    ///
    /// # Errors
    /// Fails if the queue is full; the value is returned.
    ///
    /// # Safety
    /// When `write` returns, the place is initialised.
    #[inline]
    pub(crate) unsafe fn push_with<V>(
        &mut self,
        value: V,
        write: impl FnOnce(&mut MaybeUninit<T>, V),
    ) -> Result<(), V> {
        let capacity = self.shared.capacity;
        if self.written.wrapping_sub(self.seen_taken) == capacity {
            self.seen_taken = self.shared.taken.load(Ordering::Acquire);
            if self.written.wrapping_sub(self.seen_taken) == capacity {
                return Err(value);
            }
        }
        // SAFETY: the place's number is outside of `taken .. written`: it is the writer's.
        self.shared.places.at(self.written as u64).change(|place| write(unsafe { &mut *place }, value));
        self.written = self.written.wrapping_add(1);
        self.shared.written.store(self.written, Ordering::Release);
        Ok(())
    }
}

impl<T> QueueReader<T> {
    /// Takes the oldest value; `None` if there is none. Wait-free: a load at most and a store.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.pop_with(|value| value.into_inner())
    }

    /// Returns the number of the oldest value, counted from zero; `None` if there is none.
    #[inline]
    pub(crate) fn oldest(&mut self) -> Option<u64> {
        self.has_value().then_some(self.taken as u64)
    }

    /// Returns whether there is a value. Reads the writer's counter only if all that was seen
    /// before is taken.
    #[inline]
    fn has_value(&mut self) -> bool {
        if self.taken == self.seen_written {
            self.seen_written = self.shared.written.load(Ordering::Acquire);
        }
        self.taken != self.seen_written
    }

    /// Hands out the oldest value where it lies; `None` if there is none. The place is free when
    /// `take` returns or panics.
    #[inline]
    pub(crate) fn pop_with<R>(&mut self, take: impl FnOnce(Taken<'_, T>) -> R) -> Option<R> {
        if !self.has_value() {
            return None;
        }
        let advance = Advance(self);
        let Advance(reader) = &advance;
        // SAFETY: the place's number is within `taken .. written`: it is the reader's, and holds a
        // value.
        let value = |place: *mut MaybeUninit<T>| unsafe { &mut *place.cast::<ManuallyDrop<T>>() };
        Some(reader.shared.places.at(reader.taken as u64).change(|place| take(Taken(value(place)))))
    }
}

/// A value on its way out of a queue, in the place where it lies.
///
/// Whoever has this is the value's only owner: it is moved out, dropped or forgotten, once.
pub(crate) struct Taken<'a, T>(&'a mut ManuallyDrop<T>);

impl<'a, T> Taken<'a, T> {
    #[inline]
    pub(crate) fn into_inner(self) -> T {
        // SAFETY: its only owner gives it away.
        unsafe { ManuallyDrop::take(self.forget()) }
    }

    /// Leaves the value where it lies, to be moved out there or never.
    #[inline]
    pub(crate) fn forget(self) -> &'a mut ManuallyDrop<T> {
        let value: *mut ManuallyDrop<T> = self.0;
        std::mem::forget(self);
        // SAFETY: it is the reference that was in here.
        unsafe { &mut *value }
    }
}

impl<T> Drop for Taken<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: its only owner drops it.
        unsafe { ManuallyDrop::drop(self.0) };
    }
}

/// Frees the oldest place.
struct Advance<'a, T>(&'a mut QueueReader<T>);

impl<T> Drop for Advance<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let Advance(reader) = self;
        reader.taken = reader.taken.wrapping_add(1);
        reader.shared.taken.store(reader.taken, Ordering::Release);
    }
}
