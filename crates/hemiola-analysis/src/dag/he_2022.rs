//! The longest time that a graph takes on m workers, whatever the order, if it has several long
//! paths.
//!
//! - **Model.** No worker is idle while a node is ready. Nodes may be preempted or not, and take
//!   any time up to their cost.
//! - **Formula.** The least, for c = 1 to m, of `len + (vol - vol(K)) / k`: K are c paths that
//!   share no node, and `k = m + 1 - c`. With c = 1 that is Graham's bound. Paths may leave nodes
//!   out: of any two nodes on one, the first is an ancestor of the second.
//! - **Why it holds.** Let r be how many nodes outside of K run, and a lack the k - r by which they
//!   are too few, over all time where they are. They run for `vol - vol(K)` together, so that a run
//!   takes `(vol - vol(K) + lack) / k` at most, and it remains to show that the lack is at most
//!   `k len`. Where all workers are busy and r < k, all c paths run and r = k - 1, so that 1 is
//!   lacking. Where a worker is idle, all that is ready runs, and k - 1 are lacking, or k if r = 0.
//!   So the lack is at most `(k - 1) |I| + |N|`, where I is when a worker is idle, and N when one
//!   is and r = 0, or all are busy and all c paths run. *I is at most len*: choose a node that runs
//!   at the last moment of I, then, again and again, an ancestor of it that runs at the last moment
//!   of I before that one began; there is one because all that is ready runs. These lie on one
//!   path. *N is at most len*: do the same with N and nodes of K. At a moment of N before the
//!   chosen node began, either all paths run, so that an ancestor on its own path does; or one of
//!   its ancestors runs because all that is ready does, and is of K because r = 0.
//! - **Hand-overs.** Another worker than the one that made a node ready may see it up to h later,
//!   and be idle until then. With h added to every node of the longest path both choices find a
//!   node that runs or waits to be seen, but for moments of N where r = 0 and what waits to be seen
//!   is not of K. What the worker that made it ready runs then instead is of K, and did not begin
//!   before that: for every node v of K there is at most `min(h, C_v)` of such time, which is added
//!   to the rest.
//! - **How it is computed.** The c paths are the longest, one after the other, each without the
//!   nodes of those before. There may be others that are longer together (He, Guan, Zhao and Lv,
//!   *Multi-path bound for DAG tasks*, 2023, finds the longest).
//! - **How much it gains.** It is Graham's bound on 2 workers nearly always. On 1,000 random graphs
//!   of layers it is 0.99 of that on 4 workers and 0.91 on 8, and on the 120 tasks of a NAO's
//!   cognition 0.85 on 3 and 0.84 on 4, where the longest of 20 runs took 0.71 and 0.76 of it: see
//!   `cargo run -p hemiola-schedulability --example makespan_bounds`.
//! - **Complexity.** Linear in nodes and edges, times m.
//! - **Source.** He, Guan, Lv, Jiang and Chang, *Bounding the response time of DAG tasks using long
//!   paths*, RTSS 2022. The proof and hand-overs are ours.

use std::cmp::Reverse;
use std::iter::successors;

use crate::TimeSpan;
use crate::dag::{Dag, Exact};

/// Returns the bound; 0 workers count as 1. It is never above Graham's.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, graham_1969, he_2022}};
/// let ns = TimeSpan::nanoseconds;
/// // Two long branches and a short node: the branches cannot hold each other up.
/// let dag = Dag::new([8, 8, 2].map(ns), []).unwrap();
/// assert_eq!(he_2022::makespan(&dag, 3).as_f64(), 8.0);
/// assert_eq!(he_2022::makespan(&dag, 2).as_f64(), 10.0);
/// assert_eq!(graham_1969::makespan(&dag, 2).as_f64(), 13.0);
/// ```
pub fn makespan(dag: &Dag, workers: usize) -> Exact {
    let exact = |bound: LongPaths| {
        let workers = workers.max(1) + 1 - bound.paths;
        Exact { parts: bound.length * workers as u64 + bound.rest, workers: workers as u64 }
    };
    let smaller = |a: Exact, b: Exact| if b.parts * a.workers < a.parts * b.workers { b } else { a };
    let nothing = Exact { parts: TimeSpan::ZERO, workers: workers.max(1) as u64 };
    bounds(dag, workers, TimeSpan::ZERO).map(exact).reduce(smaller).unwrap_or(nothing)
}

/// A bound by a number of paths: `length + rest / (m + 1 - paths)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongPaths {
    pub(super) paths: usize,
    pub(super) length: TimeSpan,
    pub(super) rest: TimeSpan,
}

/// Returns a bound for every number of paths that exist, up to the number of workers.
pub(super) fn bounds(dag: &Dag, workers: usize, hand_over: TimeSpan) -> impl Iterator<Item = LongPaths> {
    let length = dag.with_costs(dag.costs().iter().map(|&cost| cost + hand_over)).length();
    let mut rest = dag.volume();
    long_paths(dag, workers.max(1)).into_iter().zip(1..).map(move |(path, paths)| {
        let seen_late: TimeSpan = path.iter().map(|&node| dag.costs()[node].min(hand_over)).sum();
        rest = rest - path.iter().map(|&node| dag.costs()[node]).sum() + seen_late;
        LongPaths { paths, length, rest }
    })
}

/// Returns the longest path, the longest one of what is left, and so on, up to `count`.
fn long_paths(dag: &Dag, count: usize) -> Vec<Vec<usize>> {
    let mut left = dag.clone();
    let mut paths = Vec::new();
    while paths.len() < count {
        let ranks = left.upward_ranks();
        let longest = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes.filter(|&node| ranks[node] > TimeSpan::ZERO).max_by_key(|&node| (ranks[node], Reverse(node)))
        };
        let Some(first) = longest(&mut (0..left.len())) else { break };
        let next = |&node: &usize| longest(&mut left.successors(node).iter().copied());
        let path: Vec<usize> =
            successors(Some(first), next).filter(|&node| left.costs()[node] > TimeSpan::ZERO).collect();
        let taken = |(node, &cost): (usize, &TimeSpan)| if path.contains(&node) { TimeSpan::ZERO } else { cost };
        let rest: Vec<TimeSpan> = left.costs().iter().enumerate().map(taken).collect();
        left = left.with_costs(rest);
        paths.push(path);
    }
    paths
}
