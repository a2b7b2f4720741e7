//! The sending end of a mailbox.
#![expect(unsafe_code, reason = "values are written where they will lie, and taken back where the receiver is gone")]

use super::block::{Block, LaneIndex, Raised};
use super::{Arrivals, Mailbox, Receiver};
use crate::error::SendError;
#[cfg(not(loom))]
use crate::exchange::Depth;
use crate::exchange::QueueWriter;
use crate::sync::{Arc, Ordering};
use std::mem::MaybeUninit;
use std::sync::PoisonError;

/// The sending end of a mailbox, which has a lane of its own. A clone has another.
pub(crate) struct Sender<T: Send> {
    mailbox: Arc<Mailbox<T>>,
    block: Arc<Block<T>>,
    lane: LaneIndex,
    writer: QueueWriter<T>,
    /// The arrivals of the values, for the receiver's executor, if it has one.
    arrivals: Option<Arrivals>,
}

impl<T: Send> Sender<T> {
    pub(super) fn new(
        mailbox: Arc<Mailbox<T>>,
        block: Arc<Block<T>>,
        lane: LaneIndex,
        writer: QueueWriter<T>,
        arrivals: Option<Arrivals>,
    ) -> Self {
        Sender { mailbox, block, lane, writer, arrivals }
    }

    /// Returns whether there is a receiver. Takes a lock.
    pub(crate) fn is_received(&self) -> bool {
        *self.mailbox.receiver.lock().unwrap_or_else(PoisonError::into_inner) == Receiver::Present
    }

    /// Returns for how many values there is room; `None` if the receiver is gone. Wait-free.
    #[inline]
    pub(crate) fn room(&self) -> Option<usize> {
        (!self.block.is_closed()).then(|| self.writer.room())
    }

    /// Returns how many values the sender has written.
    #[inline]
    pub(crate) fn sent(&self) -> u64 {
        self.writer.written()
    }

    /// Returns a function that returns how many values wait in the sender's lane.
    #[cfg(not(loom))]
    pub(crate) fn depth(&self) -> Depth
    where
        T: 'static,
    {
        self.writer.depth()
    }

    /// Sends a value. Wait-free; makes a system call only if the receiver sleeps.
    pub(crate) fn send(&mut self, value: T) -> Result<(), SendError<T>> {
        // SAFETY: the place is written.
        unsafe { self.send_with(value, |place, value| _ = place.write(value), |value| value) }
    }

    /// Sends `value` as `write` writes it, in the place where it will lie. If it has to be
    /// returned, `unwrite` turns it back.
    ///
    /// # Safety
    /// When `write` returns, the place is initialised.
    #[inline]
    pub(crate) unsafe fn send_with<V>(
        &mut self,
        value: V,
        write: impl FnOnce(&mut MaybeUninit<T>, V),
        unwrite: impl FnOnce(T) -> V,
    ) -> Result<(), SendError<V>> {
        // SAFETY: as the caller says.
        unsafe { self.write_with(value, write) }.map_err(SendError::Full)?;
        self.tell().map_err(|error| error.map(unwrite))
    }

    /// Writes without a notification (step S1): S2 must follow at some time, or the receiver may
    /// sleep on.
    ///
    /// # Safety
    /// When `write` returns, the place is initialised.
    #[inline]
    pub(crate) unsafe fn write_with<V>(
        &mut self,
        value: V,
        write: impl FnOnce(&mut MaybeUninit<T>, V),
    ) -> Result<(), V> {
        if let Some(arrivals) = &self.arrivals {
            self.note_arrival(arrivals);
        }
        // SAFETY: as the caller says.
        let written = unsafe { self.writer.push_with(value, write) };
        if written.is_err() {
            self.mailbox.refused.fetch_add(1, Ordering::Relaxed);
        }
        written
    }

    /// Notes when the value that is written next arrived. Relaxed: whoever sees the value sees
    /// this.
    #[inline(never)]
    fn note_arrival(&self, arrivals: &Arrivals) {
        if let Some(ready) = self.mailbox.signal.executor() {
            let arrival = ready.arrive();
            arrivals.at(self.writer.written()).store(arrival, Ordering::Relaxed);
            if ready.oldest().is_none() {
                ready.note_oldest(arrival);
            }
        }
    }

    /// Writes without a notification (step S1).
    #[cfg(all(test, not(loom)))]
    pub(super) fn write(&mut self, value: T) -> Result<(), T> {
        self.writer.push(value)
    }

    /// Notifies the receiver of what was written (step S2). If there is no receiver, the value that
    /// was written last is returned; those that were written before it without a notification are
    /// dropped.
    #[inline]
    pub(crate) fn tell(&mut self) -> Result<(), SendError<T>> {
        match self.block.raise(self.lane) {
            Raised::Again => Ok(()),
            Raised::First => {
                self.mailbox.signal();
                Ok(())
            }
            Raised::Gone => self.take_out_last().map_or(Ok(()), |value| Err(SendError::NoReceiver(value))),
        }
    }

    /// Takes out what was written last, unless the receiver took it. Only after the receiver is
    /// gone.
    #[cold]
    fn take_out_last(&mut self) -> Option<T> {
        // SAFETY: the receiver is gone and has left the reading end to the sender.
        std::iter::from_fn(|| unsafe { self.block.pop(self.lane) }).last()
    }
}

impl<T: Send> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Mailbox::join(&self.mailbox)
    }
}

impl<T: Send> Drop for Sender<T> {
    fn drop(&mut self) {
        // Release: whoever sees that no sender is left sees all that they sent.
        self.mailbox.senders.fetch_sub(1, Ordering::Release);
        if let Raised::First = self.block.leave(self.lane) {
            self.mailbox.signal();
        }
    }
}
