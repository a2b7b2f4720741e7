//! A bound that divides a graph into providers and consumers of workers' time: the longest path
//! goes first, then the nodes for which it waits, in that order.
//!
//! - **Model.** No worker is idle while a node is ready, and free workers take the ready node with
//!   the highest priority, without interrupting. The longest path is divided into *providers*:
//!   parts whose nodes wait for nothing but the node before. While one runs, the other workers have
//!   time for its *consumers*: the nodes for which the next provider waits, and none before it.
//! - **Priorities.** The longest path goes first, then the consumers of each provider; among them
//!   the longest path, before each of its nodes what that one waits for, in the same way.
//! - **Formula.** The sum of `L + b + (W - L - a - b) / m` over all providers: L is its length, W
//!   that and all work of its consumers, a is the part of them that is done beside it, and b what
//!   is left after it of the path of consumers that ends last. All of this follows from the latest
//!   ends of nodes: `C_v`, after the last predecessor, and `vol(I(v)) / (m - 1)` later if v is not
//!   of the longest path, where I(v) are those others that can run at the same time, are more
//!   important or of the m - 1 longest less important ones, and did not count for an ancestor of v.
//! - **Not a bound.** As we read the paper and its authors' program, schedules exceed it. A node
//!   that counted for an ancestor of v, as one that may delay it, may run later and delay v:
//!   `tests/zhao_2020.rs` has five such nodes. On random graphs that happens to less than one run
//!   in a thousand; but a NAO's cognition on 2 workers would take less than half of its work.
//!   Therefore no analysis of Hemiola rests on it: see
//!   `cargo run -p hemiola-schedulability --example makespan_bounds`.
//! - **Complexity.** Cubic in nodes.
//! - **Source.** Zhao, Dai, Bate, Burns and Chang, *DAG scheduling and analysis on multiprocessor
//!   systems: exploitation of parallelism and dependency*, RTSS 2020.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::{Dag, Exact};

/// Returns the published bound for `priorities`, 0 for the most important node, where the longest
/// path goes first, as [`priorities`] orders it.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, graham_1969}};
/// use hemiola_schedulability::dag::zhao_2020;
/// let dag = Dag::new([5, 5, 2, 5].map(TimeSpan::nanoseconds), [(0, 1), (1, 3), (2, 3)]).unwrap();
/// assert_eq!(zhao_2020::makespan(&dag, &zhao_2020::priorities(&dag), 2).as_f64(), 15.0);
/// assert_eq!(graham_1969::makespan(&dag, 2).as_f64(), 16.0);
/// ```
///
/// # Panics
/// Panics if there are fewer priorities than nodes.
pub fn makespan(dag: &Dag, priorities: &[usize], workers: usize) -> Exact {
    let count = workers.max(1) as u64;
    if count == 1 {
        return Exact { parts: dag.volume(), workers: count };
    }
    let providers = providers(dag);
    let ends = ends(dag, &providers, priorities, workers);
    let response = |provider: &Provider| {
        let cost = |node: &usize| dag.costs()[*node];
        let length: TimeSpan = provider.nodes.iter().map(cost).sum();
        let end = ends[provider.nodes[provider.nodes.len() - 1]];
        let begin = |node: usize| ends[node] - dag.costs()[node];
        let beside: TimeSpan = provider.consumers.iter().map(|node| cost(node).min(end - begin(*node))).sum();
        let work: TimeSpan = provider.consumers.iter().map(cost).sum();
        let latest = |nodes: &mut dyn Iterator<Item = usize>| {
            nodes.filter(|node| provider.consumers.contains(node) && ends[*node] > end).max_by_key(|&node| ends[node])
        };
        let last = latest(&mut provider.consumers.iter().copied());
        if last.is_none() {
            return length * count;
        }
        let path = std::iter::successors(last, |&node| latest(&mut dag.predecessors(node).iter().copied()));
        let after: TimeSpan = path.map(|node| dag.costs()[node].min(ends[node] - end)).sum();
        (length + after) * count + (work - beside - after)
    };
    Exact { parts: providers.iter().map(response).sum(), workers: count }
}

/// Returns the latest end of every node by the paper.
fn ends(dag: &Dag, providers: &[Provider], priorities: &[usize], workers: usize) -> Vec<TimeSpan> {
    let critical: Vec<usize> = providers.iter().flat_map(|provider| provider.nodes.iter().copied()).collect();
    let ancestors = dag.ancestors();
    // A node counts if it counted for this node or one of its ancestors.
    let mut counted = vec![vec![false; dag.len()]; dag.len()];
    let mut ends = vec![TimeSpan::ZERO; dag.len()];
    for &node in dag.topological_order() {
        let begin = dag.predecessors(node).iter().map(|&before| ends[before]).max().unwrap_or(TimeSpan::ZERO);
        ends[node] = begin + dag.costs()[node];
        let by_predecessors = |other| dag.predecessors(node).iter().any(|&before| counted[before][other]);
        counted[node] = (0..dag.len()).map(by_predecessors).collect();
        if critical.contains(&node) {
            continue;
        }
        let is_beside = |&other: &usize| {
            other != node && !ancestors[node][other] && !ancestors[other][node] && !critical.contains(&other)
        };
        let beside: Vec<usize> = (0..dag.len()).filter(is_beside).collect();
        if beside.len() < workers - 1 {
            continue;
        }
        let (mut interfering, mut others): (Vec<usize>, Vec<usize>) = beside
            .into_iter()
            .filter(|&other| !counted[node][other])
            .partition(|&other| priorities[other] < priorities[node]);
        others.sort_by_key(|&other| Reverse(dag.costs()[other]));
        interfering.extend(others.into_iter().take(workers - 1));
        ends[node] += interfering.iter().map(|&other| dag.costs()[other]).sum::<TimeSpan>().shared_by(workers - 1);
        interfering.into_iter().for_each(|other| counted[node][other] = true);
    }
    ends
}

/// A part of the longest path, and the nodes beside it for which the next part waits.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::zhao_2020::{self, Provider};
/// let dag = Dag::new([5, 5, 2, 5].map(TimeSpan::nanoseconds), [(0, 1), (1, 3), (2, 3)]).unwrap();
/// let providers = zhao_2020::providers(&dag);
/// assert_eq!(providers[0], Provider { nodes: vec![0, 1], consumers: vec![2] });
/// assert_eq!(providers[1], Provider { nodes: vec![3], consumers: vec![] });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// The nodes of the longest path: all but the first wait for nothing but the one before.
    pub nodes: Vec<usize>,
    /// The nodes for which the next provider waits and none before it, or all that are left after
    /// the last one; in topological order.
    pub consumers: Vec<usize>,
}

/// Returns the graph as providers and consumers, in the order of the longest path; of several such
/// paths, that of smaller numbers.
pub fn providers(dag: &Dag) -> Vec<Provider> {
    let critical = longest_path(dag, &(0..dag.len()).collect());
    let mut providers: Vec<Provider> = Vec::new();
    for (place, &node) in critical.iter().enumerate() {
        match providers.last_mut() {
            Some(provider) if dag.predecessors(node) == [critical[place - 1]] => provider.nodes.push(node),
            _ => providers.push(Provider { nodes: vec![node], consumers: Vec::new() }),
        }
    }
    let ancestors = dag.ancestors();
    let mut left: Vec<usize> =
        dag.topological_order().iter().copied().filter(|node| !critical.contains(node)).collect();
    for place in 0..providers.len() {
        let next = providers.get(place + 1).map(|next| next.nodes[0]);
        let is_waited_for = |&node: &usize| next.is_none_or(|next| ancestors[next][node]);
        (providers[place].consumers, left) = left.into_iter().partition(is_waited_for);
    }
    providers
}

/// Returns priorities, 0 for the most important node.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::zhao_2020;
/// let dag = Dag::new([5, 5, 2, 3, 5].map(TimeSpan::nanoseconds), [(0, 1), (1, 4), (2, 4), (3, 4)]).unwrap();
/// assert_eq!(zhao_2020::priorities(&dag), [0, 1, 4, 3, 2]);
/// ```
pub fn priorities(dag: &Dag) -> Vec<usize> {
    let providers = providers(dag);
    let mut order: Vec<usize> = providers.iter().flat_map(|provider| provider.nodes.iter().copied()).collect();
    for provider in &providers {
        by_longest_path(dag, provider.consumers.iter().copied().collect(), &mut order);
    }
    let mut priorities = vec![0; dag.len()];
    order.into_iter().enumerate().for_each(|(place, node)| priorities[node] = place);
    priorities
}

/// Appends nodes: the longest path among them, before each of its nodes what that one waits for;
/// then the same with what is left.
fn by_longest_path(dag: &Dag, mut nodes: BTreeSet<usize>, order: &mut Vec<usize>) {
    while !nodes.is_empty() {
        for node in longest_path(dag, &nodes) {
            let before = ancestors_among(dag, node, &nodes);
            nodes.retain(|other| !before.contains(other));
            by_longest_path(dag, before, order);
            nodes.remove(&node);
            order.push(node);
        }
    }
}

/// Returns the nodes that come before a node on a path through these nodes only.
fn ancestors_among(dag: &Dag, node: usize, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut reached = vec![node];
    while let Some(node) = reached.pop() {
        reached
            .extend(dag.predecessors(node).iter().filter(|&&before| nodes.contains(&before) && found.insert(before)));
    }
    found
}

/// Returns the longest path among these nodes; of equal ones, that of smaller numbers.
fn longest_path(dag: &Dag, nodes: &BTreeSet<usize>) -> Vec<usize> {
    let mut ranks = vec![TimeSpan::ZERO; dag.len()];
    let next = |ranks: &[TimeSpan], from: &mut dyn Iterator<Item = usize>| {
        from.filter(|node| nodes.contains(node)).max_by_key(|&node| (ranks[node], Reverse(node)))
    };
    for &node in dag.topological_order().iter().rev().filter(|node| nodes.contains(node)) {
        let after = next(&ranks, &mut dag.successors(node).iter().copied());
        ranks[node] = dag.costs()[node] + after.map_or(TimeSpan::ZERO, |after| ranks[after]);
    }
    let first = next(&ranks, &mut nodes.iter().copied());
    std::iter::successors(first, |&node| next(&ranks, &mut dag.successors(node).iter().copied())).collect()
}
