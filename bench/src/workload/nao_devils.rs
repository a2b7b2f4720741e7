//! The real module graph of a robot soccer team (Nao Devils, code release 2024): 63 updates of
//! motion, 149 of cognition, and in each cycle a task that publishes, which takes no time here.
//!
//! Nobody has published how long each of its modules takes, so the durations are synthetic:
//! heavy-tailed (the fourth power of a uniform number, so that a few tasks make up most of the
//! work), drawn once and for all, scaled to the mean that Larisch's thesis (2020) measured on one
//! worker of a NAO V6: 0.965 ms for motion, 16.09 ms for cognition. Every so often motion computes
//! a preview of the walk, which takes 1.628 ms: there the longest task has the difference in
//! addition, for two workers gained hardly anything on these frames.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use hemiola_plan::{Durations, Plan, PlanOptions, ResolvedCycle, Task, TaskGraph, TaskKind, datasets, resolve};

use super::random::uniform;
use crate::error::{BenchError, read};

const MOTION_NS: u64 = 965_000;
const PREVIEW_NS: u64 = 1_628_000;
const COGNITION_NS: u64 = 16_090_000;

/// A cycle of the robot, with the order within modules still to be chosen.
pub struct Cycle {
    pub graph: TaskGraph,
    /// The synthetic durations of all tasks.
    pub durations_ns: Vec<u64>,
}

/// Returns the names and texts of the workloads; `None` without the shared data.
pub fn texts() -> Result<Option<Vec<(&'static str, String)>>, BenchError> {
    let Some(cycles) = cycles()? else { return Ok(None) };
    let mut texts = Vec::new();
    for Cycle { graph, durations_ns } in &cycles {
        if graph.name() == "motion" {
            let preview = with_preview(durations_ns);
            texts.push(("devils-motion", text("motion, synthetic durations", graph, durations_ns)));
            texts.push(("devils-preview", text("motion with preview, synthetic durations", graph, &preview)));
        } else {
            texts.push(("devils-cognition", text("cognition, synthetic durations", graph, durations_ns)));
        }
    }
    Ok(Some(texts))
}

/// Returns motion and cognition; `None` without the shared data.
pub fn cycles() -> Result<Option<Vec<Cycle>>, BenchError> {
    let shared = std::env::var_os("HEMIOLA_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = shared.join("data/graphs/naodevils-2024.json");
    if !path.exists() {
        return Ok(None);
    }
    let system =
        datasets::module_graph(&read(&path)?).map_err(|error| BenchError::Dataset { path: path.clone(), error })?;
    let Ok(resolved) = resolve(&system.robot) else { return Ok(None) };
    Ok(Some(resolved.cycles.iter().filter_map(Cycle::of).collect()))
}

impl Cycle {
    /// Returns motion or cognition with synthetic durations; `None` for other cycles.
    pub fn of(cycle: &ResolvedCycle) -> Option<Self> {
        let sum_ns = match cycle.name.as_str() {
            "motion" => MOTION_NS,
            "cognition" => COGNITION_NS,
            _ => return None,
        };
        let graph = TaskGraph::of(cycle);
        let durations_ns = synthetic(&graph, sum_ns);
        Some(Self { graph, durations_ns })
    }
}

/// Returns the durations of motion when it computes a preview.
pub fn with_preview(durations_ns: &[u64]) -> Vec<u64> {
    let mut preview = durations_ns.to_vec();
    if let Some(longest) = preview.iter_mut().max() {
        *longest += PREVIEW_NS - MOTION_NS;
    }
    preview
}

/// Draws heavy-tailed durations of all updates, with this sum.
fn synthetic(graph: &TaskGraph, sum_ns: u64) -> Vec<u64> {
    let weight = |(number, task): (u64, &Task)| match task.kind {
        TaskKind::Update(_) | TaskKind::Plain => uniform(number).powi(4) + 0.002,
        TaskKind::Publish(_) => 0.0,
    };
    let weights: Vec<f64> = (0..).zip(graph.tasks()).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / total * sum_ns as f64).round() as u64).collect()
}

/// Returns the text form, with tasks renumbered in an order in which they can run. All contestants
/// get the order within modules that Hemiola plans, so that all run the same graph.
fn text(about: &str, graph: &TaskGraph, durations_ns: &[u64]) -> String {
    let durations = Durations::constant(durations_ns.iter().map(|&duration| Duration::from_nanos(duration)));
    let plan = Plan::new(graph.clone(), &durations, &PlanOptions::default());
    let mut number = vec![0; durations_ns.len()];
    plan.order().enumerate().for_each(|(position, task)| number[task.index()] = position);
    let mut before = vec![Vec::new(); durations_ns.len()];
    plan.graph().reduced().into_iter().for_each(|(from, to)| before[number[to.index()]].push(number[from.index()]));

    let mut text = format!("# Nao Devils 2024, {about}\n");
    for (position, task) in plan.order().enumerate() {
        // Writing to a string cannot fail.
        _ = write!(text, "{position} {}", durations_ns[task.index()]);
        before[position].iter().for_each(|earlier| _ = write!(text, " {earlier}"));
        text.push('\n');
    }
    text
}
