//! The facts of an answer, for programs. All times are in nanoseconds.

use hemiola_trace::causes::{Cause, Explanation, Hop, Reason, RunSpan, Step};
use hemiola_trace::{CatalogGuard, Ticks};
use serde::Serialize;

use super::evidence::Evidence;

/// The facts of an answer: those of the runs of a cycle, of the outputs of a chain, or an overview
/// of all of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Facts {
    /// The cycles and chains in the trace, each with its longest times.
    Overview {
        /// The cycles that have runs in the trace.
        cycles: Vec<CycleFacts>,
        /// The chains that have outputs in the trace.
        chains: Vec<ChainFacts>,
    },
    /// The explained runs of a cycle.
    Runs {
        /// The name of the cycle.
        cycle: String,
        /// The explained runs, the longest first.
        runs: Vec<RunFacts>,
    },
    /// The explained outputs of a chain.
    Chain {
        /// The ends of the chain: `Camera -> Legs.request`.
        chain: String,
        /// The name of the chain in robot.toml.
        name: Option<String>,
        /// The latency that is explained: `reaction time` or `data age`.
        latency: String,
        /// Set if the robot ran in real time. Otherwise its clock and that of the machine cannot be
        /// compared, and the times of a chain mean little.
        in_real_time: bool,
        /// The explained outputs, the one with the longest latency first.
        reactions: Vec<ReactionFacts>,
    },
}

/// The runs of a cycle in a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CycleFacts {
    /// The name of the cycle.
    pub cycle: String,
    /// The number of its runs.
    pub runs: usize,
    /// The number of its runs that missed the deadline; zero if they were not in real time.
    pub missed: usize,
    /// The number of the longest run.
    pub longest_run: u32,
    /// The time from the release of the longest run to its end.
    pub longest: u64,
}

/// The outputs of a chain in a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChainFacts {
    /// The ends of the chain: `Camera -> Legs.request`.
    pub chain: String,
    /// The name of the chain in robot.toml.
    pub name: Option<String>,
    /// The longest reaction time, if the trace has one.
    pub reaction_time: Option<u64>,
    /// The longest data age, if the trace has one.
    pub data_age: Option<u64>,
}

/// A moment, on the clocks of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// The time on the robot's clock, if the trace shows that clock.
    pub time: Option<i64>,
    /// The time since the first event of the trace.
    pub in_trace: u64,
}

/// A run, and the reason why it took as long as it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFacts {
    /// The number of the run.
    pub run: u32,
    /// The release of the run.
    #[serde(flatten)]
    pub at: Moment,
    /// The time from the release of the run to its end.
    pub response: u64,
    /// The deadline, counted from the release. A robot that is not in real time has none.
    pub deadline: Option<u64>,
    /// The time by which the run missed its deadline; zero if it met it.
    pub late: u64,
    /// The blocking chain of the run, from its release to its end without a gap.
    pub path: Vec<StretchFacts>,
    /// The cause of most of the time that was unusual.
    pub reason: ReasonFacts,
}

/// A part of the blocking chain of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StretchFacts {
    /// The begin, counted from the release of the run.
    pub begin: u64,
    /// The length.
    pub takes: u64,
    /// The kind of cause, such as `executed` or `preempted`.
    pub cause: &'static str,
    /// The task, source or thread that caused it, if there is one.
    pub of: Option<String>,
    /// The worker that waited or ran, if it is known.
    pub worker: Option<String>,
}

/// The cause of most of the unusual time of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReasonFacts {
    /// The kind of cause, such as `long_execution`; `usual` if nothing was unusual.
    pub kind: &'static str,
    /// The task, source or thread that caused it, if there is one.
    pub of: Option<String>,
    /// The unusual time.
    pub excess: u64,
    /// The cause as a sentence.
    pub text: String,
    /// The remedy as a sentence.
    pub remedy: String,
}

/// An output of a chain, and the reason why it took as long as it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReactionFacts {
    /// The time of the output.
    #[serde(flatten)]
    pub at: Moment,
    /// The latency.
    pub takes: u64,
    /// The path from the sensor to the output, without a gap.
    pub path: Vec<HopFacts>,
    /// The part of the path that exceeded its usual duration most.
    pub reason: Option<HopReason>,
}

/// A part of the path from a sensor to an output.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HopFacts {
    /// The begin, counted from the begin of the path.
    pub begin: u64,
    /// The length.
    pub takes: u64,
    /// The kind of step: `sample`, `release`, `kept`, `run` or `unknown`.
    pub step: &'static str,
    /// The cycle of the step, if it has one.
    pub cycle: Option<String>,
    /// The number of the run of that cycle.
    pub run: Option<u32>,
}

/// The reason why an output of a chain took as long as it did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HopReason {
    /// The place of the part in the path, counted from 0.
    pub hop: usize,
    /// The time by which it exceeded its usual duration.
    pub excess: u64,
    /// The remedy as a sentence, if there is one.
    pub remedy: Option<String>,
    /// The reason within the run, if the part is a run.
    pub run: Option<ReasonFacts>,
}

impl Moment {
    pub(super) fn of(evidence: &Evidence, at: Ticks) -> Self {
        Self { time: evidence.clock.time(at), in_trace: at.since(evidence.begin) }
    }
}

impl RunFacts {
    pub(super) fn of(evidence: &Evidence, run: &RunSpan, explanation: &Explanation, names: &CatalogGuard<'_>) -> Self {
        let chain = &explanation.chain;
        let nanoseconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let path = chain.stretches.iter().map(|stretch| {
            let (cause, of, worker) = cause(&stretch.cause, names);
            StretchFacts { begin: stretch.begin.since(chain.trigger), takes: stretch.ticks(), cause, of, worker }
        });
        Self {
            run: run.run,
            at: Moment::of(evidence, run.trigger),
            response: run.response_ticks(),
            deadline: evidence.deadline(chain.cycle).map(nanoseconds),
            late: evidence.lateness(chain.cycle, run).map_or(0, nanoseconds),
            path: path.collect(),
            reason: ReasonFacts::of(explanation, names),
        }
    }
}

impl ReasonFacts {
    pub(super) fn of(explanation: &Explanation, names: &CatalogGuard<'_>) -> Self {
        let (kind, of) = match explanation.reason {
            Reason::Usual => ("usual", None),
            Reason::LongExecution(task) => ("long_execution", Some(names.task_name(task))),
            Reason::Preempted(by) => ("preempted", Some(names.worker_name(by))),
            Reason::Backlog => ("backlog", None),
            Reason::Sampled(source) => ("sampled", Some(names.source_name(source))),
            Reason::Late => ("late", None),
            Reason::Woken => ("woken", None),
            Reason::HandedOver => ("handed_over", None),
            Reason::Stalled(worker) => ("stalled", Some(names.worker_name(worker))),
            Reason::Dispatched => ("dispatched", None),
            Reason::Unknown => ("unknown", None),
        };
        let (text, remedy) = (explanation.sentence(names), explanation.remedy(names));
        Self { kind, of, excess: explanation.excess, text, remedy }
    }
}

impl HopFacts {
    pub(super) fn of(hop: &Hop, begin: Ticks, names: &CatalogGuard<'_>) -> Self {
        let (step, of) = match hop.step {
            Step::Sample => ("sample", None),
            Step::Release { cycle, run } => ("release", Some((cycle, run))),
            Step::Kept { cycle, run, .. } => ("kept", Some((cycle, run))),
            Step::Run { cycle, run } => ("run", Some((cycle, run))),
            Step::Unknown => ("unknown", None),
        };
        let (cycle, run) = of.map(|(cycle, run)| (names.cycle_name(cycle), run)).unzip();
        Self { begin: hop.begin.since(begin), takes: hop.ticks(), step, cycle, run }
    }
}

/// Returns the kind of a cause, what caused it, and the worker that waited or ran.
fn cause(cause: &Cause, names: &CatalogGuard<'_>) -> (&'static str, Option<String>, Option<String>) {
    let worker = |worker| Some(names.worker_name(worker));
    match *cause {
        Cause::Backlog => ("backlog", None, None),
        Cause::Sampled { source } => ("sampled", Some(names.source_name(source)), None),
        Cause::Late => ("late", None, None),
        Cause::Executed { task, worker: on, .. } => ("executed", Some(names.task_name(task)), worker(on)),
        Cause::Preempted { worker: of, by, .. } => ("preempted", worker(by), of.and_then(worker)),
        Cause::Woken { worker: woken } => ("woken", None, worker(woken)),
        Cause::HandedOver { from, to } => ("handed_over", worker(from), worker(to)),
        Cause::Dispatched { worker: on } => ("dispatched", None, worker(on)),
        Cause::Stalled { worker: stalled } => ("stalled", None, worker(stalled)),
        Cause::Unknown => ("unknown", None, None),
    }
}
