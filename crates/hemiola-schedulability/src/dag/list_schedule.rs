//! The schedule in which free workers always run the ready node with the highest priority, without
//! interrupting.
//!
//! - **Model.** Every node can begin at 0 unless it waits for another; hand-overs are free.
//! - **Not a bound.** With shorter costs, more workers or fewer edges a schedule can get longer
//!   (Graham's anomalies): bounds for all costs are [`hemiola_analysis::dag::graham_1969`] and
//!   similar ones.
//! - **Complexity.** Nodes times the logarithm of nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::Dag;

/// A schedule of one run.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::list_schedule;
/// let ns = TimeSpan::nanoseconds;
/// let dag = Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap();
/// let schedule = list_schedule::schedule(&dag, &dag.critical_path_first(), 2);
/// assert_eq!((schedule.starts[1], schedule.makespan()), (ns(2), ns(6)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSchedule {
    /// The times at which nodes begin.
    pub starts: Vec<TimeSpan>,
    /// The times at which nodes end.
    pub ends: Vec<TimeSpan>,
}

impl ListSchedule {
    /// Returns the time at which the last node ends.
    pub fn makespan(&self) -> TimeSpan {
        self.ends.iter().copied().max().unwrap_or(TimeSpan::ZERO)
    }
}

/// Returns the schedule for `priorities`, where 0 is the most important; 0 workers count as 1.
///
/// # Panics
/// Panics if there are fewer priorities than nodes.
pub fn schedule(dag: &Dag, priorities: &[usize], workers: usize) -> ListSchedule {
    let mut waiting: Vec<usize> = (0..dag.len()).map(|node| dag.predecessors(node).len()).collect();
    let mut ready: BinaryHeap<Reverse<(usize, usize)>> =
        (0..dag.len()).filter(|&node| waiting[node] == 0).map(|node| Reverse((priorities[node], node))).collect();
    let mut running: BinaryHeap<Reverse<(TimeSpan, usize)>> = BinaryHeap::new();
    let mut schedule = ListSchedule { starts: vec![TimeSpan::ZERO; dag.len()], ends: vec![TimeSpan::ZERO; dag.len()] };
    let mut now = TimeSpan::ZERO;
    loop {
        while running.len() < workers.max(1) {
            let Some(Reverse((_, node))) = ready.pop() else { break };
            schedule.starts[node] = now;
            schedule.ends[node] = now + dag.costs()[node];
            running.push(Reverse((schedule.ends[node], node)));
        }
        let Some(&Reverse((next, _))) = running.peek() else { return schedule };
        now = next;
        // All nodes that end now make their successors ready before any node begins.
        while let Some(&Reverse((end, node))) = running.peek()
            && end == now
        {
            running.pop();
            for &after in dag.successors(node) {
                waiting[after] -= 1;
                if waiting[after] == 0 {
                    ready.push(Reverse((priorities[after], after)));
                }
            }
        }
    }
}
