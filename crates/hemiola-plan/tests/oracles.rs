//! Compares schedules with those of an independent simulator, confirmed by a schedulability tool,
//! with optima from a constraint solver: 30 graphs on 1 to 4 workers.

mod shared;

use std::collections::BTreeMap;
use std::time::Duration;

use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph, TaskId};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    n: usize,
    wcet: Vec<u64>,
    edges: Vec<(usize, usize)>,
    length: u64,
    volume: u64,
    upward_rank: Vec<u64>,
    expected: BTreeMap<usize, Expected>,
}

#[derive(Deserialize)]
struct Expected {
    lower_bound: u64,
    graham: f64,
    optimal: u64,
    critical_path_priority: Starts,
}

#[derive(Deserialize)]
struct Starts {
    start_wcet: Vec<u64>,
    makespan_wcet: u64,
}

/// Returns each case with its plan. Without a hand-over nothing is fused, as in the oracle.
fn cases() -> Vec<(Case, Plan, Durations)> {
    let Some(text) = shared::data_file("oracles/dag-list-scheduling.json") else { return Vec::new() };
    let file: File = serde_json::from_str(&text).expect("the file has the form that its meta entry describes");
    let planned = file.cases.into_iter().map(|case| {
        let durations = Durations::constant(case.wcet.iter().map(|&wcet| Duration::from_nanos(wcet)));
        let graph = TaskGraph::plain(&case.id, case.n, case.edges.iter().copied()).expect("it has no circle");
        let plan = Plan::new(graph, &durations, &PlanOptions { hand_over: Duration::ZERO, ..PlanOptions::default() });
        (case, plan, durations)
    });
    planned.collect()
}

fn nanos(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

#[test]
fn paths_and_bounds_agree() {
    for (case, plan, _) in cases() {
        let prediction = plan.prediction();
        assert_eq!(
            (nanos(prediction.critical_path), nanos(prediction.work)),
            (case.length, case.volume),
            "{}",
            case.id
        );
        for task in 0..case.n {
            let unit = &plan.units()[plan.unit_of(TaskId(task as u32)).index()];
            assert_eq!(nanos(unit.remaining), case.upward_rank[task], "task {task} of {}", case.id);
        }
        for (&workers, expected) in &case.expected {
            // The oracle rounds the shared work up to whole units of time; the plan rounds it to
            // nanoseconds, which is less here.
            let lower = nanos(prediction.lower_bound(workers));
            assert!(lower == expected.lower_bound || lower + 1 == expected.lower_bound, "{} on {workers}", case.id);
            assert!(
                (nanos(prediction.upper_bound(workers)) as f64 - expected.graham).abs() <= 1.0,
                "{} on {workers}",
                case.id
            );
        }
    }
}

#[test]
fn schedules_agree_start_for_start() {
    for (case, plan, durations) in cases() {
        for (&workers, expected) in case.expected.iter().filter(|(workers, _)| **workers > 1) {
            let options = SimulationOptions { workers, ..SimulationOptions::default() };
            let schedule = Simulation::new(&plan, &durations, &options).schedule();
            let starts: Vec<u64> = (0..case.n)
                .map(|task| nanos(schedule.slot(TaskId(task as u32)).expect("every task ran").start))
                .collect();
            assert_eq!(starts, expected.critical_path_priority.start_wcet, "{} on {workers}", case.id);
            assert_eq!(nanos(schedule.makespan), expected.critical_path_priority.makespan_wcet);
        }
    }
}

#[test]
fn priorities_by_the_remaining_path_come_close_to_the_optimum() {
    let mut stretches = Vec::new();
    for (case, plan, durations) in cases() {
        for (&workers, expected) in &case.expected {
            let options = SimulationOptions { workers, ..SimulationOptions::default() };
            let makespan = nanos(Simulation::new(&plan, &durations, &options).makespan(1).mean);
            assert!(makespan >= expected.optimal, "{} on {workers} beats the optimum", case.id);
            stretches.push(makespan as f64 / expected.optimal as f64);
        }
    }
    let mean = stretches.iter().sum::<f64>() / stretches.len().max(1) as f64;
    assert!(mean < 1.01, "{mean} times the optimum on average");
}
