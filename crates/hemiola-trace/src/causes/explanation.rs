//! The unusual parts of a blocking chain.

use super::{BlockingChain, Cause, Durations, History, Loss, Taker, Usual};
use crate::{
    clock::TickScale,
    ids::{SourceId, TaskId, WorkerId},
};
use std::collections::BTreeMap;

/// A blocking chain, compared with the usual durations.
///
/// ```
/// use hemiola_trace::{CycleId, TickScale, Ticks, causes::{BlockingChain, Cause, Durations, Explanation, Reason, Stretch}};
///
/// let stretches = vec![Stretch { begin: Ticks(0), end: Ticks(900), cause: Cause::Late }];
/// let (trigger, end, missing) = (Ticks(0), Ticks(900), vec![]);
/// let chain = BlockingChain { cycle: CycleId(0), run: 7, trigger, end, stretches, missing };
/// let explanation = Explanation::of(chain, &Durations::default(), &TickScale::nanoseconds_per_tick_one());
/// assert_eq!((explanation.reason, explanation.excess), (Reason::Late, 900));
/// ```
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The causes of the response time.
    pub chain: BlockingChain,
    /// The tasks of the chain, the longest first.
    pub executions: Vec<Execution>,
    /// The cause of most of the unusual time.
    pub reason: Reason,
    /// The length of that time, in nanoseconds, without the usual part.
    pub excess: u64,
    /// The time from the trigger to the end, in nanoseconds.
    pub response: u64,
    /// The loss of the core meanwhile, if the kernel's accounts were [added](Self::with_accounts)
    /// and the reason is not the robot itself.
    pub loss: Option<Loss>,
    pub(super) scale: TickScale,
}

/// A task of a blocking chain.
///
/// ```
/// use hemiola_trace::{TaskId, causes::{Execution, Usual}};
///
/// let usual = Some(Usual { count: 100, median: 50_000, p99: 70_000, maximum: 90_000 });
/// assert_eq!(Execution { task: TaskId(3), nanoseconds: 60_000, usual }.excess(), 0);
/// assert_eq!(Execution { task: TaskId(3), nanoseconds: 80_000, usual }.excess(), 30_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Execution {
    /// The task.
    pub task: TaskId,
    /// The time for which it ran, without the times in which other threads of the robot had its
    /// core.
    pub nanoseconds: u64,
    /// The usual duration, if it is known.
    pub usual: Option<Usual>,
}

impl Execution {
    /// Returns the time by which it exceeded its median, in nanoseconds, if that is unusual, or
    /// else zero.
    pub fn excess(&self) -> u64 {
        let usual = self.usual.filter(|usual| usual.is_exceeded_by(self.nanoseconds));
        usual.map_or(0, |usual| self.nanoseconds.saturating_sub(usual.median))
    }
}

/// The cause of most of the unusual time of a run.
///
/// See [`Explanation`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// Nothing was unusual: the tasks took as long as they usually do, and the rest was short.
    Usual,
    /// A task ran longer than it usually does.
    LongExecution(TaskId),
    /// Another thread of the robot had the core.
    Preempted(WorkerId),
    /// The previous run had not ended.
    Backlog,
    /// A source was still acquiring the sample.
    Sampled(SourceId),
    /// The run began late.
    Late,
    /// Workers were woken.
    Woken,
    /// Work was handed from worker to worker.
    HandedOver,
    /// A worker did not run, and no thread of the robot had its core.
    Stalled(WorkerId),
    /// The framework itself took the time.
    Dispatched,
    /// Events were lost.
    Unknown,
}

/// A reason counts only if it makes up at least this part of the time: one in 20.
const LEAST_PART: u64 = 20;

impl Explanation {
    /// Compares a chain with the usual durations.
    pub fn of(chain: BlockingChain, durations: &Durations, scale: &TickScale) -> Self {
        let mut executed: BTreeMap<TaskId, u64> = BTreeMap::new();
        let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
        for stretch in &chain.stretches {
            let reason = match stretch.cause {
                Cause::Executed { task, .. } => {
                    *executed.entry(task).or_default() += stretch.ticks();
                    continue;
                }
                Cause::Preempted { by, .. } => Reason::Preempted(by),
                Cause::Backlog => Reason::Backlog,
                Cause::Sampled { source } => Reason::Sampled(source),
                Cause::Late => Reason::Late,
                Cause::Woken { .. } => Reason::Woken,
                Cause::HandedOver { .. } => Reason::HandedOver,
                Cause::Stalled { worker } => Reason::Stalled(worker),
                Cause::Dispatched { .. } => Reason::Dispatched,
                Cause::Unknown => Reason::Unknown,
            };
            *reasons.entry(reason).or_default() += stretch.ticks();
        }
        let nanoseconds = |ticks| scale.nanoseconds_between(crate::Ticks(0), crate::Ticks(ticks));
        let mut executions: Vec<Execution> = executed
            .into_iter()
            .map(|(task, ticks)| Execution { task, nanoseconds: nanoseconds(ticks), usual: durations.usual(task) })
            .collect();
        executions.sort_by_key(|execution| std::cmp::Reverse(execution.nanoseconds));
        let long = executions.iter().map(|execution| (Reason::LongExecution(execution.task), execution.excess()));
        let other = reasons.into_iter().map(|(reason, ticks)| (reason, nanoseconds(ticks)));
        let response = nanoseconds(chain.end.since(chain.trigger));
        let greatest = long.chain(other).max_by_key(|&(_, excess)| excess);
        let (reason, excess) =
            greatest.filter(|&(_, excess)| excess > response / LEAST_PART).unwrap_or((Reason::Usual, 0));
        Self { chain, executions, reason, excess, response, loss: None, scale: scale.clone() }
    }

    /// Adds what the kernel's accounts show about the reason; `history` is that of the chain.
    #[must_use]
    pub fn with_accounts(mut self, history: &History) -> Self {
        self.loss = match (self.reason, self.executions.first()) {
            // Usual durations from few runs may be derived from this one; then only what was taken
            // from it is informative.
            (Reason::Usual, Some(longest)) => history
                .loss(&self.chain, Reason::LongExecution(longest.task), longest.nanoseconds)
                .filter(|loss| matches!(loss.taker, Taker::OtherPrograms | Taker::Host)),
            (reason, _) => history.loss(&self.chain, reason, self.excess),
        };
        self
    }

    /// Returns the execution of a task of the chain.
    pub fn execution(&self, task: TaskId) -> Option<&Execution> {
        self.executions.iter().find(|execution| execution.task == task)
    }
}
