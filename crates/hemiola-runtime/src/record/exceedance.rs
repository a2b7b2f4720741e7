//! A latency that exceeded its bound, and its cause.

use std::fmt;
use std::time::Duration;

/// An observed latency above its bound:
/// [`JournalEvent::Exceedance`](crate::JournalEvent::Exceedance).
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
    /// The bounded latency.
    pub of: Bounded,
    /// The run of the cycle, or of the output's cycle; for a callback, the sequence number of the
    /// message at its publisher, or the number of the tick.
    pub run: u32,
    /// The bound.
    pub bound: Duration,
    /// The observed latency.
    pub observed: Duration,
    /// The cause.
    pub cause: ExceedanceCause,
    /// The cause in words.
    pub explanation: String,
    /// The number of further exceedances, of any bound, since the last one that was reported: a few
    /// are reported per second, the others are counted.
    pub others: u64,
}

impl fmt::Display for Exceedance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// The cause that an exceeded bound did not take into account.
///
/// See [`Exceedance`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExceedanceCause {
    /// An update or a callback ran longer than was assumed, or, if nothing was assumed, than it
    /// usually does.
    Execution {
        /// The cycle, or the executor.
        cycle: String,
        /// The name of the update or callback.
        update: String,
        /// The execution time.
        took: Duration,
        /// The assumed maximum of the execution time.
        assumed: Option<Duration>,
    },
    /// Another thread of the robot preempted it for a while.
    Preemption {
        /// The name of the thread: `motion 0` for worker 0 of `motion`, or a callback executor.
        thread: String,
        /// The duration.
        lasted: Duration,
    },
    /// Threads of other programs or of the kernel had a core that it needed, before a run, within
    /// or between updates, by the kernel's accounts.
    OtherPrograms {
        /// The thread that needed the core: `motion 0` for worker 0 of `motion`.
        thread: String,
        /// The time for which it had to wait, as far as that certainly belongs to this run.
        lasted: Duration,
    },
    /// The host of a virtual machine took away a core that it needed, by the kernel's accounts, in
    /// steps of 10 ms.
    Host {
        /// The core.
        core: u8,
        /// The maximum time for which it may have been taken.
        lasted: Duration,
    },
    /// A worker had work and did not run, and none of the robot's threads had its core; who had it
    /// is not known.
    StalledCore,
    /// The run or call began late: the timer, the wake-up of its thread, or the sample or message
    /// that triggers it.
    LateRelease,
    /// The previous run, or what its executor ran before it, took too long.
    Backlog,
    /// Waking workers and handing work to them took the time.
    Dispatch,
    /// Nothing took longer than usual: the bound is too small.
    NothingUnusual,
    /// The events that would show the cause are lost.
    Unknown,
}

/// The latency to which a bound applies.
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
        /// The cycle.
        cycle: String,
    },
    /// The reaction time of a chain.
    Reaction {
        /// The source of its samples.
        source: String,
        /// The update that is the output.
        output: String,
    },
    /// The data age of a chain.
    DataAge {
        /// The source of its samples.
        source: String,
        /// The update that is the output.
        output: String,
    },
    /// The response time of a callback.
    Callback {
        /// The executor.
        executor: String,
        /// The callback.
        callback: String,
    },
}

impl fmt::Display for Bounded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Response { cycle } => write!(formatter, "the response time of {cycle}"),
            Self::Reaction { source, output } => write!(formatter, "the reaction time from {source} to {output}"),
            Self::DataAge { source, output } => write!(formatter, "the data age from {source} to {output}"),
            Self::Callback { executor, callback } => write!(formatter, "the response time of {executor}: {callback}"),
        }
    }
}
