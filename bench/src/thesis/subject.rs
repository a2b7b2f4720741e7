//! The cycles that are run: motion and cognition of a robot, and cognition with more to do.

use std::path::Path;

use hemiola_plan::TaskGraph;

use super::cycle::{Cycle, Frame, ROUND};
use crate::contestant::ContestantError;
use crate::error::BenchError;
use crate::workload::{example_robot, nao_devils};

const MOTION_RATE: f64 = 1000.0 / 12.0;
const COGNITION_RATE: f64 = 30.0;
const MOTION_PRIORITY: u8 = 80;
const COGNITION_PRIORITY: u8 = 40;
/// The time that the tasks of a stressed cognition take in addition, all together.
const STRESS_NS: u64 = 20_000_000;
/// The modules that take the additional time where it is shared out.
const STRESSED_MODULES: [&str; 2] = ["JPEGImageProvider", "YoloRobotDetector"];
/// The number of tasks that take it in a robot without these modules.
const STRESSED_TASKS: usize = 4;

/// The cycles of the robot.
pub struct Subject {
    pub motion: Cycle,
    pub cognition: Cycle,
    /// Cognition with a task that takes 20 ms longer.
    pub stressed: Cycle,
    /// Cognition with several tasks that take 20 ms longer together.
    pub shared_stress: Cycle,
    /// The sentence about a graph that stands in for the real robot's.
    pub substitute: Option<String>,
}

impl Subject {
    /// Calibrates the work, and measures every task in sequential runs. Without the graph of the
    /// real robot, that of the example stands in. The error says why there is neither.
    pub fn prepare(bench: &Path) -> Result<Result<Self, String>, BenchError> {
        let (cycles, substitute) = match nao_devils::cycles()? {
            Some(cycles) => (cycles, None),
            None => match example_robot::cycles(bench) {
                Ok(cycles) => {
                    let sentence = substitute(&cycles);
                    (cycles, Some(sentence))
                }
                Err(problem) => return Ok(Err(format!("{MISSING}, and the example robot has none either: {problem}"))),
            },
        };
        let find = |name: &str| cycles.iter().find(|cycle| cycle.graph.name() == name);
        match (find("motion"), find("cognition")) {
            (Some(motion), Some(cognition)) => Ok(Ok(Self::of(motion, cognition, substitute)?)),
            _ => Ok(Err("The graph lacks a cycle `motion` or `cognition`.".to_owned())),
        }
    }

    fn of(
        motion: &nao_devils::Cycle,
        cognition: &nao_devils::Cycle,
        substitute: Option<String>,
    ) -> Result<Self, BenchError> {
        let preview = nao_devils::with_preview(&motion.durations_ns);
        let mut stressed = cognition.durations_ns.clone();
        stressed.iter_mut().max().into_iter().for_each(|longest| *longest += STRESS_NS);
        let shared = shared_stress(&cognition.graph, &cognition.durations_ns);
        let of_cognition = |frame, durations: &[u64]| {
            let frames = vec![Frame::calibrated(frame, 0, ROUND, durations)?];
            Cycle::profiled("cognition", COGNITION_RATE, COGNITION_PRIORITY, &cognition.graph, frames)
        };
        let of_motion = vec![
            Frame::calibrated("motion", 0, ROUND - 1, &motion.durations_ns)?,
            Frame::calibrated("motion, preview", 1, 1, &preview)?,
        ];
        Ok(Self {
            motion: Cycle::profiled("motion", MOTION_RATE, MOTION_PRIORITY, &motion.graph, of_motion)?,
            cognition: of_cognition("cognition", &cognition.durations_ns)?,
            stressed: of_cognition("cognition + 20 ms", &stressed)?,
            shared_stress: of_cognition("cognition + 20 ms, shared out", &shared)?,
            substitute,
        })
    }

    /// Returns the subject with all tasks measured again: the speed of a machine may change by the
    /// minute, above all that of a virtual one.
    pub fn profiled_again(&self) -> Result<Self, ContestantError> {
        Ok(Self {
            motion: self.motion.profiled_again()?,
            cognition: self.cognition.profiled_again()?,
            stressed: self.stressed.profiled_again()?,
            shared_stress: self.shared_stress.profiled_again()?,
            substitute: self.substitute.clone(),
        })
    }
}

const MISSING: &str = "data/graphs/naodevils-2024.json is neither in ../shared nor in HEMIOLA_SHARED";

fn substitute(cycles: &[nao_devils::Cycle]) -> String {
    let sizes: Vec<String> =
        cycles.iter().map(|cycle| format!("{} tasks in {}", cycle.graph.tasks().len(), cycle.graph.name())).collect();
    format!(
        "{MISSING}: the graph of the example robot, robots/nao, stands in for the Nao Devils' ({}), with the same sums of durations.",
        sizes.join(", ")
    )
}

/// Returns the durations with the additional time in equal shares: on the updates of
/// [`STRESSED_MODULES`], or on the longest tasks where there are no such modules.
fn shared_stress(graph: &TaskGraph, durations_ns: &[u64]) -> Vec<u64> {
    let is_stressed =
        |module: &Option<String>| module.as_ref().is_some_and(|module| STRESSED_MODULES.contains(&module.as_str()));
    let tasks = graph.tasks().iter().enumerate();
    let mut stressed: Vec<usize> =
        tasks.filter(|(_, task)| is_stressed(&task.module)).map(|(index, _)| index).collect();
    if stressed.is_empty() {
        stressed = (0..durations_ns.len()).collect();
        stressed.sort_by_key(|&task| std::cmp::Reverse(durations_ns[task]));
        stressed.truncate(STRESSED_TASKS);
    }
    let mut durations = durations_ns.to_vec();
    stressed.iter().for_each(|&task| durations[task] += STRESS_NS / stressed.len() as u64);
    durations
}

#[cfg(test)]
mod tests {
    use hemiola_plan::{Task, TaskKind};

    use super::*;

    fn graph(modules: &[&str]) -> TaskGraph {
        let task = |&module: &&str| Task {
            name: module.to_owned(),
            module: Some(module.to_owned()),
            kind: TaskKind::Plain,
            is_output: false,
        };
        TaskGraph::new("cognition", modules.iter().map(task).collect(), []).expect("a graph")
    }

    #[test]
    fn stress_is_shared_among_jpeg_and_detector() {
        let graph =
            graph(&["JPEGImageProvider", "Walk", "YoloRobotDetector", "JPEGImageProvider", "YoloRobotDetector"]);
        let durations = shared_stress(&graph, &[1, 2, 3, 4, 5]);
        assert_eq!(durations, [5_000_001, 2, 5_000_003, 5_000_004, 5_000_005]);
    }

    #[test]
    fn stress_is_on_the_longest_tasks_where_these_modules_are_missing() {
        let durations = shared_stress(&graph(&["A", "B", "C", "D", "E"]), &[5, 1, 4, 3, 2]);
        assert_eq!(durations, [5_000_005, 1, 5_000_004, 5_000_003, 5_000_002]);
    }

    #[test]
    fn every_fourth_run_of_motion_is_a_preview() {
        let cycle = |name: &str| nao_devils::Cycle {
            graph: TaskGraph::plain(name, 2, [(0, 1)]).expect("a graph"),
            durations_ns: vec![1_000, 2_000],
        };
        let subject = Subject::of(&cycle("motion"), &cycle("cognition"), None).expect("calibrated");
        let frames: Vec<usize> = (0..8).map(|run| subject.motion.frame_of(run)).collect();
        assert_eq!(frames, [0, 0, 0, 1, 0, 0, 0, 1]);
        assert_eq!((0..8).map(|run| subject.cognition.frame_of(run)).max(), Some(0));
    }

    #[test]
    fn the_report_names_the_graph_that_stands_in() {
        let cycle = nao_devils::Cycle { graph: graph(&["A", "B"]), durations_ns: vec![1, 1] };
        let sentence = substitute(&[cycle]);
        assert!(sentence.contains("robots/nao") && sentence.contains("2 tasks in cognition"), "{sentence}");
    }
}
