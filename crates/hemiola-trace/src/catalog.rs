//! The names behind the numbers in events.

mod entries;
mod guard;
mod messages;

pub use entries::{Callback, Counter, Cycle, Exchange, Plan, Runs, Task, Worker};
pub use guard::CatalogGuard;
pub use messages::{by_messages, source_of_messages, to_topic, topic_of};

use crate::{
    error::Error,
    ids::{CallbackId, CounterId, CycleId, ExchangeId, PlanId, SourceId, TaskId, TopicId, WorkerId},
    profile::ExecutorThread,
};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// A shared handle that assigns numbers to names and keeps them. The runtime, the statistics and
/// the trace writer share it.
///
/// It grows while the robot runs (a provider is switched, a plan installed). Registering a name
/// again returns the number that it already has; numbers are never reused. It locks and allocates,
/// so it is not for real-time threads.
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
pub struct Catalog(Arc<RwLock<Arc<Names>>>);

impl Catalog {
    /// Creates an empty catalog of the process called `process`.
    pub fn new(process: impl Into<String>) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(Names { process: process.into(), ..Names::default() }))))
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

    /// Registers a task of a cycle. The name is the one shown to people, such as
    /// `BallFinder.ball_percept`.
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

    /// Registers worker number `index` of a cycle; `thread` is the kernel's ID of the thread, which
    /// may change when the pool is restarted.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 of them already.
    pub fn worker(&self, cycle: CycleId, index: usize, thread: u32) -> Result<WorkerId, Error> {
        self.add_worker(Worker { thread: Some(thread), ..Worker::of(Runs::Tasks { cycle, index }) }, &index.to_string())
    }

    /// Registers the thread of a callback executor. The kernel's thread may differ from run to run.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 workers already.
    pub fn executor(&self, name: &str) -> Result<WorkerId, Error> {
        self.add_worker(Worker::of(Runs::Callbacks { executor: name.to_owned() }), name)
    }

    /// Registers the thread on which a source acquires its samples.
    ///
    /// # Errors
    /// [`Error::CatalogFull`] when there are 65,536 workers already.
    pub fn source_thread(&self, source: SourceId) -> Result<WorkerId, Error> {
        self.add_worker(Worker::of(Runs::Samples { source }), "of a source")
    }

    /// Registers the service thread, which monitors the others and reads the kernel's accounts of
    /// them.
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

    /// Sets the current scheduling of an executor's thread.
    pub fn executor_runs(&self, executor: WorkerId, thread: ExecutorThread) {
        if let Some(worker) = self.write().workers.get_mut(executor.index()) {
            worker.executor = Some(thread);
        }
    }

    /// Sets the thread that runs an executor's callbacks now, by the kernel's ID.
    pub fn executor_runs_on(&self, executor: WorkerId, thread: u32) {
        if let Some(worker) = self.write().workers.get_mut(executor.index()) {
            worker.called_on = Some(thread);
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

    /// Registers an exchange that is written by `publisher`.
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

    /// Registers a counter; `unit` is shown behind its value (`°C`, `B`, or nothing).
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

    /// Registers the task graph of a cycle: pairs of a task and one that waits for it. A graph
    /// equal to an earlier one (with other priorities, say) gets the same number.
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

    /// Returns the names at this moment. No lock is held afterwards: who has a guard may read
    /// again, also by what it calls, and names are registered meanwhile.
    pub fn read(&self) -> CatalogGuard<'_> {
        CatalogGuard::of(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn write(&self) -> Registration<'_> {
        // A panic between two fields of an entry cannot happen, because entries are pushed whole.
        // So a poisoned lock is sound.
        Registration(self.0.write().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The right to change the names. They are copied if somebody still reads them.
struct Registration<'c>(RwLockWriteGuard<'c, Arc<Names>>);

impl Deref for Registration<'_> {
    type Target = Names;

    fn deref(&self) -> &Names {
        &self.0
    }
}

impl DerefMut for Registration<'_> {
    fn deref_mut(&mut self) -> &mut Names {
        Arc::make_mut(&mut self.0)
    }
}

#[derive(Clone, Debug, Default)]
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

/// The number of entries that 16 bits can number.
const SMALL_LIMIT: usize = 1 << 16;

/// The maximum number of plans: more than anyone can look at, and bounded because each keeps its
/// edges.
const LARGE_LIMIT: usize = 1 << 20;

fn add<T>(entries: &mut Vec<T>, entry: T, limit: usize, kind: &'static str, name: &str) -> Result<usize, Error> {
    if entries.len() >= limit {
        return Err(Error::CatalogFull { kind, name: name.to_owned(), limit });
    }
    entries.push(entry);
    Ok(entries.len() - 1)
}

#[cfg(test)]
mod tests;
