//! A workload on our executor, in this process, with threads whose policy and cores are chosen.

use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_bench_contestant::{Work, monotonic_ns};
use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
use hemiola_realtime::{AdaptiveEarliness, Denial, MonotonicTime, ThreadSettings};
use hemiola_runtime::executor::{ExecutableGraph, Executor, Tasks};
use hemiola_trace::Ticks;

use crate::contestant::ContestantError;
use crate::sync::{AtomicU64, AtomicUsize, Ordering};
use crate::workload::Workload;

/// A cycle with known durations, ready to run.
pub struct Cycle {
    executor: Executor<NotedWork>,
    graph: ExecutableGraph,
    tasks: NotedWork,
    earliness: AdaptiveEarliness,
    /// The settings that were refused to its helpers.
    pub denials: Vec<Denial>,
}

/// The time in which a task ran, in nanoseconds of the monotonic clock, and its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub worker: usize,
    pub begin: u64,
    pub end: u64,
}

impl Cycle {
    /// Calibrates the work and starts a helper for each of `helpers`. The plan uses as many workers
    /// as are worth it.
    pub fn new(workload: &Workload, helpers: Vec<ThreadSettings>) -> Result<Self, ContestantError> {
        let available = NonZeroUsize::MIN.saturating_add(helpers.len());
        let options = PlanOptions { workers: WorkerChoice::Automatic { available }, ..PlanOptions::default() };
        let plan = Plan::new(task_graph(workload)?, &constant(&nominal(workload)), &options);
        let mut executor = Executor::new();
        let mut denials = Vec::new();
        for (index, settings) in (1..).zip(helpers) {
            denials.extend(executor.add_worker(settings, index)?.denials().cloned());
        }
        Ok(Cycle {
            executor,
            graph: ExecutableGraph::new(&plan)?,
            tasks: NotedWork::new(workload),
            earliness: AdaptiveEarliness::default(),
            denials,
        })
    }

    /// Runs all tasks once; the caller is worker 0.
    pub fn run(&mut self) {
        self.executor.run(&mut self.graph, &self.tasks, &mut 0);
    }

    /// Waits until `due` and runs; returns how long after `due` the run ended. Sleeps and wakes as
    /// a robot's cycle does.
    pub fn run_at(&mut self, due: u64) -> u64 {
        let due = MonotonicTime::from_nanoseconds(due);
        self.executor.expect_run(Some(due));
        self.earliness.meet(due);
        self.run();
        monotonic_ns().saturating_sub(due.as_nanoseconds())
    }

    /// Returns when each task ran in the last run.
    pub fn intervals(&self) -> Vec<Interval> {
        self.tasks.intervals.iter().map(Noted::get).collect()
    }
}

/// Runs `cycle` once per period, `runs` times, and returns each response in nanoseconds. A run that
/// takes longer than a period costs the runs that would have begun meanwhile.
pub fn responses(cycle: &mut Cycle, period: Duration, runs: usize) -> Vec<f64> {
    let period = period.as_nanos() as u64;
    let mut due = monotonic_ns() + period;
    let mut responses = Vec::with_capacity(runs);
    for _ in 0..runs {
        let response = cycle.run_at(due);
        responses.push(response as f64);
        due += period * (response / period + 1);
    }
    responses
}

/// Returns the workload as a graph for a plan.
pub fn task_graph(workload: &Workload) -> Result<TaskGraph, ContestantError> {
    let graph = &workload.graph;
    let edges = (0..graph.len()).flat_map(|task| graph.predecessors(task).iter().map(move |&before| (before, task)));
    Ok(TaskGraph::plain(workload.name, graph.len(), edges)?)
}

/// Returns the durations that the workload states, in nanoseconds.
pub fn nominal(workload: &Workload) -> Vec<u64> {
    (0..workload.graph.len()).map(|task| workload.graph.duration_ns(task)).collect()
}

pub fn constant(durations_ns: &[u64]) -> Durations {
    Durations::constant(durations_ns.iter().map(|&duration| Duration::from_nanos(duration)))
}

/// Tasks that work, and note when and on which worker.
struct NotedWork {
    work: Work,
    intervals: Box<[Noted]>,
}

#[derive(Default)]
struct Noted {
    worker: AtomicUsize,
    begin: AtomicU64,
    end: AtomicU64,
}

impl Noted {
    fn get(&self) -> Interval {
        Interval {
            worker: self.worker.load(Ordering::Relaxed),
            begin: self.begin.load(Ordering::Relaxed),
            end: self.end.load(Ordering::Relaxed),
        }
    }
}

impl NotedWork {
    fn new(workload: &Workload) -> Self {
        let intervals = (0..workload.graph.len()).map(|_| Noted::default()).collect();
        Self { work: Work::calibrated(&workload.graph), intervals }
    }
}

impl Tasks for NotedWork {
    /// The index of the worker.
    type Worker = usize;

    fn run(&self, task: usize, _ready: Ticks, _begin: Ticks, worker: &mut usize, _: &Scope<'_>) -> Ticks {
        let noted = &self.intervals[task];
        // Relaxed: the end of the run makes them visible to readers.
        noted.worker.store(*worker, Ordering::Relaxed);
        noted.begin.store(monotonic_ns(), Ordering::Relaxed);
        self.work.run(task);
        noted.end.store(monotonic_ns(), Ordering::Relaxed);
        Ticks::now()
    }
}
