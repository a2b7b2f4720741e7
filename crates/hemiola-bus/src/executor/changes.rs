//! The changes that an executor applies on request, between two of its calls.

use std::any::Any;

use super::Executor;
use super::callback::CallbackId;
use super::registry::{CHANGES_PER_TURN, Command, Removed};
use crate::error::BusError;

impl Executor {
    /// Removes a callback, ready or not. Does nothing if it was removed already.
    ///
    /// # Errors
    /// Returns [`BusError::ExecutorBusy`] if others send changes faster than they are applied.
    pub fn remove(&mut self, id: CallbackId) -> Result<(), BusError> {
        let removed = self.handle.remove(id);
        self.make_changes();
        removed
    }

    /// Applies all requested changes.
    #[cold]
    pub(super) fn make_changes(&mut self) {
        while self.make_change() {}
    }

    /// Applies as many of the requested changes as come before one call.
    #[cold]
    pub(super) fn make_changes_of_a_turn(&mut self) {
        self.changes_wait = (0..CHANGES_PER_TURN).all(|_| self.make_change());
    }

    /// Applies a change, if one was requested, and returns whether one was.
    fn make_change(&mut self) -> bool {
        let Some(command) = self.commands.todo.pop() else { return false };
        match command {
            Command::Add { index, kind, priority, traced, mut entry } => {
                self.agenda.insert(index, kind, priority);
                if let Some(recorder) = &mut self.recorder {
                    recorder.name(index, traced);
                }
                // Messages may have come before the callback was known here.
                let due = entry.first_due();
                let is_ready = due.is_none() && entry.waiting() > 0;
                // The entries have room for all numbers, so this does not allocate.
                let count = self.entries.len().max(index + 1);
                self.entries.resize_with(count, || None);
                self.entries[index] = Some(entry);
                due.into_iter().for_each(|due| self.timers.insert(index, due));
                if let Some(lonely) = self.agenda.lonely_before(index) {
                    let arrival = self.arrival(lonely);
                    self.agenda.line_up(lonely, arrival);
                }
                if is_ready {
                    self.mark(index);
                }
            }
            Command::Remove { index } => {
                self.timers.remove(index);
                self.discard(index);
            }
            Command::PutIn { index, mut carrier } => {
                self.put_in(index, &mut *carrier);
                self.send_back(Removed::Carrier(carrier));
            }
            Command::TakeOut { index, position, mut carrier } => {
                self.entries[index].iter_mut().for_each(|entry| entry.take_out(position, &mut *carrier));
                self.send_back(Removed::Carrier(carrier));
            }
        }
        true
    }

    /// Moves the callback from a carrier to an entry.
    pub(super) fn put_in(&mut self, index: usize, carrier: &mut dyn Any) {
        self.entries[index].iter_mut().for_each(|entry| entry.put_in(carrier));
    }

    pub(super) fn discard(&mut self, index: usize) {
        self.agenda.remove(index);
        if let Some(entry) = self.entries[index].take() {
            self.send_back(Removed::Entry(index, entry));
        }
    }

    /// Sends what is no longer needed to whoever uses a handle next, to be dropped there and not on
    /// this thread.
    fn send_back(&mut self, removed: Removed) {
        // The queue has room: see where it is created.
        let _ = self.commands.removed.push(removed);
    }
}
