//! Numbered tasks with durations and predecessors.

use std::time::Duration;

use serde::Deserialize;

use super::DatasetError;
use crate::{Durations, TaskGraph};

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
    /// The durations of the tasks, all constant.
    pub durations: Durations,
}

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

/// Reads a dispatch workload.
///
/// # Errors
/// Fails if the text is not such a workload or its tasks wait for each other.
pub fn workload(json: &str) -> Result<Workload, DatasetError> {
    let File { name, tasks } = serde_json::from_str(json)?;
    check_size("tasks", tasks.len())?;
    for (position, task) in tasks.iter().enumerate() {
        if task.id != position {
            return Err(DatasetError::Numbering { position, id: task.id });
        }
        if task.duration_ns > LONGEST_NS {
            let (key, value) = (format!("tasks[{position}].duration_ns"), task.duration_ns.to_string());
            return Err(DatasetError::Value { key, value, expected: "a task takes at most a day, 86400000000000" });
        }
        if let Some(&predecessor) = task.predecessors.iter().find(|&&before| before >= tasks.len()) {
            return Err(DatasetError::Predecessor { task: position, predecessor, last: tasks.len() - 1 });
        }
    }
    let edges = tasks.iter().flat_map(|task| task.predecessors.iter().map(|&before| (before, task.id)));
    let graph = TaskGraph::plain(name, tasks.len(), edges)?;
    let durations = Durations::constant(tasks.iter().map(|task| Duration::from_nanos(task.duration_ns)));
    Ok(Workload { graph, durations })
}

pub(super) fn check_size(key: &str, count: usize) -> Result<(), DatasetError> {
    match count {
        0 => Err(DatasetError::Empty { key: key.to_owned() }),
        1..=MOST_TASKS => Ok(()),
        _ => Err(DatasetError::TooMany { key: key.to_owned(), count, most: MOST_TASKS }),
    }
}

/// The largest number of tasks: their order takes a bit for each pair.
const MOST_TASKS: usize = 20_000;
/// The longest duration: the sum over the most tasks is still a number of nanoseconds.
const LONGEST_NS: u64 = 86_400_000_000_000;
