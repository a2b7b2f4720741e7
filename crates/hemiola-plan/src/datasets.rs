//! Readers for published module graphs and dispatch workloads, so that tests and benchmarks run on real structures.
//!
//! Two JSON forms, neither of which a robot needs:
//! - *module graph* ([`module_graph`]): cycles with modules, each with the representations it requires, uses and
//!   provides, as extracted from the code release of a robot soccer team;
//! - *workload* ([`workload`]): numbered tasks with durations and predecessors.

use std::time::Duration;

use serde::Deserialize;

use crate::{
    Access, CycleDescription, Durations, GraphError, ModuleDescription, RobotDescription, SampleDescription,
    SourceDescription, TaskGraph, Trigger, UpdateDescription,
};

/// Why a data set could not be read.
///
/// ```
/// use hemiola_plan::datasets;
/// let error = datasets::workload(r#"{"name": "gap", "tasks": [{"id": 7, "duration_ns": 1, "predecessors": []}]}"#).unwrap_err();
/// assert_eq!(error.to_string(), "tasks have to be numbered 0, 1, 2, ...; number 0 has id 7");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// Not JSON, or not of the expected form.
    #[error("the data set cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// Ids are expected to be the positions of the tasks.
    #[error("tasks have to be numbered 0, 1, 2, ...; number {position} has id {id}")]
    Numbering {
        /// Where the task stands.
        position: usize,
        /// The id that it has.
        id: usize,
    },
    /// The tasks do not make a graph.
    #[error("the tasks of the data set do not make a graph: {0}")]
    Graph(#[from] GraphError),
}

/// A task graph whose durations are known.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::datasets;
/// let workload = datasets::workload(r#"{"name": "pair", "tasks": [
///     {"id": 0, "duration_ns": 2000, "predecessors": []},
///     {"id": 1, "duration_ns": 3000, "predecessors": [0]}]}"#).unwrap();
/// assert_eq!(workload.graph.critical_path(&workload.durations).duration, Duration::from_micros(5));
/// ```
#[derive(Debug, Clone)]
pub struct Workload {
    /// The tasks, named by their number.
    pub graph: TaskGraph,
    /// Their durations, all constant.
    pub durations: Durations,
}

/// Reads a dispatch workload.
///
/// # Errors
/// If the text is not such a workload or its tasks wait for each other.
pub fn workload(json: &str) -> Result<Workload, DatasetError> {
    #[derive(Deserialize)]
    struct File {
        name: String,
        tasks: Vec<FileTask>,
    }
    #[derive(Deserialize)]
    struct FileTask {
        id: usize,
        duration_ns: u64,
        predecessors: Vec<usize>,
    }

    let file: File = serde_json::from_str(json)?;
    if let Some((position, task)) = file.tasks.iter().enumerate().find(|(position, task)| task.id != *position) {
        return Err(DatasetError::Numbering { position, id: task.id });
    }
    let edges = file.tasks.iter().flat_map(|task| task.predecessors.iter().map(|&before| (before, task.id)));
    let graph = TaskGraph::plain(&file.name, file.tasks.len(), edges)?;
    let durations = Durations::constant(file.tasks.iter().map(|task| Duration::from_nanos(task.duration_ns)));
    Ok(Workload { graph, durations })
}

/// Reads a module graph, whose dependencies are per module, and expands each module to its updates:
///
/// - one update per provided representation, which requires and uses all that the module does;
/// - a module may require what it provides: its other updates then run after the one that provides it;
/// - a module with `subflow` has an update `prepare` that runs before all others;
/// - representations that are listed as `default` are never filled: a source `default` stands for them.
///
/// # Errors
/// If the text is not such a module graph.
///
/// ```
/// use hemiola_plan::{TaskGraph, datasets, resolve};
/// let system = datasets::module_graph(r#"{"cycles": [{"name": "motion", "modules": [
///     {"name": "Walk", "requires": ["Joints"], "uses": [], "subflow": true,
///      "provides": [{"representation": "Gait", "concurrent": true}, {"representation": "Steps", "concurrent": true}]},
///     {"name": "Body", "requires": [], "uses": ["Gait"], "provides": [{"representation": "Joints", "concurrent": false}]}
/// ]}]}"#).unwrap();
/// let graph = TaskGraph::of(&resolve(&system).unwrap().cycles[0]);
/// assert_eq!(graph.tasks().len(), 4); // Walk.prepare, Walk.Gait, Walk.Steps, Body.Joints
/// ```
pub fn module_graph(json: &str) -> Result<RobotDescription, DatasetError> {
    #[derive(Deserialize)]
    struct File {
        cycles: Vec<FileCycle>,
        #[serde(default)]
        default: Vec<String>,
    }
    #[derive(Deserialize)]
    struct FileCycle {
        name: String,
        modules: Vec<FileModule>,
    }

    let file: File = serde_json::from_str(json)?;
    let cycles = file.cycles.into_iter().map(|cycle| CycleDescription {
        name: cycle.name,
        modules: cycle.modules.into_iter().map(FileModule::expand).collect(),
        trigger: Trigger::Rate,
    });
    let default = SampleDescription { name: "default".into(), provides: file.default, reads: Vec::new() };
    let sources = vec![SourceDescription { name: "default".into(), samples: vec![default] }];
    Ok(RobotDescription { cycles: cycles.collect(), sources, ..RobotDescription::default() })
}

#[derive(Deserialize)]
struct FileModule {
    name: String,
    requires: Vec<String>,
    uses: Vec<String>,
    provides: Vec<FileRepresentation>,
    #[serde(default)]
    subflow: bool,
}

#[derive(Deserialize)]
struct FileRepresentation {
    representation: String,
    concurrent: bool,
}

impl FileModule {
    fn expand(self) -> ModuleDescription {
        let own = |name: &String| self.provides.iter().any(|provided| provided.representation == *name);
        let prepared = format!("{}.prepared", self.name);
        let mut module = ModuleDescription::new(&self.name);
        if self.subflow {
            // Concurrent: it is before all its siblings anyway, so their order needs no say in it.
            let prepare = UpdateDescription::new("prepare", Access::Concurrent)
                .requires(self.requires.iter().filter(|name| !own(name)).cloned())
                .uses(self.uses.clone())
                .provides([prepared.clone()]);
            module = module.with(prepare);
        }
        for FileRepresentation { representation, concurrent } in &self.provides {
            let access = if *concurrent { Access::Concurrent } else { Access::Exclusive };
            let update = UpdateDescription::new(representation, access)
                .requires(self.requires.iter().filter(|name| *name != representation).cloned())
                .requires(self.subflow.then(|| prepared.clone()))
                .uses(self.uses.clone())
                .provides([representation.clone()]);
            module = module.with(update);
        }
        module
    }
}
