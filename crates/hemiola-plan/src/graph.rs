//! The task graph of one cycle: the order in which its tasks must run.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bits::BitMatrix;
use crate::durations::{Durations, from_nanos};
use crate::module_order::{self, ModuleTasks, UpdateOrder};
use crate::paths::{adjacency, tails, topological_order};
use crate::resolved::{Consumer, ResolvedCycle, UpdateId};
use crate::task::{Task, TaskId, TaskKind};
use crate::{Access, width};

/// The reason why one task runs before another.
///
/// See [`Edge`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// The later task reads these representations, which the earlier one provides (E_dep).
    Reads(Vec<String>),
    /// Both tasks belong to one module, and at least one borrows it exclusively (E_upd).
    SameModule,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Reads(representations) => f.write_str(&representations.join(", ")),
            Reason::SameModule => f.write_str("same module"),
        }
    }
}

/// An edge of a task graph: `from` runs before `to`.
///
/// See [`TaskGraph`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The earlier task.
    pub from: TaskId,
    /// The later task.
    pub to: TaskId,
    /// The reason for the order.
    pub reason: Reason,
}

/// A longest path through a graph.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, TaskGraph};
/// let graph = TaskGraph::plain("fork", 3, [(0, 1), (0, 2)]).unwrap();
/// let path = graph.critical_path(&Durations::constant([1, 5, 2].map(Duration::from_millis)));
/// assert_eq!((path.duration, path.tasks.len()), (Duration::from_millis(6), 2));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// The tasks, in the order of execution.
    pub tasks: Vec<TaskId>,
    /// The sum of their expected durations.
    pub duration: Duration,
}

/// The reason why tasks and edges do not form a task graph.
///
/// ```
/// use hemiola_plan::{GraphError, TaskGraph};
/// let error = TaskGraph::plain("loop", 2, [(0, 1), (1, 0)]).unwrap_err();
/// assert_eq!(error, GraphError::Circular { tasks: vec!["0".into(), "1".into()] });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// An edge names a task that does not exist.
    #[error("an edge leads from task {from} to task {to}, but there are only {tasks} tasks, counted from 0")]
    NoSuchTask {
        /// The start of the edge.
        from: usize,
        /// The end of the edge.
        to: usize,
        /// The number of tasks.
        tasks: usize,
    },
    /// Tasks wait for each other in a circle.
    #[error("tasks wait for each other in a circle: {}", tasks.join(" -> "))]
    Circular {
        /// The names of the tasks, in the order of the circle.
        tasks: Vec<String>,
    },
}

/// The tasks of one cycle and the edges that order them: E_dep (a provider before its readers) and
/// E_upd (the exclusive updates of a module one after another). It has no circle.
///
/// ```
/// use hemiola_plan::{Access, CycleDescription, ModuleDescription, RobotDescription, TaskGraph, Trigger, UpdateDescription, resolve};
/// let camera = ModuleDescription::new("Camera").with(UpdateDescription::new("image", Access::Exclusive).provides(["Image"]));
/// let ball = ModuleDescription::new("Ball").with(UpdateDescription::new("find", Access::Exclusive).requires(["Image"]));
/// let cycle = CycleDescription { name: "cognition".into(), modules: vec![ball, camera], trigger: Trigger::Rate };
/// let resolved = resolve(&RobotDescription { cycles: vec![cycle], ..RobotDescription::default() }).unwrap();
///
/// let graph = TaskGraph::of(&resolved.cycles[0]);
/// let order: Vec<_> = graph.topological_order().iter().map(|&task| graph.task(task).name.as_str()).collect();
/// assert_eq!(order, ["Camera.image", "Ball.find"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskGraph {
    name: String,
    tasks: Vec<Task>,
    dependencies: Vec<Edge>,
    /// The tasks that exclude each other, per module; each entry has two or more.
    modules: Vec<ModuleTasks>,
    module_order: Vec<Edge>,
}

impl TaskGraph {
    /// Builds the graph of a resolved cycle: a task per update that runs and one per publish group.
    /// As long as durations are unknown, the order within modules counts tasks; see
    /// [`TaskGraph::ordered_by`].
    pub fn of(cycle: &ResolvedCycle) -> Self {
        let mut tasks: Vec<Task> = (cycle.updates.iter())
            .map(|update| Task {
                name: format!("{}.{}", update.module, update.name),
                module: Some(update.module.clone()),
                kind: TaskKind::Update(update.id),
                is_output: update.provides.is_empty() && update.discarded.is_empty(),
            })
            .collect();
        let task_of: BTreeMap<UpdateId, usize> =
            cycle.updates.iter().enumerate().map(|(task, update)| (update.id, task)).collect();
        let provider = |representation: &String| cycle.providers.get(representation).map(|id| task_of[id]);

        let mut reads: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        let mut read = |representation: &String, reader: usize| {
            if let Some(provider) = provider(representation).filter(|&provider| provider != reader) {
                reads.entry((provider, reader)).or_default().push(representation.clone());
            }
        };
        for (reader, update) in cycle.updates.iter().enumerate() {
            update.requires.iter().for_each(|representation| read(representation, reader));
        }
        for (index, group) in cycle.publishes.iter().enumerate() {
            group.representations.iter().for_each(|representation| read(representation, tasks.len()));
            let to = match &group.consumer {
                Consumer::Cycle(name) => format!("publish to {name}"),
                Consumer::Source(name) => format!("output to {name}"),
            };
            tasks.push(Task { name: to, module: None, kind: TaskKind::Publish(index), is_output: true });
        }
        let mut modules: BTreeMap<usize, ModuleTasks> = BTreeMap::new();
        for (task, update) in cycle.updates.iter().enumerate() {
            let module = modules.entry(update.id.module).or_default();
            match update.access {
                Access::Exclusive => module.exclusive.push(TaskId(task as u32)),
                Access::Concurrent => module.concurrent.push(TaskId(task as u32)),
            }
        }
        let dependencies = reads.into_iter().map(|((from, to), names)| Edge {
            from: TaskId(from as u32),
            to: TaskId(to as u32),
            reason: Reason::Reads(names),
        });
        Self {
            name: cycle.name.clone(),
            tasks,
            dependencies: dependencies.collect(),
            modules: modules.into_values().filter(ModuleTasks::need_order).collect(),
            module_order: Vec::new(),
        }
        .ordered_by(&Durations::default())
    }

    /// Builds a graph of given tasks and edges, for workloads that do not come from modules. Edges
    /// given twice count once.
    ///
    /// # Errors
    /// Returns a [`GraphError`] if an edge leads nowhere or tasks wait for each other.
    pub fn new(
        name: impl Into<String>,
        tasks: Vec<Task>,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, GraphError> {
        let mut unique = std::collections::BTreeSet::new();
        for (from, to) in edges {
            if from >= tasks.len() || to >= tasks.len() {
                return Err(GraphError::NoSuchTask { from, to, tasks: tasks.len() });
            }
            unique.insert((from, to));
        }
        let waits: Vec<_> = unique.iter().map(|&(from, to)| crate::circle::Wait { from, to, cost: 1 }).collect();
        if let Some(tangle) = crate::circle::tangles(tasks.len(), &waits).first() {
            let tasks = tangle.circle.iter().map(|&wait| tasks[waits[wait].from].name.clone()).collect();
            return Err(GraphError::Circular { tasks });
        }
        let dependencies = unique.into_iter().map(|(from, to)| Edge {
            from: TaskId(from as u32),
            to: TaskId(to as u32),
            reason: Reason::Reads(Vec::new()),
        });
        Ok(Self {
            name: name.into(),
            tasks,
            dependencies: dependencies.collect(),
            modules: Vec::new(),
            module_order: Vec::new(),
        })
    }

    /// Builds a graph of `count` tasks that are named by their number.
    ///
    /// # Errors
    /// Returns the errors of [`TaskGraph::new`].
    pub fn plain(
        name: impl Into<String>,
        count: usize,
        edges: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, GraphError> {
        let task =
            |number: usize| Task { name: number.to_string(), module: None, kind: TaskKind::Plain, is_output: false };
        Self::new(name, (0..count).map(task).collect(), edges)
    }

    /// Chooses the order among the exclusive updates of each module anew: of those whose inputs are
    /// available, the one with the longest remaining path goes first. Dependencies stay as they
    /// are.
    pub fn ordered_by(self, durations: &Durations) -> Self {
        self.ordered(UpdateOrder::CriticalPath, durations)
    }

    pub(crate) fn ordered(mut self, order: UpdateOrder, durations: &Durations) -> Self {
        let chosen = module_order::choose(order, &self.tasks, &pairs(&self.dependencies), &self.modules, durations);
        self.module_order = (chosen.into_iter())
            .map(|(from, to)| Edge { from: TaskId(from as u32), to: TaskId(to as u32), reason: Reason::SameModule })
            .collect();
        self
    }

    /// Returns the name of the cycle.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns all tasks; a [`TaskId`] is an index into them.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns a task by its id.
    ///
    /// # Panics
    /// Panics if the task is not of this graph.
    pub fn task(&self, task: TaskId) -> &Task {
        &self.tasks[task.index()]
    }

    /// Finds the task that runs an update, or that publishes a group, given by its index in
    /// [`ResolvedCycle::publishes`].
    pub fn find(&self, kind: TaskKind) -> Option<TaskId> {
        self.tasks.iter().position(|task| task.kind == kind).map(|index| TaskId(index as u32))
    }

    /// Returns the edges of E_dep: each provider before its readers.
    pub fn dependencies(&self) -> &[Edge] {
        &self.dependencies
    }

    /// Returns the edges of E_upd: the order within modules, as chains.
    pub fn module_order(&self) -> &[Edge] {
        &self.module_order
    }

    /// Returns the edges of E_dep and E_upd.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.dependencies.iter().chain(&self.module_order)
    }

    /// Returns the fewest edges that imply all others (transitive reduction; Aho, Garey, Ullman
    /// 1972), sorted.
    pub fn reduced(&self) -> Vec<(TaskId, TaskId)> {
        let successors = self.successors();
        let order = self.order_indices();
        let mut position = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &task)| position[task] = at);

        let mut reach = BitMatrix::new(self.tasks.len());
        let mut kept = Vec::new();
        for &task in order.iter().rev() {
            let mut nearest_first = successors[task].clone();
            nearest_first.sort_unstable_by_key(|&next| position[next]);
            for next in nearest_first {
                if !reach.contains(task, next) {
                    reach.insert(task, next);
                    reach.unite(task, next);
                    kept.push((TaskId(task as u32), TaskId(next as u32)));
                }
            }
        }
        kept.sort_unstable();
        kept
    }

    /// Returns an order in which one worker could run all tasks: every task after those for which
    /// it waits, otherwise by id.
    pub fn topological_order(&self) -> Vec<TaskId> {
        self.order_indices().into_iter().map(|task| TaskId(task as u32)).collect()
    }

    /// Returns the longest path by expected durations; among equally long ones the one with most
    /// tasks, then with the smallest ids.
    pub fn critical_path(&self, durations: &Durations) -> CriticalPath {
        let expected = durations.expected_nanos(self.tasks.len());
        let tails = tails(&self.order_indices(), &self.successors(), &expected);
        let successors = self.successors();
        let longest =
            |tasks: &mut dyn Iterator<Item = usize>| tasks.max_by_key(|&task| (tails[task], std::cmp::Reverse(task)));
        let mut tasks = Vec::new();
        let mut next = longest(&mut (0..self.tasks.len()));
        let duration = next.map_or(0, |first| tails[first].nanos);
        while let Some(task) = next {
            tasks.push(TaskId(task as u32));
            next = longest(&mut successors[task].iter().copied());
        }
        CriticalPath { tasks, duration: from_nanos(duration) }
    }

    /// Returns the number of tasks that could run at the same time at most: the size of the largest
    /// set of which none waits for another (Dilworth 1950, by bipartite matching; 1 ms for 250
    /// tasks).
    pub fn width(&self) -> usize {
        width::width(&self.reachability(), self.tasks.len())
    }

    /// Returns all tasks that must run before `task`, ascending: for an actuator, everything for
    /// which it waits.
    pub fn prerequisites(&self, task: TaskId) -> Vec<TaskId> {
        let reach = self.reachability();
        (0..self.tasks.len())
            .filter(|&other| reach.contains(other, task.index()))
            .map(|other| TaskId(other as u32))
            .collect()
    }

    pub(crate) fn reachability(&self) -> BitMatrix {
        BitMatrix::closure(self.tasks.len(), self.edges().map(|edge| (edge.from.index(), edge.to.index())))
    }

    pub(crate) fn successors(&self) -> Vec<Vec<usize>> {
        let edges: Vec<_> = self.edges().map(|edge| (edge.from.index(), edge.to.index())).collect();
        adjacency(self.tasks.len(), &edges)
    }

    pub(crate) fn order_indices(&self) -> Vec<usize> {
        topological_order(&self.successors())
    }
}

pub(crate) fn pairs(edges: &[Edge]) -> Vec<(usize, usize)> {
    edges.iter().map(|edge| (edge.from.index(), edge.to.index())).collect()
}
