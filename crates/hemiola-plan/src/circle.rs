//! Circles of updates that wait for each other, and the cheapest ways to cut them.

use std::collections::VecDeque;
use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use crate::bits::BitMatrix;
use crate::party::Party;

/// A way to break every circle among some updates: these `&T` become `Previous<T>`.
///
/// ```
/// use hemiola_plan::{Cut, CutChange, Party};
/// let update = Party::Update { cycle: "motion".into(), module: "Balance".into(), update: "balance".into(), location: None };
/// let cut = Cut { changes: vec![CutChange { update, representation: "Gait".into() }] };
/// assert_eq!(cut.to_string(), "in `Balance.balance`, `&Gait` becomes `Previous<Gait>`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The changes, all of which are needed.
    pub changes: Vec<CutChange>,
}

/// An argument of an update that would read the previous run's value.
///
/// See [`Cut`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutChange {
    /// The update whose argument changes.
    pub update: Party,
    /// The representation that it reads.
    pub representation: String,
}

impl Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = None;
        for CutChange { update, representation } in &self.changes {
            match before {
                Some(before) if before == update => f.write_str(" and ")?,
                Some(_) => write!(f, ", and in {update}, ")?,
                None => write!(f, "in {update}, ")?,
            }
            write!(f, "`&{representation}` becomes `Previous<{representation}>`")?;
            before = Some(update);
        }
        Ok(())
    }
}

/// An edge: `to` waits for `from`, and cutting it means `cost` changes in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) cost: usize,
}

/// A strongly connected part of a graph: everything in it waits for everything else in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tangle {
    /// The nodes, in ascending order.
    pub(crate) nodes: Vec<usize>,
    /// A shortest circle, as indices of waits, each starting where the one before ends.
    pub(crate) circle: Vec<usize>,
    /// Sets of waits (by index) without which the tangle has no circle: cheapest first, never
    /// empty.
    pub(crate) cuts: Vec<Vec<usize>>,
}

/// The number of alternatives that a message can show before it stops being helpful.
const CUTS_SHOWN: usize = 3;

/// Finds all tangles of a graph of `size` nodes, ordered by their first node. There are none if the
/// graph has no circle.
pub(crate) fn tangles(size: usize, waits: &[Wait]) -> Vec<Tangle> {
    let reach = BitMatrix::closure(size, waits.iter().map(|wait| (wait.from, wait.to)));
    let mut found = Vec::new();
    let mut seen = vec![false; size];
    for first in 0..size {
        if seen[first] || !reach.contains(first, first) {
            continue;
        }
        let nodes: Vec<usize> = reach.row(first).filter(|&other| reach.contains(other, first)).collect();
        nodes.iter().for_each(|&node| seen[node] = true);
        let inside: Vec<usize> = (0..waits.len())
            .filter(|&index| {
                nodes.binary_search(&waits[index].from).is_ok() && nodes.binary_search(&waits[index].to).is_ok()
            })
            .collect();
        let circle = shortest_circle(size, waits, &nodes, &inside);
        let cuts = cuts(size, waits, &inside);
        found.push(Tangle { nodes, circle, cuts });
    }
    found
}

fn shortest_circle(size: usize, waits: &[Wait], nodes: &[usize], inside: &[usize]) -> Vec<usize> {
    let mut best: Option<Vec<usize>> = None;
    for &start in nodes {
        // Search breadth first from `start` until a wait leads back to it.
        let mut came_by = vec![None; size];
        let mut queue = VecDeque::from([start]);
        'search: while let Some(node) = queue.pop_front() {
            for &index in inside.iter().filter(|&&index| waits[index].from == node) {
                let next = waits[index].to;
                if next == start {
                    let mut path = vec![index];
                    while let Some(previous) = came_by[waits[path[path.len() - 1]].from] {
                        path.push(previous);
                    }
                    path.reverse();
                    if best.as_ref().is_none_or(|best| path.len() < best.len()) {
                        best = Some(path);
                    }
                    break 'search;
                }
                if came_by[next].is_none() {
                    came_by[next] = Some(index);
                    queue.push_back(next);
                }
            }
        }
    }
    best.expect("every node of a strongly connected part lies on a circle")
}

fn cuts(size: usize, waits: &[Wait], inside: &[usize]) -> Vec<Vec<usize>> {
    let mut single: Vec<usize> =
        inside.iter().copied().filter(|&cut| caught(size, waits, inside, &[cut]).is_empty()).collect();
    single.sort_by_key(|&cut| (waits[cut].cost, cut));
    if !single.is_empty() {
        return single.into_iter().take(CUTS_SHOWN).map(|cut| vec![cut]).collect();
    }
    // No single edge suffices. The smallest set is NP-hard to find: choose the edge that frees most
    // per change, again and again, then drop what turned out to be superfluous.
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let still = caught(size, waits, inside, &chosen);
        let best = still.iter().copied().min_by_key(|&candidate| {
            let mut trial = chosen.clone();
            trial.push(candidate);
            let freed = still.len() - caught(size, waits, inside, &trial).len();
            (std::cmp::Reverse(freed * 1000 / waits[candidate].cost.max(1)), candidate)
        });
        match best {
            Some(best) => chosen.push(best),
            None => break,
        }
    }
    for candidate in chosen.clone() {
        let without: Vec<usize> = chosen.iter().copied().filter(|&other| other != candidate).collect();
        if caught(size, waits, inside, &without).is_empty() {
            chosen = without;
        }
    }
    chosen.sort_unstable();
    vec![chosen]
}

/// Returns the waits of `inside` that no peeling of sources and sinks removes once `cut` is gone:
/// none if no circle is left.
fn caught(size: usize, waits: &[Wait], inside: &[usize], cut: &[usize]) -> Vec<usize> {
    let mut left: Vec<usize> = inside.iter().copied().filter(|index| !cut.contains(index)).collect();
    loop {
        let (mut has_incoming, mut has_outgoing) = (vec![false; size], vec![false; size]);
        for &index in &left {
            has_outgoing[waits[index].from] = true;
            has_incoming[waits[index].to] = true;
        }
        let before = left.len();
        left.retain(|&index| has_incoming[waits[index].from] && has_outgoing[waits[index].to]);
        if left.len() == before {
            return left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(edges: &[(usize, usize)]) -> Vec<Wait> {
        edges.iter().map(|&(from, to)| Wait { from, to, cost: 1 }).collect()
    }

    #[test]
    fn a_graph_without_circles_has_no_tangles() {
        assert!(tangles(3, &waits(&[(0, 1), (1, 2), (0, 2)])).is_empty());
    }

    #[test]
    fn the_edge_that_all_circles_share_is_proposed_first() {
        // The two circles 0-1-2 and 0-1-3 share 0 -> 1.
        let found = tangles(4, &waits(&[(1, 2), (2, 0), (1, 3), (3, 0), (0, 1)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].cuts, [vec![4]]);
        assert_eq!(found[0].circle.len(), 3);
    }

    #[test]
    fn among_edges_that_break_the_circle_the_cheapest_comes_first() {
        let mut waits = waits(&[(0, 1), (1, 0)]);
        waits[0].cost = 3;
        assert_eq!(tangles(2, &waits)[0].cuts, [vec![1], vec![0]]);
    }

    #[test]
    fn circles_without_a_common_edge_need_several_cuts() {
        // This is a figure of eight through node 1.
        let waits = waits(&[(0, 1), (1, 0), (1, 2), (2, 1)]);
        let found = tangles(3, &waits);
        assert_eq!(found[0].cuts.len(), 1);
        assert_eq!(found[0].cuts[0].len(), 2);
        assert!(caught(3, &waits, &[0, 1, 2, 3], &found[0].cuts[0]).is_empty());
    }

    #[test]
    fn separate_tangles_are_reported_separately() {
        let found = tangles(5, &waits(&[(0, 1), (1, 0), (3, 4), (4, 3)]));
        assert_eq!(found.iter().map(|tangle| tangle.nodes.clone()).collect::<Vec<_>>(), [vec![0, 1], vec![3, 4]]);
    }
}
