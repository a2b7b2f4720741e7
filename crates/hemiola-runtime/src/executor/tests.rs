// Without the panic hook: what is meant to panic here prints nothing.
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use hemiola_model::module::Scope;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
use hemiola_realtime::{ThreadSettings, monotonic_now};
use hemiola_trace::Ticks;
use proptest::prelude::*;

use super::{ExecutableGraph, Executor, Tasks};

/// Remembers for each task when it ran, from one global count.
struct Witness {
    clock: AtomicUsize,
    began: Vec<AtomicUsize>,
    ended: Vec<AtomicUsize>,
    runs: Vec<AtomicU32>,
}

impl Witness {
    fn new(tasks: usize) -> Self {
        let zeros = || (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        Self {
            clock: AtomicUsize::new(1),
            began: zeros(),
            ended: zeros(),
            runs: (0..tasks).map(|_| AtomicU32::new(0)).collect(),
        }
    }
}

impl Tasks for Witness {
    type Worker = ();

    fn run(&self, task: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope<'_>) -> Ticks {
        self.began[task].store(self.clock.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        self.runs[task].fetch_add(1, Ordering::SeqCst);
        for _ in 0..task % 7 * 50 {
            std::hint::spin_loop();
        }
        self.ended[task].store(self.clock.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
        begin
    }
}

fn plan(tasks: usize, edges: &[(usize, usize)], workers: usize) -> Plan {
    let graph = TaskGraph::plain("test", tasks, edges.iter().copied()).unwrap();
    let workers = WorkerChoice::Fixed(workers.try_into().unwrap());
    Plan::new(graph, &Durations::unknown(tasks), &PlanOptions { workers, ..PlanOptions::default() })
}

fn executor<T: Tasks<Worker = ()>>(workers: usize) -> Executor<T> {
    let mut executor = Executor::new();
    for index in 1..workers {
        executor.add_worker(ThreadSettings::new(format!("test {index}")), ()).unwrap();
    }
    executor
}

fn random_graph() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (1_usize..90).prop_flat_map(|tasks| {
        let edge = (0..tasks, 0..tasks).prop_filter_map("an edge leads on", |(a, b)| (a < b).then_some((a, b)));
        (Just(tasks), prop::collection::vec(edge, 0..if tasks > 1 { 3 * tasks } else { 1 }))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_task_runs_once_and_after_its_predecessors((tasks, edges) in random_graph(), workers in 1_usize..5) {
        let plan = plan(tasks, &edges, workers);
        let mut graph = ExecutableGraph::new(&plan).unwrap();
        let mut executor = executor(workers);
        let witness = Witness::new(tasks);
        for run in 1..=20 {
            executor.run(&mut graph, &witness, &mut ());
            for task in 0..tasks {
                prop_assert_eq!(witness.runs[task].load(Ordering::SeqCst), run);
            }
            for &(before, after) in &edges {
                prop_assert!(witness.ended[before].load(Ordering::SeqCst) < witness.began[after].load(Ordering::SeqCst));
            }
        }
    }
}

#[test]
fn every_task_runs_whenever_the_run_was_expected() {
    let edges: Vec<_> = (1..9).flat_map(|task| [(0, task), (task, 9)]).collect();
    let mut graph = ExecutableGraph::new(&plan(10, &edges, 3)).unwrap();
    let mut executor = executor(3);
    let witness = Witness::new(10);
    let expectations = [
        None,
        // An alarm that was missed already, is due at once, is about to go off when the run begins
        // too early, or is far away.
        Some(-1_000),
        Some(0),
        Some(40),
        Some(120),
        Some(3_000),
        Some(10_000_000),
    ];
    for run in 1..=200 {
        for expected in expectations {
            let microseconds = |count: i64| std::time::Duration::from_micros(count.unsigned_abs());
            executor.expect_run(expected.map(|offset| {
                let now = monotonic_now();
                if offset < 0 { now - microseconds(offset) } else { now + microseconds(offset) }
            }));
            if run % 3 == 0 {
                // The helpers occasionally have time to fall asleep.
                std::thread::sleep(microseconds(200));
            }
            executor.run(&mut graph, &witness, &mut ());
        }
    }
    assert!(witness.runs.iter().all(|runs| runs.load(Ordering::SeqCst) == 200 * expectations.len() as u32));
}

/// Counts in nested scopes.
struct Forks {
    sums: Vec<AtomicUsize>,
    panics: Mutex<Vec<String>>,
}

impl Tasks for Forks {
    type Worker = ();

    fn run(&self, task: usize, _: Ticks, begin: Ticks, (): &mut (), scope: &Scope<'_>) -> Ticks {
        let mut items = vec![0_usize; 64];
        scope.for_each(&mut items, |index, item| {
            let (left, right) = scope.join(|| index, || 1);
            *item = left + right;
        });
        self.sums[task].fetch_add(items.iter().sum(), Ordering::SeqCst);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            scope.for_each_index(8, |index| {
                if index == 3 {
                    resume_unwind(Box::new(String::from("three")));
                }
            });
        }));
        if let Err(panic) = caught {
            self.panics.lock().unwrap().push(*panic.downcast::<String>().unwrap());
        }
        begin
    }
}

#[test]
fn scopes_nest_borrow_and_pass_panics_on() {
    let plan = plan(6, &[(0, 5)], 4);
    let mut graph = ExecutableGraph::new(&plan).unwrap();
    let mut executor = executor(4);
    let forks = Forks { sums: (0..6).map(|_| AtomicUsize::new(0)).collect(), panics: Mutex::default() };
    for _ in 0..50 {
        executor.run(&mut graph, &forks, &mut ());
    }
    assert!(forks.sums.iter().all(|sum| sum.load(Ordering::SeqCst) == 50 * (63 * 64 / 2 + 64)));
    assert_eq!(forks.panics.lock().unwrap().len(), 50 * 6);
}

/// Tasks of which some panic, each with its number.
struct Panics {
    runs: Vec<AtomicU32>,
    panicking: Vec<usize>,
}

impl Tasks for Panics {
    type Worker = ();

    fn run(&self, task: usize, _: Ticks, begin: Ticks, (): &mut (), _: &Scope<'_>) -> Ticks {
        self.runs[task].fetch_add(1, Ordering::SeqCst);
        for _ in 0..200 {
            std::hint::spin_loop();
        }
        if self.panicking.contains(&task) {
            resume_unwind(Box::new(task));
        }
        begin
    }
}

#[test]
fn a_task_that_panics_ends_neither_the_run_nor_a_worker_and_the_first_panic_is_passed_on() {
    // Every task is a unit of its own.
    let edges: Vec<_> = (1..20).flat_map(|task| [(0, task), (task, 20)]).collect();
    for workers in [2, 4] {
        let mut graph = ExecutableGraph::new(&plan(21, &edges, workers)).unwrap();
        let mut executor = executor(workers);
        for panicking in [vec![0], vec![20], vec![3, 7, 11], (0..21).collect()] {
            let tasks = Panics { runs: (0..21).map(|_| AtomicU32::new(0)).collect(), panicking };
            for run in 1..=20 {
                let ran = catch_unwind(AssertUnwindSafe(|| {
                    executor.run(&mut graph, &tasks, &mut ());
                }));
                let panic = *ran.unwrap_err().downcast::<usize>().unwrap();
                assert!(tasks.panicking.contains(&panic));
                for (task, runs) in tasks.runs.iter().enumerate() {
                    assert_eq!(runs.load(Ordering::SeqCst), run, "task {task}");
                }
            }
            let calm = Panics { runs: (0..21).map(|_| AtomicU32::new(0)).collect(), panicking: Vec::new() };
            executor.run(&mut graph, &calm, &mut ());
            assert!(calm.runs.iter().all(|runs| runs.load(Ordering::SeqCst) == 1), "all is as before");
        }
    }
}

/// Panics again when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            resume_unwind(Box::new(Self));
        }
    }
}

/// Panics with such a value in every part of a scope.
struct Bombs;

impl Tasks for Bombs {
    type Worker = ();

    fn run(&self, _: usize, _: Ticks, begin: Ticks, (): &mut (), scope: &Scope<'_>) -> Ticks {
        let items = vec![7_u64; 64];
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            scope.for_each_index(8, |index| {
                assert_eq!(items[index], 7);
                std::thread::yield_now();
                resume_unwind(Box::new(Bomb));
            });
        }));
        super::first_panic::FirstPanic::default().note(thrown.unwrap_err());
        begin
    }
}

#[test]
fn payloads_that_panic_when_they_are_dropped_leave_no_helper_behind() {
    let mut graph = ExecutableGraph::new(&plan(6, &[(0, 5)], 4)).unwrap();
    let mut executor = executor(4);
    for _ in 0..50 {
        executor.run(&mut graph, &Bombs, &mut ());
    }
}
