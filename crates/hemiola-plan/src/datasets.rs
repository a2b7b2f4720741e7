//! Readers for task graphs in files: published module graphs and dispatch workloads, to be planned,
//! simulated and drawn.
//!
//! Two JSON forms, neither of which a robot needs; [`Dataset::read`] takes either:
//! - *module graph* ([`module_graph`]): cycles with modules, each with the representations it
//!   requires, uses and provides, as extracted from the code releases of robot soccer teams;
//! - *workload* ([`workload`]): numbered tasks with durations and predecessors.

mod error;
mod modules;
mod workload;

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::{Durations, TaskGraph, resolve};

pub use error::DatasetError;
pub use modules::{CycleFacts, ModuleGraph, Unfilled, module_graph};
pub use workload::{Workload, workload};

/// A task graph from a file, of either form.
///
/// ```
/// use hemiola_plan::datasets::Dataset;
/// let text = r#"{"name": "pair", "tasks": [
///     {"id": 0, "duration_ns": 2000, "predecessors": []},
///     {"id": 1, "duration_ns": 3000, "predecessors": [0]}]}"#;
/// let cycles = Dataset::read(text).unwrap().cycles().unwrap();
/// assert_eq!((cycles[0].graph.name(), cycles[0].graph.tasks().len()), ("pair", 2));
/// assert!(cycles[0].has_durations);
/// ```
#[derive(Debug, Clone)]
pub enum Dataset {
    /// A workload: numbered tasks with durations.
    Workload(Workload),
    /// A module graph: cycles with modules.
    Modules(ModuleGraph),
}

/// A cycle or a workload, which is planned, simulated and drawn by itself.
///
/// ```
/// use hemiola_plan::datasets::Dataset;
/// let text = r#"{"cycles": [{"name": "motion", "rate_hz": 100, "workers": 2, "modules": [
///     {"name": "Walk", "requires": [], "uses": [], "provides": [{"representation": "Gait", "concurrent": false}]}]}]}"#;
/// let motion = &Dataset::read(text).unwrap().cycles().unwrap()[0];
/// assert_eq!(motion.facts.period(), Some(std::time::Duration::from_millis(10)));
/// ```
#[derive(Debug, Clone)]
pub struct DatasetCycle {
    /// The tasks of the cycle.
    pub graph: TaskGraph,
    /// The durations of the tasks, as far as the file has them.
    pub durations: Durations,
    /// Set if the file has durations.
    pub has_durations: bool,
    /// The settings with which the cycle runs in its original robot, as far as the file has them.
    pub facts: CycleFacts,
}

impl Dataset {
    /// Reads a file of either form: one with `tasks` is a workload, one with `cycles` a module
    /// graph.
    ///
    /// # Errors
    /// Fails if the text has neither form, or has a value that is not possible.
    pub fn read(json: &str) -> Result<Self, DatasetError> {
        #[derive(Deserialize)]
        struct Keys {
            tasks: Option<IgnoredAny>,
            cycles: Option<IgnoredAny>,
            chains: Option<IgnoredAny>,
            nodes: Option<IgnoredAny>,
        }
        let keys: Keys = serde_json::from_str(json)?;
        match keys {
            Keys { tasks: Some(_), cycles: None, .. } => Ok(Self::Workload(workload(json)?)),
            Keys { cycles: Some(_), tasks: None, .. } => Ok(Self::Modules(module_graph(json)?)),
            Keys { tasks: Some(_), .. } => Err(DatasetError::BothForms),
            Keys { chains: Some(_), .. } => Err(DatasetError::Chains),
            Keys { nodes: Some(_), .. } => Err(DatasetError::Nodes),
            Keys { .. } => Err(DatasetError::NoForm),
        }
    }

    /// Returns the graphs of the file: one for a workload, else one per cycle.
    ///
    /// # Errors
    /// Fails if the modules of the file do not make a robot.
    pub fn cycles(self) -> Result<Vec<DatasetCycle>, DatasetError> {
        let modules = match self {
            Self::Workload(Workload { graph, durations }) => {
                return Ok(vec![DatasetCycle { graph, durations, has_durations: true, facts: CycleFacts::default() }]);
            }
            Self::Modules(modules) => modules,
        };
        let resolved = resolve(&modules.robot).map_err(DatasetError::Unresolved)?;
        let cycles = resolved.cycles.iter().zip(modules.cycles).map(|(cycle, facts)| {
            let graph = TaskGraph::of(cycle);
            let durations = Durations::unknown(graph.tasks().len());
            DatasetCycle { graph, durations, has_durations: false, facts }
        });
        Ok(cycles.collect())
    }

    /// Returns the representations that are read and that nobody provides: their values stay at
    /// their defaults.
    pub fn unfilled(&self) -> &[Unfilled] {
        match self {
            Self::Workload(_) => &[],
            Self::Modules(modules) => &modules.unfilled,
        }
    }
}

impl CycleFacts {
    /// Returns the time between two runs.
    pub fn period(&self) -> Option<Duration> {
        self.rate_hz.map(|rate| Duration::from_secs_f64(1.0 / rate))
    }

    /// Returns the number of workers of the cycle.
    pub fn workers(&self) -> Option<NonZeroUsize> {
        self.workers.and_then(|workers| NonZeroUsize::new(usize::from(workers)))
    }
}
