//! The choice of a processor for each node of a graph among several different ones, one run at a
//! time.
//!
//! - **Model.** A node's cost depends on the processor; an edge costs time if its nodes are on
//!   different processors.
//! - **HEFT.** Nodes are placed by falling *upward rank* (mean cost plus the longest path to the
//!   end, communication included), each where it ends first, also in gaps. **CPOP.** Ready nodes
//!   are placed by the longest path through them; those of the longest one all on the processor
//!   that runs it fastest.
//! - **Ties.** Of ready nodes with equal ranks the smaller one comes first; of equal ends the
//!   smaller processor is chosen.
//! - **Changed.** The paper takes as the next node of the longest path any successor that lies on a
//!   path as long. If an edge leads past a node of the longest path, that may be the node at its
//!   end, and the nodes between are skipped. Here the edge must be part of the longest path.
//! - **Complexity.** Edges times processors, and the gaps that are examined.
//! - **Source.** Topcuoglu, Hariri and Wu, TPDS 2002.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::{Dag, DagError};

/// A graph for different processors.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::dag::topcuoglu_2002::Heterogeneous;
/// let ns = TimeSpan::nanoseconds;
/// let problem = Heterogeneous::new(vec![vec![ns(2), ns(4)], vec![ns(6), ns(1)]], [(0, 1, ns(3))]).unwrap();
/// let schedule = problem.heft();
/// assert_eq!(schedule.makespan(), ns(6)); // the first node ends early, and the second waits for its message
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heterogeneous {
    /// The cost of each node on each processor.
    costs: Vec<Vec<TimeSpan>>,
    /// The successors of each node, and the time that communication with them takes.
    outgoing: Vec<Vec<(usize, TimeSpan)>>,
    incoming: Vec<Vec<(usize, TimeSpan)>>,
    topological: Vec<usize>,
    processors: usize,
}

/// The processor and the times of a node.
///
/// See [`Heterogeneous`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Placed {
    /// The processor.
    pub processor: usize,
    /// The time at which the node begins.
    pub start: TimeSpan,
    /// The time at which the node ends.
    pub end: TimeSpan,
}

/// The schedule of all nodes.
///
/// See [`Heterogeneous`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The processor and the times of each node.
    pub nodes: Vec<Placed>,
}

impl Placement {
    /// Returns the time at which the last node ends.
    pub fn makespan(&self) -> TimeSpan {
        self.nodes.iter().map(|node| node.end).max().unwrap_or(TimeSpan::ZERO)
    }
}

/// The longest path through the graph, and the processor on which all of it runs.
///
/// See [`Heterogeneous`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriticalPath {
    /// The nodes of the path, in order.
    pub nodes: Vec<usize>,
    /// The processor on which they take the least time together.
    pub processor: usize,
}

impl Heterogeneous {
    /// Builds a graph of nodes by their cost on each processor, and edges with the time that
    /// communication takes. All nodes need as many costs as the first; a missing cost means that
    /// the node never runs there.
    ///
    /// # Errors
    /// Fails if an edge names a node that does not exist, or nodes wait for each other.
    pub fn new(
        mut costs: Vec<Vec<TimeSpan>>,
        edges: impl IntoIterator<Item = (usize, usize, TimeSpan)>,
    ) -> Result<Self, DagError> {
        let edges: Vec<(usize, usize, TimeSpan)> = edges.into_iter().collect();
        let processors = costs.first().map_or(0, Vec::len);
        costs.iter_mut().for_each(|costs| costs.resize(processors, TimeSpan::MAX));
        let plain = edges.iter().map(|&(from, to, _)| (from, to));
        let dag = Dag::new(costs.iter().map(|_| TimeSpan::TICK), plain)?;
        let (mut outgoing, mut incoming) = (vec![Vec::new(); costs.len()], vec![Vec::new(); costs.len()]);
        for (from, to, communication) in edges {
            outgoing[from].push((to, communication));
            incoming[to].push((from, communication));
        }
        Ok(Self { costs, outgoing, incoming, topological: dag.topological_order().to_vec(), processors })
    }

    /// Returns for each node the longest path from its begin to the end, in parts of a nanosecond,
    /// as many per nanosecond as there are processors.
    pub fn upward_ranks(&self) -> Vec<TimeSpan> {
        let mut ranks: Vec<TimeSpan> = self.costs.iter().map(|costs| costs.iter().copied().sum()).collect();
        for &node in self.topological.iter().rev() {
            let through = |&(next, communication): &(usize, TimeSpan)| self.parts(communication) + ranks[next];
            let after = self.outgoing[node].iter().map(through).max();
            ranks[node] += after.unwrap_or(TimeSpan::ZERO);
        }
        ranks
    }

    /// Returns for each node the longest path from the beginning to its begin, in the same parts.
    pub fn downward_ranks(&self) -> Vec<TimeSpan> {
        let mut ranks = vec![TimeSpan::ZERO; self.costs.len()];
        for &node in &self.topological {
            let through = |&(from, communication): &(usize, TimeSpan)| {
                ranks[from] + self.costs[from].iter().copied().sum() + self.parts(communication)
            };
            ranks[node] = self.incoming[node].iter().map(through).max().unwrap_or(TimeSpan::ZERO);
        }
        ranks
    }

    fn parts(&self, time: TimeSpan) -> TimeSpan {
        time * self.processors as u64
    }

    /// Schedules by HEFT, heterogeneous earliest finish time.
    pub fn heft(&self) -> Placement {
        self.by_rank(&self.upward_ranks(), |_| 0..self.processors)
    }

    /// Returns the longest path: from the entry whose path is longest, along the edges that it
    /// consists of.
    pub fn critical_path(&self) -> CriticalPath {
        let ranks = self.upward_ranks();
        let entries = (0..self.costs.len()).filter(|&node| self.incoming[node].is_empty());
        let mut nodes: Vec<usize> = entries.max_by_key(|&node| (ranks[node], Reverse(node))).into_iter().collect();
        let way = |&(next, communication): &(usize, TimeSpan)| (self.parts(communication) + ranks[next], Reverse(next));
        while let Some(&last) = nodes.last()
            && let Some(&(next, _)) = self.outgoing[last].iter().max_by_key(|edge| way(edge))
        {
            nodes.push(next);
        }
        let time_on = |&processor: &usize| -> TimeSpan { nodes.iter().map(|&node| self.costs[node][processor]).sum() };
        let processor = (0..self.processors).min_by_key(time_on).unwrap_or(0);
        CriticalPath { nodes, processor }
    }

    /// Schedules by CPOP, critical path on a processor.
    pub fn cpop(&self) -> Placement {
        let critical = self.critical_path();
        self.by_rank(&self.lengths(), |node| match critical.nodes.contains(&node) {
            true => critical.processor..critical.processor + 1,
            false => 0..self.processors,
        })
    }

    /// Places one ready node after the other, always the one with the highest rank, on one of the
    /// processors that it may use.
    fn by_rank(&self, ranks: &[TimeSpan], processors: impl Fn(usize) -> Range<usize>) -> Placement {
        let mut waiting: Vec<usize> = self.incoming.iter().map(Vec::len).collect();
        let entry = |node: usize| (Reverse(ranks[node]), node);
        let mut ready: BTreeSet<_> = (0..self.costs.len()).filter(|&node| waiting[node] == 0).map(entry).collect();
        let mut schedule = Schedule::new(self);
        while let Some((_, node)) = ready.pop_first() {
            schedule.place(node, processors(node));
            for &(next, _) in &self.outgoing[node] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.insert(entry(next));
                }
            }
        }
        schedule.finish()
    }

    /// Returns the length of the longest path through each node.
    fn lengths(&self) -> Vec<TimeSpan> {
        self.upward_ranks().into_iter().zip(self.downward_ranks()).map(|(up, down)| up + down).collect()
    }
}

struct Schedule<'p> {
    problem: &'p Heterogeneous,
    nodes: Vec<Placed>,
    /// The busy times of each processor, in order.
    busy: Vec<Vec<(TimeSpan, TimeSpan)>>,
}

impl<'p> Schedule<'p> {
    fn new(problem: &'p Heterogeneous) -> Self {
        let nodes = vec![Placed::default(); problem.costs.len()];
        Self { problem, nodes, busy: vec![Vec::new(); problem.processors] }
    }

    /// Places a node, whose predecessors have been placed, where it ends first.
    fn place(&mut self, node: usize, processors: Range<usize>) {
        let at = |processor: usize| {
            let arrives = |&(from, communication): &(usize, TimeSpan)| {
                let from = &self.nodes[from];
                from.end + if from.processor == processor { TimeSpan::ZERO } else { communication }
            };
            let ready = self.problem.incoming[node].iter().map(arrives).max().unwrap_or(TimeSpan::ZERO);
            let cost = self.problem.costs[node][processor];
            let start = first_gap(&self.busy[processor], ready, cost);
            Placed { processor, start, end: start + cost }
        };
        let Some(placed) = processors.map(at).min_by_key(|placed| (placed.end, placed.processor)) else { return };
        self.nodes[node] = placed;
        let busy = &mut self.busy[placed.processor];
        busy.push((placed.start, placed.end));
        busy.sort_unstable();
    }

    fn finish(self) -> Placement {
        Placement { nodes: self.nodes }
    }
}

/// Returns the first time from `ready` on at which `cost` fits between the busy times.
fn first_gap(busy: &[(TimeSpan, TimeSpan)], ready: TimeSpan, cost: TimeSpan) -> TimeSpan {
    let mut start = ready;
    for &(begin, end) in busy {
        if start + cost <= begin {
            break;
        }
        start = start.max(end);
    }
    start
}
