//! The plan by which an executor runs a graph: fused units by priority, the predecessors of each,
//! and the number of workers.

mod prediction;

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::durations::{Durations, from_nanos, nanos};
use crate::graph::TaskGraph;
use crate::module_order::UpdateOrder;
use crate::paths::{adjacency, tails, topological_order};
use crate::task::{Task, TaskId, TaskKind};

pub use prediction::Prediction;

/// The id of a unit in a plan. A smaller id has a higher priority.
///
/// See [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UnitId(pub u32);

impl UnitId {
    /// Returns the id as an index into [`Plan::units`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tasks that run one right after the other on one worker, because only the later one waits for the
/// earlier one.
///
/// All tasks but the longest together take little time, so that a unit never delays anything more
/// important for long.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, TaskId, UnitId};
/// // 0 -> 1 -> 2 and 0 -> 3: the chain 1 -> 2 is fused.
/// let graph = TaskGraph::plain("fork", 4, [(0, 1), (1, 2), (0, 3)]).unwrap();
/// let plan = Plan::new(graph, &Durations::constant([Duration::from_micros(1); 4]), &PlanOptions::default());
/// let chain = &plan.units()[1];
/// assert_eq!((chain.tasks.as_slice(), chain.predecessors), ([TaskId(1), TaskId(2)].as_slice(), 1));
/// assert_eq!(plan.units()[0].successors, [UnitId(1), UnitId(2)]);
/// assert_eq!(plan.units()[0].remaining, Duration::from_micros(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The tasks, in the order of execution; never empty.
    pub tasks: Vec<TaskId>,
    /// The number of units that must end before this one may start.
    pub predecessors: u32,
    /// The units that wait for this one, most important first.
    pub successors: Vec<UnitId>,
    /// The expected duration.
    pub duration: Duration,
    /// The longest path from the start of this unit to the end of the graph. Units are ordered by
    /// it, after the outputs.
    pub remaining: Duration,
}

/// The number of workers that a plan uses.
///
/// See [`PlanOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerChoice {
    /// A given number of workers.
    Fixed(NonZeroUsize),
    /// The fewest workers whose predicted mean makespan is within 2 % of the best that the
    /// available ones reach.
    Automatic {
        /// The number of cores that the cycle may use.
        available: NonZeroUsize,
    },
}

/// The options that a plan takes into account.
///
/// ```
/// use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
///
/// let available = std::thread::available_parallelism()?;
/// let options = PlanOptions { workers: WorkerChoice::Automatic { available }, ..PlanOptions::default() };
/// let graph = TaskGraph::plain("fork", 3, [(0, 1), (0, 2)])?;
/// println!("{} workers", Plan::new(graph, &Durations::unknown(3), &options).workers());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanOptions {
    /// The number of workers.
    pub workers: WorkerChoice,
    /// The cost of giving a ready task to another worker that waits for it. Tasks are called short
    /// in comparison with it.
    pub hand_over: Duration,
    /// The order in which the updates of a module run.
    pub update_order: UpdateOrder,
}

impl Default for PlanOptions {
    /// Returns the options for an automatic choice with one available worker, a hand-over of 500
    /// ns, and updates by the critical path.
    fn default() -> Self {
        Self {
            workers: WorkerChoice::Automatic { available: NonZeroUsize::MIN },
            hand_over: Duration::from_nanos(500),
            update_order: UpdateOrder::CriticalPath,
        }
    }
}

/// The compiled graph of one cycle. It is immutable; any change makes a new plan.
///
/// ```
/// use std::{num::NonZeroUsize, time::Duration};
/// use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
/// // Two independent halves: two workers are worth it, a third one has nothing to do.
/// let graph = TaskGraph::plain("halves", 4, [(0, 1), (2, 3)]).unwrap();
/// let options = PlanOptions { workers: WorkerChoice::Automatic { available: NonZeroUsize::new(3).unwrap() }, ..Default::default() };
/// let plan = Plan::new(graph, &Durations::constant([Duration::from_millis(2); 4]), &options);
/// assert_eq!(plan.workers(), 2);
/// assert_eq!(plan.prediction().critical_path, Duration::from_millis(4));
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    graph: TaskGraph,
    units: Vec<Unit>,
    unit_of: Vec<UnitId>,
    order: Vec<TaskId>,
    workers: usize,
    prediction: Prediction,
}

impl Plan {
    /// Plans `graph`: order within modules, priorities, fusion and the number of workers, all from
    /// expected durations. The same arguments give the same plan. Not for real-time threads: 150
    /// tasks take some milliseconds, ten to twenty where durations vary and several workers are
    /// available.
    pub fn new(graph: TaskGraph, durations: &Durations, options: &PlanOptions) -> Self {
        let graph = graph.ordered(options.update_order, durations);
        let outputs = urgent_outputs(&graph, durations);
        let (units, unit_of) = fuse(&graph, durations, &outputs, options.hand_over * FUSED_HAND_OVERS);
        let order = sequence(&graph, &units, &outputs);
        let mut plan = Self { graph, units, unit_of, order, workers: 1, prediction: Prediction::default() };
        plan.prediction = prediction::predict(&plan, durations, options);
        plan.workers = match options.workers {
            WorkerChoice::Fixed(count) => count.get(),
            WorkerChoice::Automatic { .. } => plan.prediction.worthwhile_workers(options.hand_over),
        };
        plan
    }

    /// Returns the graph, with the order within modules that this plan has chosen.
    pub fn graph(&self) -> &TaskGraph {
        &self.graph
    }

    /// Returns all units by priority; a [`UnitId`] is an index into them.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the unit to which a task belongs.
    ///
    /// # Panics
    /// Panics if the task is not of this plan's graph.
    pub fn unit_of(&self, task: TaskId) -> UnitId {
        self.unit_of[task.index()]
    }

    /// Returns the number of workers that are to run the plan; at least one.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Returns the prediction for the plan.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Returns the order in which a single worker runs all tasks: what the output with fewest
    /// prerequisites needs, that output, what the next output needs, and so on; among these, and in
    /// what remains, the longest remaining path first.
    pub fn order(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.order.iter().copied()
    }
}

/// An output that takes longer than this part of the critical path does not go first: it competes
/// like any other task.
const LONG_OUTPUT: u32 = 20;

/// Returns for every task whether it is an urgent output. Tasks that publish always are.
fn urgent_outputs(graph: &TaskGraph, durations: &Durations) -> Vec<bool> {
    let limit = graph.critical_path(durations).duration / LONG_OUTPUT;
    let is_urgent = |(id, task): (u32, &Task)| {
        task.is_output && (matches!(task.kind, TaskKind::Publish(_)) || durations.expected(TaskId(id)) <= limit)
    };
    (0..).zip(graph.tasks()).map(is_urgent).collect()
}

/// Returns an order for one worker that serves outputs early.
fn sequence(graph: &TaskGraph, units: &[Unit], outputs: &[bool]) -> Vec<TaskId> {
    let mut by_remaining: Vec<&Unit> = units.iter().collect();
    // The sort is stable, and outputs have no successors: where paths are equally long,
    // predecessors stay before their successors.
    by_remaining.sort_by_key(|unit| (std::cmp::Reverse(unit.remaining), unit.successors.is_empty()));
    let natural: Vec<TaskId> = by_remaining.iter().flat_map(|unit| unit.tasks.iter().copied()).collect();

    let reach = graph.reachability();
    let mut emitted = vec![false; natural.len()];
    let mut order = Vec::with_capacity(natural.len());
    let mut emit = |task: TaskId| {
        if !std::mem::replace(&mut emitted[task.index()], true) {
            order.push(task);
        }
    };
    let mut waiting: Vec<TaskId> = natural.iter().copied().filter(|task| outputs[task.index()]).collect();
    let needs = |output: TaskId| -> Vec<TaskId> {
        natural.iter().copied().filter(|task| reach.contains(task.index(), output.index())).collect()
    };
    waiting.sort_by_cached_key(|&output| (needs(output).len(), output));
    for output in waiting {
        needs(output).into_iter().for_each(&mut emit);
        emit(output);
    }
    natural.iter().copied().for_each(&mut emit);
    order
}

/// Fusion may delay a more important unit by as much as this number of hand-overs.
const FUSED_HAND_OVERS: u32 = 10;

/// Fuses u -> v where u has no other successor and v no other predecessor, and numbers the units by
/// priority: urgent outputs first, then by the longest remaining path. See [`chains`] for `limit`.
fn fuse(graph: &TaskGraph, durations: &Durations, outputs: &[bool], limit: Duration) -> (Vec<Unit>, Vec<UnitId>) {
    let size = graph.tasks().len();
    let edges: Vec<_> = graph.reduced().into_iter().map(|(from, to)| (from.index(), to.index())).collect();
    let successors = adjacency(size, &edges);
    let mut incoming = vec![0u32; size];
    edges.iter().for_each(|&(_, to)| incoming[to] += 1);

    let expected = durations.expected_nanos(size);
    let chains = chains(&successors, &incoming, &expected, nanos(limit));
    let mut chain_of = vec![0; size];
    for (number, chain) in chains.iter().enumerate() {
        chain.iter().for_each(|&task| chain_of[task] = number);
    }

    let lengths: Vec<u64> = chains.iter().map(|chain| chain.iter().map(|&task| expected[task]).sum()).collect();
    let chain_successors: Vec<Vec<usize>> = chains
        .iter()
        .map(|chain| successors[chain[chain.len() - 1]].iter().map(|&next| chain_of[next]).collect())
        .collect();
    let tails = tails(&topological_order(&chain_successors), &chain_successors, &lengths);

    // A predecessor's tail is longer than its successors', in units if not in time. Except for
    // outputs, this is therefore also an order in which the units can run.
    let mut by_priority: Vec<usize> = (0..chains.len()).collect();
    by_priority.sort_unstable_by_key(|&chain| {
        let first = chains[chain][0];
        (!outputs[first], std::cmp::Reverse(tails[chain]), first)
    });
    let mut id_of = vec![UnitId(0); chains.len()];
    by_priority.iter().enumerate().for_each(|(id, &chain)| id_of[chain] = UnitId(id as u32));

    let units = by_priority.iter().map(|&chain| {
        let mut following: Vec<UnitId> = chain_successors[chain].iter().map(|&next| id_of[next]).collect();
        following.sort_unstable();
        Unit {
            tasks: chains[chain].iter().map(|&task| TaskId(task as u32)).collect(),
            predecessors: incoming[chains[chain][0]],
            successors: following,
            duration: from_nanos(lengths[chain]),
            remaining: from_nanos(tails[chain].nanos),
        }
    });
    (units.collect(), chain_of.iter().map(|&chain| id_of[chain]).collect())
}

/// Puts every task into one chain; a chain goes on as long as all but its longest task take no
/// longer than `limit` nanoseconds.
fn chains(successors: &[Vec<usize>], incoming: &[u32], expected: &[u64], limit: u64) -> Vec<Vec<usize>> {
    let mut chains = Vec::new();
    let mut taken = vec![false; successors.len()];
    for head in topological_order(successors) {
        if taken[head] {
            continue;
        }
        let mut chain = vec![head];
        let (mut total, mut longest) = (expected[head], expected[head]);
        while let [next] = successors[chain[chain.len() - 1]][..]
            && incoming[next] == 1
        {
            total += expected[next];
            longest = longest.max(expected[next]);
            if total - longest > limit {
                break;
            }
            taken[next] = true;
            chain.push(next);
        }
        chains.push(chain);
    }
    chains
}
