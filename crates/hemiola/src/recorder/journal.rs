//! What happens to a robot besides its runs: messages as ROS 2 has them, so that viewers list them, and changes from outside.

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_runtime::{Change, JournalEntry, JournalEvent, Severity};

use super::head::{Head, as_json};
use crate::data::Data;

/// Something that people should know.
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

/// A change of a running robot from outside. It was in force when it was recorded, and may have been a few milliseconds before.
#[derive(Data)]
#[data(name = "hemiola/Change")]
struct ChangeMessage {
    kind: ChangeKind,
    /// The module, representation or cycle that was changed; empty for the robot.
    target: String,
    /// The parameter; empty for other changes.
    parameter: String,
    /// What it is now: JSON; the name of a module; empty where there is none.
    value: String,
}

#[derive(Data)]
enum ChangeKind {
    Parameter,
    Provider,
    Workers,
    Override,
    Release,
    EnterSafeState,
    LeaveSafeState,
}

/// Two channels, and how far the journal has been read.
#[derive(Default)]
pub struct JournalChannels {
    messages: Numbered,
    changes: Numbered,
    next: u64,
}

#[derive(Default)]
struct Numbered {
    id: Option<ChannelId>,
    next: u32,
}

impl JournalChannels {
    /// Adds them to a new log.
    pub fn begin(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.messages.id = Some(log.channel("/hemiola/log", &MessageSchema::of("Log", &LogMessage::data_type()))?);
        self.changes.id =
            Some(log.channel("/hemiola/changes", &MessageSchema::of("Change", &ChangeMessage::data_type()))?);
        Ok(())
    }

    /// The number of the entry that is written next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Writes what has happened since the last time, and notes in the head what was changed.
    pub fn write(
        &mut self,
        log: &mut LogWriter,
        entries: Vec<JournalEntry>,
        head: &mut Head,
        buffer: &mut CdrWriter,
    ) -> Result<(), LogError> {
        for JournalEntry { number, at, event } in entries {
            let lost = number.saturating_sub(self.next);
            self.next = number + 1;
            buffer.clear();
            let channel = match event {
                JournalEvent::Message { severity, about, text } => {
                    message(at, severity, about, text).write(buffer);
                    &mut self.messages
                }
                JournalEvent::Change(change) => {
                    head.note_change(&change);
                    ChangeMessage::of(change).write(buffer);
                    &mut self.changes
                }
            };
            // Of which channel they were nobody knows.
            let sequence = channel.next.wrapping_add(lost as u32);
            channel.next = sequence.wrapping_add(1);
            if let Some(id) = channel.id {
                log.write(id, Origin { sequence, logged: at, published: at }, buffer.bytes())?;
            }
        }
        Ok(())
    }
}

fn message(stamp: Time, severity: Severity, name: String, msg: String) -> LogMessage {
    let level = match severity {
        Severity::Information => 20,
        Severity::Warning => 30,
        Severity::Error => 40,
    };
    LogMessage { stamp, level, name, msg, file: String::new(), function: String::new(), line: 0 }
}

impl ChangeMessage {
    fn of(change: Change) -> Self {
        let simple = |kind, target: String, value: String| Self { kind, target, parameter: String::new(), value };
        match change {
            Change::Parameter { module, parameter, value } => {
                Self { kind: ChangeKind::Parameter, target: module, parameter, value: as_json(&value) }
            }
            Change::Provider { representation, module } => simple(ChangeKind::Provider, representation, module),
            Change::Workers { cycle, workers } => {
                let workers = workers.map(|workers| workers.to_string());
                simple(ChangeKind::Workers, cycle, workers.unwrap_or_default())
            }
            Change::Override { representation, value } => simple(ChangeKind::Override, representation, as_json(&value)),
            Change::Release { representation } => simple(ChangeKind::Release, representation, String::new()),
            Change::EnterSafeState => simple(ChangeKind::EnterSafeState, String::new(), String::new()),
            Change::LeaveSafeState => simple(ChangeKind::LeaveSafeState, String::new(), String::new()),
        }
    }
}
