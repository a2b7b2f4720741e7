//! The order among the updates of a module that must not run at the same time (E_upd).

mod update_order;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::durations::Durations;
use crate::paths::{Tail, adjacency, tails, topological_order};
use crate::task::{Task, TaskId};
pub use update_order::UpdateOrder;

/// The number of rounds in which the order is refined with the remaining paths of the previous
/// order.
const ROUNDS: usize = 4;

/// The tasks of one module that constrain each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub(crate) struct ModuleTasks {
    /// The tasks that borrow `&mut self`: each runs alone among all of these.
    pub(crate) exclusive: Vec<TaskId>,
    /// The tasks that borrow `&self`: they run beside each other, but never beside an exclusive
    /// one, which would change what they read.
    pub(crate) concurrent: Vec<TaskId>,
}

impl ModuleTasks {
    /// Returns whether any two of them need an order.
    pub(crate) fn need_order(&self) -> bool {
        !self.exclusive.is_empty() && self.exclusive.len() + self.concurrent.len() > 1
    }
}

/// Orders the tasks of each module, as (earlier, later): exclusive tasks form a chain, each
/// concurrent one has its place in a gap of that chain (readers and writers).
pub(crate) fn choose(
    order: UpdateOrder,
    tasks: &[Task],
    dependencies: &[(usize, usize)],
    groups: &[ModuleTasks],
    durations: &Durations,
) -> Vec<(usize, usize)> {
    match update_order::wanted(order, tasks, dependencies) {
        Some(wanted) => as_wanted(&wanted, dependencies, groups),
        None => by_critical_path(tasks, dependencies, groups, durations),
    }
}

/// Orders each module according to one order of all tasks, in which each comes after its
/// predecessors and, as far as they allow, where `wanted` has it. Because all edges follow one
/// order, they cannot close a circle.
fn as_wanted(wanted: &[usize], dependencies: &[(usize, usize)], groups: &[ModuleTasks]) -> Vec<(usize, usize)> {
    let mut number = vec![0; wanted.len()];
    (0..).zip(wanted).for_each(|(position, &task)| number[task] = position);
    let renumbered: Vec<_> = dependencies.iter().map(|&(from, to)| (number[from], number[to])).collect();
    let mut place = vec![0; wanted.len()];
    let order = topological_order(&adjacency(wanted.len(), &renumbered));
    order.into_iter().enumerate().for_each(|(position, number)| place[wanted[number]] = position);
    let starts = |group: &ModuleTasks| {
        let exclusive = group.exclusive.iter().map(|task| (task.index(), Hold::Exclusive));
        let concurrent = group.concurrent.iter().map(|task| (task.index(), Hold::Concurrent));
        let mut starts: Vec<_> = exclusive.chain(concurrent).collect();
        starts.sort_unstable_by_key(|&(task, _)| place[task]);
        starts
    };
    groups.iter().flat_map(|group| edges_of(&starts(group))).collect()
}

/// Orders the tasks of each module so that the longest path through the whole graph stays short.
///
/// Runs the graph on as many workers as it can use, with each module locked by its exclusive tasks:
/// whenever a module is free, the task with the longest remaining path among those *that could
/// start* goes next (Schrage's rule for one machine with heads and tails; Carlier 1982). When all
/// wait for the same inputs this is "longest remaining path first"; when they do not, no module is
/// idle because of a task whose inputs are late. Every start follows the end of all predecessors,
/// so the orders follow one topological order and cannot close a circle.
///
/// A rule that never lets a module wait for a more important task is sometimes wrong, the more so
/// the more durations differ. The rounds therefore start twice: from the dependencies, and from the
/// order by most dependents (Larisch 2020), which they replace only if that makes the longest path
/// shorter. The order with the shortest longest path is chosen.
fn by_critical_path(
    tasks: &[Task],
    dependencies: &[(usize, usize)],
    groups: &[ModuleTasks],
    durations: &Durations,
) -> Vec<(usize, usize)> {
    let expected = durations.expected_nanos(tasks.len());
    let refinement = Refinement::new(dependencies, groups, &expected);
    let first = refinement.refine(None);
    let by_dependents = update_order::wanted(UpdateOrder::MostDependentsFirst, tasks, dependencies);
    let second = by_dependents.and_then(|wanted| refinement.refine(Some(as_wanted(&wanted, dependencies, groups))));
    let shortest = first.into_iter().chain(second).min_by_key(|&(length, _)| length);
    shortest.map(|(_, edges)| edges).unwrap_or_default()
}

/// The refinement of an order with the remaining paths under it.
struct Refinement<'g> {
    dependencies: &'g [(usize, usize)],
    groups: usize,
    group_of: Vec<Option<(usize, Hold)>>,
    expected: &'g [u64],
}

impl<'g> Refinement<'g> {
    fn new(dependencies: &'g [(usize, usize)], groups: &[ModuleTasks], expected: &'g [u64]) -> Self {
        let mut group_of = vec![None; expected.len()];
        for (group, tasks) in groups.iter().enumerate() {
            tasks.exclusive.iter().for_each(|task| group_of[task.index()] = Some((group, Hold::Exclusive)));
            tasks.concurrent.iter().for_each(|task| group_of[task.index()] = Some((group, Hold::Concurrent)));
        }
        Self { dependencies, groups: groups.len(), group_of, expected }
    }

    /// Returns the best order of some rounds with its longest path. The first round knows the
    /// remaining paths of `start`, or of the dependencies only, every further one those of the best
    /// order so far.
    fn refine(&self, start: Option<Vec<(usize, usize)>>) -> Option<(Tail, Vec<(usize, usize)>)> {
        let mut remaining = self.remaining(start.as_deref().unwrap_or_default());
        let mut best = start.map(|edges| (longest(&remaining), edges));
        for _ in 0..ROUNDS {
            let size = self.expected.len();
            let chains = start_order(size, self.dependencies, &self.group_of, self.groups, self.expected, &remaining);
            let edges: Vec<_> = chains.iter().flat_map(|chain| edges_of(chain)).collect();
            remaining = self.remaining(&edges);
            let length = longest(&remaining);
            if best.as_ref().is_some_and(|(shortest, _)| *shortest <= length) {
                break;
            }
            best = Some((length, edges));
        }
        best
    }

    fn remaining(&self, edges: &[(usize, usize)]) -> Vec<Tail> {
        let all: Vec<_> = self.dependencies.iter().chain(edges).copied().collect();
        let successors = adjacency(self.expected.len(), &all);
        tails(&topological_order(&successors), &successors, self.expected)
    }
}

fn longest(remaining: &[Tail]) -> Tail {
    remaining.iter().copied().max().unwrap_or_default()
}

/// The way in which a task holds its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    Exclusive,
    Concurrent,
}

/// Returns the edges of one module whose tasks start in this order.
fn edges_of(starts: &[(usize, Hold)]) -> Vec<(usize, usize)> {
    let mut edges = Vec::new();
    let mut last_exclusive = None;
    let mut since: Vec<usize> = Vec::new();
    for &(task, hold) in starts {
        match hold {
            Hold::Concurrent => {
                edges.extend(last_exclusive.map(|before| (before, task)));
                since.push(task);
            }
            Hold::Exclusive => {
                // Concurrent tasks in between already come after the last exclusive one.
                if since.is_empty() {
                    edges.extend(last_exclusive.map(|before| (before, task)));
                }
                edges.extend(since.drain(..).map(|before| (before, task)));
                last_exclusive = Some(task);
            }
        }
    }
    edges
}

/// Returns the tasks of each group in the order in which they start.
fn start_order(
    size: usize,
    dependencies: &[(usize, usize)],
    group_of: &[Option<(usize, Hold)>],
    groups: usize,
    expected: &[u64],
    remaining: &[Tail],
) -> Vec<Vec<(usize, Hold)>> {
    let successors = adjacency(size, dependencies);
    let mut unmet = vec![0u32; size];
    successors.iter().flatten().for_each(|&to| unmet[to] += 1);
    let mut chains = vec![Vec::new(); groups];
    let mut holding: Vec<Vec<Hold>> = vec![Vec::new(); groups];
    let mut waiting: Vec<BinaryHeap<(Tail, Reverse<usize>)>> = vec![BinaryHeap::new(); groups];
    let mut running: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut now = 0u64;
    let mut ready: Vec<usize> = (0..size).filter(|&task| unmet[task] == 0).collect();
    loop {
        for task in ready.drain(..) {
            match group_of[task] {
                Some((group, _)) => waiting[group].push((remaining[task], Reverse(task))),
                None => running.entry(now + expected[task]).or_default().push(task),
            }
        }
        for group in 0..groups {
            while let Some(&(_, Reverse(task))) = waiting[group].peek() {
                let hold = group_of[task].map_or(Hold::Exclusive, |(_, hold)| hold);
                let is_free = match hold {
                    Hold::Exclusive => holding[group].is_empty(),
                    Hold::Concurrent => !holding[group].contains(&Hold::Exclusive),
                };
                if !is_free {
                    break;
                }
                waiting[group].pop();
                holding[group].push(hold);
                chains[group].push((task, hold));
                running.entry(now + expected[task]).or_default().push(task);
            }
        }
        let Some((end, finished)) = running.pop_first() else { return chains };
        now = end;
        for task in finished {
            if let Some((group, hold)) = group_of[task] {
                // Tasks that hold a module at the same time are all of one kind.
                if let Some(index) = holding[group].iter().position(|held| *held == hold) {
                    holding[group].swap_remove(index);
                }
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
