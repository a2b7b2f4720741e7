//! The promises of the schedule simulator, on graphs that one can follow by hand.

use std::time::Duration;

use hemiola_plan::{
    Durations, Plan, PlanOptions, Policy, Schedule, Simulation, SimulationOptions, TaskDuration, TaskGraph, TaskId,
    WorkerChoice,
};

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// Simulates tasks 0, 1, ... with durations in microseconds.
fn schedule(durations: &[u64], edges: &[(usize, usize)], options: SimulationOptions) -> Schedule {
    let graph = TaskGraph::plain("example", durations.len(), edges.iter().copied()).unwrap();
    let durations = Durations::constant(durations.iter().map(|&duration| micros(duration)));
    let plan = Plan::new(graph, &durations, &PlanOptions::default());
    Simulation::new(&plan, &durations, &options).schedule()
}

fn two_workers(policy: Policy, hand_over: u64) -> SimulationOptions {
    SimulationOptions { workers: 2, hand_over: micros(hand_over), policy, seed: 0 }
}

fn start(schedule: &Schedule, task: u32) -> (usize, Duration) {
    let slot = schedule.slot(TaskId(task)).unwrap();
    (slot.worker, slot.start)
}

#[test]
fn a_hand_over_delays_the_other_worker_only() {
    let schedule = schedule(&[10, 50, 50], &[(0, 1), (0, 2)], two_workers(Policy::CriticalPath, 3));
    assert_eq!(start(&schedule, 1), (0, micros(10)));
    assert_eq!(start(&schedule, 2), (1, micros(13)));
    assert_eq!(schedule.makespan, micros(63));
}

#[test]
fn what_is_shorter_than_a_hand_over_stays_where_it_became_ready() {
    let schedule = schedule(&[10, 2, 2, 2], &[(0, 1), (0, 2), (0, 3)], two_workers(Policy::CriticalPath, 3));
    assert!(schedule.slots.iter().all(|slot| slot.worker == 0));
    assert_eq!(schedule.makespan, micros(16));
}

#[test]
fn a_worker_that_gets_busy_gives_away_even_what_is_short() {
    // 1 is long and most important; 2 is short, but 3, which waits for it, is not.
    let schedule = schedule(&[10, 200, 5, 100], &[(0, 1), (0, 2), (2, 3)], two_workers(Policy::CriticalPath, 10));
    assert_eq!(start(&schedule, 1), (0, micros(10)));
    assert_eq!(start(&schedule, 2), (1, micros(20)));
    assert_eq!(schedule.makespan, micros(210));
}

#[test]
fn the_critical_path_goes_before_what_was_ready_earlier() {
    // The longest task, 3, becomes ready after 1 and 2.
    let (durations, edges) = ([10, 40, 40, 80, 1], [(0, 3), (0, 4)]);
    let ours = schedule(&durations, &edges, two_workers(Policy::CriticalPath, 0));
    let fifo = schedule(&durations, &edges, two_workers(Policy::Fifo, 0));
    assert_eq!((ours.makespan, fifo.makespan), (micros(90), micros(120)));
}

#[test]
fn work_stealing_prefers_its_newest_and_steals_the_oldest() {
    let schedule = schedule(&[10, 30, 20, 10], &[(0, 1), (0, 2), (0, 3)], two_workers(Policy::WorkStealing, 1));
    // Worker 0 made 1, 2 and 3 ready and goes on with the last; worker 1 steals the first a
    // hand-over later.
    assert_eq!(start(&schedule, 3), (0, micros(10)));
    assert_eq!(start(&schedule, 1), (1, micros(11)));
}

#[test]
fn runs_with_the_same_seed_are_the_same_and_others_differ() {
    let graph = TaskGraph::plain("varies", 20, (1..20).map(|task| (task / 3, task))).unwrap();
    let mut durations = Durations::unknown(20);
    for task in 0..20 {
        durations.set(TaskId(task), TaskDuration::Samples(vec![(micros(1), 1), (micros(7), 2), (micros(50), 1)]));
    }
    let plan = Plan::new(graph, &durations, &PlanOptions::default());
    let makespan = |seed| {
        let options = SimulationOptions { seed, ..two_workers(Policy::CriticalPath, 1) };
        Simulation::new(&plan, &durations, &options).makespan(50)
    };
    assert_eq!(makespan(1), makespan(1));
    assert_ne!(makespan(1), makespan(2));
    assert!(makespan(1).minimum < makespan(1).mean && makespan(1).mean < makespan(1).p99);
}

#[test]
fn sampled_durations_follow_their_histogram() {
    let graph = TaskGraph::plain("one", 1, []).unwrap();
    let mut durations = Durations::default();
    durations.set(TaskId(0), TaskDuration::Samples(vec![(micros(10), 98), (micros(1000), 2)]));
    let plan = Plan::new(graph, &durations, &PlanOptions::default());
    let makespan = Simulation::new(&plan, &durations, &SimulationOptions::default()).makespan(10_000);
    assert_eq!((makespan.minimum, makespan.maximum), (micros(10), micros(1000)));
    let mean = makespan.mean.as_secs_f64() * 1e6;
    assert!((28.0..32.0).contains(&mean), "{mean} instead of 29.8");
    assert_eq!(makespan.p99, micros(1000));
}

#[test]
fn without_tasks_nothing_happens() {
    for policy in [Policy::CriticalPath, Policy::Fifo, Policy::WorkStealing] {
        let schedule = schedule(&[], &[], two_workers(policy, 1));
        assert_eq!((schedule.makespan, schedule.slots.len()), (Duration::ZERO, 0));
    }
}

#[test]
fn a_second_worker_has_to_save_more_than_ten_hand_overs() {
    let workers = |each_nanos: u64| {
        let graph = TaskGraph::plain("side by side", 2, []).unwrap();
        let durations = Durations::constant([Duration::from_nanos(each_nanos); 2]);
        let two = std::num::NonZeroUsize::MIN.saturating_add(1);
        let options = PlanOptions { workers: WorkerChoice::Automatic { available: two }, ..PlanOptions::default() };
        Plan::new(graph, &durations, &options).workers()
    };
    // A second worker saves the duration of one task, less the hand-over.
    assert_eq!(workers(5_500), 1);
    assert_eq!(workers(5_501), 2);
}
