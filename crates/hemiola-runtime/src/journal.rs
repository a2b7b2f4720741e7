//! What happens to a robot besides its runs, in order: what people should know, and what was changed from outside.

use std::collections::VecDeque;

use hemiola_model::{Time, Value};

use crate::monitor::Exceedance;

/// Something that happened to a robot: [`RobotHandle::journal`](crate::RobotHandle::journal).
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
    /// From zero on; one that is missing came too long before it was asked for.
    pub number: u64,
    /// What the robot's clock showed when it became known.
    pub at: Time,
    /// What happened.
    pub event: JournalEvent,
}

/// What can happen to a robot.
///
/// ```
/// use hemiola_runtime::{Change, JournalEvent};
///
/// let change = Change::Provider { representation: "Ball".into(), module: "BallFilter".into() };
/// let switched = JournalEvent::Change { change, number: Some(0) };
/// assert_ne!(switched, JournalEvent::Change { change: Change::LeaveSafeState, number: None });
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEvent {
    /// Something that people should know: each time that it is said, also if it was before.
    Message {
        /// How bad it is.
        severity: Severity,
        /// Who has to do with it: an update, a source, the watchdog.
        about: String,
        /// In words.
        text: String,
    },
    /// A change came into force.
    Change {
        /// What was changed.
        change: Change,
        /// What transcripts call it: [`RunRecord::changes`](crate::RunRecord::changes). None if results do not depend on it, or if a transcript says it
        /// of each run: the safe state.
        number: Option<u32>,
    },
    /// A latency was above its bound: [`RobotHandle::watch_bounds`](crate::RobotHandle::watch_bounds).
    Exceedance(Exceedance),
}

/// How bad a message is.
///
/// ```
/// use hemiola_runtime::Severity;
/// assert!(Severity::Error > Severity::Warning);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Information,
    /// The robot goes on, with less.
    Warning,
    /// It has stopped doing something.
    Error,
}

/// What somebody changed while the robot ran.
///
/// ```
/// use hemiola_model::Value;
/// use hemiola_runtime::Change;
///
/// let tuned = Change::Parameter { module: "Pilot".into(), parameter: "distance".into(), value: Value::Float(0.7) };
/// assert_eq!(tuned, tuned.clone());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// [`RobotHandle::set_parameter`](crate::RobotHandle::set_parameter)
    Parameter {
        /// Of this module.
        module: String,
        /// Its name.
        parameter: String,
        /// What it is now.
        value: Value,
    },
    /// [`RobotHandle::switch_provider`](crate::RobotHandle::switch_provider)
    Provider {
        /// What is provided.
        representation: String,
        /// By whom now.
        module: String,
    },
    /// [`RobotHandle::set_workers`](crate::RobotHandle::set_workers)
    Workers {
        /// Of this cycle.
        cycle: String,
        /// How many; `None`: the plan chooses.
        workers: Option<usize>,
    },
    /// [`RobotHandle::override_representation`](crate::RobotHandle::override_representation)
    Override {
        /// What is shown.
        representation: String,
        /// Instead of what its provider says.
        value: Value,
    },
    /// [`RobotHandle::release_representation`](crate::RobotHandle::release_representation)
    Release {
        /// What its provider says again.
        representation: String,
    },
    /// A module failed, and was replaced by a new instance, as its `on_failure` says.
    Restart {
        /// The module.
        module: String,
    },
    /// [`RobotHandle::enter_safe_state`](crate::RobotHandle::enter_safe_state)
    EnterSafeState,
    /// [`RobotHandle::leave_safe_state`](crate::RobotHandle::leave_safe_state)
    LeaveSafeState,
}

/// As many entries are kept for whoever asks for them next.
const MOST_KEPT: usize = 4096;

/// The last entries.
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

    /// Those that are still there from this number on.
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
            journal.add(Time::ZERO, JournalEvent::Change { change: Change::LeaveSafeState, number: None });
        }
        let all = journal.since(0);
        assert_eq!((all.len(), all[0].number), (MOST_KEPT, 10));
        assert_eq!(journal.since(all[MOST_KEPT - 1].number + 1), []);
    }
}
