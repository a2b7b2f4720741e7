//! The causes of a run's response time, taken apart from its end back to its release, without gaps.
//!
//! A run ends when its last task does. That task began late because it needed the result of another
//! one, or because its worker was busy with another one; that one in turn began late for such a
//! reason, and so on back to the release. These tasks, and what passed between them, are the run's
//! *blocking chain*: shortening anything else would not have ended the run earlier.
//!
//! | file | what |
//! |---|---|
//! | `history` | a capture, sorted by runs, cores and exchanges |
//! | `blocking` | the chain of one run |
//! | `call` | the causes of a callback's latency |
//! | `canvas` | a time span that is painted with causes, each part once |
//! | `reaction` | across cycles: from a sensor's sample to an output |
//! | `usual_hops` | how long each part of that path usually takes |
//! | `accounts` | the kernel's accounts of the time: who had the core if no thread of the robot did |
//! | `looks` | the readings of these accounts, and what the robot did between two of them |
//! | `durations` | the usual durations of tasks |
//! | `explanation` | the unusual parts of a chain |
//! | `words` | explanations in words for people |
//!
//! The events show some causes and not others. It is certain that a thread had work and did not run
//! where another thread of the robot ran on its core meanwhile ([`Cause::Preempted`]; exact for
//! pinned threads, because events name the core on which a task ended). Between two tasks of a
//! worker there is only the framework, so where much time passes there and no thread of the robot
//! had the core, the thread was not running: [`Cause::Stalled`], by the kernel, another process, or
//! the host of a virtual machine. Within a task this looks as if the task itself had taken long: it
//! counts as [`Cause::Executed`]. Which of these it was, and whether a task that took long was on a
//! core all the time, follows from the kernel's accounts
//! ([`Event::ThreadTime`](crate::Event::ThreadTime),
//! [`Event::StolenTime`](crate::Event::StolenTime)), as far as their readings were close enough:
//! [`Loss`].

mod accounts;
mod blocking;
mod call;
mod canvas;
mod durations;
mod explanation;
mod history;
mod looks;
mod reaction;
mod usual_hops;
mod words;

#[cfg(test)]
mod tests;

pub use accounts::{Account, Loss, Taker};
pub use call::Call;
pub use durations::{Durations, Usual};
pub use explanation::{Execution, Explanation, Reason};
pub use history::{History, RunSpan};
pub use reaction::{Hop, Latency, Reaction, Step};
pub use usual_hops::UsualHops;

use crate::{
    clock::Ticks,
    ids::{CycleId, SourceId, TaskId, WorkerId},
};

/// The blocking chain of a run: [`History::blocking_chain`].
///
/// ```
/// use hemiola_trace::{Capture, Catalog, Core, Cycle, Event, Ticks, causes::{Cause, History}};
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion"))?;
/// let (imu, walk) = (catalog.task(motion, "Imu.filter")?, catalog.task(motion, "Walk.joints")?);
/// let (plan, worker) = (catalog.plan(motion, &[(imu, walk)])?, catalog.worker(motion, 0, 0)?);
/// let ran = |task, ready, begin, end| {
///     Event::TaskRun { task, core: Core(0), run: 7, ready: Ticks(ready), begin: Ticks(begin), end: Ticks(end) }
/// };
/// let mut capture = Capture::default();
/// capture.insert(worker, vec![
///     Event::CycleBegin { cycle: motion, plan, run: 7, trigger: Ticks(100), begin: Ticks(140) },
///     ran(imu, 140, 141, 200),
///     ran(walk, 200, 200, 290),
///     Event::CycleEnd { cycle: motion, run: 7, at: Ticks(291) },
/// ]);
/// let history = History::of(&capture, &catalog, &hemiola_trace::TickScale::nanoseconds_per_tick_one());
/// let chain = history.blocking_chain(motion, 7).unwrap();
/// let ticks: Vec<u64> = chain.stretches.iter().map(|stretch| stretch.ticks()).collect();
/// assert_eq!(ticks, [40, 1, 59, 90, 1]); // late, dispatched, executed, executed, dispatched
/// assert_eq!(chain.stretches[0].cause, Cause::Late);
/// assert_eq!(ticks.iter().sum::<u64>(), chain.end.since(chain.trigger));
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct BlockingChain {
    /// The cycle.
    pub cycle: CycleId,
    /// The number of the run.
    pub run: u32,
    /// The time at which it was due.
    pub trigger: Ticks,
    /// The time at which it ended.
    pub end: Ticks,
    /// The stretches from the trigger to the end, without gap or overlap.
    pub stretches: Vec<Stretch>,
    /// The tasks of its plan for which there is no event. Their events were lost, so the causes of
    /// the time in which they ran may be wrong.
    pub missing: Vec<TaskId>,
}

/// A part of a blocking chain: [`BlockingChain`].
///
/// ```
/// use hemiola_trace::{Ticks, causes::{Cause, Stretch}};
///
/// assert_eq!(Stretch { begin: Ticks(5), end: Ticks(9), cause: Cause::Late }.ticks(), 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// The begin of the stretch.
    pub begin: Ticks,
    /// The end of the stretch, which is the begin of the next one.
    pub end: Ticks,
    /// The cause of the time that passed.
    pub cause: Cause,
}

impl Stretch {
    /// Returns the length of the stretch.
    pub const fn ticks(&self) -> u64 {
        self.end.since(self.begin)
    }
}

/// The cause of a part of a run's response time.
///
/// ```
/// use hemiola_trace::{TaskId, WorkerId, causes::{Because, Cause}};
///
/// let ran = Cause::Executed { task: TaskId(3), worker: WorkerId(0), because: Because::Needed };
/// assert_ne!(ran, Cause::Late);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// The run was due while the previous run was still in progress.
    Backlog,
    /// The run was due, because that is its sample's time stamp, and the source was still acquiring
    /// samples.
    Sampled {
        /// The source.
        source: SourceId,
    },
    /// The run was due, and its trigger thread had not begun: a late timer or wake-up.
    Late,
    /// A task ran.
    Executed {
        /// The task.
        task: TaskId,
        /// The worker that ran it.
        worker: WorkerId,
        /// The reason why the next stretch had to wait for it.
        because: Because,
    },
    /// A worker had work, and another thread of the robot ran on its core.
    Preempted {
        /// The worker whose core it was; `None` while the run had not begun.
        worker: Option<WorkerId>,
        /// The task that the worker was executing, if any.
        task: Option<TaskId>,
        /// The other thread.
        by: WorkerId,
    },
    /// A task was ready, and the worker that should run it was being woken.
    Woken {
        /// The worker that was being woken.
        worker: WorkerId,
    },
    /// A task was ready on one worker, and was handed to another one that was awake.
    HandedOver {
        /// The worker on which the task became ready.
        from: WorkerId,
        /// The worker on which it ran.
        to: WorkerId,
    },
    /// The framework's own time between two tasks of a worker, and at the begin and end of a run.
    Dispatched {
        /// The worker.
        worker: WorkerId,
    },
    /// A worker had work and did not run, and none of the robot's threads had its core.
    Stalled {
        /// The worker.
        worker: WorkerId,
    },
    /// Events of this time were lost.
    Unknown,
}

/// The reason why a task's end had to be waited for.
///
/// See [`Cause::Executed`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// The next task needs its result, or no task follows it.
    Needed,
    /// The next task was ready, and this one occupied its worker.
    Occupied,
}
