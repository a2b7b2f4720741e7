//! The longest time that a graph takes on m workers, whatever the order.
//!
//! - **Model.** No worker is idle while a node is ready. Nodes may be preempted or not, and take
//!   any time up to their cost.
//! - **Formula.** `len + (vol - len) / m`: while no node of the path that ends last runs, all
//!   workers do something else.
//! - **Complexity.** Linear in nodes and edges.
//! - **Source.** Graham, *Bounds on multiprocessing timing anomalies*, 1969.

use crate::TimeSpan;
use crate::dag::{Dag, Exact};

/// Returns the bound; 0 workers count as 1.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, graham_1969}};
/// let ns = TimeSpan::nanoseconds;
/// let dag = Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap();
/// assert_eq!(graham_1969::makespan(&dag, 2).as_f64(), 7.5);
/// ```
pub fn makespan(dag: &Dag, workers: usize) -> Exact {
    let workers = workers.max(1) as u64;
    let length = dag.length();
    Exact { parts: length * workers + (dag.volume() - length), workers }
}

/// Returns a lower bound on every schedule: the longest path, or all work evenly divided.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, graham_1969}};
/// let dag = Dag::new([TimeSpan::nanoseconds(3); 3], []).unwrap();
/// assert_eq!(graham_1969::lower_bound(&dag, 2), TimeSpan::nanoseconds(5));
/// ```
pub fn lower_bound(dag: &Dag, workers: usize) -> TimeSpan {
    dag.length().max(dag.volume().shared_by(workers))
}
