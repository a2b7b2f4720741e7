//! The measurements of the threads beside the cycles that run callbacks.

use super::Measured;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The measurements of an executor.
///
/// ```
/// use hemiola_trace::{CallbackProfile, ExecutorProfile};
///
/// let mut arm = ExecutorProfile::default();
/// arm.callbacks.insert("pose".into(), CallbackProfile { priority: 10, ..CallbackProfile::default() });
/// assert!(arm.thread.is_none()); // nobody knows who called them
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutorProfile {
    /// The thread of the executor, if it has had one of its own.
    #[serde(default)]
    pub thread: Option<ExecutorThread>,
    /// The callbacks that ran, by name.
    #[serde(default)]
    pub callbacks: BTreeMap<String, CallbackProfile>,
}

/// The scheduling of an executor's thread by the kernel, and of callbacks by the executor.
///
/// ```
/// use hemiola_trace::{CallbackOrder, ExecutorThread};
///
/// let arm = ExecutorThread {
///     priority: Some(60), reservation: None, cores: vec![1], order: CallbackOrder::Priority, spin: 0, early: 0,
/// };
/// assert_eq!(arm.core(), Some(1));
/// assert_eq!(ExecutorThread { cores: vec![0, 1], ..arm }.core(), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutorThread {
    /// The real-time priority, the larger the more important; 0 if it shares time with all others,
    /// `None` if the system schedules it in another way.
    pub priority: Option<u8>,
    /// The nanoseconds of processor time that the system reserves for it in every period, and those
    /// of the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<(u64, u64)>,
    /// The cores that it may use; empty if the system does not show them.
    pub cores: Vec<usize>,
    /// The order in which ready callbacks run.
    pub order: CallbackOrder,
    /// The nanoseconds for which it keeps its core before it sleeps.
    pub spin: u64,
    /// The maximum number of nanoseconds for which it is awake before its timers are due.
    pub early: u64,
}

impl ExecutorThread {
    /// Returns the only core that it may use, if there is exactly one.
    pub fn core(&self) -> Option<usize> {
        match self.cores[..] {
            [core] => Some(core),
            _ => None,
        }
    }
}

/// The order in which an executor runs ready callbacks.
///
/// See [`ExecutorThread`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallbackOrder {
    /// The most important callback runs next; callbacks of equal priority take turns.
    #[default]
    Priority,
    /// All callbacks that are ready at one poll run in the order of registration, as in ROS 2.
    Registration,
}

/// The measurements of a callback.
///
/// ```
/// use hemiola_trace::CallbackProfile;
///
/// // Two messages came within half a millisecond, but never three within 20 ms.
/// let pose = CallbackProfile { spans: vec![500_000, 20_000_000], ..CallbackProfile::default() };
/// assert_eq!(pose.period, None); // it is no timer's
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallbackProfile {
    /// The topic for whose messages it runs; `None` for a timer.
    #[serde(default)]
    pub topic: Option<String>,
    /// The priority among the callbacks of its executor: the larger, the more important.
    pub priority: u16,
    /// The period of its timer, in nanoseconds.
    #[serde(default)]
    pub period: Option<u64>,
    /// The times from entry to return, of executions that nothing interrupted.
    pub execution: Measured,
    /// The times from the publication of its message, or from its due time, to its return, on the
    /// robot's own threads in real time. It is empty if the time at which its work arrived is not
    /// known.
    #[serde(default)]
    pub response: Measured,
    /// The shortest times in nanoseconds within which two messages arrived, three, and so on. Where
    /// the time of their arrival is not known, the begin of their processing counts. It is empty
    /// for timers.
    #[serde(default)]
    pub spans: Vec<u64>,
}

impl ExecutorProfile {
    /// Replaces measurements by those of `newer`, and keeps what `newer` lacks.
    pub(super) fn update(&mut self, newer: Self) {
        self.thread = newer.thread.or(self.thread.take());
        self.callbacks.extend(newer.callbacks);
    }

    /// Adds another run of the same program.
    pub(super) fn merge(&mut self, other: &Self) {
        self.thread = other.thread.clone().or(self.thread.take());
        for (name, callback) in &other.callbacks {
            match self.callbacks.get_mut(name) {
                Some(known) => known.merge(callback),
                None => _ = self.callbacks.insert(name.clone(), callback.clone()),
            }
        }
    }

    /// Removes everything about when something happened.
    pub(super) fn forget_latencies(&mut self) {
        for callback in self.callbacks.values_mut() {
            (callback.response, callback.spans) = Default::default();
        }
    }
}

impl CallbackProfile {
    fn merge(&mut self, other: &Self) {
        (self.topic, self.priority, self.period) = (other.topic.clone(), other.priority, other.period);
        self.execution.merge(&other.execution);
        self.response.merge(&other.response);
        for (place, &span) in other.spans.iter().enumerate() {
            match self.spans.get_mut(place) {
                Some(known) => *known = span.min(*known),
                None => self.spans.push(span),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(spans: &[u64]) -> ExecutorProfile {
        let pose = CallbackProfile { spans: spans.to_vec(), ..CallbackProfile::default() };
        ExecutorProfile { thread: None, callbacks: [("pose".to_owned(), pose)].into() }
    }

    #[test]
    fn of_several_runs_the_densest_messages_count() {
        let mut known = pose(&[500, 2_000]);
        known.merge(&pose(&[700, 1_500, 9_000]));
        assert_eq!(known, pose(&[500, 1_500, 9_000]));
    }

    #[test]
    fn a_run_without_a_thread_takes_none_away() {
        let thread = ExecutorThread {
            priority: Some(9),
            reservation: None,
            cores: vec![0],
            order: <_>::default(),
            spin: 0,
            early: 0,
        };
        let mut known = ExecutorProfile { thread: Some(thread), ..pose(&[]) };
        let before = known.clone();
        known.merge(&pose(&[]));
        known.update(pose(&[]));
        assert_eq!(known, before);
    }
}
