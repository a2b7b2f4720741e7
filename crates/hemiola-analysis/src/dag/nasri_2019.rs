//! The intervals in which the nodes of a graph can end, for all execution times between their
//! shortest and longest: a *schedule-abstraction graph*.
//!
//! - **Model.** Every node can begin at 0 unless it waits for another. Free workers run the ready
//!   node with the highest priority, without preemption. A node takes any time from its shortest to
//!   its longest. A worker other than the one that made a node ready may see it up to `hand_over`
//!   later.
//! - **How it is computed.** A state has the nodes that have been started, the intervals in which
//!   workers become free, the nodes that surely still run, and the intervals in which those end
//!   that others wait for. A node can be the next to start if it can begin before something must:
//!   before a worker is surely free while a node is surely seen, and before one of higher priority
//!   is surely seen. States with the same nodes are merged where their workers become free at the
//!   same times.
//! - **Why hand-overs fit in.** A node that is seen late by some workers is a special case of one
//!   that becomes ready late for all of them, and a state covers all times at which it could.
//! - **Complexity.** Exponential in the number of nodes that can run at the same time, so that the
//!   search is abandoned beyond a number of states.
//! - **Source.** Nasri, Nelissen and Brandenburg, *Response-time analysis of limited-preemptive
//!   parallel DAG tasks under global scheduling*, ECRTS 2019.

use std::collections::BTreeMap;

use crate::dag::Dag;
use crate::{NoBound, TimeSpan};

/// A graph, and the conditions under which it runs.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::{Dag, nasri_2019::{Interval, Problem}}};
/// let ns = TimeSpan::nanoseconds;
/// let graph = Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap();
/// let problem = Problem {
///     graph: &graph, shortest: &[1, 3, 2].map(ns), priorities: &graph.critical_path_first(), workers: 1, hand_over: TimeSpan::ZERO,
/// };
/// let ends = problem.ends().unwrap();
/// assert_eq!(ends[2], Interval { earliest: ns(3), latest: ns(6) });
/// assert_eq!(problem.makespan(), Ok(ns(9)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Problem<'d> {
    /// The graph; its costs are the longest times of nodes.
    pub graph: &'d Dag,
    /// The shortest times of nodes.
    pub shortest: &'d [TimeSpan],
    /// The priorities of nodes: 0 is the highest, and no two are the same.
    pub priorities: &'d [usize],
    /// The number of workers; 0 counts as 1.
    pub workers: usize,
    /// The time until all workers see a node that is ready.
    pub hand_over: TimeSpan,
}

/// The interval in which something can happen.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::nasri_2019::Interval};
/// let interval = Interval { earliest: TimeSpan::nanoseconds(3), latest: TimeSpan::nanoseconds(5) };
/// assert!(interval.earliest <= interval.latest);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The earliest time.
    pub earliest: TimeSpan,
    /// The latest time.
    pub latest: TimeSpan,
}

impl Interval {
    fn united(self, other: Self) -> Self {
        Self { earliest: self.earliest.min(other.earliest), latest: self.latest.max(other.latest) }
    }

    fn meets(self, other: Self) -> bool {
        self.earliest <= other.latest && other.earliest <= self.latest
    }
}

/// The largest number of states that are explored, which takes some hundredths of a second.
const STATES: u64 = 5_000;

impl Problem<'_> {
    /// Returns the latest time at which the last node ends.
    ///
    /// # Errors
    /// [`NoBound::GivenUp`] if there are too many states.
    ///
    /// # Panics
    /// If there are fewer shortest times or priorities than nodes.
    pub fn makespan(&self) -> Result<TimeSpan, NoBound> {
        Ok(self.ends()?.into_iter().map(|end| end.latest).max().unwrap_or(TimeSpan::ZERO))
    }

    /// Returns the interval in which each node can end.
    ///
    /// # Errors
    /// [`NoBound::GivenUp`] if there are too many states.
    ///
    /// # Panics
    /// If there are fewer shortest times or priorities than nodes.
    pub fn ends(&self) -> Result<Vec<Interval>, NoBound> {
        let nodes = self.graph.len();
        let mut ends: Vec<Option<Interval>> = vec![None; nodes];
        let mut states = vec![State::first(nodes, self.workers.max(1))];
        let (ancestors, mut left) = (self.graph.ancestors(), STATES);
        for _ in 0..nodes {
            let mut next: BTreeMap<Vec<u64>, Vec<State>> = BTreeMap::new();
            for state in &states {
                left = left.checked_sub(1).ok_or(NoBound::GivenUp { steps: STATES })?;
                for (node, start) in self.next_starts(state, &ancestors) {
                    let after = self.start(state, node, start);
                    let end = after.end_of(node);
                    ends[node] = Some(ends[node].map_or(end, |known| known.united(end)));
                    let alike = next.entry(after.started.clone()).or_default();
                    match alike.iter_mut().find(|other| other.meets(&after)) {
                        Some(other) => other.unite(&after),
                        None => alike.push(after),
                    }
                }
            }
            states = next.into_values().flatten().collect();
        }
        Ok(ends.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Returns the nodes that can be the next to start, each with the interval in which it can.
    fn next_starts(&self, state: &State, ancestors: &[Vec<bool>]) -> Vec<(usize, Interval)> {
        let could = |&node: &usize| {
            !state.has_started(node) && self.graph.predecessors(node).iter().all(|&before| state.has_started(before))
        };
        let ready: Vec<(usize, Interval)> =
            (0..self.graph.len()).filter(could).map(|node| (node, self.seen(state, node, |_| false))).collect();
        let first_free = state.free[0];
        let something_is_seen = ready.iter().map(|(_, seen)| seen.latest).min().unwrap_or(TimeSpan::MAX);
        let something_must = first_free.latest.max(something_is_seen);
        let mut starts = Vec::new();
        for &(node, seen) in &ready {
            let earliest = seen.earliest.max(first_free.earliest);
            let is_over = |before: usize| ancestors[node][before] || self.is_over(state, before);
            let more_important = ready.iter().filter(|(other, _)| self.priorities[*other] < self.priorities[node]);
            let kept_back = more_important.map(|&(other, _)| self.seen(state, other, is_over).latest).min();
            let latest = match kept_back {
                Some(TimeSpan::ZERO) => continue,
                Some(kept_back) => something_must.min(kept_back - TimeSpan::TICK),
                None => something_must,
            };
            if earliest <= latest {
                starts.push((node, Interval { earliest, latest }));
            }
        }
        starts
    }

    /// Returns whether a node that was started has surely ended when another one starts.
    fn is_over(&self, state: &State, node: usize) -> bool {
        let Some(second_free) = state.free.get(1) else { return true };
        let end = state.end_of(node);
        // If the node were still running, a worker that became free before and the node's own would
        // be two.
        end.latest < second_free.earliest
            || end.latest == second_free.earliest && end.earliest <= state.free[0].earliest
            || self.graph.successors(node).iter().any(|&after| state.has_started(after))
    }

    /// Returns the time from which a worker can see a node, and the time from which all do, as far
    /// as these depend on nodes that may not be over.
    fn seen(&self, state: &State, node: usize, is_over: impl Fn(usize) -> bool) -> Interval {
        // The end of a node that is over may not have been seen.
        let counts = |&&before: &&usize| self.hand_over() > TimeSpan::ZERO || !is_over(before);
        let ends = self.graph.predecessors(node).iter().filter(counts);
        let ends = ends.map(|&before| state.end_of(before));
        let ready =
            ends.reduce(|a, b| Interval { earliest: a.earliest.max(b.earliest), latest: a.latest.max(b.latest) });
        let Interval { earliest, latest } = ready.unwrap_or_default();
        Interval { earliest, latest: latest + self.hand_over() }
    }

    fn hand_over(&self) -> TimeSpan {
        if self.workers > 1 { self.hand_over } else { TimeSpan::ZERO }
    }

    /// Returns the state after a node has started.
    fn start(&self, state: &State, node: usize, start: Interval) -> State {
        let end = Interval {
            earliest: start.earliest + self.shortest[node],
            latest: start.latest + self.graph.costs()[node],
        };
        let waited_for = self.graph.predecessors(node);
        // This many workers ran what the node waited for, and are free by then: it takes one of
        // them.
        let freed = state.running.iter().filter(|running| waited_for.contains(running)).count();
        let free = state.free.iter().enumerate().skip(1).map(|(place, free)| Interval {
            earliest: free.earliest.max(start.earliest),
            latest: if place < freed { free.latest.min(start.latest) } else { free.latest }.max(start.earliest),
        });
        let (mut earliest, mut latest): (Vec<TimeSpan>, Vec<TimeSpan>) =
            free.chain([end]).map(|Interval { earliest, latest }| (earliest, latest)).unzip();
        earliest.sort_unstable();
        latest.sort_unstable();
        let free = earliest.into_iter().zip(latest).map(|(earliest, latest)| Interval { earliest, latest }).collect();

        let surely_runs = |other: &&usize| !waited_for.contains(other) && start.latest < state.end_of(**other).earliest;
        let running = state.running.iter().filter(surely_runs).copied().chain([node]).collect();
        let mut after = State { started: state.started.clone(), free, running, ends: state.ends.clone() };
        after.started[node / 64] |= 1 << (node % 64);
        after.ends[node] = end;
        after
    }
}

/// The possible situations after some nodes have been started.
#[derive(Debug, Clone)]
struct State {
    /// The nodes that have been started, a bit each.
    started: Vec<u64>,
    /// The intervals in which workers become free, the first for one, the second for two, and so
    /// on.
    free: Vec<Interval>,
    /// The nodes that surely ran when the last one was started, each on a worker of its own.
    running: Vec<usize>,
    /// The intervals in which nodes that have been started end.
    ends: Vec<Interval>,
}

impl State {
    fn first(nodes: usize, workers: usize) -> Self {
        Self {
            started: vec![0; nodes.div_ceil(64)],
            free: vec![Interval::default(); workers],
            running: Vec::new(),
            ends: vec![Interval::default(); nodes],
        }
    }

    fn has_started(&self, node: usize) -> bool {
        self.started[node / 64] >> (node % 64) & 1 == 1
    }

    fn end_of(&self, node: usize) -> Interval {
        self.ends[node]
    }

    /// Returns whether workers become free at the same times in both states.
    fn meets(&self, other: &Self) -> bool {
        self.free.iter().zip(&other.free).all(|(a, b)| a.meets(*b))
    }

    /// Extends this state so that it covers the situations of both.
    fn unite(&mut self, other: &Self) {
        self.free.iter_mut().zip(&other.free).for_each(|(a, b)| *a = a.united(*b));
        self.ends.iter_mut().zip(&other.ends).for_each(|(a, b)| *a = a.united(*b));
        self.running.retain(|node| other.running.contains(node));
    }
}
