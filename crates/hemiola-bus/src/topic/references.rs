//! The content of a lane that carries references to messages.
//!
//! Number n lies in cell n, modulo their number; a cell's mark says in which kind of turn it was
//! filled, an even or an odd one, and so whether number n is there. So a message's way leads
//! through the line of its cell and those of the message itself.
#![expect(unsafe_code, reason = "references to messages go through cells as pointers")]

use super::ledger::{Ledger, Oldest};
use super::pool::{Received, Reference, Reservation, Slot};
use crate::circle::Circle;
use crate::sync::{AtomicPtr, Ordering};

pub(crate) struct References<T> {
    /// The messages. The lowest bit of a pointer is the mark.
    cells: Circle<AtomicPtr<Slot<T>>>,
    pub(crate) ledger: Ledger,
    /// Keeps the slots of the messages.
    _reservation: Reservation<T>,
}

impl<T> References<T> {
    /// Creates the content of a lane of that capacity.
    pub(crate) fn new(capacity: usize, reservation: Reservation<T>) -> Self {
        const { assert!(align_of::<Slot<T>>() > 1, "a pointer to a slot has room for a mark") };
        Self {
            cells: Circle::new(capacity, AtomicPtr::default),
            ledger: Ledger::new(capacity as u64),
            _reservation: reservation,
        }
    }

    /// Puts in message `number`. Whoever sees it sees what its publisher did before. The publisher
    /// has taken out `taken_out` of the messages before. Only for the publisher.
    #[inline(always)]
    pub(crate) fn put(&self, number: u64, Reference { slot, count }: Reference<T>, oldest: Oldest, taken_out: u64) {
        self.ledger.enter(number, count, oldest, taken_out);
        let marked = slot.as_ptr().map_addr(|address| address | self.mark(number));
        self.cells.at(number).store(marked, Ordering::Release);
    }

    /// Returns message `number`, if it is the next in its cell. It is the receiver's only if the
    /// lane's `head` can be advanced beyond it.
    #[inline]
    pub(crate) fn message(&self, number: u64) -> Option<Received<T>> {
        let marked = self.cells.at(number).load(Ordering::Acquire);
        let is_there = !marked.is_null() && marked.addr() & 1 == self.mark(number);
        // SAFETY: whoever advances `head` owns the message; if that is not us, it is forgotten.
        is_there.then(|| unsafe { Received::new(marked.map_addr(|address| address & !1)) })
    }

    /// Returns the mark that distinguishes a message from the one before and the one after it in
    /// its cell.
    #[inline]
    fn mark(&self, number: u64) -> usize {
        usize::from(number & self.cells.len() as u64 == 0)
    }
}
