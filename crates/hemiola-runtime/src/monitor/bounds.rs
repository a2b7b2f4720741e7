//! What latencies shall not exceed, and what is told when one does.

use std::collections::BTreeMap;
use std::time::Duration;

use hemiola_trace::human_duration;

use super::Monitor;
use crate::journal::{JournalEvent, Severity};

/// What latencies shall not exceed while a robot runs: [`RobotHandle::watch_bounds`](crate::RobotHandle::watch_bounds). Names are those of
/// reports: [`Report`](hemiola_trace::Report).
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
    /// From the trigger of a run to its end, by cycle.
    pub responses: BTreeMap<String, Duration>,
    /// From a change just after a sample to the first output that reflects it, by source and the update that puts out.
    pub reactions: BTreeMap<(String, String), Duration>,
    /// From the oldest sample that an output rests on to that output, by source and the update that puts out.
    pub data_ages: BTreeMap<(String, String), Duration>,
    /// From when there was something to do for a callback to its return, by executor and callback.
    pub callbacks: BTreeMap<(String, String), Duration>,
    /// The execution times that the others were computed with, by cycle and update or executor and callback: what exceeds one is named as the cause before all else.
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

    /// Says with which execution time of an update of a cycle, or a callback of an executor, the bounds were computed.
    pub fn execution(mut self, whose: &str, what: &str, assumed: Duration) -> Self {
        self.executions.insert((whose.to_owned(), what.to_owned()), assumed);
        self
    }
}

/// What a bound is of.
///
/// ```
/// use hemiola_runtime::Bounded;
///
/// assert_eq!(Bounded::Response { cycle: "motion".into() }.to_string(), "the response time of motion");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bounded {
    /// The response time of a cycle.
    Response {
        /// Its name.
        cycle: String,
    },
    /// The reaction time of a chain.
    Reaction {
        /// The source of its samples.
        source: String,
        /// The update that puts out.
        output: String,
    },
    /// The data age of a chain.
    DataAge {
        /// The source of its samples.
        source: String,
        /// The update that puts out.
        output: String,
    },
    /// The response time of a callback.
    Callback {
        /// Its executor.
        executor: String,
        /// Its name.
        callback: String,
    },
}

impl std::fmt::Display for Bounded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Response { cycle } => write!(formatter, "the response time of {cycle}"),
            Self::Reaction { source, output } => write!(formatter, "the reaction time from {source} to {output}"),
            Self::DataAge { source, output } => write!(formatter, "the data age from {source} to {output}"),
            Self::Callback { executor, callback } => write!(formatter, "the response time of {executor}: {callback}"),
        }
    }
}

/// An observed latency above its bound: [`JournalEvent::Exceedance`](crate::JournalEvent::Exceedance).
///
/// ```
/// use hemiola_runtime::{Bounded, Exceedance, ExceedanceCause};
/// use std::time::Duration;
///
/// let exceedance = Exceedance {
///     of: Bounded::Response { cycle: "motion".into() },
///     run: 4711,
///     bound: Duration::from_millis(9),
///     observed: Duration::from_millis(12),
///     cause: ExceedanceCause::LateRelease,
///     explanation: "it began 3.00 ms after it was due".into(),
///     others: 0,
/// };
/// assert_eq!(
///     exceedance.to_string(),
///     "the response time of motion was 12.0 ms in run 4711, above its bound of 9.00 ms: it began 3.00 ms after it was due"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceedance {
    /// What was bounded.
    pub of: Bounded,
    /// The run of the cycle, or of the one that put out; of a callback the number of the message among those of its publisher, or of the tick.
    pub run: u32,
    /// The bound.
    pub bound: Duration,
    /// What was observed.
    pub observed: Duration,
    /// Why.
    pub cause: ExceedanceCause,
    /// Why, in words.
    pub explanation: String,
    /// How many more there were since the last one that was told, of whatever: a few are told in a second, the others are counted.
    pub others: u64,
}

impl std::fmt::Display for Exceedance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { of, run, bound, observed, explanation, others, .. } = self;
        let [observed, bound] = [observed, bound].map(|time| hemiola_trace::human_duration(*time));
        let when = if matches!(of, Bounded::Callback { .. }) { "for number" } else { "in run" };
        write!(formatter, "{of} was {observed} {when} {run}, above its bound of {bound}: {explanation}")?;
        match others {
            0 => Ok(()),
            others => write!(formatter, " (and {others} more since the last one)"),
        }
    }
}

/// What an exceeded bound did not reckon with.
///
/// ```
/// # use hemiola_runtime::ExceedanceCause;
/// assert_ne!(ExceedanceCause::Backlog, ExceedanceCause::LateRelease);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExceedanceCause {
    /// An update or a callback ran longer than was assumed, or, where nothing was assumed, than it usually does.
    Execution {
        /// Its cycle, or executor.
        cycle: String,
        /// Its name.
        update: String,
        /// How long it ran.
        took: Duration,
        /// What was assumed.
        assumed: Option<Duration>,
    },
    /// Another thread of the robot had the core for so long.
    Preemption {
        /// Its name: `motion 0` for worker 0 of `motion`, or a callback executor.
        thread: String,
        /// How long.
        lasted: Duration,
    },
    /// Threads that are none of the robot's had a core that it needed, before a run, within or between updates: as the kernel counted it.
    OtherPrograms {
        /// Who needed the core: `motion 0` for worker 0 of `motion`.
        thread: String,
        /// How long it had to wait, as far as that belongs to this run for sure.
        lasted: Duration,
    },
    /// The host of a virtual machine took a core away that it needed, as the kernel counted it, in steps of 10 ms.
    Host {
        /// The core.
        core: u8,
        /// For how long at most.
        lasted: Duration,
    },
    /// A worker had work and did not run, and none of the robot's threads had its core; whose it was is not known.
    StalledCore,
    /// It began late: the timer, the wake-up of its thread, or the sample or message that triggers it.
    LateRelease,
    /// The run before it, or what its executor called before it, went on for too long.
    Backlog,
    /// Waking workers and handing work to them took the time.
    Dispatch,
    /// Nothing that took longer than usual: the bound is wrong.
    NothingUnusual,
    /// The events that would tell are lost.
    Unknown,
}

impl Monitor {
    pub(super) fn poll_bounds(&mut self) {
        let Self { catalog, scale, collector, statistics, bounds, messages, .. } = self;
        for exceedance in bounds.explain(catalog, scale, statistics, || collector.capture()) {
            // The same words each time, so that people read them once, with a count.
            let (of, bound) = (&exceedance.of, human_duration(exceedance.bound));
            let text = format!("{of} exceeded its bound of {bound}: the log and `why` say why");
            messages.add(Severity::Warning, &of.to_string(), text);
            messages.happened(JournalEvent::Exceedance(exceedance));
        }
    }

    /// Compares latencies with these bounds from now on.
    pub fn watch_bounds(&mut self, bounds: LatencyBounds) {
        self.bounds.watch(bounds);
    }

    /// How often which bound was exceeded.
    pub fn exceedances(&self) -> BTreeMap<Bounded, u64> {
        self.bounds.counts(&self.catalog)
    }
}
