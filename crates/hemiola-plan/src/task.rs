//! The tasks of a graph.

use serde::{Deserialize, Serialize};

use crate::resolved::UpdateId;

/// The id of a task of a graph: its index, in the order of the description. It stays the same when
/// durations become known.
///
/// See [`TaskGraph::task`](crate::TaskGraph::task).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId(pub u32);

impl TaskId {
    /// Returns the id as an index into [`TaskGraph::tasks`](crate::TaskGraph::tasks).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A task: one step of a run of a cycle.
///
/// See [`TaskGraph::tasks`](crate::TaskGraph::tasks).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The name, such as `Module.update` or `publish to motion`.
    pub name: String,
    /// The module that the task belongs to.
    pub module: Option<String>,
    /// The work of the task.
    pub kind: TaskKind,
    /// Set if the task's effect leaves the cycle: it publishes, or it is an update that provides
    /// nothing, such as an actuator. Outputs go first as soon as their inputs are available.
    pub is_output: bool,
}

/// The work of a task.
///
/// See [`Task`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskKind {
    /// Runs an update of a module.
    Update(UpdateId),
    /// Publishes an entry of [`ResolvedCycle::publishes`](crate::ResolvedCycle::publishes) (by
    /// index), as soon as its providers have run.
    Publish(usize),
    /// Work of no module, as in a workload that was read from a file.
    Plain,
}
