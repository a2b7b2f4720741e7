//! Hemiola's executor, without a blackboard and modules around it.
//!
//! It starts without knowing any duration, as a robot does on its first day: the first runs are
//! traced, then it plans anew with what it has measured.

use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_bench_contestant::{Contest, Contestant, Mode, Work};
use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskDuration, TaskGraph, WorkerChoice};
use hemiola_realtime::{AdaptiveEarliness, MonotonicTime, ThreadSettings};
use hemiola_runtime::executor::{ExecutableGraph, Executor, Tasks};
use hemiola_trace::{Core, Distribution, Event, Ring, RingReader, TaskId, TickScale, Ticks};

use super::ContestantError;
use crate::sync::{AtomicBool, AtomicU32, Ordering};

/// The tracing of tasks, each of which leaves an event in the worker's ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracing {
    On,
    /// Tasks leave events only while the contestant learns.
    Off,
}

/// The number of runs that are measured before a plan uses durations.
const LEARNING_RUNS: usize = 10;

pub fn run(contest: &'static Contest, tracing: Tracing) -> Result<(), ContestantError> {
    let edges = (0..contest.graph().len())
        .flat_map(|task| contest.graph().predecessors(task).iter().map(move |&before| (before, task)));
    let graph = TaskGraph::plain("contest", contest.graph().len(), edges)?;
    let available = NonZeroUsize::new(contest.workers()).unwrap_or(NonZeroUsize::MIN);
    // Where instructions are counted there is nothing to learn: on one worker any order is as good.
    let traced = tracing == Tracing::On || contest.mode() != Mode::Bare;
    let tasks = TracedWork { work: contest.work(), traced: AtomicBool::new(traced), run: AtomicU32::new(0) };
    // The rings have room for all events, as they are read only after the learning runs.
    let events = (LEARNING_RUNS + 1) * graph.tasks().len();
    let mut executor = Executor::new();
    let mut readers = Vec::new();
    let mut ring = || {
        let ring = Ring::with_capacity(events);
        readers.push(ring.reader());
        ring
    };
    let own = ring();
    for index in 1..available.get() {
        // Policy and cores are inherited, as by the threads of all contestants.
        executor.add_worker(ThreadSettings::new(format!("worker {index}")), ring())?;
    }
    let options = PlanOptions { workers: WorkerChoice::Automatic { available }, ..PlanOptions::default() };
    let executable = prepare(&graph, &Durations::unknown(graph.tasks().len()), &options)?;
    contest.measure(&mut Hemiola {
        graph,
        options,
        tracing,
        executor,
        executable,
        tasks,
        ring: own,
        readers,
        runs: 0,
        earliness: AdaptiveEarliness::default(),
    });
    Ok(())
}

fn prepare(
    graph: &TaskGraph,
    durations: &Durations,
    options: &PlanOptions,
) -> Result<ExecutableGraph, ContestantError> {
    Ok(ExecutableGraph::new(&Plan::new(graph.clone(), durations, options))?)
}

struct Hemiola {
    graph: TaskGraph,
    options: PlanOptions,
    tracing: Tracing,
    executor: Executor<TracedWork>,
    executable: ExecutableGraph,
    tasks: TracedWork,
    ring: Ring,
    readers: Vec<RingReader>,
    runs: usize,
    earliness: AdaptiveEarliness,
}

impl Contestant for Hemiola {
    fn run(&mut self) {
        self.tasks.run.fetch_add(1, Ordering::Relaxed);
        self.executor.run(&mut self.executable, &self.tasks, &mut self.ring);
    }

    fn wait(&mut self, due: u64, _: u64) {
        let due = MonotonicTime::from_nanoseconds(due);
        self.executor.expect_run(Some(due));
        let Self { executor, executable, tasks, ring, earliness, .. } = self;
        earliness.meet_prepared(due, || executor.rehearse(executable, tasks, ring));
    }

    fn between_runs(&mut self) {
        self.runs += 1;
        if self.runs == LEARNING_RUNS {
            let durations = self.measured();
            // The graph has been planned once, so that it can be planned again.
            self.executable = prepare(&self.graph, &durations, &self.options).expect("it has as many units at most");
            self.tasks.traced.store(self.tracing == Tracing::On, Ordering::Relaxed);
        }
    }
}

impl Hemiola {
    /// Returns the durations according to the events.
    fn measured(&mut self) -> Durations {
        let scale = TickScale::calibrate();
        let mut distributions = vec![Distribution::new(); self.graph.tasks().len()];
        let mut events = Vec::new();
        self.readers.iter_mut().for_each(|reader| _ = reader.read(&mut events));
        for event in events {
            if let Event::TaskRun { task, begin, end, .. } = event {
                distributions[task.index()].record(scale.nanoseconds_between(begin, end));
            }
        }
        let mut durations = Durations::unknown(distributions.len());
        for (task, distribution) in (0..).zip(&distributions) {
            let samples = distribution.buckets();
            let samples = samples.map(|bucket| (Duration::from_nanos(bucket.nanoseconds), u64::from(bucket.count)));
            durations.set(hemiola_plan::TaskId(task), TaskDuration::Samples(samples.collect()));
        }
        durations
    }
}

/// Tasks that compute, and leave an event if the contestant is traced.
struct TracedWork {
    work: &'static Work,
    traced: AtomicBool,
    run: AtomicU32,
}

impl Tasks for TracedWork {
    type Worker = Ring;

    // The call is always there: whether it is inlined, and so part of what is measured, shall not
    // depend on what else is in this program.
    #[inline(always)]
    fn run(&self, task: usize, ready: Ticks, begin: Ticks, ring: &mut Ring, _: &Scope<'_>) -> Ticks {
        self.work.run(task);
        if self.traced.load(Ordering::Relaxed) { self.note(task, ready, begin, ring) } else { begin }
    }
}

impl TracedWork {
    // Whether it is a call would otherwise change from one build to the next.
    #[inline(always)]
    fn note(&self, task: usize, ready: Ticks, begin: Ticks, ring: &mut Ring) -> Ticks {
        let end = Ticks::now();
        let run = self.run.load(Ordering::Relaxed);
        ring.push(Event::TaskRun { task: TaskId(task as u16), core: Core::current(), run, ready, begin, end });
        end
    }
}
