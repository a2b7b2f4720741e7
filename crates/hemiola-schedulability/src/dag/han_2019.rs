//! The longest time that a graph takes on workers of several types, each node bound to one of them.
//!
//! - **Model.** No worker of a type is idle while a node of its type is ready. Nodes may be
//!   interrupted or not, in any order, and take any time up to their cost.
//! - **Formula.** `sum over types s of vol_s / m_s + max over paths of the sum of C_v (1 - 1 /
//!   m_type(v))`: while a node of the path that ends last waits, all workers of its type do
//!   something else of its type. With one type it is Graham's bound.
//! - **Complexity.** Linear in nodes and edges.
//! - **Source.** Han, Guan, Sun, He, Deng and Guo, *Response time bounds for typed DAG parallel
//!   tasks on heterogeneous multi-cores*, TPDS 2019, theorem 3.1.

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::{Dag, Exact};

/// Returns the bound: `types` has the type of each node, `workers` the number of workers of each
/// type; 0 counts as 1.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, graham_1969}};
/// use hemiola_schedulability::dag::han_2019;
/// let ns = TimeSpan::nanoseconds;
/// let dag = Dag::new([2, 3, 4, 5].map(ns), [(0, 1), (0, 2), (2, 3)]).unwrap();
/// // Node 2 needs the only accelerator; two cores do the rest.
/// assert_eq!(han_2019::makespan(&dag, &[0, 0, 1, 0], &[2, 1]).as_f64(), 5.0 + 4.0 + 3.5);
/// assert_eq!(han_2019::makespan(&dag, &[0; 4], &[2]).as_f64(), graham_1969::makespan(&dag, 2).as_f64());
/// ```
///
/// # Panics
/// Panics if a node has no type, or a type has no number of workers.
pub fn makespan(dag: &Dag, types: &[usize], workers: &[usize]) -> Exact {
    let of_type = |kind: usize| workers[kind].max(1) as u64;
    // Times are in parts that all numbers of workers divide.
    let parts = (0..workers.len()).map(of_type).fold(1, lowest_common_multiple);
    let cost = |node: usize| dag.costs()[node];
    let shared: TimeSpan = (0..dag.len()).map(|node| cost(node) * (parts / of_type(types[node]))).sum();
    let alone = dag.with_costs((0..dag.len()).map(|node| cost(node) * (parts - parts / of_type(types[node]))));
    Exact { parts: shared + alone.length(), workers: parts }
}

fn lowest_common_multiple(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).saturating_mul(b)
}
