//! A run as all modules see it: its trigger, what it begins with, the outcome of repeating it, and
//! the failure of an update in it.

use std::any::Any;
use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::{Failure, SafeState};
use hemiola_realtime::Wakeup;
use hemiola_trace::{SourceId, TaskId, Ticks};

use crate::blackboard::channel::Import;
use crate::module_instance::ModuleInstance;
use crate::record::{MessageRecord, NewChanges};
use crate::sync::{AtomicBool, Ordering};

/// The trigger of a cycle: the signal that there is a new sample, or that there are new messages.
#[derive(Default)]
pub struct Trigger {
    pub wakeup: Arc<Wakeup>,
    has_ended: AtomicBool,
}

impl Trigger {
    /// Notes that there will be no more samples.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Returns whether there will be no more samples.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

/// An import of a cycle, and the source from which it comes, if it comes from one.
pub struct CycleImport {
    /// The name of the cycle or source from which it comes.
    pub from: Arc<str>,
    pub import: Import,
    pub source: Option<SourceId>,
    /// Set if it triggers the cycle.
    pub is_trigger: bool,
}

/// The facts with which a run begins, besides its imports.
pub struct Beginning<'r> {
    pub run: u32,
    pub begin: Ticks,
    pub due: Time,
    pub due_ticks: Ticks,
    pub safe_state: SafeState,
    /// The changes from outside that came into force.
    pub changes: &'r NewChanges,
    /// The messages that were received, in a replay.
    pub messages: Option<&'r [MessageRecord]>,
}

/// The outcome of repeating a run of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    Exactly,
    /// The run had other messages, because those of the recording are not there.
    OtherMessages,
    /// The run could not be repeated: what it read was not published.
    Impossible,
}

/// The record of an update that failed, on its way to the thread that describes it in words.
pub struct FailureRecord {
    pub task: TaskId,
    pub instance: Arc<ModuleInstance>,
    pub policy: FailurePolicy,
    pub reason: FailureReason,
}

/// The reason why an update failed.
pub enum FailureReason {
    Error(Failure),
    Panic { payload: Box<dyn Any + Send>, place: String },
}
