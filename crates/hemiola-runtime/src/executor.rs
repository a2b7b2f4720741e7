//! Runs a plan's units on a pool of workers, the most important ready unit first.
//!
//! The graph never changes; what changes in a run is one counter of unmet dependencies per unit,
//! the set of units that any worker may start (`ready_set`), the units that a worker keeps for
//! itself, and the number of units left (`pool`).
//!
//! - A unit whose last dependency is met belongs to the worker that met it. That worker continues
//!   with the most important one and gives the others away if they are worth a hand-over; before it
//!   starts a long one it gives all away.
//! - A worker with nothing of its own claims from the set, then helps open scopes (`crew`), then
//!   spins for a bounded time (`helper`), then sleeps (`sleepers`). A worker that gives work away
//!   wakes as many sleepers as there is work, and none while others still spin.
//! - When the next run is known, helpers set an alarm and are awake by then: they need not be
//!   woken.
//! - With one worker none of this is needed: the units run in a fixed order.
//!
//! A claimed unit keeps its run alive (the run cannot end without it), so what the claimer finds
//! through the shared pointer to the run is valid until it has reported the unit as done. That is
//! the invariant behind the `unsafe` blocks of `pool`.
//!
//! A task that panics counts as done nevertheless, on whatever worker, and the run continues
//! without the rest of its unit; worker 0 resumes the first panic when the run is over and no
//! worker refers to it any more.

#![expect(unsafe_code, reason = "a cycle has one executor, which says when no task of it runs")]

mod crew;
mod first_panic;
mod graph;
mod helper;
#[cfg(all(test, loom))]
mod model;
mod pool;
mod ready_set;
mod sleepers;
#[cfg(all(test, not(loom)))]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::{BetweenRuns, Scope};
use hemiola_realtime::{MonotonicTime, Spawned, ThreadReport, ThreadSettings, refuse_errands};
use hemiola_trace::Ticks;

pub use graph::{ExecutableGraph, WORTH_SHARING};
pub(crate) use helper::Habits;
use pool::Pool;
pub use ready_set::CAPACITY;

use crate::containment::contained;
use crate::error::RuntimeError;

/// The work of the tasks of a graph.
///
/// ```
/// use hemiola_model::module::Scope;
/// use hemiola_runtime::executor::Tasks;
/// use hemiola_trace::Ticks;
///
/// /// Each worker notes what it ran.
/// struct Journal;
///
/// impl Tasks for Journal {
///     type Worker = Vec<usize>;
///
///     fn run(&self, task: usize, _ready: Ticks, _begin: Ticks, ran: &mut Vec<usize>, _: &Scope) -> Ticks {
///         ran.push(task);
///         Ticks::now()
///     }
/// }
///
/// let mut worker = Vec::with_capacity(16);
/// Journal.run(3, Ticks::now(), Ticks::now(), &mut worker, &Scope::default());
/// assert_eq!(worker, [3]);
/// ```
pub trait Tasks: Send + Sync + 'static {
    /// The state of each worker: its trace, its queues.
    type Worker: Send + 'static;

    /// Runs a task that became ready at `ready` and begins now, at `begin`; returns when it ended.
    fn run(&self, task: usize, ready: Ticks, begin: Ticks, worker: &mut Self::Worker, scope: &Scope<'_>) -> Ticks;

    /// Notes that this worker slept, was woken at `asked`, and works from `at` on. Not called for a
    /// worker whose alarm woke it in time.
    fn woken(&self, _asked: Ticks, _at: Ticks, _worker: &mut Self::Worker) {}
}

/// The workers of one cycle. Worker 0 is the thread that calls [`run`](Self::run); the others are
/// threads that sleep between runs.
///
/// ```
/// use hemiola_model::module::Scope;
/// use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph};
/// use hemiola_runtime::executor::{ExecutableGraph, Executor, Tasks};
/// use hemiola_trace::Ticks;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// struct Count(AtomicU32);
/// impl Tasks for Count {
///     type Worker = ();
///     fn run(&self, _: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope) -> Ticks {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         begin
///     }
/// }
///
/// let graph = TaskGraph::plain("three in a row", 3, [(0, 1), (1, 2)]).unwrap();
/// let plan = Plan::new(graph, &Durations::unknown(3), &PlanOptions::default());
/// let (mut graph, tasks) = (ExecutableGraph::new(&plan).unwrap(), Count(AtomicU32::new(0)));
/// let mut executor = Executor::new();
/// executor.run(&mut graph, &tasks, &mut ());
/// assert_eq!(tasks.0.into_inner(), 3);
/// ```
pub struct Executor<T: Tasks> {
    pool: Arc<Pool<T>>,
    rehearsal: ExecutableGraph,
    helpers: Vec<std::thread::JoinHandle<()>>,
    ended: Ended,
}

/// A closure that is called when a worker ends unexpectedly, with its number and the reason.
type Ended = Arc<dyn Fn(usize, String) + Send + Sync>;

/// The maximum number of workers of a cycle.
pub const MAXIMUM_WORKERS: usize = if cfg!(loom) { 2 } else { 64 };

/// The time for which a worker without work spins before it sleeps: about the cost of waking it.
pub const PATIENCE: Duration = if cfg!(loom) { Duration::ZERO } else { Duration::from_micros(30) };
impl<T: Tasks> Default for Executor<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Tasks> Executor<T> {
    /// Creates a pool with worker 0 only.
    pub fn new() -> Self {
        Self {
            pool: Arc::new(Pool::new()),
            rehearsal: ExecutableGraph::idle(MAXIMUM_WORKERS),
            helpers: Vec::new(),
            ended: Arc::new(|_, _| {}),
        }
    }

    /// Sets a closure that is called when a worker, added later, ends unexpectedly: with its number
    /// and the reason.
    pub(crate) fn tell_of_ends(&mut self, ended: impl Fn(usize, String) + Send + Sync + 'static) {
        self.ended = Arc::new(ended);
    }

    /// Returns the number of workers, including worker 0.
    pub fn workers(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Adds a worker, which has a core of its own while it waits for work. It takes part from the
    /// next run whose graph requests that many workers. Not for real-time threads.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be created, or there are [`MAXIMUM_WORKERS`] already.
    pub fn add_worker(&mut self, settings: ThreadSettings, worker: T::Worker) -> Result<ThreadReport, RuntimeError> {
        self.add_worker_that(Habits::default(), settings, worker)
    }

    /// Adds a worker like [`add_worker`](Self::add_worker), with other habits.
    pub(crate) fn add_worker_that(
        &mut self,
        habits: Habits,
        settings: ThreadSettings,
        worker: T::Worker,
    ) -> Result<ThreadReport, RuntimeError> {
        let index = self.workers();
        if index == MAXIMUM_WORKERS {
            return Err(RuntimeError::TooManyWorkers { maximum: MAXIMUM_WORKERS });
        }
        let (pool, ended) = (self.pool.clone(), self.ended.clone());
        let mut worker = worker;
        let body = move || {
            refuse_errands();
            if let Err(panic) = contained(|| pool.help(index, habits, &mut worker)) {
                ended(index, panic);
            }
        };
        let Spawned { thread, report, .. } = hemiola_realtime::spawn(settings, body).map_err(RuntimeError::Realtime)?;
        self.helpers.push(thread);
        Ok(report)
    }

    /// Runs all tasks of the graph once and returns when they are done. The caller is worker 0. No
    /// allocation, no lock; system calls only to wake workers that sleep, and to sleep when others
    /// have long work left.
    ///
    /// A graph that requests more workers than there are runs on the existing ones. An executor
    /// runs one graph at a time, and a graph is run by one executor: workers follow the graph's
    /// counters, and find the run through a pointer to it.
    ///
    /// ```compile_fail,E0596
    /// # use hemiola_runtime::executor::{ExecutableGraph, Executor, Tasks};
    /// // A task cannot begin another run of the executor that runs it.
    /// fn again<T: Tasks<Worker = ()>>(executor: &Executor<T>, graph: &mut ExecutableGraph, tasks: &T) {
    ///     executor.run(graph, tasks, &mut ());
    /// }
    /// ```
    pub fn run(&mut self, graph: &mut ExecutableGraph, tasks: &T, worker: &mut T::Worker) {
        let workers = graph.workers().min(self.workers());
        if workers == 1 {
            return run_in_sequence(graph, tasks, worker);
        }
        self.pool.run(graph, tasks, worker, workers);
    }

    /// Rehearses a run: brings what it begins with into this core's caches, which hold little of
    /// its code and data after a sleep. Touches the graph and runs another one that has nothing to
    /// do. Meant for the time between waking and the trigger.
    pub fn rehearse(&mut self, graph: &ExecutableGraph, tasks: &T, worker: &mut T::Worker) {
        graph.touch();
        match self.workers() {
            1 => run_in_sequence(&self.rehearsal, tasks, worker),
            workers => self.pool.run(&mut self.rehearsal, tasks, worker, workers),
        }
    }

    /// Returns the witness that no task runs: no run can begin as long as it lives.
    pub(crate) fn between_runs(&mut self) -> BetweenRuns<'_> {
        // SAFETY: a run borrows the executor until all its tasks have ended. A cycle has only the
        // executor that runs its tasks.
        unsafe { BetweenRuns::assume() }
    }

    /// Announces when the next run is expected, so that the helpers are awake by then and need not
    /// be woken. With `None` they sleep until they are woken.
    pub fn expect_run(&self, at: Option<MonotonicTime>) {
        self.pool.sleepers.expect_run(at);
    }
}

impl<T: Tasks> Drop for Executor<T> {
    fn drop(&mut self) {
        self.pool.stop();
        for helper in self.helpers.drain(..) {
            // A helper contains every panic, and reports its own.
            _ = helper.join();
        }
    }
}

fn run_in_sequence<T: Tasks>(graph: &ExecutableGraph, tasks: &T, worker: &mut T::Worker) {
    let scope = Scope::default();
    let mut now = Ticks::now();
    for &task in graph.sequence() {
        now = tasks.run(task as usize, now, now, worker, &scope);
    }
}
