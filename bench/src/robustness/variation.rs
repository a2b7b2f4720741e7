//! Durations that vary from run to run: is a plan that knows what is typical as good as one that
//! knows what will be?
//!
//! Durations are drawn once, from a fixed seed, and everybody runs the same ones. Contestants are
//! measured; schedulers that no contestant is, above all one that knows the durations of each run
//! in advance, are simulated with the same durations.

use std::path::Path;
use std::time::Duration;

use hemiola_bench_contestant::Mode;
use hemiola_plan::{
    Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskDuration, TaskGraph, TaskId, WorkerChoice,
};
use serde::{Deserialize, Serialize};

use super::Setting;
use super::cycle::{constant, nominal, task_graph};
use crate::contest::discipline::{Discipline, Effort};
use crate::contest::entrant::{self, Entrant, Side};
use crate::contest::host::Host;
use crate::contest::result::{Spread, median};
use crate::contest::{peers, process};
use crate::error::{BenchError, write};
use crate::workload::{Workload, uniform};

/// One workload with one kind of variation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variation {
    pub workload: String,
    /// The law, in words.
    pub law: String,
    pub runs: usize,
    pub entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub label: String,
    pub side: Side,
    pub method: Method,
    /// The makespan at the speed that the workload's durations are meant for.
    pub makespan_ns: Spread,
    /// The makespan divided by the lower bound of the same run: its own critical path, or half of
    /// its own work.
    pub ratio: Spread,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    Measured,
    Simulated,
}

/// The way in which durations vary around their mean, which stays as in the workload.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Law {
    /// Every task varies, by a factor whose logarithm is normal.
    LogNormal { sigma: f64 },
    /// Each of the longest tenth takes four times as long in one run of eight, as motion does when
    /// it computes a preview.
    Bimodal,
}

const LAWS: [Law; 3] = [Law::LogNormal { sigma: 0.3 }, Law::LogNormal { sigma: 0.8 }, Law::Bimodal];
/// Contestants that schedule tasks; the others differ in overhead only.
const CONTESTANTS: [&str; 7] =
    ["hemiola", "static", "rayon", "tbb-flow", "tbb-flow-priorities", "openmp-gnu", "taskflow"];
const WORKERS: usize = 2;
/// The number of runs that do not count; Hemiola learns from the first ten of them.
const WARM_UP: usize = 16;
const RARE: f64 = 0.125;
const RARE_FACTOR: f64 = 4.0;

/// Lets all contestants run all laws, in turn.
pub fn measure(
    workloads: &[&Workload],
    setting: &Setting,
    host: &mut Host,
    notices: &mut Vec<String>,
) -> Result<Vec<Variation>, BenchError> {
    let (runs, rounds) = match setting.effort {
        Effort::Full => (200, 3),
        Effort::Quick => (24, 1),
    };
    let mut entrants = entrant::in_house(setting.program.clone());
    entrants.extend(peers::build(setting.folder, notices));
    entrants.retain(|entrant| CONTESTANTS.contains(&entrant.id));
    let mut variations = Vec::new();
    for workload in workloads {
        let graph = setting.folder.join(workload.name).with_extension("graph");
        write(&graph, &workload.text)?;
        for law in LAWS {
            let rows = law.draw(&nominal(workload), WARM_UP + runs);
            let path = setting.folder.join("durations");
            let lines: Vec<String> =
                rows.iter().map(|row| row.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")).collect();
            write(&path, &lines.join("\n"))?;
            let bounds = bounds(workload, &rows)?;
            let mut entries = simulated(workload, &rows, &bounds)?;
            entries.extend(measured(workload, &entrants, (&path, &graph), rounds, &bounds, host, notices));
            entries.sort_by(|a, b| a.ratio.p99.total_cmp(&b.ratio.p99));
            variations.push(Variation { workload: workload.name.to_owned(), law: law.to_string(), runs, entries });
        }
    }
    notices.sort();
    notices.dedup();
    Ok(variations)
}

fn measured(
    workload: &Workload,
    entrants: &[Entrant],
    (durations, graph): (&Path, &Path),
    rounds: usize,
    bounds: &[f64],
    host: &mut Host,
    notices: &mut Vec<String>,
) -> Vec<Entry> {
    let mut entrants = entrants.to_vec();
    for entrant in &mut entrants {
        entrant.arguments.extend(["--durations".to_owned(), durations.display().to_string()]);
    }
    let discipline = Discipline {
        workload: workload.name,
        mode: Mode::Varied,
        workers: WORKERS,
        runs: bounds.len(),
        period: Duration::ZERO,
    };
    let mut makespans: Vec<Vec<Vec<f64>>> = vec![Vec::new(); entrants.len()];
    for round in 0..rounds {
        for position in 0..entrants.len() {
            // Another entrant begins in every round.
            let index = (position + round) % entrants.len();
            match host.hold(|| process::run(&entrants[index], &discipline, graph)) {
                Ok(samples) => {
                    let as_floats = |key| samples.values(key).iter().map(|&value| value as f64).collect::<Vec<f64>>();
                    let reference = median(&as_floats("reference_ns")).unwrap_or(f64::NAN);
                    let speed = workload.work_ns() as f64 / reference;
                    makespans[index].push(as_floats("makespan_ns").iter().map(|makespan| makespan * speed).collect());
                }
                Err(error) => notices.push(format!("{}, varied: {error}", workload.name)),
            }
        }
    }
    let entries = entrants.iter().zip(makespans);
    entries
        .filter_map(|(entrant, rounds)| entry(entrant.label, entrant.side, Method::Measured, &rounds, bounds))
        .collect()
}

/// Simulates schedulers that differ in the order only.
fn simulated(workload: &Workload, rows: &[Vec<u64>], bounds: &[f64]) -> Result<Vec<Entry>, BenchError> {
    let graph = task_graph(workload)?;
    let options = PlanOptions {
        workers: WorkerChoice::Fixed(std::num::NonZeroUsize::MIN.saturating_add(WORKERS - 1)),
        ..PlanOptions::default()
    };
    let learnt = Plan::new(graph.clone(), &learn(&rows[..WARM_UP]), &options);
    let ignorant = Plan::new(graph.clone(), &Durations::unknown(graph.tasks().len()), &options);
    let simulate = |plan: &Plan, row: &[u64], policy| {
        let options = SimulationOptions { workers: WORKERS, hand_over: options.hand_over, policy, seed: 0 };
        Simulation::new(plan, &constant(row), &options).makespan(1).mean.as_nanos() as f64
    };
    let all = |of: &dyn Fn(&Vec<u64>) -> f64| vec![rows.iter().map(of).collect::<Vec<f64>>()];
    let oracle =
        |row: &Vec<u64>| simulate(&Plan::new(graph.clone(), &constant(row), &options), row, Policy::CriticalPath);
    let entries = [
        ("Hemiola's plan", Side::Hemiola, all(&|row| simulate(&learnt, row, Policy::CriticalPath))),
        ("oracle: knows each duration", Side::Limit, all(&oracle)),
        ("FIFO queue", Side::Peer, all(&|row| simulate(&ignorant, row, Policy::Fifo))),
        ("work stealing", Side::Peer, all(&|row| simulate(&ignorant, row, Policy::WorkStealing))),
    ];
    let entries = entries.into_iter();
    Ok(entries.filter_map(|(label, side, rounds)| entry(label, side, Method::Simulated, &rounds, bounds)).collect())
}

/// Returns the durations that Hemiola knows after its first runs.
fn learn(rows: &[Vec<u64>]) -> Durations {
    let tasks = rows.first().map_or(0, Vec::len);
    let mut durations = Durations::unknown(tasks);
    for task in 0..tasks {
        let samples = rows.iter().map(|row| (Duration::from_nanos(row[task]), 1)).collect();
        durations.set(TaskId(task as u32), TaskDuration::Samples(samples));
    }
    durations
}

/// Makes an entry of rounds in which every run has its bound at the same place.
fn entry(label: &str, side: Side, method: Method, rounds: &[Vec<f64>], bounds: &[f64]) -> Option<Entry> {
    let counted = |round: &Vec<f64>| round.iter().skip(WARM_UP).copied().collect();
    let ratio = |round: &Vec<f64>| round.iter().zip(bounds).skip(WARM_UP).map(|(value, bound)| value / bound).collect();
    Some(Entry {
        label: label.to_owned(),
        side,
        method,
        makespan_ns: Spread::of(&rounds.iter().map(counted).collect::<Vec<_>>())?,
        ratio: Spread::of(&rounds.iter().map(ratio).collect::<Vec<_>>())?,
    })
}

fn bounds(workload: &Workload, rows: &[Vec<u64>]) -> Result<Vec<f64>, BenchError> {
    let graph: TaskGraph = task_graph(workload)?;
    let bound = |row: &Vec<u64>| {
        let work: u64 = row.iter().sum();
        (work as f64 / WORKERS as f64).max(graph.critical_path(&constant(row)).duration.as_nanos() as f64)
    };
    Ok(rows.iter().map(bound).collect())
}

impl Law {
    /// Draws that many runs with these mean durations.
    fn draw(self, means: &[u64], runs: usize) -> Vec<Vec<u64>> {
        let mut sorted = means.to_vec();
        sorted.sort_unstable();
        let long = sorted[(sorted.len() * 9 / 10).min(sorted.len() - 1)];
        let factor = |number: u64, mean: u64| match self {
            Law::LogNormal { sigma } => (sigma * normal(number) - sigma * sigma / 2.0).exp(),
            Law::Bimodal if mean < long => 1.0,
            Law::Bimodal => {
                let often = 1.0 / (1.0 - RARE + RARE * RARE_FACTOR);
                if uniform(number) < RARE { RARE_FACTOR * often } else { often }
            }
        };
        let number = |run: usize, task: usize| (run * means.len() + task) as u64;
        (0..runs)
            .map(|run| {
                let drawn =
                    |(task, &mean): (usize, &u64)| (mean as f64 * factor(number(run, task), mean)).round() as u64;
                means.iter().enumerate().map(drawn).collect()
            })
            .collect()
    }
}

impl std::fmt::Display for Law {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Law::LogNormal { sigma } => write!(formatter, "log-normal durations, sigma {sigma}"),
            Law::Bimodal => {
                formatter.write_str("the longest tenth of the tasks four times as long in one run of eight")
            }
        }
    }
}

/// Returns a standard normal number (Box and Muller).
fn normal(number: u64) -> f64 {
    let (radius, angle) = (1.0 - uniform(2 * number), uniform(2 * number + 1));
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_keeps_the_mean_and_varies() {
        let means = [100_000, 200_000, 1_000_000];
        for law in LAWS {
            let rows = law.draw(&means, 20_000);
            let mean = rows.iter().map(|row| row[2] as f64).sum::<f64>() / rows.len() as f64;
            assert!((mean / 1e6 - 1.0).abs() < 0.02, "{law}: {mean}");
            assert!(rows.iter().any(|row| row[2] > 1_300_000) && rows.iter().any(|row| row[2] < 800_000), "{law}");
            assert_eq!(rows, law.draw(&means, 20_000));
        }
    }

    #[test]
    fn who_knows_each_duration_is_not_beaten_where_order_matters() {
        // A long task is beside a chain: a scheduler that starts the long one last is late.
        let text = "0 1000000\n1 1000000\n2 2000000\n".to_owned();
        let graph = hemiola_bench_contestant::Graph::parse(&text).expect("well-formed");
        let workload = Workload { name: "tail", text, graph };
        let rows = vec![nominal(&workload); WARM_UP + 1];
        let bounds = bounds(&workload, &rows).expect("plannable");
        let entries = simulated(&workload, &rows, &bounds).expect("plannable");
        let median = |label: &str| entries.iter().find(|entry| entry.label.starts_with(label)).map(|e| e.ratio.median);
        assert_eq!(median("oracle").map(|ratio| (ratio * 1000.0).round()), Some(1000.0));
        assert!(median("FIFO") > Some(1.4));
    }
}
