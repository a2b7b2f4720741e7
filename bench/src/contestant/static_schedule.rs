//! A schedule made beforehand with the true durations, written down for each thread: the practical
//! limit. It cannot adapt to anything and its second thread spins for ever, so that it is of no use
//! on a robot.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bench_contestant::{Contest, Graph, Work};
use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, WorkerChoice};

use super::ContestantError;
use crate::sync::{AtomicU64, Ordering};

pub fn run(contest: &'static Contest) -> Result<(), ContestantError> {
    let lists = lists(contest.graph(), contest.workers().min(2))?;
    let schedule = Arc::new(Schedule::new(contest.graph(), &lists, contest.work()));
    if lists.len() > 1 {
        let schedule = schedule.clone();
        // The thread ends with the process.
        std::thread::spawn(move || schedule.help_for_ever());
    }
    let mut run = 0;
    contest.measure(&mut || {
        run += 1;
        schedule.run(run);
    });
    Ok(())
}

/// Returns the tasks of each thread, in their order.
fn lists(graph: &Graph, workers: usize) -> Result<Vec<Vec<usize>>, ContestantError> {
    let edges = (0..graph.len()).flat_map(|task| graph.predecessors(task).iter().map(move |&before| (before, task)));
    let durations = Durations::constant((0..graph.len()).map(|task| Duration::from_nanos(graph.duration_ns(task))));
    let fixed = WorkerChoice::Fixed(NonZeroUsize::new(workers).unwrap_or(NonZeroUsize::MIN));
    let options = PlanOptions { workers: fixed, ..PlanOptions::default() };
    let plan = Plan::new(TaskGraph::plain("static", graph.len(), edges)?, &durations, &options);
    let options = SimulationOptions { workers, hand_over: options.hand_over, ..SimulationOptions::default() };
    let schedule = Simulation::new(&plan, &durations, &options).schedule();
    let of = |worker| schedule.slots.iter().filter(move |slot| slot.worker == worker).map(|slot| slot.task.index());
    Ok((0..workers).map(|worker| of(worker).collect()).collect())
}

struct Schedule {
    threads: Vec<Vec<Step>>,
    work: &'static Work,
    /// The last run in which each task has ended, each in a cache line of its own.
    ended: Box<[Line]>,
    /// The number of the run that has begun.
    begun: Line,
    /// The last run in which the helper has ended.
    helped: Line,
}

#[repr(align(128))]
struct Line(AtomicU64);

struct Step {
    task: usize,
    /// Tasks of other threads that have to end before.
    wait_for: Vec<usize>,
    /// True if a task of another thread waits for this one.
    is_awaited: bool,
}

impl Schedule {
    fn new(graph: &Graph, lists: &[Vec<usize>], work: &'static Work) -> Self {
        let mut thread_of = vec![0; graph.len()];
        for (thread, list) in lists.iter().enumerate() {
            list.iter().for_each(|&task| thread_of[task] = thread);
        }
        let step = |&task: &usize| {
            let foreign = |&other: &usize| thread_of[other] != thread_of[task];
            let wait_for = graph.predecessors(task).iter().copied().filter(|other| foreign(other)).collect();
            Step { task, wait_for, is_awaited: graph.successors(task).iter().any(foreign) }
        };
        Self {
            threads: lists.iter().map(|list| list.iter().map(step).collect()).collect(),
            work,
            ended: (0..graph.len()).map(|_| Line(AtomicU64::new(0))).collect(),
            begun: Line(AtomicU64::new(0)),
            helped: Line(AtomicU64::new(0)),
        }
    }

    fn run(&self, run: u64) {
        self.begun.0.store(run, Ordering::Release);
        self.follow(0, run);
        if self.threads.len() > 1 {
            await_value(&self.helped, run);
        }
    }

    fn help_for_ever(&self) {
        for run in 1.. {
            await_value(&self.begun, run);
            self.follow(1, run);
            self.helped.0.store(run, Ordering::Release);
        }
    }

    fn follow(&self, thread: usize, run: u64) {
        for step in &self.threads[thread] {
            step.wait_for.iter().for_each(|&task| await_value(&self.ended[task], run));
            self.work.run(step.task);
            if step.is_awaited {
                self.ended[step.task].0.store(run, Ordering::Release);
            }
        }
    }
}

fn await_value(line: &Line, value: u64) {
    while line.0.load(Ordering::Acquire) < value {
        std::hint::spin_loop();
    }
}
