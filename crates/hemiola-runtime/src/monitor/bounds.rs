//! The bounds of latencies, and the reports of those that exceed them.

use std::collections::BTreeMap;
use std::time::Duration;

use hemiola_trace::human_duration;

use super::Monitor;
use crate::journal::JournalEvent;
use crate::record::{Bounded, Severity};

/// The bounds of latencies while a robot runs:
/// [`RobotHandle::watch_bounds`](crate::RobotHandle::watch_bounds). Names are those of reports:
/// [`Report`](hemiola_trace::Report).
///
/// ```
/// use hemiola_runtime::LatencyBounds;
/// use std::time::Duration;
///
/// let milliseconds = Duration::from_millis;
/// let bounds = LatencyBounds::default()
///     .response("motion", milliseconds(9))
///     .reaction("Imu", "LegActuator.request", milliseconds(21))
///     .data_age("Imu", "LegActuator.request", milliseconds(15))
///     .callback("arm", "Reach", milliseconds(3))
///     .execution("motion", "WalkEngine.joints", milliseconds(2));
/// assert_eq!(bounds.responses["motion"], milliseconds(9));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatencyBounds {
    /// Response times from the trigger of a run to its end, by cycle.
    pub responses: BTreeMap<String, Duration>,
    /// Reaction times from a change just after a sample to the first output that reflects it, by
    /// source and the update that provides the output.
    pub reactions: BTreeMap<(String, String), Duration>,
    /// Data ages from the oldest sample on which an output depends to that output, by source and
    /// the update that provides the output.
    pub data_ages: BTreeMap<(String, String), Duration>,
    /// Response times from when a callback has work to its return, by executor and callback.
    pub callbacks: BTreeMap<(String, String), Duration>,
    /// The execution times with which the other bounds were computed, by cycle and update or
    /// executor and callback: an execution that exceeds one is named as the cause before everything
    /// else.
    pub executions: BTreeMap<(String, String), Duration>,
}

impl LatencyBounds {
    /// Bounds the response time of a cycle.
    pub fn response(mut self, cycle: &str, bound: Duration) -> Self {
        self.responses.insert(cycle.to_owned(), bound);
        self
    }

    /// Bounds the reaction time of a chain.
    pub fn reaction(mut self, source: &str, output: &str, bound: Duration) -> Self {
        self.reactions.insert((source.to_owned(), output.to_owned()), bound);
        self
    }

    /// Bounds the data age of a chain.
    pub fn data_age(mut self, source: &str, output: &str, bound: Duration) -> Self {
        self.data_ages.insert((source.to_owned(), output.to_owned()), bound);
        self
    }

    /// Bounds the response time of a callback.
    pub fn callback(mut self, executor: &str, callback: &str, bound: Duration) -> Self {
        self.callbacks.insert((executor.to_owned(), callback.to_owned()), bound);
        self
    }

    /// Sets the execution time of an update of a cycle, or a callback of an executor, with which
    /// the bounds were computed.
    pub fn execution(mut self, whose: &str, what: &str, assumed: Duration) -> Self {
        self.executions.insert((whose.to_owned(), what.to_owned()), assumed);
        self
    }
}

impl Monitor {
    pub(super) fn poll_bounds(&mut self) {
        let Self { catalog, scale, collector, statistics, bounds, messages, .. } = self;
        for exceedance in bounds.explain(catalog, scale, statistics, || collector.capture()) {
            // The words are the same each time, so that the message is shown once, with a count.
            let (of, bound) = (&exceedance.of, human_duration(exceedance.bound));
            let text = format!("{of} exceeded its bound of {bound}: the log and `why` show the cause");
            messages.add(Severity::Warning, &of.to_string(), text);
            messages.happened(JournalEvent::Exceedance(exceedance));
        }
    }

    /// Compares latencies with these bounds from now on.
    pub fn watch_bounds(&mut self, bounds: LatencyBounds) {
        self.bounds.watch(bounds);
    }

    /// Returns the number of times that each bound was exceeded.
    pub fn exceedances(&self) -> BTreeMap<Bounded, u64> {
        self.bounds.counts(&self.catalog)
    }
}
