//! The graphs that are run.

pub mod example_robot;
mod generated;
pub mod nao_devils;
mod random;

use std::path::PathBuf;

use hemiola_bench_contestant::Graph;

use crate::error::{BenchError, read};
pub use random::uniform;

/// A graph and where it comes from.
#[derive(Debug, Clone)]
pub struct Workload {
    pub name: &'static str,
    /// The text that contestants read; its comments say what the graph is.
    pub text: String,
    pub graph: Graph,
}

impl Workload {
    /// Returns the sum of all durations.
    pub fn work_ns(&self) -> u64 {
        (0..self.graph.len()).map(|task| self.graph.duration_ns(task)).sum()
    }

    /// Returns the longest path by duration.
    pub fn critical_path_ns(&self) -> u64 {
        self.graph.remaining_ns().into_iter().max().unwrap_or(0)
    }

    /// Returns a time that no schedule on that many workers is shorter than.
    pub fn lower_bound_ns(&self, workers: usize) -> u64 {
        self.critical_path_ns().max(self.work_ns() / workers.max(1) as u64)
    }

    fn parse(name: &'static str, text: String) -> Result<Self, BenchError> {
        let graph = Graph::parse(&text).map_err(|error| BenchError::Graph { path: name.into(), error })?;
        Ok(Self { name, text, graph })
    }
}

/// Returns all workloads. Those made from a robot's published module graph need the shared data;
/// without it they are missing, with a notice.
pub fn all(notices: &mut Vec<String>) -> Result<Vec<Workload>, BenchError> {
    let mut workloads = vec![
        Workload::parse("pair", generated::PAIR.to_owned())?,
        Workload::parse("stages", generated::chain(2))?,
        Workload::parse("chain10", generated::chain(10))?,
        Workload::parse("chain100", generated::chain(100))?,
        Workload::parse("forkjoin100", generated::fork_join(100))?,
    ];
    for name in ["rand150", "nao-motion", "nao-cognition", "nao-cognition-easy"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("graphs").join(format!("{name}.graph"));
        workloads.push(Workload::parse(name, read(&path)?)?);
    }
    match nao_devils::texts()? {
        Some(texts) => {
            for (name, text) in texts {
                workloads.push(Workload::parse(name, text)?);
            }
        }
        None => notices.push(
            "The graphs of a real robot's modules are left out: data/graphs/naodevils-2024.json is neither in ../shared nor \
             in HEMIOLA_SHARED."
                .to_owned(),
        ),
    }
    Ok(workloads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graphs_are_those_of_which_figures_are_known() {
        let workloads = all(&mut Vec::new()).expect("readable");
        let facts = |name| {
            let workload = workloads.iter().find(|workload| workload.name == name).expect("it exists");
            (workload.graph.len(), workload.work_ns(), workload.critical_path_ns())
        };
        assert_eq!(facts("chain100"), (100, 0, 0));
        assert_eq!(facts("forkjoin100"), (100, 0, 0));
        assert_eq!(facts("rand150"), (150, 0, 0));
        assert_eq!(facts("nao-motion"), (50, 961_309, 421_597));
        assert_eq!(facts("nao-cognition"), (120, 16_134_163, 7_292_651));
        assert_eq!(facts("nao-cognition-easy").0, 120);
    }

    #[test]
    fn the_real_robot_has_the_thesis_durations() {
        let workloads = all(&mut Vec::new()).expect("readable");
        let facts: Vec<(usize, u64)> = (workloads.iter().filter(|workload| workload.name.starts_with("devils")))
            .map(|workload| (workload.graph.len(), workload.work_ns().div_ceil(10_000)))
            .collect();
        if facts.is_empty() {
            return eprintln!("SKIPPED: naodevils-2024.json is not at hand; set HEMIOLA_SHARED to where the data lies");
        }
        assert_eq!(facts, [(64, 97), (64, 163), (150, 1_609)]);
    }
}
