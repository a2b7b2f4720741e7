//! The changes that others ask an executor to make, between two of its calls.

use std::any::Any;

use super::Executor;
use super::callback::CallbackId;
use super::registry::{Command, Removed};
use crate::error::BusError;

impl Executor {
    /// Removes a callback, ready or not. Does nothing if it is gone already.
    ///
    /// # Errors
    /// [`BusError::ExecutorBusy`] if others send changes faster than they are made.
    pub fn remove(&mut self, id: CallbackId) -> Result<(), BusError> {
        let removed = self.handle.remove(id);
        self.obey();
        removed
    }

    /// Makes the changes that were asked for.
    #[cold]
    pub(super) fn obey(&mut self) {
        while let Some(command) = self.commands.todo.pop() {
            match command {
                Command::Add { index, kind, priority, traced, mut entry } => {
                    self.agenda.insert(index, kind, priority);
                    if let Some(recorder) = &mut self.recorder {
                        recorder.name(index, traced);
                    }
                    match entry.first_due() {
                        Some(due) => self.timers.insert(index, due),
                        // Messages may have come before it was known here.
                        None if entry.waiting() > 0 => self.agenda.mark(index),
                        None => {}
                    }
                    // There is room for all numbers.
                    let count = self.entries.len().max(index + 1);
                    self.entries.resize_with(count, || None);
                    self.entries[index] = Some(entry);
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
        }
    }

    /// Takes in what a carrier brings.
    pub(super) fn put_in(&mut self, index: usize, carrier: &mut dyn Any) {
        self.entries[index].iter_mut().for_each(|entry| entry.put_in(carrier));
    }

    pub(super) fn discard(&mut self, index: usize) {
        self.agenda.remove(index);
        if let Some(entry) = self.entries[index].take() {
            self.send_back(Removed::Entry(index, entry));
        }
    }

    /// What is no longer needed is dropped by whoever uses a handle next, not on this thread.
    fn send_back(&mut self, removed: Removed) {
        // There is room: see where the queue is made.
        let _ = self.commands.removed.push(removed);
    }
}
