use thiserror::Error;

use crate::TimeSpan;

/// A directed acyclic graph of nodes with costs.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// let ns = TimeSpan::nanoseconds;
/// let dag = Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap();
/// assert_eq!((dag.length(), dag.volume()), (ns(6), ns(9)));
/// assert_eq!(dag.upward_ranks(), [6, 3, 4].map(ns));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag {
    costs: Vec<TimeSpan>,
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
    topological: Vec<usize>,
}

/// The reason why nodes and edges are not a directed acyclic graph.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// let error = Dag::new([TimeSpan::TICK; 3], [(0, 1), (1, 2), (2, 1)]).unwrap_err();
/// assert_eq!(error.to_string(), "the nodes 2 -> 1 -> 2 wait for each other: remove one of these edges");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DagError {
    /// An edge leads to or from a node that does not exist.
    #[error("there is no node {node}: there are {nodes}, numbered from 0")]
    UnknownNode {
        /// The number in the edge.
        node: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// Nodes wait for each other in a circle.
    #[error("the nodes {} wait for each other: remove one of these edges", circle(nodes))]
    Circle {
        /// The nodes; each waits for the one before, and the first for the last.
        nodes: Vec<usize>,
    },
}

fn circle(nodes: &[usize]) -> String {
    let names: Vec<String> = nodes.iter().chain(nodes.first()).map(usize::to_string).collect();
    names.join(" -> ")
}

impl Dag {
    /// Builds a graph of nodes by cost; an edge's second node waits for its first. Repeated edges
    /// count once.
    ///
    /// # Errors
    /// Returns an error if an edge names a node that does not exist, or nodes wait for each other.
    pub fn new(
        costs: impl IntoIterator<Item = TimeSpan>,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, DagError> {
        let costs: Vec<TimeSpan> = costs.into_iter().collect();
        let nodes = costs.len();
        let (mut successors, mut predecessors) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (from, to) in edges {
            if let Some(node) = [from, to].into_iter().find(|&node| node >= nodes) {
                return Err(DagError::UnknownNode { node, nodes });
            }
            if !successors[from].contains(&to) {
                successors[from].push(to);
                predecessors[to].push(from);
            }
        }
        let mut dag = Self { costs, successors, predecessors, topological: Vec::with_capacity(nodes) };
        let mut waiting: Vec<usize> = dag.predecessors.iter().map(Vec::len).collect();
        let mut ready: std::collections::BTreeSet<usize> = (0..nodes).filter(|&node| waiting[node] == 0).collect();
        while let Some(node) = ready.pop_first() {
            dag.topological.push(node);
            for &next in &dag.successors[node] {
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    ready.insert(next);
                }
            }
        }
        if dag.topological.len() < nodes {
            return Err(DagError::Circle { nodes: dag.circle(&waiting) });
        }
        Ok(dag)
    }

    /// Follows predecessors that never became ready until one repeats.
    fn circle(&self, waiting: &[usize]) -> Vec<usize> {
        let Some(start) = waiting.iter().position(|&count| count > 0) else { return Vec::new() };
        let mut path = vec![start];
        loop {
            let node = path[path.len() - 1];
            let Some(&before) = self.predecessors[node].iter().find(|&&before| waiting[before] > 0) else {
                return path;
            };
            if let Some(first) = path.iter().position(|&seen| seen == before) {
                let mut circle = path.split_off(first);
                circle.reverse();
                return circle;
            }
            path.push(before);
        }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// Returns whether the graph has no nodes.
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// Returns the cost of every node.
    pub fn costs(&self) -> &[TimeSpan] {
        &self.costs
    }

    /// Returns the graph with other costs, one per node.
    pub fn with_costs(&self, costs: impl IntoIterator<Item = TimeSpan>) -> Self {
        let mut dag = self.clone();
        for (cost, new) in dag.costs.iter_mut().zip(costs) {
            *cost = new;
        }
        dag
    }

    /// Returns the nodes that wait for a node.
    pub fn successors(&self, node: usize) -> &[usize] {
        &self.successors[node]
    }

    /// Returns the nodes that a node waits for.
    pub fn predecessors(&self, node: usize) -> &[usize] {
        &self.predecessors[node]
    }

    /// Returns the nodes in an order in which each comes after all that it waits for; of those that
    /// could be next, the one with the smallest number comes first.
    pub fn topological_order(&self) -> &[usize] {
        &self.topological
    }

    /// Returns the sum of all costs.
    pub fn volume(&self) -> TimeSpan {
        self.costs.iter().copied().sum()
    }

    /// Returns the length of the longest path.
    pub fn length(&self) -> TimeSpan {
        self.upward_ranks().into_iter().max().unwrap_or(TimeSpan::ZERO)
    }

    /// Returns how often, at most, threads without work begin to run in a run of this graph on that
    /// many workers.
    ///
    /// A thread that ends a node and makes another one ready continues. So every node is begun by a
    /// thread that continues, or by one that begins to run; and there are at least as many of the
    /// former as nodes that make others ready. A node is made ready by one of those that it waits
    /// for: there are as many different ones as there are nodes, with predecessors, of which no two
    /// share one.
    pub fn begins(&self, workers: usize) -> u64 {
        if workers <= 1 {
            return self.len().min(1) as u64;
        }
        let mut waiting: Vec<&[usize]> =
            self.predecessors.iter().map(Vec::as_slice).filter(|it| !it.is_empty()).collect();
        waiting.sort_by_key(|predecessors| predecessors.len());
        let mut seen = vec![false; self.len()];
        let mut go_on = 0;
        for predecessors in waiting {
            if !predecessors.iter().any(|&node| seen[node]) {
                predecessors.iter().for_each(|&node| seen[node] = true);
                go_on += 1;
            }
        }
        self.len() as u64 - go_on
    }

    /// Returns the length of the longest path that begins with a node, for every node.
    pub fn upward_ranks(&self) -> Vec<TimeSpan> {
        let mut ranks = self.costs.clone();
        for &node in self.topological.iter().rev() {
            let after = self.successors[node].iter().map(|&next| ranks[next]).max();
            ranks[node] += after.unwrap_or(TimeSpan::ZERO);
        }
        ranks
    }

    /// Returns for every node the nodes that come before it on some path.
    pub fn ancestors(&self) -> Vec<Vec<bool>> {
        let mut ancestors = vec![vec![false; self.len()]; self.len()];
        for &node in &self.topological {
            for &before in &self.predecessors[node] {
                let further = ancestors[before].clone();
                ancestors[node].iter_mut().zip(further).for_each(|(is, also)| *is |= also);
                ancestors[node][before] = true;
            }
        }
        ancestors
    }

    /// Returns priorities by longest remaining path, 0 for the highest; ties are ordered by number.
    pub fn critical_path_first(&self) -> Vec<usize> {
        let ranks = self.upward_ranks();
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&node| (std::cmp::Reverse(ranks[node]), node));
        let mut priorities = vec![0; self.len()];
        order.iter().enumerate().for_each(|(place, &node)| priorities[node] = place);
        priorities
    }
}
