//! The safe state of the robot: whether the robot is in it, since when, and why.
//!
//! The safe state is entered from real-time threads, so all of it is one atomic word; names are
//! looked up on request. A cause that is explained in words, which no real-time thread has, is kept
//! beside it.
//!
//! A robot that *waits* for something is in its safe state, too, until it waits for nothing any
//! more. That is the weakest cause: any other one takes its place in the word, and stays when the
//! waits have ended, because these end with a compare-and-swap of the word of a wait only.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hemiola_model::Time;
use hemiola_model::module::SafeState;
use hemiola_trace::{CycleId, TaskId};

use crate::sync::{AtomicU64, Ordering};

/// The entry of a robot into its safe state: when, and why. It stays there until somebody calls
/// [`RobotHandle::leave_safe_state`](crate::RobotHandle::leave_safe_state), unless it only
/// [waits](SafeStateCause::Waiting).
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
    /// The robot waits for something before it moves, and leaves its safe state by itself when that
    /// is there: see [`RobotHandle::wait_in_safe_state`](crate::RobotHandle::wait_in_safe_state).
    Waiting {
        /// The name, and the reason: ``host `head`: it has not been met yet``.
        what: String,
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
            Self::Waiting { what } => write!(formatter, "it is waiting for {what}"),
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
    /// The robot waits for what [`SharedSafeState::awaited`] returns. Each other cause replaces it.
    Waiting,
}

/// The safe state as all threads see it. The word is zero if the robot is not in it; otherwise it
/// contains the time, the kind of cause (never zero) and the number of what caused it, from the
/// highest bits to the lowest.
#[derive(Default)]
pub struct SharedSafeState {
    word: AtomicU64,
    /// The words that belong to causes. Whoever enters with an explained cause, and whoever begins
    /// or ends to wait, holds the lock, so that the word never refers to other ones.
    words: Mutex<Words>,
}

#[derive(Default)]
struct Words {
    /// The last cause that was explained in words.
    explanation: Option<SafeStateCause>,
    /// The things that the robot waits for, with the numbers of their waits.
    awaited: Vec<(WaitId, String)>,
    next: WaitId,
}

/// The number of a wait.
pub type WaitId = u64;

const NUMBER_BITS: u32 = 16;
const KIND_BITS: u32 = 3;
/// The number of bits for microseconds, enough for a year.
const TIME_BITS: u32 = 64 - KIND_BITS - NUMBER_BITS;
/// The kind of a wait.
const WAITING: u64 = 6;

impl SharedSafeState {
    pub fn get(&self) -> SafeState {
        if self.word.load(Ordering::Relaxed) == 0 { SafeState::Inactive } else { SafeState::Active }
    }

    /// Returns when and why the robot entered it, if it is in it.
    pub fn entry(&self) -> Option<(Time, Cause)> {
        let word = self.word.load(Ordering::Relaxed);
        let number = (word & ((1 << NUMBER_BITS) - 1)) as u16;
        let cause = match kind(word) {
            0 => return None,
            1 => Cause::Request,
            2 => Cause::Silence(CycleId(number)),
            3 => Cause::Failure(TaskId(number)),
            4 => Cause::Fault,
            WAITING => Cause::Waiting,
            _ => Cause::Explained,
        };
        let microseconds = word >> (NUMBER_BITS + KIND_BITS);
        Some((Time::from_nanoseconds(microseconds as i64 * 1000), cause))
    }

    /// Enters the safe state; returns `false` if the robot was in it already, in which case its
    /// time and cause stay. A robot that only waits there enters it with this time and cause.
    pub fn enter(&self, now: Time, cause: Cause) -> bool {
        let word = word(now, cause);
        let mut before = 0;
        // Another turn is made only if somebody has begun or ended to wait meanwhile.
        loop {
            match self.word.compare_exchange(before, word, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) if cause != Cause::Waiting && (other == 0 || kind(other) == WAITING) => before = other,
                Err(_) => return false,
            }
        }
    }

    /// Enters the safe state like [`enter`](Self::enter), for a cause that is explained in words.
    /// Locks.
    pub fn enter_explained(&self, now: Time, cause: SafeStateCause) -> bool {
        let mut words = self.words();
        let has_entered = self.enter(now, Cause::Explained);
        if has_entered {
            words.explanation = Some(cause);
        }
        has_entered
    }

    /// Returns the last cause that was explained in words. Locks.
    pub fn explanation(&self) -> Option<SafeStateCause> {
        self.words().explanation.clone()
    }

    /// Begins to wait for something in the safe state. Returns the number of the wait, and whether
    /// the robot has entered the safe state. Locks.
    pub fn wait(&self, now: Time, what: String) -> (WaitId, bool) {
        let mut words = self.words();
        let wait = words.next;
        words.next += 1;
        words.awaited.push((wait, what));
        (wait, self.enter(now, Cause::Waiting))
    }

    /// Replaces the words of a wait. Locks.
    pub fn describe_wait(&self, wait: WaitId, what: String) {
        let mut words = self.words();
        words.awaited.iter_mut().filter(|(it, _)| *it == wait).for_each(|(_, words)| words.clone_from(&what));
    }

    /// Ends a wait; returns whether the robot has left the safe state, because it has waited for
    /// nothing else, and nothing else has happened. Locks.
    pub fn end_wait(&self, wait: WaitId) -> bool {
        let mut words = self.words();
        words.awaited.retain(|(it, _)| *it != wait);
        let word = self.word.load(Ordering::Relaxed);
        // Nobody else leaves or waits while the words are locked; but others may enter.
        words.awaited.is_empty()
            && kind(word) == WAITING
            && self.word.compare_exchange(word, 0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Returns what the robot waits for: the first of these things. Locks.
    pub fn awaited(&self) -> Option<String> {
        self.words().awaited.first().map(|(_, what)| what.clone())
    }

    /// Leaves the safe state, and waits for nothing any more; returns whether the robot was in it.
    /// Locks.
    pub fn leave(&self) -> bool {
        let mut words = self.words();
        words.awaited.clear();
        self.word.swap(0, Ordering::Relaxed) != 0
    }

    /// Leaves the safe state, or only waits there from now on if the robot waits for something;
    /// returns the new state, or `None` if the robot was not in it for another cause. Locks.
    pub fn leave_unless_waiting(&self, now: Time) -> Option<SafeState> {
        let words = self.words();
        let (next, state) = match words.awaited.is_empty() {
            true => (0, SafeState::Inactive),
            false => (word(now, Cause::Waiting), SafeState::Active),
        };
        let is_other = |before: u64| before != 0 && kind(before) != WAITING;
        let replace = |before: u64| is_other(before).then_some(next);
        self.word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, replace).ok().map(|_| state)
    }

    fn words(&self) -> MutexGuard<'_, Words> {
        // They are consistent even if another thread has panicked.
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the word of a robot that is in its safe state since then, for that cause.
fn word(since: Time, cause: Cause) -> u64 {
    let (kind, number) = match cause {
        Cause::Request => (1, 0),
        Cause::Silence(CycleId(number)) => (2, number),
        Cause::Failure(TaskId(number)) => (3, number),
        Cause::Fault => (4, 0),
        Cause::Explained => (5, 0),
        Cause::Waiting => (WAITING, 0),
    };
    let microseconds = (since.nanoseconds().max(0) as u64 / 1000).min((1 << TIME_BITS) - 1);
    (((microseconds << KIND_BITS) | kind) << NUMBER_BITS) | u64::from(number)
}

fn kind(word: u64) -> u64 {
    (word >> NUMBER_BITS) & ((1 << KIND_BITS) - 1)
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

    fn robot_that_waits(for_what: &[&str]) -> (SharedSafeState, Vec<WaitId>) {
        let shared = SharedSafeState::default();
        let waits = for_what.iter().map(|what| shared.wait(Time::ZERO, (*what).into()).0).collect();
        (shared, waits)
    }

    #[test]
    fn a_robot_waits_until_the_last_thing_is_there() {
        let (shared, waits) = robot_that_waits(&["host `head`", "process `vision`"]);
        assert_eq!((shared.entry(), shared.get()), (Some((Time::ZERO, Cause::Waiting)), SafeState::Active));
        shared.describe_wait(waits[0], "host `arm`".into());
        assert_eq!(shared.awaited().as_deref(), Some("host `arm`"));
        assert!(!shared.end_wait(waits[0]) && !shared.end_wait(waits[0]));
        assert_eq!((shared.awaited().as_deref(), shared.get()), (Some("process `vision`"), SafeState::Active));
        assert!(shared.end_wait(waits[1]));
        assert_eq!((shared.awaited(), shared.entry(), shared.leave()), (None, None, false));
        // The next one begins again.
        assert!(shared.wait(Time::ZERO, "host `head`".into()).1);
    }

    #[test]
    fn whatever_happens_while_a_robot_waits_keeps_it_safe_when_the_wait_ends() {
        let later = Time::from_seconds(2.0);
        let causes = [Cause::Request, Cause::Silence(CycleId(3)), Cause::Failure(TaskId(7)), Cause::Fault];
        for cause in causes {
            let (shared, waits) = robot_that_waits(&["host `head`"]);
            assert!(shared.enter(later, cause), "it has a cause of its own from now on");
            assert!(!shared.enter(later, Cause::Request));
            assert!(!shared.end_wait(waits[0]));
            assert_eq!(shared.entry(), Some((later, cause)));
            assert!(shared.leave());
        }
        let (shared, waits) = robot_that_waits(&["host `head`"]);
        assert!(shared.enter_explained(later, SafeStateCause::Request) && !shared.end_wait(waits[0]));
        assert_eq!(
            (shared.entry(), shared.explanation()),
            (Some((later, Cause::Explained)), Some(SafeStateCause::Request))
        );
    }

    #[test]
    fn a_robot_that_is_safe_already_waits_besides() {
        let shared = SharedSafeState::default();
        assert!(shared.enter(Time::ZERO, Cause::Fault));
        let (wait, has_entered) = shared.wait(Time::ZERO, "host `head`".into());
        assert!(!has_entered);
        assert!(!shared.end_wait(wait));
        assert_eq!(shared.entry(), Some((Time::ZERO, Cause::Fault)));
    }

    #[test]
    fn who_follows_others_out_of_the_safe_state_goes_on_waiting_and_who_decides_does_not() {
        let (shared, waits) = robot_that_waits(&["host `head`"]);
        assert_eq!(shared.leave_unless_waiting(Time::ZERO), None, "the wait is no cause of others");
        shared.enter(Time::ZERO, Cause::Request);
        assert_eq!(shared.leave_unless_waiting(Time::from_seconds(1.0)), Some(SafeState::Active));
        assert_eq!(shared.entry(), Some((Time::from_seconds(1.0), Cause::Waiting)));
        assert!(shared.leave());
        shared.enter(Time::ZERO, Cause::Request);
        assert_eq!(shared.leave_unless_waiting(Time::ZERO), Some(SafeState::Inactive));
        assert_eq!((shared.entry(), shared.end_wait(waits[0])), (None, false));
    }
}
