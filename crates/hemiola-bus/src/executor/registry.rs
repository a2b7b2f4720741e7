//! The list of an executor's callbacks for the threads that add and remove them, and the two queues
//! between these and the executor.
//!
//! Callbacks are made, named and numbered on the thread that adds them, and travel to the executor
//! through a bounded queue; the executor puts them in between two calls. (One that is added by its
//! executor, to others for the same messages, needs no queue.) What the executor has removed
//! travels back, to be dropped by whoever uses a handle next.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::configuration::ExecutorConfiguration;
use hemiola_realtime::KernelThread;
use hemiola_trace::{Callback as Traced, CallbackId as TracedCallback, Catalog, ExecutorThread, WorkerId};

use super::agenda::Kind;
use super::callback::{CallbackId, CallbackReport, Figures, Priority, Runnable};
use crate::exchange::{QueueReader, QueueWriter, queue};
use crate::ready::CAPACITY;
use crate::when_full::WhenFull;

/// The number of changes that may wait to be applied.
pub(super) const CHANGES: usize = 64;

/// The number of changes that are applied before the next call, so that they do not delay the
/// callbacks.
pub(super) const CHANGES_PER_TURN: usize = 8;

/// All callbacks of an executor, by their numbers.
pub(super) struct Registry {
    /// The callbacks, in as many places as were ever used at the same time.
    entries: Vec<Option<Entry>>,
    last_serial: u64,
    shares_messages: bool,
    recording: Option<(Catalog, WorkerId)>,
    /// The configuration that overrides what the program sets.
    pub(super) configuration: ExecutorConfiguration,
    commands: QueueWriter<Command>,
    removed: QueueReader<Removed>,
    /// Objects to be dropped without the registry's lock, because dropping runs foreign code.
    pub(super) waste: Vec<Waste>,
}

/// A timer, or all callbacks of one topic that share a priority.
struct Entry {
    newcomer: Newcomer,
    /// The serial numbers of the callbacks, in the executor's order; empty as long as the number is
    /// only reserved.
    serials: Vec<u64>,
    figures: Arc<Figures>,
}

/// A callback that is to be added.
pub(super) struct Newcomer {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) topic: Option<String>,
    pub(super) priority: Priority,
    /// The time from tick to tick of a timer that repeats itself.
    pub(super) period: Option<Duration>,
    /// The messages that it receives: callbacks for the same messages at the same priority are
    /// called together.
    pub(super) messages: Option<Messages>,
}

/// A description of messages, and of how they are received.
pub(super) struct Messages {
    /// The address of the topic.
    pub(super) topic: usize,
    pub(super) capacity: usize,
    pub(super) when_full: WhenFull,
    /// The type of the callbacks. `carrier` makes an empty carrier for one.
    pub(super) callback: TypeId,
    pub(super) carrier: MakeCarrier,
}

impl PartialEq for Messages {
    fn eq(&self, other: &Self) -> bool {
        let key = |messages: &Self| (messages.topic, messages.capacity, messages.when_full, messages.callback);
        key(self) == key(other)
    }
}

pub(super) type MakeCarrier = fn() -> Box<dyn Any + Send>;

/// A change for the executor to apply between two calls.
pub(super) enum Command {
    Add { index: usize, kind: Kind, priority: Priority, traced: Option<TracedCallback>, entry: Box<dyn Runnable> },
    Remove { index: usize },
    PutIn { index: usize, carrier: Box<dyn Any + Send> },
    TakeOut { index: usize, position: usize, carrier: Box<dyn Any + Send> },
}

/// An object that comes back from an executor.
#[expect(dead_code, reason = "it is only dropped")]
pub(super) enum Removed {
    Carrier(Box<dyn Any + Send>),
    /// A callback whose number is free now.
    Entry(usize, Box<dyn Runnable>),
}

#[expect(dead_code, reason = "it is only dropped")]
pub(super) enum Waste {
    Removed(Removed),
    Refused(Command),
}

/// The executor's ends of the two queues.
pub(super) struct Commands {
    pub(super) todo: QueueReader<Command>,
    pub(super) removed: QueueWriter<Removed>,
}

impl Registry {
    pub(super) fn new() -> (Self, Commands) {
        let (command_writer, command_reader) = queue(CHANGES);
        // This queue always has room: the number of an entry is not used again before the entry has
        // come back, and whoever sends a command first fetches what came back of the earlier ones.
        let (removed_writer, removed_reader) = queue(CAPACITY + CHANGES + 1);
        let registry = Self {
            entries: Vec::new(),
            last_serial: 0,
            shares_messages: true,
            recording: None,
            configuration: ExecutorConfiguration::default(),
            commands: command_writer,
            removed: removed_reader,
            waste: Vec::new(),
        };
        (registry, Commands { todo: command_reader, removed: removed_writer })
    }

    /// Reserves a number for a newcomer, if one is free. Returns it with the name in the trace.
    pub(super) fn reserve(
        &mut self,
        newcomer: Newcomer,
        figures: Arc<Figures>,
    ) -> Option<(usize, Option<TracedCallback>)> {
        self.take_in();
        let index = self.entries.iter().position(Option::is_none).unwrap_or(self.entries.len());
        if index == CAPACITY {
            return None;
        }
        if index == self.entries.len() {
            self.entries.push(None);
        }
        let traced = self.traced(&newcomer, index);
        self.entries[index] = Some(Entry { newcomer, serials: Vec::new(), figures });
        Some((index, traced))
    }

    /// Frees a number that was reserved in vain.
    pub(super) fn release(&mut self, index: usize) {
        self.entries[index] = None;
    }

    /// Returns the number of the callbacks that receive the same messages at the same priority, and
    /// how many they are.
    pub(super) fn find(&self, messages: &Messages, priority: Priority) -> Option<(usize, usize)> {
        let is_same = |entry: &&Entry| {
            entry.newcomer.priority == priority
                && entry.newcomer.messages.as_ref() == Some(messages)
                && !entry.serials.is_empty()
        };
        let entries = self.entries.iter().enumerate().filter(|_| self.shares_messages);
        entries.filter_map(|(index, entry)| Some((index, entry.as_ref().filter(is_same)?.serials.len()))).next()
    }

    /// Enters a callback, beside the others of its number.
    pub(super) fn enter(&mut self, index: usize) -> CallbackId {
        self.last_serial += 1;
        let serial = self.last_serial;
        self.entries[index].iter_mut().for_each(|entry| entry.serials.push(serial));
        CallbackId { index: index as u8, serial }
    }

    /// Returns where the callback is, if it is still there: its number, its place among those with
    /// which it is called, and how many they are.
    pub(super) fn place(&self, id: CallbackId) -> Option<(usize, usize, usize)> {
        let index = usize::from(id.index);
        let serials = &self.entries.get(index)?.as_ref()?.serials;
        let position = serials.iter().position(|&serial| serial == id.serial)?;
        Some((index, position, serials.len()))
    }

    /// Returns an empty carrier, to fetch one of several callbacks.
    pub(super) fn carrier(&self, index: usize) -> Option<Box<dyn Any + Send>> {
        Some((self.entries[index].as_ref()?.newcomer.messages.as_ref()?.carrier)())
    }

    /// Removes the callback at this place from the list.
    pub(super) fn strike(&mut self, index: usize, position: usize) {
        self.entries[index].iter_mut().for_each(|entry| _ = entry.serials.remove(position));
    }

    /// Sends a command to the executor. Returns whether there was room.
    pub(super) fn send(&mut self, command: Command) -> bool {
        self.take_in();
        match self.commands.push(command) {
            Ok(()) => true,
            Err(command) => {
                self.waste.push(Waste::Refused(command));
                false
            }
        }
    }

    pub(super) fn reports(&mut self) -> Vec<CallbackReport> {
        self.take_in();
        let entries = self.entries.iter().flatten().filter(|entry| !entry.serials.is_empty());
        entries.map(|entry| entry.figures.report(&entry.newcomer, entry.serials.len())).collect()
    }

    /// Makes every subscription receive its messages by itself from now on.
    pub(super) fn share_no_messages(&mut self) {
        self.shares_messages = false;
    }

    /// Names callbacks in a trace from now on. Returns the names of those that are there, with
    /// their numbers.
    pub(super) fn record(&mut self, catalog: &Catalog, executor: WorkerId) -> Vec<(usize, Option<TracedCallback>)> {
        self.recording = Some((catalog.clone(), executor));
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(index, entry)| Some((index, self.traced(&entry.as_ref()?.newcomer, index)))).collect()
    }

    /// Records in the trace on which thread callbacks are called from now on.
    pub(super) fn note_thread(&self, thread: impl FnOnce() -> ExecutorThread) {
        if let Some((catalog, executor)) = &self.recording {
            catalog.executor_runs(*executor, thread());
            catalog.executor_runs_on(*executor, KernelThread::current().number());
        }
    }

    /// Returns the name of a newcomer in the trace, if there is one.
    fn traced(&self, newcomer: &Newcomer, index: usize) -> Option<TracedCallback> {
        let (catalog, executor) = self.recording.as_ref()?;
        let Newcomer { name, priority: Priority(priority), period, .. } = newcomer;
        // Timers from one place in the source get different names, because together they tick more
        // often than each.
        let others = self.entries[..index].iter().flatten().filter(|_| period.is_some());
        let same = others.filter(|other| other.newcomer.name == *name).count();
        let name = if same == 0 { name.clone() } else { format!("{name} ({})", same + 1) };
        // A catalog is full when 65,536 callbacks have come and gone: later ones are not traced.
        let topic = newcomer.topic.as_ref().and_then(|topic| catalog.topic(topic).ok());
        catalog.callback(Traced::of(*executor, name).topic(topic).priority(*priority).period(*period)).ok()
    }

    /// Fetches what the executor sent back.
    fn take_in(&mut self) {
        while let Some(removed) = self.removed.pop() {
            if let Removed::Entry(index, _) = removed {
                self.entries[index] = None;
            }
            self.waste.push(Waste::Removed(removed));
        }
    }
}
