//! A run on several workers: their shared state, and how they process its units.

#![expect(unsafe_code, reason = "a run lives on the stack of worker 0; see the invariant in `executor`")]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::time::Duration;

use hemiola_model::module::Scope;
use hemiola_realtime::monotonic_now;
use hemiola_trace::Ticks;

use super::crew::{JobBoard, SharedCrew};
use super::first_panic::FirstPanic;
use super::graph::{ExecutableGraph, Unit};
use super::ready_set::{ReadySet, UnitSet};
use super::sleepers::Sleepers;
use super::{PATIENCE, Tasks};
use crate::containment::quietly;
use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// The state that the workers of an executor share.
pub struct Pool<T> {
    pub ready: ReadySet,
    pub board: JobBoard,
    pub sleepers: Sleepers,
    run: AtomicPtr<Run<T>>,
    /// The number of words of the ready set that the present graph needs.
    pub words: AtomicUsize,
    /// The number of units of the present run that are not done.
    remaining: AtomicU32,
    /// The number of workers that take part in the present run.
    pub workers: AtomicUsize,
    /// The time for which a worker spins before it sleeps, in nanoseconds.
    patience: AtomicU64,
    pub stopping: AtomicBool,
    /// The panic of a task of the present run.
    panic: FirstPanic,
}

/// The facts about a run that workers need; they live on the stack of [`Pool::run`].
struct Run<T> {
    graph: *const ExecutableGraph,
    tasks: *const T,
    /// The time at which its roots became ready.
    begin: Ticks,
}

/// The progress of a worker.
struct Progress {
    own: UnitSet,
    now: Ticks,
    /// The number of units that it has completed.
    done: u32,
    /// The unit whose tasks it is running.
    unit: Option<usize>,
}

/// A guard for the time in which other threads rely on this one's stack: nothing may unwind it
/// then, and an attempt is a mistake in Hemiola.
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

impl<T: Tasks> Pool<T> {
    pub fn new() -> Self {
        Self {
            ready: ReadySet::new(),
            board: JobBoard::new(),
            sleepers: Sleepers::new(),
            run: AtomicPtr::new(ptr::null_mut()),
            words: AtomicUsize::new(0),
            remaining: AtomicU32::new(0),
            workers: AtomicUsize::new(1),
            patience: AtomicU64::new(PATIENCE.as_nanos() as u64),
            stopping: AtomicBool::new(false),
            panic: FirstPanic::default(),
        }
    }

    /// Runs a graph on several workers, of which the caller is number 0.
    pub fn run(&self, graph: &mut ExecutableGraph, tasks: &T, worker: &mut T::Worker, workers: usize) {
        let graph = &*graph;
        let begin = Ticks::now();
        let run = Run { graph, tasks, begin };
        self.sleepers.forget_asked(0);
        self.workers.store(workers, Ordering::Relaxed);
        self.words.store(graph.words(), Ordering::Relaxed);
        self.run.store((&raw const run).cast_mut(), Ordering::Relaxed);
        self.remaining.store(graph.units().len() as u32, Ordering::Relaxed);

        let relied = Relied;
        self.work(&run, graph.roots(), 0, worker, begin);
        self.finish(graph, tasks, worker);
        std::mem::forget(relied);
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
    }

    /// Ends the helpers.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.sleepers.wake_all();
    }

    /// Works on the units in `own` and on those that become ready by them, until the worker has no
    /// unit of its own left.
    fn work(&self, run: &Run<T>, own: UnitSet, index: usize, worker: &mut T::Worker, now: Ticks) {
        // SAFETY: this worker holds units of the run, so the run is in progress (see the module
        // `executor`).
        let (graph, tasks) = unsafe { (&*run.graph, &*run.tasks) };
        if let Some(asked) = self.sleepers.take_asked(index) {
            _ = quietly(|| tasks.woken(asked, now, worker));
        }
        let mut progress = Progress { own, now, done: 0, unit: None };
        while let Err(panic) = catch_unwind(AssertUnwindSafe(|| {
            self.work_on(graph, tasks, &mut progress, (run.begin, index), worker);
        })) {
            // A panic within a unit is one of a task; any other is a mistake in Hemiola.
            let Some(unit) = progress.unit.take() else { resume_unwind(panic) };
            self.panic.note(panic);
            progress.now = Ticks::now();
            progress.meet_dependencies_on(&graph.units()[unit], graph);
        }
        if self.remaining.fetch_sub(progress.done, Ordering::SeqCst) == progress.done {
            self.sleepers.wake_one(0);
        }
    }

    /// Works on the units of `progress` and on those that become ready by them, until a task
    /// panics.
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
                // Units that another worker could start are given away before this one starts a
                // long one.
                let mut away = if node.is_long() { std::mem::take(own) } else { own.split(graph.long()) };
                if !away.is_empty() {
                    let count = self.ready.publish(&mut away);
                    self.wake(count, index);
                    // The time that giving away takes is not part of the next task.
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

    /// Lets worker 0 continue after its own work, until the run is over.
    fn finish(&self, graph: &ExecutableGraph, tasks: &T, worker: &mut T::Worker) {
        let words = graph.words();
        let mut idle_since = None;
        while self.remaining.load(Ordering::SeqCst) != 0 {
            if self.claim_and_work(words, 0, worker) || self.board.help() {
                idle_since = None;
                continue;
            }
            let now = monotonic_now();
            let since = *idle_since.get_or_insert(now);
            if now.since(since) < self.patience() {
                pause();
                continue;
            }
            self.sleepers.park(0, None, || {
                self.remaining.load(Ordering::SeqCst) == 0 || !self.ready.is_empty(words) || !self.board.is_empty()
            });
            idle_since = None;
        }
        if let Some(asked) = self.sleepers.take_asked(0) {
            // The worker was woken only for the end of the run.
            _ = quietly(|| tasks.woken(asked, Ticks::now(), worker));
        }
    }

    /// Claims a unit of the present run, if one is ready, and continues from there.
    pub fn claim_and_work(&self, words: usize, index: usize, worker: &mut T::Worker) -> bool {
        let Some(unit) = self.ready.claim(words, None) else { return false };
        let run = self.run.load(Ordering::Relaxed);
        let mut own = UnitSet::default();
        own.insert(unit);
        // SAFETY: a unit of the run is claimed, so the run is in progress (see the module
        // `executor`); the claim acquired what worker 0 stored before it published.
        self.work(unsafe { &*run }, own, index, worker, Ticks::now());
        true
    }

    fn wake(&self, count: u32, except: usize) {
        self.sleepers.wake(count, except, self.workers.load(Ordering::Relaxed));
    }

    pub fn patience(&self) -> Duration {
        Duration::from_nanos(self.patience.load(Ordering::Relaxed))
    }
}

impl Progress {
    /// Notes that a unit is done: some of its successors may belong to this worker now.
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

pub fn pause() {
    for _ in 0..8 {
        std::hint::spin_loop();
    }
}
