//! Checks the executor under every interleaving (loom), with workers that sleep at once instead of
//! spinning: each task runs once, after its predecessors and with what they wrote, and every run
//! ends.

#![expect(unsafe_code, reason = "loom checks what it promises")]

use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskDuration, TaskGraph, TaskId, WorkerChoice};
use hemiola_trace::Ticks;

use super::pool::Pool;
use super::{ExecutableGraph, Habits, Tasks};
use crate::sync::UnsafeCell;

/// A witness of how often each task has run. Loom sees every access that is not ordered by
/// synchronisation.
struct Witness {
    runs: Vec<UnsafeCell<u32>>,
    predecessors: Vec<Vec<usize>>,
}

// SAFETY: the executor orders all accesses, which is what the model checks.
unsafe impl Sync for Witness {}
// SAFETY: as above.
unsafe impl Send for Witness {}

impl Tasks for Witness {
    type Worker = ();

    fn run(&self, task: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope<'_>) -> Ticks {
        // SAFETY: see above.
        let run = self.runs[task].with_mut(|runs| unsafe {
            *runs += 1;
            *runs
        });
        for &before in &self.predecessors[task] {
            // SAFETY: see above.
            self.runs[before].with(|runs| assert_eq!(unsafe { *runs }, run));
        }
        begin
    }
}

/// Checks a graph of long tasks on two workers, with that many runs in a row.
fn check(tasks: usize, edges: &[(usize, usize)], runs: u32) {
    let graph = TaskGraph::plain("model", tasks, edges.iter().copied()).unwrap();
    let mut durations = Durations::unknown(tasks);
    for task in 0..tasks {
        durations.set(TaskId(task as u32), TaskDuration::Constant(Duration::from_millis(1)));
    }
    let workers = WorkerChoice::Fixed(2.try_into().unwrap());
    let plan = Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() });
    let edges = edges.to_vec();
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let mut graph = ExecutableGraph::new(&plan).unwrap();
        let mut predecessors = vec![Vec::new(); tasks];
        edges.iter().for_each(|&(before, after)| predecessors[after].push(before));
        let witness = Witness { runs: (0..tasks).map(|_| UnsafeCell::new(0)).collect(), predecessors };
        let pool = Arc::new(Pool::new());
        let helper = {
            let pool = pool.clone();
            loom::thread::spawn(move || pool.help(1, Habits::default(), &mut ()))
        };
        for run in 1..=runs {
            pool.run(&mut graph, &witness, &mut (), 2);
            for runs in &witness.runs {
                // SAFETY: see above.
                runs.with(|runs| assert_eq!(unsafe { *runs }, run));
            }
        }
        pool.stop();
        helper.join().unwrap();
    });
}

#[test]
fn loom_two_independent_tasks_run_once_each() {
    check(2, &[], 1);
}

#[test]
fn loom_a_helper_sleeps_between_two_runs() {
    check(2, &[], 2);
}

#[test]
fn loom_a_fork_is_joined() {
    check(4, &[(0, 1), (0, 2), (1, 3), (2, 3)], 1);
}

/// Tasks of which the first one panics.
struct Panicking;

impl Tasks for Panicking {
    type Worker = ();

    fn run(&self, task: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope<'_>) -> Ticks {
        if task == 0 {
            std::panic::panic_any(task);
        }
        begin
    }
}

#[test]
fn loom_a_task_that_panics_on_any_worker_ends_the_run_with_its_panic() {
    std::panic::set_hook(Box::new(|_| {}));
    let graph = TaskGraph::plain("model", 2, []).unwrap();
    let mut durations = Durations::unknown(2);
    for task in 0..2 {
        durations.set(TaskId(task), TaskDuration::Constant(Duration::from_millis(1)));
    }
    let workers = WorkerChoice::Fixed(2.try_into().unwrap());
    let plan = Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() });
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let mut graph = ExecutableGraph::new(&plan).unwrap();
        let pool = Arc::new(Pool::new());
        let helper = {
            let pool = pool.clone();
            loom::thread::spawn(move || pool.help(1, Habits::default(), &mut ()))
        };
        let run = std::panic::AssertUnwindSafe(|| pool.run(&mut graph, &Panicking, &mut (), 2));
        let panic = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(*panic.downcast::<usize>().unwrap(), 0);
        pool.stop();
        helper.join().unwrap();
    });
}
