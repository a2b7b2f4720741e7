//! The order among the exclusive updates of a module (E_upd).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::durations::Durations;
use crate::graph::{Tail, TaskId, adjacency, tails, topological_order};

/// How often the order is refined with the remaining paths that the previous order led to.
const ROUNDS: usize = 4;

/// Chains the tasks of each group, as (earlier, later), so that the longest path through the whole graph stays short.
///
/// Runs the graph on as many workers as it wants, a group's tasks one at a time: whenever a group is free, the task with
/// the longest remaining path among those *that could start* goes next (Schrage's rule for one machine with heads and
/// tails; Carlier 1982). When all wait for the same inputs this is "longest remaining path first"; when they do not, no
/// group stands still for a task whose inputs are late. Every start follows the end of all predecessors, so the chains
/// follow one topological order and cannot close a circle.
pub(crate) fn choose(
    size: usize,
    dependencies: &[(usize, usize)],
    groups: &[Vec<TaskId>],
    durations: &Durations,
) -> Vec<(usize, usize)> {
    let expected = durations.expected_nanos(size);
    let mut group_of = vec![None; size];
    for (group, tasks) in groups.iter().enumerate() {
        tasks.iter().for_each(|task| group_of[task.index()] = Some(group));
    }
    // The first round knows dependencies only, every further one the remaining paths under the best order so far.
    let mut best: Option<(Tail, Vec<_>)> = None;
    let mut successors = adjacency(size, dependencies);
    for _ in 0..ROUNDS {
        let remaining = tails(&topological_order(&successors), &successors, &expected);
        let chains = start_order(size, dependencies, &group_of, groups.len(), &expected, &remaining);
        let edges: Vec<_> = chains.iter().flat_map(|chain| chain.windows(2).map(|pair| (pair[0], pair[1]))).collect();
        let all: Vec<_> = dependencies.iter().chain(&edges).copied().collect();
        successors = adjacency(size, &all);
        let length =
            tails(&topological_order(&successors), &successors, &expected).into_iter().max().unwrap_or_default();
        if best.as_ref().is_some_and(|(shortest, _)| *shortest <= length) {
            break;
        }
        best = Some((length, edges));
    }
    best.map(|(_, edges)| edges).unwrap_or_default()
}

/// The tasks of each group in the order in which they start.
fn start_order(
    size: usize,
    dependencies: &[(usize, usize)],
    group_of: &[Option<usize>],
    groups: usize,
    expected: &[u64],
    remaining: &[Tail],
) -> Vec<Vec<usize>> {
    let successors = adjacency(size, dependencies);
    let mut unmet = vec![0u32; size];
    successors.iter().flatten().for_each(|&to| unmet[to] += 1);
    let mut chains = vec![Vec::new(); groups];
    let mut busy = vec![false; groups];
    let mut waiting: Vec<BinaryHeap<(Tail, Reverse<usize>)>> = vec![BinaryHeap::new(); groups];
    let mut running: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut now = 0u64;
    let mut ready: Vec<usize> = (0..size).filter(|&task| unmet[task] == 0).collect();
    loop {
        for task in ready.drain(..) {
            match group_of[task] {
                Some(group) => waiting[group].push((remaining[task], Reverse(task))),
                None => running.entry(now + expected[task]).or_default().push(task),
            }
        }
        for group in 0..groups {
            if !busy[group]
                && let Some((_, Reverse(task))) = waiting[group].pop()
            {
                busy[group] = true;
                chains[group].push(task);
                running.entry(now + expected[task]).or_default().push(task);
            }
        }
        let Some((end, finished)) = running.pop_first() else { return chains };
        now = end;
        for task in finished {
            if let Some(group) = group_of[task] {
                busy[group] = false;
            }
            for &to in &successors[task] {
                unmet[to] -= 1;
                if unmet[to] == 0 {
                    ready.push(to);
                }
            }
        }
    }
}
