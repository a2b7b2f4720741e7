//! A block of lanes, with one word that shows which of them need a visit.
#![expect(unsafe_code, reason = "reading ends are shared between threads as the protocol of mailboxes says")]

use super::{Arrivals, Receiver};
use crate::exchange::{QueueReader, Taken};
use crate::panics::drop_contained;
use crate::sync::{AtomicU64, CellAccess, Ordering, UnsafeCell};

/// The number of lanes in a block; few where loom tries every interleaving.
const LANES: u32 = if cfg!(loom) { 2 } else { 31 };
const LEAVING_SHIFT: u32 = 32;
const GONE: u64 = 1 << 63;

#[repr(align(128))]
pub(super) struct Block<T> {
    word: AtomicU64,
    quiet: QuietLines<T>,
}

/// The fields that senders do not touch while they send.
#[repr(align(128))]
struct QuietLines<T> {
    pending: AtomicU64,
    free: AtomicU64,
    readers: [UnsafeCell<Option<Reading<T>>>; LANES as usize],
}

/// A lane's reading end, and when its values arrived, if an executor receives them.
pub(super) struct Reading<T> {
    pub(super) reader: QueueReader<T>,
    pub(super) arrivals: Option<Arrivals>,
}

// SAFETY: each reading end is touched by its one owner (see the protocol), so only sending T
// between threads is needed.
unsafe impl<T: Send> Sync for Block<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Block<T> {}

/// The index of a lane in its block.
#[derive(Clone, Copy)]
pub(super) struct LaneIndex(u32);

/// The state that a sender finds when it raises the bit of its lane.
pub(super) enum Raised {
    /// The receiver has something to do already.
    Again,
    /// The receiver may sleep.
    First,
    /// The receiver is gone.
    Gone,
}

/// Lanes that need a visit.
#[derive(Clone, Copy)]
pub(super) struct Noted(u64);

impl LaneIndex {
    pub(super) const FIRST: LaneIndex = LaneIndex(0);

    pub(super) fn following(self) -> Self {
        LaneIndex(self.0 + 1)
    }
}

impl<T> Block<T> {
    pub(super) fn new(receiver: Receiver) -> Self {
        Block {
            word: AtomicU64::new(if receiver == Receiver::Gone { GONE } else { 0 }),
            quiet: QuietLines {
                pending: AtomicU64::new(0),
                free: AtomicU64::new((1 << LANES) - 1),
                readers: std::array::from_fn(|_| UnsafeCell::new(None)),
            },
        }
    }

    /// Opens a free lane, if there is one, and returns its index (part of step J).
    ///
    /// The mailbox's lock, of which `_locked` is the proof, gives the caller sole ownership of free
    /// lanes.
    pub(super) fn open(&self, reading: &mut Option<Reading<T>>, _locked: &mut Receiver) -> Option<LaneIndex> {
        let free = self.quiet.free.load(Ordering::Acquire);
        (free != 0).then(|| {
            let index = free.trailing_zeros();
            self.quiet.free.fetch_and(!(1 << index), Ordering::Relaxed);
            // SAFETY: the lane was free, so nobody owns it but the caller.
            self.quiet.readers[index as usize].change(|place| unsafe { *place = reading.take() });
            LaneIndex(index)
        })
    }

    /// Returns whether the receiver is gone.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.word.load(Ordering::Acquire) & GONE != 0
    }

    /// Raises the bit of a lane (step S2).
    #[inline]
    pub(super) fn raise(&self, lane: LaneIndex) -> Raised {
        let ready = 1 << lane.0;
        // Asking for the one bit makes this a bit test and set, which cannot fail, where asking for
        // the word makes it a loop.
        if self.word.fetch_or(ready, Ordering::AcqRel) & ready != 0 {
            return Raised::Again;
        }
        if self.word.load(Ordering::Acquire) & GONE == 0 {
            return Raised::First;
        }
        self.word.fetch_and(!ready, Ordering::Relaxed);
        Raised::Gone
    }

    /// Raises the bits of a lane whose sender leaves (step S3).
    pub(super) fn leave(&self, lane: LaneIndex) -> Raised {
        let bits = (1 << lane.0) | (1 << (lane.0 + LEAVING_SHIFT));
        match self.word.fetch_or(bits, Ordering::AcqRel) {
            0 => Raised::First,
            _ => Raised::Again,
        }
    }

    /// Returns the lanes that need a visit (step R1). Only for the receiver.
    #[inline]
    pub(super) fn noted(&self) -> Noted {
        let mut pending = self.quiet.pending.load(Ordering::Relaxed);
        if self.word.load(Ordering::Relaxed) != 0 {
            pending |= self.word.swap(0, Ordering::AcqRel);
            self.quiet.pending.store(pending, Ordering::Relaxed);
        }
        Noted(pending)
    }

    /// Takes the oldest value of a lane.
    ///
    /// # Safety
    /// The lane is the caller's: the receiver's when noted, its sender's when the receiver is gone.
    #[inline]
    pub(super) unsafe fn pop(&self, lane: LaneIndex) -> Option<T> {
        // SAFETY: as the caller says.
        unsafe { self.pop_with(lane, |value| value.into_inner()) }
    }

    /// Hands out the oldest value of a lane where it lies.
    ///
    /// # Safety
    /// The conditions of [`pop`](Self::pop) hold.
    #[inline]
    pub(super) unsafe fn pop_with<R>(&self, lane: LaneIndex, take: impl FnOnce(Taken<'_, T>) -> R) -> Option<R> {
        let reading = &self.quiet.readers[lane.0 as usize];
        // SAFETY: the reading end is the caller's.
        reading.change(|reading| unsafe { (*reading).as_mut() }.and_then(|reading| reading.reader.pop_with(take)))
    }

    /// Returns when the oldest value of a lane arrived; `None` if there is none.
    ///
    /// # Safety
    /// The conditions of [`pop`](Self::pop) hold.
    pub(super) unsafe fn next_arrival(&self, lane: LaneIndex) -> Option<u64> {
        let reading = &self.quiet.readers[lane.0 as usize];
        // SAFETY: the reading end is the caller's.
        reading.change(|reading| unsafe { (*reading).as_mut() }.and_then(Reading::next_arrival))
    }

    /// Removes the note of a lane that was found empty (step R2).
    #[inline]
    pub(super) fn strike_off(&self, lane: LaneIndex, noted: Noted) {
        let leaving = noted.0 & (1 << (lane.0 + LEAVING_SHIFT));
        let pending = self.quiet.pending.load(Ordering::Relaxed);
        self.quiet.pending.store(pending & !(1 << lane.0 | leaving), Ordering::Relaxed);
        if leaving != 0 {
            self.quiet.free.fetch_or(1 << lane.0, Ordering::Release);
        }
    }

    /// Empties all lanes and marks the block as one without a receiver (step R3).
    pub(super) fn close(&self) {
        loop {
            let noted = self.noted();
            let mut next = LaneIndex::FIRST;
            while let Some(lane) = noted.first_from(next) {
                // SAFETY: the lane is noted, and the receiver is what closes.
                while let Some(value) = unsafe { self.pop(lane) } {
                    drop_contained(value);
                }
                self.strike_off(lane, noted);
                next = lane.following();
            }
            if self.word.compare_exchange(0, GONE, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }
}

impl<T> Reading<T> {
    fn next_arrival(&mut self) -> Option<u64> {
        let number = self.reader.oldest()?;
        // Relaxed: it was written before the value.
        Some(self.arrivals.as_ref().map_or(0, |arrivals| arrivals.at(number).load(Ordering::Relaxed)))
    }
}

impl Noted {
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the first noted lane at or after `start`.
    #[inline]
    pub(super) fn first_from(self, start: LaneIndex) -> Option<LaneIndex> {
        let ready = self.0 & ((1 << LANES) - 1) & (!0 << start.0);
        (ready != 0).then(|| LaneIndex(ready.trailing_zeros()))
    }
}
