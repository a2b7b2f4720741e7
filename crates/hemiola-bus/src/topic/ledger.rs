//! The record of what a publisher has given to a lane and has not yet taken back.
//!
//! A receiver does not report the messages that it is done with: it only moves the lane's head,
//! when it takes more out. From this its publisher concludes what it can take back: a lane keeps at
//! most `capacity` messages, and its receiver holds at most as many. So
//!
//! - a message that is `capacity` behind the newest one is no longer in the lane: the receiver has
//!   taken it, or the publisher took it out;
//! - of those that the receiver has taken, only the last `capacity` may still be held by it: it
//!   released all others before it took the last ones.
//!
//! Hence there are two rings of references, through which they come back in the end. Only the
//! publisher accesses them, and after it the next one that takes its place.
//!
//! When the receiver leaves, the publisher takes back all that is in them, as soon as it [learns of
//! that](super::receivers). A lane that no publisher sees any more releases them when it is
//! dropped.
#![expect(unsafe_code, reason = "counts are kept by pointers into a pool that the lane keeps alive")]

use super::pool::Count;
use crate::circle::Circle;
use crate::sync::{AtomicPtr, Ordering};
use std::ptr::{NonNull, null_mut};

pub(crate) struct Ledger {
    capacity: u64,
    /// The references to the newest messages.
    newest: Ring,
    /// The references to those before them, as far as the receiver has taken them.
    taken: Ring,
}

/// The fate of the message that is `capacity` behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oldest {
    /// The receiver took it before the publisher last read `head` (and acquired), or there is none.
    Taken,
    /// The publisher took it out.
    TakenOut,
}

impl Ledger {
    pub(crate) fn new(capacity: u64) -> Self {
        Self { capacity, newest: Ring::new(capacity), taken: Ring::new(capacity) }
    }

    /// Enters a reference that is given to the lane as message `number`, and takes back the one
    /// that comes out at the other end, if any. The publisher has taken out `taken_out` of the
    /// messages before. Only for the publisher.
    #[inline]
    pub(crate) fn enter(&self, number: u64, count: NonNull<Count>, oldest: Oldest, taken_out: u64) {
        let out = self.newest.get(number.wrapping_sub(self.capacity));
        self.newest.set(number, count.as_ptr());
        let back = match oldest {
            Oldest::TakenOut => out,
            Oldest::Taken => {
                let number = number.wrapping_sub(taken_out);
                let back = self.taken.get(number.wrapping_sub(self.capacity));
                self.taken.set(number, out);
                back
            }
        };
        // SAFETY: the lane keeps the pool alive, in which counts do not move.
        if let Some(count) = unsafe { back.as_ref() } {
            count.take_back();
        }
    }

    /// Takes back all that is left, where `number` is that of the next message. Only for the
    /// publisher, and when the receiver has released all.
    pub(crate) fn take_back(&self, number: u64, taken_out: u64) {
        self.empty(number, taken_out, Count::take_back);
    }

    /// Releases all that is left, where `number` is that of the next message. For anybody who is
    /// the last to see the lane.
    pub(crate) fn let_go(&mut self, number: u64, taken_out: u64) {
        self.empty(number, taken_out, Count::let_go);
    }

    fn empty(&self, number: u64, taken_out: u64, give_back: impl Fn(&Count)) {
        for back in 1..=self.capacity.min(number) {
            let newest = self.newest.take(number.wrapping_sub(back));
            let taken = self.taken.take(number.wrapping_sub(taken_out + back));
            // SAFETY: as above.
            [newest, taken].into_iter().filter_map(|entry| unsafe { entry.as_ref() }).for_each(&give_back);
        }
    }
}

/// The last references by the numbers of their messages; null before the first.
struct Ring(Circle<AtomicPtr<Count>>);

impl Ring {
    /// Creates a ring that keeps at least `capacity` references.
    fn new(capacity: u64) -> Self {
        Self(Circle::new(capacity as usize, AtomicPtr::default))
    }

    #[inline]
    fn get(&self, number: u64) -> *mut Count {
        self.0.at(number).load(Ordering::Relaxed)
    }

    fn take(&self, number: u64) -> *mut Count {
        let count = self.get(number);
        self.set(number, null_mut());
        count
    }

    #[inline]
    fn set(&self, number: u64, count: *mut Count) {
        self.0.at(number).store(count, Ordering::Relaxed);
    }
}
