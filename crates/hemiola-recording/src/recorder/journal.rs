//! The events of a robot besides its runs: messages in the form of ROS 2, so that viewers list
//! them, changes from outside, and latencies above their bounds.

use std::time::Duration;

use hemiola_log::{Channel, ChannelId, LogError, LogWriter, Message, Origin};
use hemiola_model::Time;
use hemiola_model::cdr::{self, CdrWriter, MessageSchema};
use hemiola_runtime::{Bounded, Change, Exceedance, ExceedanceCause, JournalEntry, JournalEvent, Observer, Severity};

use super::head::{Head, as_json};
use crate::error::RecordingError;
use crate::names::CHANGES;
use hemiola_macros::Data;
use hemiola_model::data::Data;

/// A message to the robot's operators.
#[derive(Data)]
#[data(name = "rcl_interfaces/Log")]
struct LogMessage {
    stamp: Time,
    /// 20: information, 30: warning, 40: error
    level: u8,
    name: String,
    msg: String,
    file: String,
    function: String,
    line: u32,
}

/// A change of a running robot from outside. It was in force when it was recorded, and possibly a
/// few milliseconds earlier; the transcripts of the cycles show from which run on.
#[derive(Data)]
#[data(name = "hemiola/Change")]
struct ChangeMessage {
    kind: ChangeKind,
    /// The module, representation or cycle that was changed; empty for the robot.
    target: String,
    /// The parameter; empty for other changes.
    parameter: String,
    /// The new value in JSON, or the name of a module; empty if there is none.
    value: String,
    /// The number by which transcripts refer to the change; empty if results do not depend on it,
    /// and for the safe state, which transcripts show for each run.
    number: Option<u32>,
}

#[derive(Data)]
enum ChangeKind {
    Parameter,
    Provider,
    Workers,
    Override,
    Release,
    Restart,
    EnterSafeState,
    LeaveSafeState,
    Trace,
}

/// A latency above its bound, and its cause.
#[derive(Data)]
#[data(name = "hemiola/Exceedance")]
struct ExceedanceMessage {
    latency: LatencyKind,
    /// The cycle; of a chain its source, of a callback its executor.
    of: String,
    /// The update that puts out, or the callback; empty for a response time.
    output: String,
    run: u32,
    bound: Duration,
    observed: Duration,
    cause: CauseKind,
    /// The update that ran long, the thread of the robot that had the core, the thread that needed
    /// one that other programs had, or the core that the host took; empty otherwise.
    culprit: String,
    /// The time for which the culprit ran or had the core; zero if only the explanation states it.
    took: Duration,
    explanation: String,
    /// The number of further exceedances since the last one that was reported.
    others: u64,
}

#[derive(Data)]
enum LatencyKind {
    Response,
    Reaction,
    DataAge,
    Callback,
}

#[derive(Data)]
enum CauseKind {
    Execution,
    Preemption,
    StalledCore,
    LateRelease,
    Backlog,
    Dispatch,
    NothingUnusual,
    Unknown,
    OtherPrograms,
    Host,
}

/// The topic of latencies above their bounds.
const EXCEEDANCES: &str = "/hemiola/exceedances";

/// The channels of the journal, and the position up to which it was read.
#[derive(Default)]
pub struct JournalChannels {
    messages: Numbered,
    changes: Numbered,
    exceedances: Numbered,
    next: u64,
}

#[derive(Default)]
struct Numbered {
    id: Option<ChannelId>,
    next: u32,
}

impl JournalChannels {
    /// Adds the channels to a new log.
    pub fn begin(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.messages.id = Some(log.channel("/hemiola/log", &MessageSchema::of("Log", &LogMessage::data_type()))?);
        self.changes.id = Some(log.channel(CHANGES, &MessageSchema::of("Change", &ChangeMessage::data_type()))?);
        let schema = MessageSchema::of("Exceedance", &ExceedanceMessage::data_type());
        self.exceedances.id = Some(log.channel(EXCEEDANCES, &schema)?);
        Ok(())
    }

    /// Writes the events since the last call, and records changes in the head.
    pub fn write(
        &mut self,
        log: &mut LogWriter,
        seen: &mut Observer,
        head: &mut Head,
        buffer: &mut CdrWriter,
    ) -> Result<(), LogError> {
        while let Some(JournalEntry { number, at, event }) = seen.next_entry() {
            let lost = number.saturating_sub(self.next);
            self.next = number + 1;
            buffer.clear();
            let channel = match event {
                JournalEvent::Message { severity, about, text } => {
                    message(at, severity, about, text).write(buffer);
                    &mut self.messages
                }
                JournalEvent::Mark { text, by } => {
                    message(at, Severity::Information, by.unwrap_or_default(), text).mark().write(buffer);
                    &mut self.messages
                }
                JournalEvent::Change { change, number, by } => {
                    head.note_change(&change);
                    if let Some(by) = by {
                        message(at, Severity::Information, by, change.to_string()).write(buffer);
                        self.messages.write(log, at, 0, buffer)?;
                        buffer.clear();
                    }
                    ChangeMessage::of(change, number).write(buffer);
                    &mut self.changes
                }
                JournalEvent::Exceedance(exceedance) => {
                    ExceedanceMessage::of(exceedance).write(buffer);
                    &mut self.exceedances
                }
            };
            // It is unknown to which channel the lost entries belong.
            channel.write(log, at, lost as u32, buffer)?;
        }
        Ok(())
    }
}

impl Numbered {
    /// Writes the buffer as a message, before which `lost` messages were lost.
    fn write(&mut self, log: &mut LogWriter, at: Time, lost: u32, buffer: &CdrWriter) -> Result<(), LogError> {
        let sequence = self.next.wrapping_add(lost);
        self.next = sequence.wrapping_add(1);
        match self.id {
            Some(id) => log.write(id, Origin { sequence, logged: at, published: at }, buffer.bytes()),
            None => Ok(()),
        }
    }
}

impl LogMessage {
    /// Returns the message as a mark that an operator has set, by which viewers can find it.
    fn mark(self) -> Self {
        Self { function: MARK.to_owned(), ..self }
    }
}

/// The type of messages to operators, in ROS 2 as well.
const MESSAGE_TYPE: &str = "rcl_interfaces/msg/Log";

/// The text that marks have in place of a function.
const MARK: &str = "mark";

fn message(stamp: Time, severity: Severity, name: String, msg: String) -> LogMessage {
    let level = match severity {
        Severity::Information => 20,
        Severity::Warning => 30,
        Severity::Error => 40,
    };
    LogMessage { stamp, level, name, msg, file: String::new(), function: String::new(), line: 0 }
}

impl ChangeMessage {
    fn of(change: Change, number: Option<u32>) -> Self {
        let none = String::new;
        let (kind, target, parameter, value) = match change {
            Change::Parameter { module, parameter, value } => {
                (ChangeKind::Parameter, module, parameter, as_json(&value))
            }
            Change::Provider { representation, module } => (ChangeKind::Provider, representation, none(), module),
            Change::Workers { cycle, workers } => {
                let workers = workers.map(|workers| workers.to_string());
                (ChangeKind::Workers, cycle, none(), workers.unwrap_or_default())
            }
            Change::Override { representation, value } => {
                (ChangeKind::Override, representation, none(), as_json(&value))
            }
            Change::Release { representation } => (ChangeKind::Release, representation, none(), none()),
            Change::Restart { module } => (ChangeKind::Restart, module, none(), none()),
            Change::Trace { file } => {
                let file = file.map(|file| file.to_string_lossy().into_owned());
                (ChangeKind::Trace, none(), none(), file.unwrap_or_default())
            }
            Change::EnterSafeState => (ChangeKind::EnterSafeState, none(), none(), none()),
            Change::LeaveSafeState => (ChangeKind::LeaveSafeState, none(), none(), none()),
        };
        Self { kind, target, parameter, value, number }
    }

    fn change(self) -> Result<(Change, Option<u32>), serde_json::Error> {
        let Self { kind, target, parameter, value, number } = self;
        let change = match kind {
            ChangeKind::Parameter => {
                Change::Parameter { module: target, parameter, value: serde_json::from_str(&value)? }
            }
            ChangeKind::Provider => Change::Provider { representation: target, module: value },
            ChangeKind::Workers => Change::Workers { cycle: target, workers: value.parse().ok() },
            ChangeKind::Override => Change::Override { representation: target, value: serde_json::from_str(&value)? },
            ChangeKind::Release => Change::Release { representation: target },
            ChangeKind::Restart => Change::Restart { module: target },
            ChangeKind::Trace => Change::Trace { file: Some(value).filter(|file| !file.is_empty()).map(Into::into) },
            ChangeKind::EnterSafeState => Change::EnterSafeState,
            ChangeKind::LeaveSafeState => Change::LeaveSafeState,
        };
        Ok((change, number))
    }
}

impl ExceedanceMessage {
    fn of(exceedance: Exceedance) -> Self {
        let Exceedance { of, run, bound, observed, cause, explanation, others } = exceedance;
        let (latency, of, output) = match of {
            Bounded::Response { cycle } => (LatencyKind::Response, cycle, String::new()),
            Bounded::Reaction { source, output } => (LatencyKind::Reaction, source, output),
            Bounded::DataAge { source, output } => (LatencyKind::DataAge, source, output),
            Bounded::Callback { executor, callback } => (LatencyKind::Callback, executor, callback),
        };
        let nobody = |kind| (kind, String::new(), Duration::ZERO);
        let (cause, culprit, took) = match cause {
            ExceedanceCause::Execution { update, took, .. } => (CauseKind::Execution, update, took),
            ExceedanceCause::Preemption { thread, lasted } => (CauseKind::Preemption, thread, lasted),
            ExceedanceCause::OtherPrograms { thread, lasted } => (CauseKind::OtherPrograms, thread, lasted),
            ExceedanceCause::Host { core, lasted } => (CauseKind::Host, format!("core {core}"), lasted),
            ExceedanceCause::StalledCore => nobody(CauseKind::StalledCore),
            ExceedanceCause::LateRelease => nobody(CauseKind::LateRelease),
            ExceedanceCause::Backlog => nobody(CauseKind::Backlog),
            ExceedanceCause::Dispatch => nobody(CauseKind::Dispatch),
            ExceedanceCause::NothingUnusual => nobody(CauseKind::NothingUnusual),
            ExceedanceCause::Unknown => nobody(CauseKind::Unknown),
        };
        Self { latency, of, output, run, bound, observed, cause, culprit, took, explanation, others }
    }
}

impl LogMessage {
    fn event(self) -> JournalEvent {
        let Self { level, name, msg, function, .. } = self;
        if function == MARK {
            return JournalEvent::Mark { text: msg, by: Some(name).filter(|name| !name.is_empty()) };
        }
        let severity = match level {
            ..=29 => Severity::Information,
            30..=39 => Severity::Warning,
            40.. => Severity::Error,
        };
        JournalEvent::Message { severity, about: name, text: msg }
    }
}

impl ExceedanceMessage {
    fn exceedance(self) -> Exceedance {
        let Self { latency, of, output, run, bound, observed, cause, culprit, took, explanation, others } = self;
        let cause = match cause {
            CauseKind::Execution => {
                ExceedanceCause::Execution { cycle: of.clone(), update: culprit, took, assumed: None }
            }
            CauseKind::Preemption => ExceedanceCause::Preemption { thread: culprit, lasted: took },
            CauseKind::OtherPrograms => ExceedanceCause::OtherPrograms { thread: culprit, lasted: took },
            CauseKind::Host => match culprit.strip_prefix("core ").and_then(|core| core.parse().ok()) {
                Some(core) => ExceedanceCause::Host { core, lasted: took },
                None => ExceedanceCause::Unknown,
            },
            CauseKind::StalledCore => ExceedanceCause::StalledCore,
            CauseKind::LateRelease => ExceedanceCause::LateRelease,
            CauseKind::Backlog => ExceedanceCause::Backlog,
            CauseKind::Dispatch => ExceedanceCause::Dispatch,
            CauseKind::NothingUnusual => ExceedanceCause::NothingUnusual,
            CauseKind::Unknown => ExceedanceCause::Unknown,
        };
        let of = match latency {
            LatencyKind::Response => Bounded::Response { cycle: of },
            LatencyKind::Reaction => Bounded::Reaction { source: of, output },
            LatencyKind::DataAge => Bounded::DataAge { source: of, output },
            LatencyKind::Callback => Bounded::Callback { executor: of, callback: output },
        };
        Exceedance { of, run, bound, observed, cause, explanation, others }
    }
}

/// Returns whether the messages of this channel are events of a robot: those of Hemiola's journal,
/// or log messages of ROS 2.
pub fn is_journal(channel: &Channel) -> bool {
    [CHANGES, EXCEEDANCES].contains(&channel.topic.as_str()) || channel.type_name() == MESSAGE_TYPE
}

/// Returns the event in such a message. A separate message contains who made a change.
///
/// # Errors
/// Returns an error if the message is damaged, or of another version of Hemiola.
pub fn journal_event(message: &Message<'_>) -> Result<JournalEvent, RecordingError> {
    let damaged = |reason: String| RecordingError::Damaged { what: "journal", reason };
    Ok(match message.channel.topic.as_str() {
        CHANGES => {
            let change: ChangeMessage = cdr::decode(message.data).map_err(|error| damaged(error.to_string()))?;
            let (change, number) = change.change().map_err(|error| damaged(error.to_string()))?;
            JournalEvent::Change { change, number, by: None }
        }
        EXCEEDANCES => {
            let exceedance: ExceedanceMessage =
                cdr::decode(message.data).map_err(|error| damaged(error.to_string()))?;
            JournalEvent::Exceedance(exceedance.exceedance())
        }
        _ => {
            let said: LogMessage = cdr::decode(message.data).map_err(|error| damaged(error.to_string()))?;
            said.event()
        }
    })
}

/// Returns the change in a message of `/hemiola/changes`, if transcripts refer to it.
///
/// # Errors
/// Returns an error if the message is damaged, or of another version of Hemiola.
pub fn numbered_change(message: &Message<'_>) -> Result<Option<(u32, Change)>, RecordingError> {
    let damaged = |reason: String| RecordingError::Damaged { what: "record of changes", reason };
    let change: ChangeMessage = cdr::decode(message.data).map_err(|error| damaged(error.to_string()))?;
    let (change, number) = change.change().map_err(|error| damaged(error.to_string()))?;
    Ok(number.map(|number| (number, change)))
}
