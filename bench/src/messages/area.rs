//! The subject of a report.

use super::workload::Workload;
use crate::contest::discipline::Effort;

/// The subject of a report: messages within a process, or links between processes.
pub struct Area {
    /// The command that measures it.
    pub name: &'static str,
    /// The title of its page.
    pub title: &'static str,
    /// The first sentence of its page.
    pub lead: &'static str,
    /// All workloads, in the order of the report.
    pub workloads: fn(Effort) -> Vec<Workload>,
}

/// Topics, queues, actors and executors.
pub static MESSAGES: Area = Area {
    name: "messages",
    title: "Hemiola’s messages beside their peers",
    lead: "Topics, queues, actors and executors: the same workloads, in the same run.",
    workloads: super::all,
};
