//! The journal: the events of a robot besides its runs, in order. It contains messages for people,
//! and changes from outside.

use std::collections::VecDeque;

use hemiola_model::Time;

use crate::record::{Change, Exceedance, Severity};

/// An entry of the journal of a robot: [`RobotHandle::journal`](crate::RobotHandle::journal).
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// use hemiola_runtime::{JournalEvent, Severity};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// # let stepper = Robot::assemble(configuration)?.into_stepper()?;
/// # let robot = stepper.handle();
///
/// let seen = robot.journal(0).len() as u64;
/// robot.note("the referee has come".to_owned());
/// let entry = robot.journal(seen).remove(0);
/// assert_eq!(entry.number, seen);
/// assert!(matches!(entry.event, JournalEvent::Message { severity: Severity::Information, .. }));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// The number of the entry, from zero on; entries that are too old are no longer kept.
    pub number: u64,
    /// The time on the robot's clock when it became known.
    pub at: Time,
    /// The event.
    pub event: JournalEvent,
}

/// An event of a robot besides its runs.
///
/// ```
/// use hemiola_runtime::{Change, JournalEvent};
///
/// let change = Change::Provider { representation: "Ball".into(), module: "BallFilter".into() };
/// let switched = JournalEvent::Change { change, number: Some(0), by: Some("127.0.0.1:50000".into()) };
/// assert_ne!(switched, JournalEvent::Change { change: Change::LeaveSafeState, number: None, by: None });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEvent {
    /// A message for people, at each occurrence, also if it is not new.
    Message {
        /// The severity of the message.
        severity: Severity,
        /// The subject of the message: an update, a source, the watchdog.
        about: String,
        /// The message in words.
        text: String,
    },
    /// A change came into force.
    Change {
        /// The change.
        change: Change,
        /// The number by which transcripts refer to it:
        /// [`RunRecord::changes`](crate::RunRecord::changes). `None` if results do not depend on
        /// it, or if a transcript records it for each run, as the safe state.
        number: Option<u32>,
        /// The name of whoever made the change, if that is known.
        by: Option<String>,
    },
    /// Somebody has marked this moment.
    Mark {
        /// The text of the mark.
        text: String,
        /// The name of whoever marked it, if that is known.
        by: Option<String>,
    },
    /// A latency exceeded its bound:
    /// [`RobotHandle::watch_bounds`](crate::RobotHandle::watch_bounds).
    Exceedance(Exceedance),
}

/// The number of entries that are kept for later readers.
const MOST_KEPT: usize = 4096;

/// The newest entries.
#[derive(Default)]
pub struct Journal {
    entries: VecDeque<JournalEntry>,
    next: u64,
}

impl Journal {
    pub fn add(&mut self, at: Time, event: JournalEvent) {
        if self.entries.len() == MOST_KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(JournalEntry { number: self.next, at, event });
        self.next += 1;
    }

    /// Returns the number of the next entry.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Iterates over the entries from this number on that are still kept.
    pub fn from(&self, number: u64) -> impl Iterator<Item = &JournalEntry> {
        let kept = self.entries.len() as u64;
        let skipped = number.saturating_sub(self.next - kept).min(kept);
        self.entries.range(skipped as usize..)
    }

    /// Returns the entries from this number on that are still kept.
    pub fn since(&self, number: u64) -> Vec<JournalEntry> {
        self.entries.iter().skip_while(|entry| entry.number < number).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_entries_are_kept_and_the_numbers_tell_what_is_gone() {
        let mut journal = Journal::default();
        for _ in 0..MOST_KEPT + 10 {
            journal.add(Time::ZERO, JournalEvent::Change { change: Change::LeaveSafeState, number: None, by: None });
        }
        let all = journal.since(0);
        assert_eq!((all.len(), all[0].number), (MOST_KEPT, 10));
        assert_eq!(journal.since(all[MOST_KEPT - 1].number + 1), []);
    }
}
