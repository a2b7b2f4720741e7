//! The case of the thesis that must not happen: a long task is ready early, and a queue starts it
//! last.

use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola_plan::{
    Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskGraph, TaskId, WorkerChoice, draw,
};

use super::report::{Picture, Question};
use crate::contestant::ContestantError;
use crate::report::time;
use crate::workload::Workload;

const WORKERS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
const COLUMNS: usize = 110;

const POLICIES: [(Policy, &str); 3] = [
    (Policy::Fifo, "one queue, first in, first out"),
    (Policy::WorkStealing, "work stealing, as thread pools do"),
    (Policy::CriticalPath, "Hemiola: the longest remaining path first"),
];

/// Draws the schedules of `workload` side by side, and describes them.
pub fn draw(workload: &Workload) -> Result<(Vec<Picture>, Question), ContestantError> {
    let (graph, tasks) = (&workload.graph, workload.graph.len());
    let edges = (0..tasks).flat_map(|task| graph.predecessors(task).iter().map(move |&before| (before, task)));
    let durations = Durations::constant((0..tasks).map(|task| Duration::from_nanos(graph.duration_ns(task))));
    let options = PlanOptions { workers: WorkerChoice::Fixed(WORKERS), ..PlanOptions::default() };
    let plan = Plan::new(TaskGraph::plain(workload.name, tasks, edges)?, &durations, &options);
    let schedules = POLICIES.map(|(policy, name)| {
        let options =
            SimulationOptions { workers: WORKERS.get(), hand_over: options.hand_over, policy, ..Default::default() };
        (name, Simulation::new(&plan, &durations, &options).schedule())
    });

    let critical = plan.graph().critical_path(&durations).tasks;
    let mut findings = Vec::new();
    if let Some(&victim) = critical.iter().max_by_key(|task| graph.duration_ns(task.index())) {
        let earliest = earliest_start(workload, victim);
        findings.push(format!(
            "Task {} takes {}, could start at {}, and decides when all is done: in {} at the earliest.",
            victim.0,
            time(graph.duration_ns(victim.index()) as f64),
            nanoseconds(earliest),
            time(workload.lower_bound_ns(WORKERS.get()) as f64)
        ));
        for (name, schedule) in &schedules {
            let start = schedule.slot(victim).map_or(Duration::ZERO, |slot| slot.start);
            findings.push(format!(
                "{name}: it starts {} later than it could; all is done after {}.",
                nanoseconds(start.saturating_sub(earliest)),
                nanoseconds(schedule.makespan)
            ));
        }
    }
    let pictures = schedules.iter().map(|(name, schedule)| Picture {
        title: format!("{}, two workers (simulated): {name}", workload.name),
        text: Some(draw::schedule_text(&plan, schedule, COLUMNS)),
        svg: draw::schedule_svg(&plan, schedule),
    });
    let question = Question { findings, ..Question::new("11. YoloUpper: a long task that is ready early") };
    Ok((pictures.collect(), question))
}

/// Returns when a task could start if there were a worker for every task.
fn earliest_start(workload: &Workload, task: TaskId) -> Duration {
    let graph = &workload.graph;
    // Predecessors have smaller numbers.
    let mut starts = vec![0; graph.len()];
    for task in 0..graph.len() {
        let ends = graph.predecessors(task).iter().map(|&before| starts[before] + graph.duration_ns(before));
        starts[task] = ends.max().unwrap_or(0);
    }
    Duration::from_nanos(starts[task.index()])
}

fn nanoseconds(duration: Duration) -> String {
    time(duration.as_nanos() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_queue_starts_late_starts_at_once_here() {
        let workloads = crate::workload::all(&mut Vec::new()).expect("readable");
        let cognition = workloads.iter().find(|workload| workload.name == "nao-cognition").expect("it exists");
        let (pictures, question) = draw(cognition).expect("a graph");
        assert_eq!((pictures.len(), question.findings.len()), (3, 4));
        let late = |finding: &str| finding.contains(" ms later than it could");
        let found: Vec<bool> = question.findings[1..].iter().map(|finding| late(finding)).collect();
        assert_eq!(found, [true, true, false], "{:?}", question.findings);
    }
}
