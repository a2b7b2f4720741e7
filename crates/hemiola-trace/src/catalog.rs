//! The names behind the numbers in events.

mod messages;

pub use messages::{by_messages, source_of_messages, to_topic, topic_of};

use crate::{
    error::Error,
    ids::{CallbackId, CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, TopicId, WorkerId},
    profile::ExecutorThread,
};
use std::{
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard},
    time::Duration,
};

/// Gives numbers to names and keeps them: a handle that the runtime, the statistics and the trace writer share.
///
/// It grows while the robot runs (a provider is switched, a plan installed). Registering a name again returns the number that
/// it had; numbers are never reused. It locks and allocates: not for real-time threads.
///
/// ```
/// use hemiola_trace::{Catalog, Cycle};
/// use std::time::Duration;
///
/// let catalog = Catalog::new("robot");
/// let motion = catalog.cycle(Cycle::named("motion").deadline(Duration::from_millis(12)).priority(80))?;
/// let imu = catalog.task(motion, "ImuFilter.orientation")?;
/// let walk = catalog.task(motion, "Walk.joints")?;
/// catalog.plan(motion, &[(imu, walk)])?;
/// assert_eq!(catalog.task(motion, "ImuFilter.orientation")?, imu);
/// assert_eq!(catalog.read().task(walk).unwrap().name, "Walk.joints");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Catalog(Arc<RwLock<Names>>);

impl Catalog {
    /// An empty catalog of the process called `process`.
    pub fn new(process: impl Into<String>) -> Self {
        Self(Arc::new(RwLock::new(Names { process: process.into(), ..Names::default() })))
    }

    /// Registers a cycle, or changes the deadline, period and priority of the one with this name.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn cycle(&self, cycle: Cycle) -> Result<CycleId, Error> {
        let mut names = self.write();
        if let Some(index) = names.cycles.iter().position(|known| known.name == cycle.name) {
            names.cycles[index] = cycle;
            return Ok(CycleId(index as u16));
        }
        let name = cycle.name.clone();
        add(&mut names.cycles, cycle, SMALL_LIMIT, "cycle", &name).map(|index| CycleId(index as u16))
    }

    /// Registers a task of a cycle; the name is the one that people see, such as `BallFinder.ball_percept`.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn task(&self, cycle: CycleId, name: &str) -> Result<TaskId, Error> {
        let mut names = self.write();
        if let Some(index) = names.tasks.iter().position(|known| known.cycle == cycle && known.name == name) {
            return Ok(TaskId(index as u16));
        }
        let task = Task { cycle, name: name.to_owned() };
        add(&mut names.tasks, task, SMALL_LIMIT, "task", name).map(|index| TaskId(index as u16))
    }

    /// Registers worker number `index` of a cycle; `thread` is the kernel's number of the thread, which may change when the
    /// pool is started anew.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn worker(&self, cycle: CycleId, index: usize, thread: u32) -> Result<WorkerId, Error> {
        self.add_worker(Worker { thread: Some(thread), ..Worker::of(Runs::Tasks { cycle, index }) }, &index.to_string())
    }

    /// Registers the thread of a callback executor. Which one that is may change from run to run.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 workers already.
    pub fn executor(&self, name: &str) -> Result<WorkerId, Error> {
        self.add_worker(Worker::of(Runs::Callbacks { executor: name.to_owned() }), name)
    }

    /// Registers the thread on which a source takes its samples.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 workers already.
    pub fn source_thread(&self, source: SourceId) -> Result<WorkerId, Error> {
        self.add_worker(Worker::of(Runs::Samples { source }), "of a source")
    }

    /// Registers the thread that looks after the others, such as at what the kernel counts of them.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 workers already.
    pub fn service(&self) -> Result<WorkerId, Error> {
        self.add_worker(Worker::of(Runs::Service), "service")
    }

    fn add_worker(&self, worker: Worker, name: &str) -> Result<WorkerId, Error> {
        let mut names = self.write();
        if let Some(number) = names.workers.iter().position(|known| known.runs == worker.runs) {
            names.workers[number] = worker;
            return Ok(WorkerId(number as u16));
        }
        add(&mut names.workers, worker, SMALL_LIMIT, "worker", name).map(|index| WorkerId(index as u16))
    }

    /// Registers a topic.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn topic(&self, name: &str) -> Result<TopicId, Error> {
        let mut names = self.write();
        let known = names.topics.iter().position(|known| known == name);
        let index = match known {
            Some(index) => index,
            None => add(&mut names.topics, name.to_owned(), SMALL_LIMIT, "topic", name)?,
        };
        Ok(TopicId(index as u16))
    }

    /// Says how the thread of an executor runs, as it is now.
    pub fn executor_runs(&self, executor: WorkerId, thread: ExecutorThread) {
        if let Some(worker) = self.write().workers.get_mut(executor.index()) {
            worker.executor = Some(thread);
        }
    }

    /// Registers a callback of an executor.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn callback(&self, callback: Callback) -> Result<CallbackId, Error> {
        let mut names = self.write();
        let name = callback.name.clone();
        if let Some(index) = names.callbacks.iter().position(|known| *known == callback) {
            return Ok(CallbackId(index as u16));
        }
        add(&mut names.callbacks, callback, SMALL_LIMIT, "callback", &name).map(|index| CallbackId(index as u16))
    }

    /// Registers a source of sensor samples.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn source(&self, name: &str) -> Result<SourceId, Error> {
        let mut names = self.write();
        let known = names.sources.iter().position(|known| known == name);
        let index = match known {
            Some(index) => index,
            None => add(&mut names.sources, name.to_owned(), SMALL_LIMIT, "source", name)?,
        };
        Ok(SourceId(index as u16))
    }

    /// Registers an exchange that `publisher` writes.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn exchange(&self, publisher: CycleId, name: &str) -> Result<ExchangeId, Error> {
        let mut names = self.write();
        if let Some(index) = names.exchanges.iter().position(|known| known.publisher == publisher && known.name == name)
        {
            return Ok(ExchangeId(index as u16));
        }
        let exchange = Exchange { publisher, name: name.to_owned() };
        add(&mut names.exchanges, exchange, SMALL_LIMIT, "exchange", name).map(|index| ExchangeId(index as u16))
    }

    /// Registers a counter; `unit` is what people read behind its value (`°C`, `B`, or nothing).
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn counter(&self, name: &str, unit: &str) -> Result<CounterId, Error> {
        let mut names = self.write();
        if let Some(index) = names.counters.iter().position(|known| known.name == name) {
            return Ok(CounterId(index as u16));
        }
        let counter = Counter { name: name.to_owned(), unit: unit.to_owned() };
        add(&mut names.counters, counter, SMALL_LIMIT, "counter", name).map(|index| CounterId(index as u16))
    }

    /// Registers the task graph of a cycle: pairs of a task and one that waits for it. The same graph as an earlier one
    /// (re-prioritised, say) gets its number.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when a million different graphs have been registered.
    pub fn plan(&self, cycle: CycleId, edges: &[(TaskId, TaskId)]) -> Result<PlanId, Error> {
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        edges.dedup();
        let mut names = self.write();
        if let Some(index) = names.plans.iter().position(|known| known.cycle == cycle && known.edges == edges) {
            return Ok(PlanId(index as u32));
        }
        add(&mut names.plans, Plan { cycle, edges }, LARGE_LIMIT, "plan", "").map(|index| PlanId(index as u32))
    }

    /// The names at this moment. Whoever registers one waits while the guard lives.
    pub fn read(&self) -> CatalogGuard<'_> {
        CatalogGuard(self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Names> {
        // A panic between two fields of an entry cannot happen: entries are pushed whole. So a poisoned lock is sound.
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Read access to a [`Catalog`]. A number that the catalog did not give out has no entry.
///
/// ```
/// use hemiola_trace::{Catalog, TaskId};
///
/// let catalog = Catalog::new("robot");
/// assert!(catalog.read().task(TaskId(0)).is_none());
/// ```
#[derive(Debug)]
pub struct CatalogGuard<'a>(RwLockReadGuard<'a, Names>);

impl CatalogGuard<'_> {
    /// What the process is called.
    pub fn process(&self) -> &str {
        &self.0.process
    }

    /// A cycle.
    pub fn cycle(&self, id: CycleId) -> Option<&Cycle> {
        self.0.cycles.get(id.index())
    }

    /// A task.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.0.tasks.get(id.index())
    }

    /// A worker.
    pub fn worker(&self, id: WorkerId) -> Option<&Worker> {
        self.0.workers.get(id.index())
    }

    /// A source's name.
    pub fn source(&self, id: SourceId) -> Option<&str> {
        self.0.sources.get(id.index()).map(String::as_str)
    }

    /// An exchange.
    pub fn exchange(&self, id: ExchangeId) -> Option<&Exchange> {
        self.0.exchanges.get(id.index())
    }

    /// A topic's name.
    pub fn topic(&self, id: TopicId) -> Option<&str> {
        self.0.topics.get(id.index()).map(String::as_str)
    }

    /// A callback.
    pub fn callback(&self, id: CallbackId) -> Option<&Callback> {
        self.0.callbacks.get(id.index())
    }

    /// A counter.
    pub fn counter(&self, id: CounterId) -> Option<&Counter> {
        self.0.counters.get(id.index())
    }

    /// A task graph.
    pub fn plan(&self, id: PlanId) -> Option<&Plan> {
        self.0.plans.get(id.index())
    }

    /// All cycles in the order of their registration.
    pub fn cycles(&self) -> impl Iterator<Item = (CycleId, &Cycle)> {
        self.0.cycles.iter().enumerate().map(|(index, cycle)| (CycleId(index as u16), cycle))
    }

    /// All tasks in the order of their registration.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskId, &Task)> {
        self.0.tasks.iter().enumerate().map(|(index, task)| (TaskId(index as u16), task))
    }

    /// All sources' names in the order of their registration.
    pub fn sources(&self) -> impl Iterator<Item = (SourceId, &str)> {
        self.0.sources.iter().enumerate().map(|(index, name)| (SourceId(index as u16), name.as_str()))
    }

    /// All callbacks in the order of their registration.
    pub fn callbacks(&self) -> impl Iterator<Item = (CallbackId, &Callback)> {
        self.0.callbacks.iter().enumerate().map(|(index, callback)| (CallbackId(index as u16), callback))
    }

    /// All workers in the order of their registration.
    pub fn workers(&self) -> impl Iterator<Item = (WorkerId, &Worker)> {
        self.0.workers.iter().enumerate().map(|(index, worker)| (WorkerId(index as u16), worker))
    }

    /// The name of a task, or its number if the catalog does not know it.
    pub fn task_name(&self, id: TaskId) -> String {
        self.task(id).map_or_else(|| format!("task {}", id.0), |task| task.name.clone())
    }

    /// The name of the cycle that a task belongs to, or the task's number if the catalog does not know it.
    pub fn cycle_of(&self, id: TaskId) -> String {
        self.task(id).map_or_else(|| format!("the cycle of task {}", id.0), |task| self.cycle_name(task.cycle))
    }

    /// The name of a cycle, or its number if the catalog does not know it.
    pub fn cycle_name(&self, id: CycleId) -> String {
        self.cycle(id).map_or_else(|| format!("cycle {}", id.0), |cycle| cycle.name.clone())
    }

    /// The name of a source, or its number if the catalog does not know it.
    pub fn source_name(&self, id: SourceId) -> String {
        self.source(id).map_or_else(|| format!("source {}", id.0), str::to_owned)
    }

    /// `motion 0` for the first worker of `motion`, the name of a callback executor, `source Imu`, or the number if the catalog does not know it.
    pub fn worker_name(&self, id: WorkerId) -> String {
        match self.worker(id).map(|worker| &worker.runs) {
            Some(Runs::Tasks { cycle, index }) => format!("{} {index}", self.cycle_name(*cycle)),
            Some(Runs::Callbacks { executor }) => executor.clone(),
            Some(Runs::Samples { source }) => format!("source {}", self.source_name(*source)),
            Some(Runs::Service) => "service".to_owned(),
            None => format!("worker {}", id.0),
        }
    }
}

/// What the catalog knows of a cycle.
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
    /// Its name.
    pub name: String,
    /// How long after its trigger a run must end.
    pub deadline: Option<Duration>,
    /// The distance of its triggers, if they come from a timer.
    pub period: Option<Duration>,
    /// The priority of its threads; larger preempts smaller.
    pub priority: i32,
}

impl Cycle {
    /// A cycle without deadline and period, of priority zero.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets how long after its trigger a run must end.
    pub fn deadline(self, deadline: impl Into<Option<Duration>>) -> Self {
        Self { deadline: deadline.into(), ..self }
    }

    /// Sets the distance of the triggers.
    pub fn period(self, period: impl Into<Option<Duration>>) -> Self {
        Self { period: period.into(), ..self }
    }

    /// Sets the priority of the threads; larger preempts smaller.
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }
}

/// What the catalog knows of a task.
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
    /// Its name.
    pub name: String,
}

/// What the catalog knows of a worker thread.
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
    /// What runs on it.
    pub runs: Runs,
    /// The kernel's number of the thread, if it is always the same.
    pub thread: Option<u32>,
    /// How it runs, if it is an executor's and has told.
    pub executor: Option<ExecutorThread>,
}

impl Worker {
    fn of(runs: Runs) -> Self {
        Self { runs, thread: None, executor: None }
    }
}

/// What runs on a thread.
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
        /// Its number in the pool; 0 waits for the trigger.
        index: usize,
    },
    /// Callbacks.
    Callbacks {
        /// The name of their executor.
        executor: String,
    },
    /// A source.
    Samples {
        /// Which one.
        source: SourceId,
    },
    /// Looking after the others.
    Service,
}

/// What the catalog knows of a callback.
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
    /// The thread of its executor.
    pub executor: WorkerId,
    /// Its name.
    pub name: String,
    /// The topic for whose messages it is called; none if it is a timer's.
    pub topic: Option<TopicId>,
    /// How important it is among those of its executor: the larger, the more.
    pub priority: u16,
    /// From tick to tick, if it is that of a timer which repeats itself.
    pub period: Option<Duration>,
}

impl Callback {
    /// One without topic and period, of priority zero.
    pub fn of(executor: WorkerId, name: impl Into<String>) -> Self {
        Self { executor, name: name.into(), topic: None, priority: 0, period: None }
    }

    /// Sets the topic for whose messages it is called.
    pub fn topic(self, topic: impl Into<Option<TopicId>>) -> Self {
        Self { topic: topic.into(), ..self }
    }

    /// Sets how important it is among those of its executor.
    pub fn priority(self, priority: u16) -> Self {
        Self { priority, ..self }
    }

    /// Sets the time from tick to tick.
    pub fn period(self, period: impl Into<Option<Duration>>) -> Self {
        Self { period: period.into(), ..self }
    }
}

/// What the catalog knows of an exchange.
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
    /// Its name.
    pub name: String,
}

/// What the catalog knows of a counter.
///
/// ```
/// # let catalog = hemiola_trace::Catalog::new("robot");
/// let counter = catalog.counter("battery", "%")?;
/// assert_eq!(catalog.read().counter(counter).unwrap().unit, "%");
/// # Ok::<(), hemiola_trace::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Its name.
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
    /// Whose graph it is.
    pub cycle: CycleId,
    /// A task and one that waits for it; sorted, each once.
    pub edges: Vec<(TaskId, TaskId)>,
}

#[derive(Debug, Default)]
struct Names {
    process: String,
    cycles: Vec<Cycle>,
    tasks: Vec<Task>,
    workers: Vec<Worker>,
    sources: Vec<String>,
    exchanges: Vec<Exchange>,
    counters: Vec<Counter>,
    topics: Vec<String>,
    callbacks: Vec<Callback>,
    plans: Vec<Plan>,
}

/// Entries that 16 bits can number.
const SMALL_LIMIT: usize = 1 << 16;

/// More plans than anyone can look at; a bound because each keeps its edges.
const LARGE_LIMIT: usize = 1 << 20;

fn add<T>(entries: &mut Vec<T>, entry: T, limit: usize, kind: &'static str, name: &str) -> Result<usize, Error> {
    if entries.len() >= limit {
        return Err(Error::CatalogFull { kind, name: name.to_owned(), limit });
    }
    entries.push(entry);
    Ok(entries.len() - 1)
}

#[cfg(test)]
#[path = "catalog/tests.rs"]
mod tests;
