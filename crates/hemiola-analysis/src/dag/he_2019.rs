//! The longest time that a graph takes on m workers if its nodes have priorities.
//!
//! - **Model.** No worker is idle while a node is ready, and the ready nodes with the highest
//!   priorities run. Nodes take any time up to their cost.
//! - **Formula.** `max over paths of len(path) + vol(union of I(v), v on the path) / m`, where I(v)
//!   are the nodes that can run at the same time as v and have a higher priority. If nodes are not
//!   preempted, the m - 1 longest of the others can block v, too, for each v.
//! - **How it is computed.** In topological order; a path's union grows from u to its successor v
//!   by I(v) without I(u) at most. The published tool follows the predecessor with the largest
//!   value only, which may miss the worst path; this does not, and is never smaller.
//! - **Complexity.** Quadratic in nodes, times edges.
//! - **Source.** He, Jiang, Guan and Guo, *Intra-task priority assignment in real-time scheduling
//!   of DAG tasks on multi-cores*, TPDS 2019; without preemption as in Zhao, Dai, Bate, Burns and
//!   Chang, RTSS 2020.

use crate::TimeSpan;
use crate::dag::{Dag, Exact, graham_1969};

/// The rule for a ready node while all workers run nodes of lower priority.
///
/// ```
/// use hemiola_analysis::dag::he_2019::Dispatch;
/// assert_ne!(Dispatch::Preemptive, Dispatch::NonPreemptive);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// A ready node preempts one of them at once.
    Preemptive,
    /// A ready node waits until a worker is free, as in Hemiola.
    NonPreemptive,
}

/// Returns the bound for `priorities`, of which 0 is the highest; it is never above Graham's.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, he_2019::{self, Dispatch}}};
/// let ns = TimeSpan::nanoseconds;
/// let dag = Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap();
/// let bound = he_2019::makespan(&dag, &dag.critical_path_first(), 2, Dispatch::Preemptive);
/// assert_eq!(bound.as_f64(), 7.0); // the shorter branch waits for the longer one, at half speed
/// ```
///
/// # Panics
/// If there are fewer priorities than nodes.
pub fn makespan(dag: &Dag, priorities: &[usize], workers: usize, dispatch: Dispatch) -> Exact {
    let at_once = match dispatch {
        Dispatch::Preemptive => 0,
        Dispatch::NonPreemptive => workers.max(1) - 1,
    };
    let parts = longest_path(dag, priorities, workers, at_once, TimeSpan::ZERO);
    Exact { parts: parts.min(graham_1969::makespan(dag, workers).parts), workers: workers.max(1) as u64 }
}

/// Returns the longest path with all that can delay it, in parts of a nanosecond, as many per
/// nanosecond as there are `workers`. Each of its nodes may find `begun` nodes of lower priority
/// that have begun, and is handed over.
pub(super) fn longest_path(
    dag: &Dag,
    priorities: &[usize],
    workers: usize,
    begun: usize,
    hand_over: TimeSpan,
) -> TimeSpan {
    let count = workers.max(1) as u64;
    let costs = dag.costs();
    let beside = beside(dag, priorities);
    let mut latest = vec![TimeSpan::ZERO; dag.len()];
    for &node in dag.topological_order() {
        let beside_node = &beside[node];
        let new = |known: &[usize]| -> TimeSpan {
            beside_node.first.iter().filter(|other| !known.contains(other)).map(|&other| costs[other]).sum()
        };
        let held_up: TimeSpan = beside_node.rest.iter().take(begun).copied().sum();
        let begins = dag.predecessors(node).iter().map(|&from| latest[from] + new(&beside[from].first)).max();
        latest[node] = begins.unwrap_or_else(|| new(&[])) + held_up + (costs[node] + hand_over) * count;
    }
    latest.into_iter().max().unwrap_or(TimeSpan::ZERO)
}

/// The nodes that can run at the same time as a node.
struct Beside {
    /// The nodes with a higher priority.
    first: Vec<usize>,
    /// The costs of all others, the longest first.
    rest: Vec<TimeSpan>,
}

fn beside(dag: &Dag, priorities: &[usize]) -> Vec<Beside> {
    let ancestors = dag.ancestors();
    let of = |node: usize| {
        let parallel = |&other: &usize| other != node && !ancestors[node][other] && !ancestors[other][node];
        let (first, rest): (Vec<usize>, Vec<usize>) =
            (0..dag.len()).filter(parallel).partition(|&other| priorities[other] < priorities[node]);
        let mut rest: Vec<TimeSpan> = rest.into_iter().map(|other| dag.costs()[other]).collect();
        rest.sort_unstable_by(|a, b| b.cmp(a));
        Beside { first, rest }
    };
    (0..dag.len()).map(of).collect()
}
