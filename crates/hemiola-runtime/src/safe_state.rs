//! The safe state of the robot: whether the robot is in it, since when, and why.
//!
//! The safe state is entered from real-time threads, so all of it is one atomic word; names are
//! looked up on request. A cause that is explained in words, which no real-time thread has, is kept
//! beside it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use hemiola_model::Time;
use hemiola_model::module::SafeState;
use hemiola_trace::{CycleId, TaskId};

use crate::sync::{AtomicU64, Ordering};

/// The entry of a robot into its safe state: when, and why. It stays there until somebody calls
/// [`RobotHandle::leave_safe_state`](crate::RobotHandle::leave_safe_state).
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_runtime::{SafeStateCause, SafeStateEntry};
///
/// let entry = SafeStateEntry { since: Time::from_seconds(12.3), cause: SafeStateCause::Silence { cycle: "motion".into() } };
/// assert_eq!(entry.to_string(), "since 12.3 s, because cycle `motion` stopped");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeStateEntry {
    /// The time on the framework's clock, to the microsecond.
    pub since: Time,
    /// The first cause; others may have followed.
    pub cause: SafeStateCause,
}

/// The reason why a robot is in its safe state.
///
/// ```
/// assert_eq!(hemiola_runtime::SafeStateCause::Request.to_string(), "it was asked to");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SafeStateCause {
    /// Somebody called [`RobotHandle::enter_safe_state`](crate::RobotHandle::enter_safe_state).
    Request,
    /// No run of a cycle ended for longer than its `watchdog` allows.
    Silence {
        /// The cycle.
        cycle: String,
    },
    /// An update failed whose module has `on_failure = "safe-state"`.
    Failure {
        /// The update, with its module's name: `Walk.joints`.
        update: String,
    },
    /// A thread of the robot ended unexpectedly; the messages name it.
    Fault,
    /// Somebody whose name is known requested it.
    RequestBy {
        /// The name, as the journal records it.
        who: String,
    },
    /// Another process of the robot has entered its safe state.
    Process {
        /// The process.
        process: String,
        /// The cause in that process, in words.
        reason: String,
    },
}

impl fmt::Display for SafeStateEntry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "since {:.1} s, because {}", self.since.seconds(), self.cause)
    }
}

impl fmt::Display for SafeStateCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request => formatter.write_str("it was asked to"),
            Self::Silence { cycle } => write!(formatter, "cycle `{cycle}` stopped"),
            Self::Failure { update } => write!(formatter, "{update} failed"),
            Self::Fault => formatter.write_str("one of its threads ended unexpectedly"),
            Self::RequestBy { who } => write!(formatter, "{who} asked for it"),
            Self::Process { process, reason } => write!(formatter, "{reason} in process `{process}`"),
        }
    }
}

/// The cause as real-time threads record it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Request,
    Silence(CycleId),
    Failure(TaskId),
    Fault,
    /// A cause in words, which [`SharedSafeState::explanation`] returns.
    Explained,
}

/// The safe state as all threads see it. The word is zero if the robot is not in it; otherwise it
/// contains the time, the kind of cause (never zero) and the number of what caused it, from the
/// highest bits to the lowest.
#[derive(Default)]
pub struct SharedSafeState {
    word: AtomicU64,
    /// The last cause that was explained in words. Whoever enters with one holds the lock, so that
    /// the word never refers to another one.
    explanation: Mutex<Option<SafeStateCause>>,
}

const NUMBER_BITS: u32 = 16;
const KIND_BITS: u32 = 3;
/// The number of bits for microseconds, enough for a year.
const TIME_BITS: u32 = 64 - KIND_BITS - NUMBER_BITS;

impl SharedSafeState {
    pub fn get(&self) -> SafeState {
        if self.word.load(Ordering::Relaxed) == 0 { SafeState::Inactive } else { SafeState::Active }
    }

    /// Returns when and why the robot entered it, if it is in it.
    pub fn entry(&self) -> Option<(Time, Cause)> {
        let word = self.word.load(Ordering::Relaxed);
        let number = (word & ((1 << NUMBER_BITS) - 1)) as u16;
        let cause = match (word >> NUMBER_BITS) & ((1 << KIND_BITS) - 1) {
            0 => return None,
            1 => Cause::Request,
            2 => Cause::Silence(CycleId(number)),
            3 => Cause::Failure(TaskId(number)),
            4 => Cause::Fault,
            _ => Cause::Explained,
        };
        let microseconds = word >> (NUMBER_BITS + KIND_BITS);
        Some((Time::from_nanoseconds(microseconds as i64 * 1000), cause))
    }

    /// Enters the safe state; returns `false` if the robot was in it already, in which case its
    /// time and cause stay.
    pub fn enter(&self, now: Time, cause: Cause) -> bool {
        let (kind, number) = match cause {
            Cause::Request => (1, 0),
            Cause::Silence(CycleId(number)) => (2, number),
            Cause::Failure(TaskId(number)) => (3, number),
            Cause::Fault => (4, 0),
            Cause::Explained => (5, 0),
        };
        let microseconds = (now.nanoseconds().max(0) as u64 / 1000).min((1 << TIME_BITS) - 1);
        let word = (((microseconds << KIND_BITS) | kind) << NUMBER_BITS) | u64::from(number);
        self.word.compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Enters the safe state like [`enter`](Self::enter), for a cause that is explained in words.
    /// Locks.
    pub fn enter_explained(&self, now: Time, cause: SafeStateCause) -> bool {
        let mut explanation = self.explanation.lock().unwrap_or_else(PoisonError::into_inner);
        let has_entered = self.enter(now, Cause::Explained);
        if has_entered {
            *explanation = Some(cause);
        }
        has_entered
    }

    /// Returns the last cause that was explained in words. Locks.
    pub fn explanation(&self) -> Option<SafeStateCause> {
        self.explanation.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves the safe state; returns whether the robot was in it.
    pub fn leave(&self) -> bool {
        self.word.swap(0, Ordering::Relaxed) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_entered_is_what_is_read() {
        let longest = Time::from_nanoseconds(((1 << TIME_BITS) - 1) * 1000);
        for since in [Time::ZERO, Time::from_seconds(12.345), longest] {
            let numbered = [Cause::Silence(CycleId(u16::MAX)), Cause::Failure(TaskId(7))];
            for cause in [Cause::Request, Cause::Fault, Cause::Explained].into_iter().chain(numbered) {
                let shared = SharedSafeState::default();
                assert!(shared.enter(since, cause));
                assert_eq!((shared.entry(), shared.get()), (Some((since, cause)), SafeState::Active));
            }
        }
    }

    #[test]
    fn the_first_cause_stays_until_the_safe_state_is_left() {
        let shared = SharedSafeState::default();
        let first = (Time::from_seconds(1.0), Cause::Silence(CycleId(2)));
        assert_eq!((shared.entry(), shared.leave()), (None, false));
        assert!(shared.enter(first.0, first.1));
        assert!(!shared.enter(Time::from_seconds(2.0), Cause::Request));
        assert_eq!(shared.entry(), Some(first));
        assert_eq!((shared.leave(), shared.get()), (true, SafeState::Inactive));
        assert!(shared.enter(Time::from_seconds(3.0), Cause::Request));
    }

    #[test]
    fn a_cause_in_words_is_kept_unless_the_robot_is_safe_already() {
        let shared = SharedSafeState::default();
        let by = |who: &str| SafeStateCause::RequestBy { who: who.into() };
        assert!(shared.enter_explained(Time::ZERO, by("the referee")));
        assert!(!shared.enter_explained(Time::ZERO, by("the trainer")));
        assert_eq!(
            (shared.entry(), shared.explanation()),
            (Some((Time::ZERO, Cause::Explained)), Some(by("the referee")))
        );
    }
}
