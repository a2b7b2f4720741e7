//! Topological orders and longest paths of graphs that are given by indices.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns successor lists, ascending and without duplicates.
pub(crate) fn adjacency(size: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut successors = vec![Vec::new(); size];
    edges.iter().for_each(|&(from, to)| successors[from].push(to));
    for list in &mut successors {
        list.sort_unstable();
        list.dedup();
    }
    successors
}

/// Returns every node after its predecessors, otherwise by index. Nodes on a circle are skipped;
/// graphs here have none.
pub(crate) fn topological_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut waiting = vec![0u32; successors.len()];
    successors.iter().flatten().for_each(|&to| waiting[to] += 1);
    let ready = (0..successors.len()).filter(|&node| waiting[node] == 0).map(Reverse);
    let mut ready: BinaryHeap<_> = ready.collect();
    let mut order = Vec::with_capacity(successors.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for &to in &successors[node] {
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(Reverse(to));
            }
        }
    }
    order
}

/// A longest path from a node to an end, the node included. Tails compare by time, then by nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tail {
    pub(crate) nanos: u64,
    pub(crate) nodes: u32,
}

/// Returns the tail of every node.
pub(crate) fn tails(order: &[usize], successors: &[Vec<usize>], durations: &[u64]) -> Vec<Tail> {
    let mut tails = vec![Tail::default(); successors.len()];
    for &node in order.iter().rev() {
        let longest = successors[node].iter().map(|&next| tails[next]).max().unwrap_or_default();
        tails[node] = Tail { nanos: durations[node] + longest.nanos, nodes: longest.nodes + 1 };
    }
    tails
}
