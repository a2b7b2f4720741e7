//! A place for one message, which threads swap in and out.
//!
//! Whoever swaps a message out owns its reference. The swaps release what was written and acquire
//! what is read.
#![expect(unsafe_code, reason = "references to messages are swapped as pointers")]

use super::pool::{Held, Slot};
use crate::sync::{AtomicPtr, Ordering};
use std::marker::PhantomData;
use std::ptr::null_mut;

pub(crate) struct MessageCell<T>(AtomicPtr<Slot<T>>, PhantomData<Held<T>>);

impl<T> MessageCell<T> {
    pub(crate) fn new() -> Self {
        Self(AtomicPtr::default(), PhantomData)
    }

    /// Puts a message in, and takes out what was there. Wait-free.
    #[inline]
    pub(crate) fn replace(&self, message: Held<T>) -> Option<Held<T>> {
        own(self.0.swap(message.into_raw(), Ordering::AcqRel))
    }

    /// Takes the message out. Wait-free.
    #[inline]
    pub(crate) fn take(&self) -> Option<Held<T>> {
        own(self.0.swap(null_mut(), Ordering::AcqRel))
    }

    /// Puts a message in unless there is one; it is returned if there is.
    pub(crate) fn put_if_empty(&self, message: Held<T>) -> Option<Held<T>> {
        let slot = message.into_raw();
        match self.0.compare_exchange(null_mut(), slot, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => None,
            Err(_) => own(slot),
        }
    }
}

impl<T> Drop for MessageCell<T> {
    fn drop(&mut self) {
        self.take();
    }
}

/// Returns the message that a pointer stands for. Only for a pointer that one thread has: it was
/// swapped out, or never got in.
#[inline]
fn own<T>(slot: *mut Slot<T>) -> Option<Held<T>> {
    // SAFETY: every pointer in a cell came from `into_raw`, and leaves it once.
    (!slot.is_null()).then(|| unsafe { Held::from_raw(slot) })
}
