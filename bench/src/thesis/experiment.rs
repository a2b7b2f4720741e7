//! Runs one or both cycles for a while, each at its rate, in one way among those that are compared.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hemiola_plan::{Plan, PlanOptions, UpdateOrder, WorkerChoice};
use hemiola_realtime::{
    AdaptiveEarliness, Affinity, MonotonicTime, Niceness, Policy, Priority, ThreadSettings, monotonic_now,
};
use hemiola_runtime::executor::{ExecutableGraph, Executor};
use hemiola_trace::{Distribution, Event, Ring, RingReader, Ticks};

use super::cycle::{Cycle, Frame, ROUND};
use super::report::Deadlines;
use crate::contestant::ContestantError;
use crate::sync::{AtomicBool, Ordering};

/// The way in which a cycle is run.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub dispatch: Dispatch,
    pub scheduling: Scheduling,
    pub placement: Placement,
}

/// The way in which tasks are dispatched.
#[derive(Debug, Clone, Copy)]
pub enum Dispatch {
    /// A loop over all tasks, as a framework without parallelism has it.
    Loop,
    /// Hemiola's executor.
    Executor { workers: WorkerChoice, order: UpdateOrder },
}

/// The scheduling policy of the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduling {
    /// SCHED_FIFO, motion above cognition.
    RealTime,
    /// Time sharing, as for any other program.
    TimeSharing,
}

/// The cores on which threads run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Threads run where the kernel schedules them.
    Anywhere,
    /// Worker 0 runs on the first core, worker 1 on the second, ...
    Pinned,
}

impl Setting {
    /// Returns the setting with that many workers, and all else as Hemiola has it.
    pub fn with_workers(workers: usize) -> Self {
        let workers = WorkerChoice::Fixed(NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN));
        Self::with_choice(workers)
    }

    /// Returns Hemiola's default setting.
    pub fn automatic() -> Self {
        let available = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self::with_choice(WorkerChoice::Automatic { available })
    }

    fn with_choice(workers: WorkerChoice) -> Self {
        let dispatch = Dispatch::Executor { workers, order: UpdateOrder::CriticalPath };
        Self { dispatch, scheduling: Scheduling::RealTime, placement: Placement::Anywhere }
    }

    /// Returns the plan of this setting for `cycle`; `None` where nothing is planned.
    pub fn plan(&self, cycle: &Cycle) -> Option<Plan> {
        let Dispatch::Executor { workers, order } = self.dispatch else { return None };
        let options = PlanOptions { workers, update_order: order, ..PlanOptions::default() };
        Some(Plan::new(cycle.graph.clone(), &cycle.durations, &options))
    }

    fn thread(&self, name: String, worker: usize, priority: Priority) -> ThreadSettings {
        let settings = ThreadSettings::new(name).policy(match self.scheduling {
            Scheduling::RealTime => Policy::Fifo(priority),
            Scheduling::TimeSharing => Policy::TimeSharing { nice: Niceness::default() },
        });
        let cores = Affinity::of_this_thread();
        match cores.cores().get(worker % cores.cores().len().max(1)) {
            Some(&core) if self.placement == Placement::Pinned => settings.affinity(Affinity::of([core])),
            _ => settings,
        }
    }
}

/// The outcome for a cycle.
pub struct Outcome {
    /// The time from trigger to end, per kind of frame.
    pub response: Vec<Distribution>,
    /// The deadlines, per kind of frame: a run ends before the next is due. A trigger that passes
    /// while a run goes on is missed, too.
    pub deadlines: Vec<Deadlines>,
    /// The time from trigger to begin.
    pub start: Distribution,
    /// All runs that count, in order.
    pub runs: Vec<Run>,
    /// The events of the tasks in these runs; none where a loop ran them.
    pub events: Vec<Event>,
    /// The time for which the first worker spins before a run is due, on average.
    pub lead: Duration,
    /// The settings that the system refused.
    pub denials: Vec<String>,
}

/// A run of a cycle.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The kind of frame.
    pub frame: usize,
    /// The trigger, from the first trigger of all on.
    pub due: Duration,
    /// The time from trigger to begin.
    pub started: Duration,
    /// The time from trigger to end.
    pub response: Duration,
    /// The triggers that passed while it went on.
    pub skipped: u64,
    /// The begin and the end, on the clock of events.
    pub span: (Ticks, Ticks),
}

/// Runs these cycles at the same time, released together at first.
pub fn run(cycles: &[(&Cycle, Setting)], duration: Duration) -> Result<Vec<Outcome>, ContestantError> {
    let begin = monotonic_now() + Duration::from_millis(50);
    let mut threads = Vec::new();
    for (cycle, setting) in cycles {
        let runner = Runner::new(cycle, *setting, duration)?;
        let settings = setting.thread(cycle.name.to_owned(), 0, cycle.priority);
        threads.push(hemiola_realtime::spawn(settings, move || runner.run(begin, duration))?);
    }
    let join = |thread: std::thread::JoinHandle<Outcome>| {
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    };
    let outcomes = threads.into_iter().map(|spawned| {
        let denials: Vec<String> = spawned.report.denials().map(ToString::to_string).collect();
        let mut outcome = join(spawned.thread);
        outcome.denials.extend(denials);
        outcome
    });
    Ok(outcomes.collect())
}

/// Other programs: a thread per core that shares time and never sleeps, until this is dropped.
pub struct OtherPrograms {
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl OtherPrograms {
    pub fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let busy = |_| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        Self { threads: (0..cores).map(busy).collect(), stop }
    }
}

impl Drop for OtherPrograms {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // They cannot panic.
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}

/// The state of a cycle's thread.
struct Runner {
    cycle: Cycle,
    work: Dispatcher,
    denials: Vec<String>,
}

enum Dispatcher {
    Loop(Vec<usize>),
    Executor(Box<Parallel>),
}

struct Parallel {
    executor: Executor<Frame>,
    graph: ExecutableGraph,
    /// The ring of worker 0.
    ring: Ring,
    readers: Vec<RingReader>,
}

impl Runner {
    fn new(cycle: &Cycle, setting: Setting, duration: Duration) -> Result<Self, ContestantError> {
        let runs = duration.div_duration_f64(cycle.period).ceil() as usize;
        let mut readers = Vec::new();
        let mut ring = || {
            let ring = Ring::with_capacity(runs * cycle.graph.tasks().len());
            readers.push(ring.reader());
            ring
        };
        let mut denials = Vec::new();
        let work = match setting.plan(cycle) {
            None => Dispatcher::Loop(cycle.graph.topological_order().iter().map(|task| task.index()).collect()),
            Some(plan) => {
                let own = ring();
                let mut executor = Executor::new();
                for worker in 1..plan.workers() {
                    let name = format!("{} {worker}", cycle.name);
                    let report = executor.add_worker(setting.thread(name, worker, cycle.priority), ring())?;
                    denials.extend(report.denials().map(ToString::to_string));
                }
                Dispatcher::Executor(Box::new(Parallel {
                    executor,
                    graph: ExecutableGraph::new(&plan)?,
                    ring: own,
                    readers,
                }))
            }
        };
        Ok(Self { cycle: cycle.clone(), work, denials })
    }

    fn run(mut self, begin: MonotonicTime, duration: Duration) -> Outcome {
        let period = self.cycle.period;
        let runs = duration.div_duration_f64(period).ceil() as usize;
        // Memory for them is allocated before the first.
        let mut done: Vec<Run> = Vec::with_capacity(runs);
        let mut due = begin;
        let mut earliness = AdaptiveEarliness::default();
        for run in 0..runs {
            if due >= begin + duration {
                break;
            }
            if let Dispatcher::Executor(parallel) = &self.work {
                parallel.executor.expect_run(Some(due));
            }
            let started = earliness.meet(due);
            let (frame, span_begin) = (self.cycle.frame_of(run), Ticks::now());
            self.work.run(&self.cycle.frames[frame]);
            let (span_end, ended) = (Ticks::now(), monotonic_now());
            let (started, response) = (started.since(due), ended.since(due));
            // Whole periods: one ends when it ends exactly at a trigger.
            let skipped = (response.as_nanos() / period.as_nanos()) as u64;
            let span = (span_begin, span_end);
            done.push(Run { frame, due: due.since(begin), started, response, skipped, span });
            due = due + period * (skipped as u32 + 1);
        }
        let cost = earliness.cost();
        self.outcome(&done, cost.spinning / (cost.waits as u32).max(1))
    }

    fn outcome(&mut self, runs: &[Run], lead: Duration) -> Outcome {
        // The first runs touch memory for the first time, and do not count.
        let runs = runs.get(ROUND..).unwrap_or_default();
        let mut response = vec![Distribution::new(); self.cycle.frames.len()];
        let mut deadlines = vec![Deadlines::default(); self.cycle.frames.len()];
        let mut start = Distribution::new();
        for run in runs {
            response[run.frame].record(run.response.as_nanos() as u64);
            start.record(run.started.as_nanos() as u64);
            deadlines[run.frame].add(deadlines_of(run.skipped));
        }
        let first = runs.first().map_or(Ticks(0), |run| run.span.0);
        let mut events = self.work.events();
        events.retain(|event| event.at() >= first);
        let denials = std::mem::take(&mut self.denials);
        Outcome { response, deadlines, start, runs: runs.to_vec(), events, lead, denials }
    }
}

/// Returns the deadlines of a run during which that many triggers passed: its own is missed if
/// there is any, and so are those triggers.
pub fn deadlines_of(skipped: u64) -> Deadlines {
    Deadlines { missed: u64::from(skipped > 0) + skipped, of: 1 + skipped }
}

impl Dispatcher {
    fn run(&mut self, frame: &Frame) {
        match self {
            Dispatcher::Loop(order) => order.iter().for_each(|&task| frame.run(task)),
            Dispatcher::Executor(parallel) => parallel.executor.run(&mut parallel.graph, frame, &mut parallel.ring),
        }
    }

    fn events(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        if let Dispatcher::Executor(parallel) = self {
            parallel.readers.iter_mut().for_each(|reader| _ = reader.read(&mut events));
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_takes_two_periods_misses_its_deadline_and_two_triggers() {
        assert_eq!(deadlines_of(0), Deadlines { missed: 0, of: 1 });
        assert_eq!(deadlines_of(2), Deadlines { missed: 3, of: 3 });
    }
}
