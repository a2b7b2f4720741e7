//! Runs a plan's units on a pool of workers, the most important ready unit first.
//!
//! The graph never changes; what changes in a run is one counter of unmet dependencies per unit, the set of units that any
//! worker may start (`ready_set`), the units that a worker keeps for itself, and the number of units left.
//!
//! - A unit whose last dependency is met belongs to the worker that met it. That worker goes on with the most important one and
//!   gives the others away if they are worth a hand-over; before it gets busy with a long one it gives all away.
//! - A worker with nothing of its own claims from the set, then helps open scopes (`crew`), then spins for a bounded time,
//!   then sleeps. Who gives work away wakes as many sleepers as there is work, and nobody while others still spin.
//! - When the next run is known, helpers set an alarm and are awake by then: nobody has to wake them.
//! - With one worker none of this is needed: the units run in a fixed order.
//!
//! A claimed unit keeps its run alive (the run cannot end without it), so what the claimer finds through the shared pointer
//! to the run is valid until it has reported the unit as done. That is the invariant behind the `unsafe` blocks here.
//!
//! A task that panics counts as done all the same, on whatever worker, and the run goes on without what is left of its unit; worker 0 passes the
//! first panic on when the run is over, and nobody sees it any more.

#![expect(unsafe_code, reason = "a run lives on the stack of worker 0; see the invariant")]

mod crew;
mod first_panic;
mod graph;
#[cfg(all(test, loom))]
mod model;
mod ready_set;
#[cfg(all(test, not(loom)))]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::{BetweenRuns, Scope};
use hemiola_realtime::{
    AdaptiveEarliness, Containment, MonotonicTime, Respite, Spawned, ThreadReport, ThreadSettings, Wakeup,
    monotonic_now, sleep_until,
};
use hemiola_trace::Ticks;

use crew::{JobBoard, SharedCrew};
use first_panic::FirstPanic;
use graph::Unit;
pub use graph::{ExecutableGraph, WORTH_SHARING};
pub use ready_set::CAPACITY;
use ready_set::{ReadySet, UnitSet};

use crate::containment::{contained, quietly};
use crate::error::RuntimeError;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, look};

/// What the tasks of a graph do.
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
    /// What each worker has of its own: its trace, its queues.
    type Worker: Send + 'static;

    /// Runs a task that became ready at `ready`, from now, `begin`, on; returns when it ended.
    fn run(&self, task: usize, ready: Ticks, begin: Ticks, worker: &mut Self::Worker, scope: &Scope<'_>) -> Ticks;

    /// Notes that this worker slept, was woken at `asked`, and works from `at` on. Not called for one whose alarm woke it in time.
    fn woken(&self, _asked: Ticks, _at: Ticks, _worker: &mut Self::Worker) {}
}

/// The workers of one cycle. Worker 0 is whoever calls [`run`](Self::run); the others are threads that sleep between runs.
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
    shared: Arc<Shared<T>>,
    rehearsal: ExecutableGraph,
    helpers: Vec<std::thread::JoinHandle<()>>,
    ended: Ended,
}

/// Told when a worker ends without being asked to: its number, and why.
type Ended = Arc<dyn Fn(usize, String) + Send + Sync>;

struct Shared<T> {
    ready: ReadySet,
    board: JobBoard,
    run: AtomicPtr<Run<T>>,
    /// Words of the ready set that the present graph needs.
    words: AtomicUsize,
    /// Units of the present run that are not done.
    remaining: AtomicU32,
    /// Workers that take part in the present run.
    workers: AtomicUsize,
    /// Which workers sleep or are about to: a bit each.
    parked: AtomicU64,
    /// Which of them have set an alarm for the expected run.
    alarmed: AtomicU64,
    wakeups: [Wakeup; MAXIMUM_WORKERS],
    /// When each worker was woken the last time, in ticks; 0 when that has been noted.
    asked: [AtomicU64; MAXIMUM_WORKERS],
    /// When the next run is expected, in nanoseconds of the monotonic clock; 0 when nobody knows.
    expected: AtomicU64,
    /// How long a worker spins before it sleeps, in nanoseconds.
    patience: AtomicU64,
    stopping: AtomicBool,
    /// What a task of the present run panicked with.
    panic: FirstPanic,
}

/// How far a worker has come with its units.
struct Progress {
    own: UnitSet,
    now: Ticks,
    /// Units that it has done.
    done: u32,
    /// The unit whose tasks it runs.
    unit: Option<usize>,
}

/// Where other threads rely on this one's stack, nothing may unwind it: what does is a mistake in Hemiola.
struct Relied;

impl Drop for Relied {
    #[cold]
    fn drop(&mut self) {
        if !cfg!(loom) {
            eprintln!("a mistake in Hemiola, please report it: an executor panicked during a run");
            std::process::abort();
        }
    }
}

/// What workers need to know of a run; lives on the stack of [`Executor::run`].
struct Run<T> {
    graph: *const ExecutableGraph,
    tasks: *const T,
    /// When its roots became ready.
    begin: Ticks,
}

/// As many workers as one cycle can have.
pub const MAXIMUM_WORKERS: usize = if cfg!(loom) { 2 } else { 64 };

/// A worker without work spins so long before it sleeps: about what being woken costs.
pub const PATIENCE: Duration = if cfg!(loom) { Duration::ZERO } else { Duration::from_micros(30) };
/// A helper wakes that much early at most. It is worth less than the punctuality of worker 0: a helper that is late takes over a bit
/// less.
const HELPERS_EARLINESS: Duration = Duration::from_micros(100);
/// So long around the expected begin of a run, a helper that has set its alarm is taken to be on its way.
const ON_ITS_WAY: Duration = Duration::from_micros(150);

/// A helper with real-time priority that is awake for so long at a stretch is asked what it owes to others.
const LONG_AWAKE: Duration = Duration::from_millis(5);

/// What a helper does while there is no work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Habits {
    /// It spins for a while, and is awake when the next run is expected: it has a core of its own. Others sleep.
    pub spins: bool,
    /// It has real-time priority, and must not take all of a core's time.
    pub rests: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self { spins: true, rests: false }
    }
}

impl<T: Tasks> Default for Executor<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Tasks> Executor<T> {
    /// A pool with worker 0 only.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared::new()),
            rehearsal: ExecutableGraph::idle(MAXIMUM_WORKERS),
            helpers: Vec::new(),
            ended: Arc::new(|_, _| {}),
        }
    }

    /// Tells from now on of workers, added later, that end without being asked to: which one, and why.
    pub(crate) fn tell_of_ends(&mut self, ended: impl Fn(usize, String) + Send + Sync + 'static) {
        self.ended = Arc::new(ended);
    }

    /// How many workers there are, with worker 0.
    pub fn workers(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Adds a worker, which has a core of its own while it waits for work. It takes part from the next run on whose graph asks for so
    /// many. Off the real-time threads.
    ///
    /// # Errors
    /// The thread cannot be made, or there are [`MAXIMUM_WORKERS`] already.
    pub fn add_worker(&mut self, settings: ThreadSettings, worker: T::Worker) -> Result<ThreadReport, RuntimeError> {
        self.add_worker_that(Habits::default(), settings, worker)
    }

    /// The same for a worker of other habits.
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
        let (shared, ended) = (self.shared.clone(), self.ended.clone());
        let mut worker = worker;
        let body = move || {
            if let Err(panic) = contained(|| shared.help(index, habits, &mut worker)) {
                ended(index, panic);
            }
        };
        let Spawned { thread, report, .. } = hemiola_realtime::spawn(settings, body).map_err(RuntimeError::Realtime)?;
        self.helpers.push(thread);
        Ok(report)
    }

    /// Runs all tasks of the graph once and returns when they are done. The caller is worker 0. No allocation, no lock; system
    /// calls only to wake workers that sleep and to sleep when others have long work left.
    ///
    /// A graph that asks for more workers than there are runs on those that there are. An executor runs one graph at a time, and a
    /// graph is run by one executor: workers go by the graph's counters, and find the run through a pointer to it.
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
        self.shared.run(graph, tasks, worker, workers);
    }

    /// Rehearses a run: brings what it begins with into this core's caches, for after a sleep little of code and data is there. Touches
    /// the graph and runs another one in which there is nothing to do. For the time between waking and the trigger.
    pub fn rehearse(&mut self, graph: &ExecutableGraph, tasks: &T, worker: &mut T::Worker) {
        graph.touch();
        match self.workers() {
            1 => run_in_sequence(&self.rehearsal, tasks, worker),
            workers => self.shared.run(&mut self.rehearsal, tasks, worker, workers),
        }
    }

    /// The witness that no task runs: as long as it lives nobody can begin a run.
    pub(crate) fn between_runs(&mut self) -> BetweenRuns<'_> {
        // SAFETY: a run borrows the executor until all its tasks have ended. A cycle has the one that runs its tasks.
        unsafe { BetweenRuns::assume() }
    }

    /// Tells the helpers when the next run is expected, so that they are awake by then without anybody waking them. `None` lets
    /// them sleep until they are woken.
    pub fn expect_run(&self, at: Option<MonotonicTime>) {
        self.shared.expected.store(at.map_or(0, MonotonicTime::as_nanoseconds), Ordering::Relaxed);
    }
}

impl<T: Tasks> Drop for Executor<T> {
    fn drop(&mut self) {
        self.shared.stop();
        for helper in self.helpers.drain(..) {
            // A helper contains every panic, and tells of its own.
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

impl<T: Tasks> Shared<T> {
    fn new() -> Self {
        Self {
            ready: ReadySet::new(),
            board: JobBoard::new(),
            run: AtomicPtr::new(ptr::null_mut()),
            words: AtomicUsize::new(0),
            remaining: AtomicU32::new(0),
            workers: AtomicUsize::new(1),
            parked: AtomicU64::new(0),
            alarmed: AtomicU64::new(0),
            wakeups: std::array::from_fn(|_| Wakeup::new()),
            asked: std::array::from_fn(|_| AtomicU64::new(0)),
            expected: AtomicU64::new(0),
            patience: AtomicU64::new(PATIENCE.as_nanos() as u64),
            stopping: AtomicBool::new(false),
            panic: FirstPanic::default(),
        }
    }

    /// A run on several workers, of which the caller is number 0.
    fn run(&self, graph: &mut ExecutableGraph, tasks: &T, worker: &mut T::Worker, workers: usize) {
        let graph = &*graph;
        let begin = Ticks::now();
        let run = Run { graph, tasks, begin };
        self.asked[0].store(0, Ordering::Relaxed);
        self.workers.store(workers, Ordering::Relaxed);
        self.words.store(graph.words(), Ordering::Relaxed);
        self.run.store((&raw const run).cast_mut(), Ordering::Relaxed);
        self.remaining.store(graph.units().len() as u32, Ordering::Relaxed);

        let relied = Relied;
        self.work(&run, graph.roots(), 0, worker, begin);
        self.finish(&run, (graph, tasks), worker);
        std::mem::forget(relied);
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
    }

    /// Ends the helpers.
    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wakeups.iter().for_each(Wakeup::notify_all);
    }

    /// Works on the units in `own` and on what becomes ready by that, until there is nothing of its own left.
    fn work(&self, run: &Run<T>, own: UnitSet, index: usize, worker: &mut T::Worker, now: Ticks) {
        // SAFETY: this worker holds units of the run, so it goes on (see the module).
        let (graph, tasks) = unsafe { (&*run.graph, &*run.tasks) };
        let asked = self.asked[index].load(Ordering::Relaxed);
        if asked != 0 {
            self.asked[index].store(0, Ordering::Relaxed);
            _ = quietly(|| tasks.woken(Ticks(asked), now, worker));
        }
        let mut progress = Progress { own, now, done: 0, unit: None };
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
            self.work_on(graph, tasks, &mut progress, (run.begin, index), worker);
        })) {
            // One of a task; any other is a mistake.
            let Some(unit) = progress.unit.take() else { resume_unwind(panic) };
            self.panic.note(panic);
            progress.now = Ticks::now();
            progress.meet_dependencies_on(&graph.units()[unit], graph);
        }
        if self.remaining.fetch_sub(progress.done, Ordering::SeqCst) == progress.done {
            self.wake_worker(0);
        }
    }

    /// As [`work`](Self::work), until a task panics.
    fn work_on(
        &self,
        graph: &ExecutableGraph,
        tasks: &T,
        progress: &mut Progress,
        (begin, index): (Ticks, usize),
        worker: &mut T::Worker,
    ) {
        let words = graph.words();
        let crew = SharedCrew { board: &self.board, wake: |count| self.wake(count as u32, index), others: true };
        let scope = Scope::new(&crew);
        let mut now = progress.now;
        while let Some(mut unit) = progress.own.first() {
            let own = &mut progress.own;
            match self.ready.claim(words, Some(unit)) {
                Some(better) => unit = better,
                None => own.remove(unit),
            }
            let node = &graph.units()[unit];
            if !own.is_empty() {
                // What another worker could start meanwhile must be given away before this one gets busy.
                let mut away = if node.is_long() { std::mem::take(own) } else { own.split(graph.long()) };
                if !away.is_empty() {
                    let count = self.ready.publish(&mut away);
                    self.wake(count, index);
                    // What giving away takes is no part of the next task.
                    now = Ticks::now();
                }
            }
            let mut ready = if node.is_root() { begin } else { node.ready_at() };
            progress.unit = Some(unit);
            for &task in graph.tasks(node) {
                now = tasks.run(task as usize, ready, now, worker, &scope);
                ready = now;
            }
            progress.unit = None;
            progress.now = now;
            progress.meet_dependencies_on(node, graph);
        }
    }

    /// Worker 0 after its own work: works on until the run is over.
    fn finish(&self, run: &Run<T>, (graph, tasks): (&ExecutableGraph, &T), worker: &mut T::Worker) {
        let words = graph.words();
        let mut idle_since = None;
        while self.remaining.load(Ordering::SeqCst) != 0 {
            if self.claim_and_work(run, words, 0, worker) || self.board.help() {
                idle_since = None;
                continue;
            }
            let now = monotonic_now();
            let since = *idle_since.get_or_insert(now);
            if now.since(since) < self.patience() {
                pause();
                continue;
            }
            self.park(0, None, || {
                self.remaining.load(Ordering::SeqCst) == 0 || !self.ready.is_empty(words) || !self.board.is_empty()
            });
            idle_since = None;
        }
        let asked = self.asked[0].load(Ordering::Relaxed);
        if asked != 0 {
            // It was woken for nothing but the end.
            self.asked[0].store(0, Ordering::Relaxed);
            _ = quietly(|| tasks.woken(Ticks(asked), Ticks::now(), worker));
        }
    }

    /// The life of a helper.
    fn help(&self, index: usize, habits: Habits, worker: &mut T::Worker) {
        // Loom runs all threads on one, and its own panics must be seen.
        let _containment = (!cfg!(loom)).then(Containment::new);
        let patience = if habits.spins { self.patience() } else { Duration::ZERO };
        let mut rest = habits.rests.then(Respite::default);
        let (mut spin_until, mut awake_since) = (monotonic_now(), monotonic_now());
        let mut earliness = AdaptiveEarliness::new(HELPERS_EARLINESS);
        while !self.stopping.load(Ordering::SeqCst) {
            let takes_part = index < self.workers.load(Ordering::Relaxed);
            let words = self.words.load(Ordering::Relaxed);
            if takes_part {
                if let Some(unit) = self.ready.claim(words, None) {
                    let run = self.run.load(Ordering::Relaxed);
                    let mut own = UnitSet::default();
                    own.insert(unit);
                    // SAFETY: a unit of the run is claimed, so the run goes on (see the module); the claim acquired what
                    // worker 0 stored before it published.
                    self.work(unsafe { &*run }, own, index, worker, Ticks::now());
                    spin_until = monotonic_now() + patience;
                    continue;
                }
                if self.board.help() {
                    spin_until = monotonic_now() + patience;
                    continue;
                }
                let now = monotonic_now();
                if let Some(rest) = &mut rest
                    && now.since(awake_since) >= LONG_AWAKE
                {
                    if let Some(end) = rest.after_work(awake_since, now) {
                        sleep_until(end);
                    }
                    awake_since = monotonic_now();
                    continue;
                }
                if now < spin_until {
                    pause();
                    continue;
                }
            }
            let (expected, now) = (self.expected_run(), monotonic_now());
            let awaits_run = takes_part && habits.spins && now < expected;
            let sleep = if awaits_run { earliness.next_sleep(now, expected) } else { None };
            if awaits_run && sleep.is_none() {
                spin_until = expected + patience;
                continue;
            }
            let must_rest = rest.as_mut().and_then(|rest| rest.after_work(awake_since, now));
            must_rest.into_iter().for_each(sleep_until);
            let woken_by_alarm = self.park(index, sleep.map(|sleep| sleep.until), || {
                let takes_part = index < self.workers.load(Ordering::Relaxed);
                let words = self.words.load(Ordering::Relaxed);
                self.stopping.load(Ordering::SeqCst)
                    || takes_part && (!self.ready.is_empty(words) || !self.board.is_empty())
            });
            let now = monotonic_now();
            awake_since = now;
            spin_until = match sleep {
                Some(sleep) if woken_by_alarm => {
                    earliness.note(sleep, now);
                    let sleeps_again = now < expected && earliness.next_sleep(now, expected).is_some();
                    if sleeps_again { now } else { now.max(expected) + patience }
                }
                _ => now + patience,
            };
        }
    }

    fn claim_and_work(&self, run: &Run<T>, words: usize, index: usize, worker: &mut T::Worker) -> bool {
        let Some(unit) = self.ready.claim(words, None) else { return false };
        let mut own = UnitSet::default();
        own.insert(unit);
        self.work(run, own, index, worker, Ticks::now());
        true
    }

    /// Sleeps until woken or until `alarm`, unless there is `something_to_do` after everybody can see that this worker sleeps.
    /// Tells whether it was the alarm.
    fn park(&self, index: usize, alarm: Option<MonotonicTime>, something_to_do: impl Fn() -> bool) -> bool {
        let seen = self.wakeups[index].generation();
        self.asked[index].store(0, Ordering::Relaxed);
        if alarm.is_some() {
            self.alarmed.fetch_or(1 << index, Ordering::SeqCst);
        }
        self.parked.fetch_or(1 << index, Ordering::SeqCst);
        let mut alarmed = false;
        if !something_to_do() {
            alarmed = self.wakeups[index].wait(seen, alarm) == hemiola_realtime::Reason::TimedOut;
        }
        self.parked.fetch_and(!(1 << index), Ordering::SeqCst);
        if alarm.is_some() {
            self.alarmed.fetch_and(!(1 << index), Ordering::SeqCst);
        }
        alarmed
    }

    /// Wakes up to `count` sleeping workers of this run, but not `except`, and none whose alarm is about to: waking them takes
    /// longer than what they are late by.
    fn wake(&self, mut count: u32, except: usize) {
        let workers = self.workers.load(Ordering::Relaxed);
        let taking_part = if workers == MAXIMUM_WORKERS { u64::MAX } else { (1 << workers) - 1 };
        let mut sleeping = look(&self.parked) & taking_part & !(1 << except);
        if sleeping != 0 && self.alarm_is_near() {
            sleeping &= !self.alarmed.load(Ordering::SeqCst);
        }
        while sleeping != 0 && count > 0 {
            let index = sleeping.trailing_zeros() as usize;
            sleeping &= sleeping - 1;
            count -= u32::from(self.wake_worker(index));
        }
    }

    /// Wakes this worker if it sleeps; only one caller gets to.
    fn wake_worker(&self, index: usize) -> bool {
        let bit = 1 << index;
        let slept = look(&self.parked) & bit != 0 && self.parked.fetch_and(!bit, Ordering::SeqCst) & bit != 0;
        if slept {
            // Relaxed: the notification carries it over.
            self.asked[index].store(Ticks::now().0, Ordering::Relaxed);
            self.wakeups[index].notify_one();
        }
        slept
    }

    fn alarm_is_near(&self) -> bool {
        let (expected, now) = (self.expected_run(), monotonic_now());
        now < expected + ON_ITS_WAY && expected < now + ON_ITS_WAY
    }

    fn expected_run(&self) -> MonotonicTime {
        MonotonicTime::from_nanoseconds(self.expected.load(Ordering::Relaxed))
    }

    fn patience(&self) -> Duration {
        Duration::from_nanos(self.patience.load(Ordering::Relaxed))
    }
}

impl Progress {
    /// Notes that a unit is done: some of its successors may be this worker's now.
    #[inline]
    fn meet_dependencies_on(&mut self, node: &Unit, graph: &ExecutableGraph) {
        for &next in graph.successors(node) {
            let successor = &graph.units()[next as usize];
            if successor.meet_dependency() {
                successor.set_ready_at(self.now);
                self.own.insert(next as usize);
            }
        }
        self.done += 1;
    }
}

fn pause() {
    for _ in 0..8 {
        std::hint::spin_loop();
    }
}
