//! A run as all rooms see it: what triggers it, what it begins with, how a repeated one went, and
//! how an update in it failed.

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

/// Tells a cycle that there is a new sample, or that there are new messages.
#[derive(Default)]
pub struct Trigger {
    pub wakeup: Arc<Wakeup>,
    has_ended: AtomicBool,
}

impl Trigger {
    /// Says that there will be no more samples.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Whether there will be no more samples.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

/// An import, and which source it comes from if it comes from one.
pub struct CycleImport {
    /// The name of the cycle or source that it comes from.
    pub from: Arc<str>,
    pub import: Import,
    pub source: Option<SourceId>,
    /// The cycle is triggered by it.
    pub is_trigger: bool,
}

/// What a run begins with, besides its imports.
pub struct Beginning<'r> {
    pub run: u32,
    pub begin: Ticks,
    pub due: Time,
    pub due_ticks: Ticks,
    pub safe_state: SafeState,
    /// The changes from outside that came into force.
    pub changes: &'r NewChanges,
    /// In a replay: the messages that were received.
    pub messages: Option<&'r [MessageRecord]>,
}

/// How a run of a recording was repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    Exactly,
    /// With other messages, for those of the recording are not there.
    OtherMessages,
    /// Not at all: what it took was not published.
    Impossible,
}

/// An update that failed, on its way to whoever puts it into words.
pub struct FailureRecord {
    pub task: TaskId,
    pub instance: Arc<ModuleInstance>,
    pub policy: FailurePolicy,
    pub reason: FailureReason,
}

/// Why an update failed.
pub enum FailureReason {
    Error(Failure),
    Panic { payload: Box<dyn Any + Send>, place: String },
}
