//! The entries that the catalog keeps under each kind of number.

use crate::{
    ids::{CycleId, SourceId, TaskId, TopicId, WorkerId},
    profile::ExecutorThread,
};
use std::time::Duration;

/// The entry of a cycle in the catalog.
///
/// ```
/// use hemiola_trace::Cycle;
/// use std::time::Duration;
///
/// let cycle = Cycle::named("cognition").period(Duration::from_millis(33)).deadline(Duration::from_millis(33));
/// assert_eq!(cycle.name, "cognition");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Cycle {
    /// The name of the cycle.
    pub name: String,
    /// The time after its trigger within which a run must end.
    pub deadline: Option<Duration>,
    /// The time between its triggers, if they come from a timer.
    pub period: Option<Duration>,
    /// The priority of its threads; larger preempts smaller.
    pub priority: i32,
}

impl Cycle {
    /// Returns a cycle without deadline and period, of priority zero.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the time after its trigger within which a run must end.
    pub fn deadline(self, deadline: impl Into<Option<Duration>>) -> Self {
        Self { deadline: deadline.into(), ..self }
    }

    /// Sets the time between the triggers.
    pub fn period(self, period: impl Into<Option<Duration>>) -> Self {
        Self { period: period.into(), ..self }
    }

    /// Sets the priority of the threads; larger preempts smaller.
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }
}

/// The entry of a task in the catalog.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let motion = catalog.cycle(hemiola_trace::Cycle::named("motion"))?;
/// let task = catalog.task(motion, "Walk.joints")?;
/// assert_eq!(catalog.read().task(task).unwrap().cycle, motion);
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The cycle that it belongs to.
    pub cycle: CycleId,
    /// The name of the task.
    pub name: String,
}

/// The entry of a worker thread in the catalog.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let motion = catalog.cycle(hemiola_trace::Cycle::named("motion"))?;
/// let worker = catalog.worker(motion, 0, 4711)?;
/// assert_eq!(catalog.read().worker_name(worker), "motion 0");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worker {
    /// The kind of work that runs on the thread.
    pub runs: Runs,
    /// The kernel's ID of the thread, if it never changes.
    pub thread: Option<u32>,
    /// The scheduling of the thread, if it is an executor's and this has been set.
    pub executor: Option<ExecutorThread>,
    /// The kernel's ID of the thread that runs an executor's callbacks now.
    pub called_on: Option<u32>,
}

impl Worker {
    pub(super) fn of(runs: Runs) -> Self {
        Self { runs, thread: None, executor: None, called_on: None }
    }
}

/// The kind of work that runs on a thread.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let control = catalog.executor("control")?;
/// let runs = hemiola_trace::Runs::Callbacks { executor: "control".into() };
/// assert_eq!(catalog.read().worker(control).unwrap().runs, runs);
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Runs {
    /// Tasks of a cycle.
    Tasks {
        /// The cycle whose pool the thread belongs to.
        cycle: CycleId,
        /// The index of the thread in the pool; thread 0 waits for the trigger.
        index: usize,
    },
    /// Callbacks of an executor.
    Callbacks {
        /// The name of their executor.
        executor: String,
    },
    /// Acquisition of samples of a source.
    Samples {
        /// The source.
        source: SourceId,
    },
    /// The service that monitors the other threads.
    Service,
}

/// The entry of a callback in the catalog.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let control = catalog.executor("control")?;
/// let pose = hemiola_trace::Callback::of(control, "pose").topic(catalog.topic("pose")?).priority(10);
/// let callback = catalog.callback(pose)?;
/// assert_eq!(catalog.read().callback(callback).unwrap().name, "pose");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Callback {
    /// The thread of the executor that runs it.
    pub executor: WorkerId,
    /// The name of the callback.
    pub name: String,
    /// The topic for whose messages it runs; `None` for a timer.
    pub topic: Option<TopicId>,
    /// The priority among the callbacks of its executor: the larger, the more important.
    pub priority: u16,
    /// The time from tick to tick, for a periodic timer.
    pub period: Option<Duration>,
}

impl Callback {
    /// Returns a callback without topic and period, of priority zero.
    pub fn of(executor: WorkerId, name: impl Into<String>) -> Self {
        Self { executor, name: name.into(), topic: None, priority: 0, period: None }
    }

    /// Sets the topic for whose messages it runs.
    pub fn topic(self, topic: impl Into<Option<TopicId>>) -> Self {
        Self { topic: topic.into(), ..self }
    }

    /// Sets the priority among the callbacks of its executor.
    pub fn priority(self, priority: u16) -> Self {
        Self { priority, ..self }
    }

    /// Sets the time from tick to tick.
    pub fn period(self, period: impl Into<Option<Duration>>) -> Self {
        Self { period: period.into(), ..self }
    }
}

/// The entry of an exchange in the catalog.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let cognition = catalog.cycle(hemiola_trace::Cycle::named("cognition"))?;
/// let exchange = catalog.exchange(cognition, "cognition")?;
/// assert_eq!(catalog.read().exchange(exchange).unwrap().publisher, cognition);
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// The cycle that writes it.
    pub publisher: CycleId,
    /// The name of the exchange.
    pub name: String,
}

/// The entry of a counter in the catalog.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let counter = catalog.counter("battery", "%")?;
/// assert_eq!(catalog.read().counter(counter).unwrap().unit, "%");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The name of the counter.
    pub name: String,
    /// The unit of its values, or nothing.
    pub unit: String,
}

/// The edges of a task graph.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let motion = catalog.cycle(hemiola_trace::Cycle::named("motion"))?;
/// let (a, b) = (catalog.task(motion, "a")?, catalog.task(motion, "b")?);
/// let plan = catalog.plan(motion, &[(a, b)])?;
/// assert_eq!(catalog.read().plan(plan).unwrap().edges, [(a, b)]);
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The cycle that the graph belongs to.
    pub cycle: CycleId,
    /// Pairs of a task and one that waits for it; sorted, each once.
    pub edges: Vec<(TaskId, TaskId)>,
}
