//! A place for the newest message, from which a receiver takes it and gives back the one before.
//!
//! # Protocol
//! A pointer to a message, with a mark that it is new; or null.
//!
//! | who | step | effect |
//! |---|---|---|
//! | publisher | swaps its message in, with the mark | it owns what was there: a message that nobody took, or the one that the receiver had before |
//! | receiver | reads the mark; if set: swaps in the message that it had, without the mark | it owns the newest message |
//!
//! Only a publisher sets the mark, and only the receiver clears it, so what the receiver swaps out
//! is new. The swaps release what was done with what goes in (it was written, or read) and acquire
//! what comes out: a publisher can write over a message that comes back, if that is its own and
//! there was no other reference. Then nobody has counted anything, nor has touched a line other
//! than that of the pointer and those of the message.
#![expect(unsafe_code, reason = "references to messages are swapped as pointers")]

use super::pool::{Held, Slot};
use crate::sync::{AtomicPtr, Ordering};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// The mark of a message that is new: the lowest bit of the pointer.
const NEW: usize = 1;

pub(crate) struct Newest<T>(AtomicPtr<Slot<T>>, PhantomData<Held<T>>);

impl<T> Newest<T> {
    pub(crate) fn new() -> Self {
        const { assert!(align_of::<Slot<T>>() > 1, "a pointer to a slot has room for a mark") };
        Self(AtomicPtr::default(), PhantomData)
    }

    /// Returns whether there is a message that was not taken yet.
    #[inline]
    pub(crate) fn is_new(&self) -> bool {
        // Relaxed: it decides only whether to swap.
        self.0.load(Ordering::Relaxed).addr() & NEW != 0
    }

    /// Puts a message in, and returns what was there, and whether that was new. Wait-free.
    #[inline]
    pub(crate) fn put(&self, message: Held<T>) -> (Option<Held<T>>, bool) {
        let before = self.0.swap(marked(message), Ordering::AcqRel);
        (own(before), before.addr() & NEW != 0)
    }

    /// Puts a message in if nobody ever did; it is dropped if somebody did.
    pub(crate) fn put_if_empty(&self, message: Held<T>) {
        let slot = marked(message);
        if self.0.compare_exchange(null_mut(), slot, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            drop(own(slot));
        }
    }

    /// Exchanges the receiver's message for a new one, and returns whether there was one.
    /// Wait-free.
    #[inline]
    pub(crate) fn take(&self, front: &mut Option<Held<T>>) -> bool {
        if !self.is_new() {
            return false;
        }
        let former = front.take().map_or(null_mut(), Held::into_raw);
        *front = own(self.0.swap(former, Ordering::AcqRel));
        true
    }

    /// Drops what is there.
    pub(crate) fn clear(&self) {
        drop(own(self.0.swap(null_mut(), Ordering::AcqRel)));
    }
}

impl<T> Drop for Newest<T> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the pointer that stands for a new message.
#[inline]
fn marked<T>(message: Held<T>) -> *mut Slot<T> {
    message.into_raw().map_addr(|address| address | NEW)
}

/// Returns the message that a pointer stands for. Only for a pointer that one thread has: it was
/// swapped out, or never got in.
#[inline]
fn own<T>(slot: *mut Slot<T>) -> Option<Held<T>> {
    let slot = slot.map_addr(|address| address & !NEW);
    // SAFETY: every pointer in here came from `into_raw`, and leaves it once.
    (!slot.is_null()).then(|| unsafe { Held::from_raw(slot) })
}
