//! The simulation of a plan on virtual workers, which predicts the times of its tasks and how long
//! it takes.

mod ready;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::durations::{Durations, Sampler, from_nanos, nanos};
use crate::plan::{Plan, UnitId};
use crate::random::SplitMix64;
use crate::task::TaskId;
use ready::{Fifo, ReadySet, Stealing, Urgent};

/// The rule by which a free worker chooses among the ready units.
///
/// See [`SimulationOptions`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The default: the most important unit, which is an output, else the one with the longest
    /// remaining path. Units shorter than a hand-over stay with the worker that made them ready
    /// until it gets busy with a longer one.
    #[default]
    CriticalPath,
    /// The unit that has been ready for longest, as in a plain queue.
    Fifo,
    /// The newest unit of the worker's own, else the oldest of another worker's, as in thread
    /// pools.
    WorkStealing,
}

/// The circumstances of a simulation.
///
/// ```
/// use hemiola_plan::{Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskGraph};
/// use std::time::Duration;
///
/// let durations = Durations::constant([1, 5, 2].map(Duration::from_millis));
/// let plan = Plan::new(TaskGraph::plain("fork", 3, [(0, 1), (0, 2)])?, &durations, &PlanOptions::default());
/// let as_in_a_queue = SimulationOptions { workers: 2, policy: Policy::Fifo, ..SimulationOptions::default() };
/// println!("{:?}", Simulation::new(&plan, &durations, &as_in_a_queue).makespan(1).mean);
/// # Ok::<(), hemiola_plan::GraphError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulationOptions {
    /// The number of workers; 0 counts as 1.
    pub workers: usize,
    /// The time after which a worker other than the one that made a unit ready can start it.
    pub hand_over: Duration,
    /// The rule by which workers choose units.
    pub policy: Policy,
    /// The seed of the durations that are drawn where they vary.
    pub seed: u64,
}

impl Default for SimulationOptions {
    /// Returns the options for one worker, critical path first, free hand-overs.
    fn default() -> Self {
        Self { workers: 1, hand_over: Duration::ZERO, policy: Policy::CriticalPath, seed: 0 }
    }
}

/// The makespans of simulated runs.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskDuration, TaskGraph, TaskId};
/// let graph = TaskGraph::plain("one", 1, []).unwrap();
/// let mut durations = Durations::unknown(1);
/// let ms = Duration::from_millis;
/// durations.set(TaskId(0), TaskDuration::Samples(vec![(ms(1), 1), (ms(3), 1)]));
/// let plan = Plan::new(graph, &durations, &PlanOptions::default());
/// let makespan = Simulation::new(&plan, &durations, &SimulationOptions::default()).makespan(1000);
/// assert_eq!((makespan.minimum, makespan.maximum), (ms(1), ms(3)));
/// assert!((makespan.mean.as_secs_f64() - 0.002).abs() < 1e-4);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Makespan {
    /// The number of workers.
    pub workers: usize,
    /// The number of runs.
    pub runs: usize,
    /// The shortest time.
    pub minimum: Duration,
    /// The mean time.
    pub mean: Duration,
    /// The time that 99 % of the runs did not exceed.
    pub p99: Duration,
    /// The longest time.
    pub maximum: Duration,
}

/// A task in a schedule, with its worker and its times.
///
/// See [`Schedule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The index of the worker, from 0.
    pub worker: usize,
    /// The unit of the plan.
    pub unit: UnitId,
    /// The task.
    pub task: TaskId,
    /// The start, counted from the trigger.
    pub start: Duration,
    /// The end, counted from the trigger.
    pub end: Duration,
}

/// A run of a plan: the tasks of each worker with their times.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph};
/// let durations = Durations::constant([1, 2].map(Duration::from_millis));
/// let plan = Plan::new(TaskGraph::plain("pair", 2, []).unwrap(), &durations, &PlanOptions::default());
/// let options = SimulationOptions { workers: 2, ..SimulationOptions::default() };
/// let schedule = Simulation::new(&plan, &durations, &options).schedule();
/// assert_eq!(schedule.makespan, Duration::from_millis(2));
/// assert_eq!(schedule.busy(0), Duration::from_millis(2)); // the longer task is the more important one
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The number of workers.
    pub workers: usize,
    /// The slots of all tasks, one each, ordered by start.
    pub slots: Vec<Slot>,
    /// The end of the last task.
    pub makespan: Duration,
}

impl Schedule {
    /// Returns how long a worker was busy.
    pub fn busy(&self, worker: usize) -> Duration {
        self.slots.iter().filter(|slot| slot.worker == worker).map(|slot| slot.end - slot.start).sum()
    }

    /// Returns the slot of a task.
    pub fn slot(&self, task: TaskId) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.task == task)
    }
}

/// A list scheduler over the units of a plan. It allocates only when it is made: a thousand runs of
/// 150 tasks on two workers take some ten milliseconds.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, Plan, PlanOptions, Policy, Simulation, SimulationOptions, TaskGraph};
/// // The long task comes last in the file; whoever starts it last waits for it.
/// let graph = TaskGraph::plain("tail", 3, []).unwrap();
/// let durations = Durations::constant([2, 2, 4].map(Duration::from_millis));
/// let plan = Plan::new(graph, &Durations::unknown(3), &PlanOptions::default()); // planned without knowing durations
/// let fifo = SimulationOptions { workers: 2, policy: Policy::Fifo, ..SimulationOptions::default() };
/// assert_eq!(Simulation::new(&plan, &durations, &fifo).makespan(1).mean, Duration::from_millis(6));
///
/// let plan = Plan::new(plan.graph().clone(), &durations, &PlanOptions::default());
/// let ours = SimulationOptions { policy: Policy::CriticalPath, ..fifo };
/// assert_eq!(Simulation::new(&plan, &durations, &ours).makespan(1).mean, Duration::from_millis(4));
/// ```
#[derive(Debug)]
pub struct Simulation<'p> {
    plan: &'p Plan,
    options: SimulationOptions,
    sampler: Sampler,
    random: SplitMix64,
    task_durations: Vec<u64>,
    state: State,
    ready: Ready,
}

impl<'p> Simulation<'p> {
    /// Creates a simulation of `plan` with `durations`, which need not be those with which it was
    /// planned.
    pub fn new(plan: &'p Plan, durations: &Durations, options: &SimulationOptions) -> Self {
        let options = SimulationOptions { workers: options.workers.max(1), ..*options };
        let (tasks, units) = (plan.graph().tasks().len(), plan.units().len());
        let ready = match options.policy {
            Policy::CriticalPath => Ready::Urgent(Urgent::new(units, options.workers)),
            Policy::Fifo => Ready::Fifo(Fifo::new(units)),
            Policy::WorkStealing => Ready::Stealing(Stealing::new(units, options.workers)),
        };
        Self {
            plan,
            sampler: Sampler::new(durations, tasks),
            random: SplitMix64::new(options.seed),
            task_durations: vec![0; tasks],
            state: State::new(plan, &options),
            ready,
            options,
        }
    }

    /// Simulates the plan `runs` times, at least once, each time with newly drawn durations.
    pub fn makespan(&mut self, runs: usize) -> Makespan {
        let mut times: Vec<u64> = (0..runs.max(1)).map(|_| self.run(|_, _, _| {})).collect();
        times.sort_unstable();
        let sum: u128 = times.iter().map(|&time| u128::from(time)).sum();
        let rank = (times.len() * 99).div_ceil(100) - 1;
        Makespan {
            workers: self.options.workers,
            runs: times.len(),
            minimum: from_nanos(times[0]),
            mean: from_nanos((sum / times.len() as u128) as u64),
            p99: from_nanos(times[rank]),
            maximum: from_nanos(times[times.len() - 1]),
        }
    }

    /// Simulates one further run in detail. A single worker under [`Policy::CriticalPath`] follows
    /// [`Plan::order`].
    pub fn schedule(&mut self) -> Schedule {
        if self.options.workers == 1 && self.options.policy == Policy::CriticalPath {
            return self.sequence();
        }
        let mut starts = Vec::with_capacity(self.plan.units().len());
        let makespan = self.run(|worker, unit, start| starts.push((worker, unit, start)));
        let mut slots = Vec::with_capacity(self.plan.graph().tasks().len());
        for (worker, unit, mut start) in starts {
            for &task in &self.plan.units()[unit as usize].tasks {
                let end = start + self.task_durations[task.index()];
                slots.push(Slot { worker, unit: UnitId(unit), task, start: from_nanos(start), end: from_nanos(end) });
                start = end;
            }
        }
        slots.sort_by_key(|slot| (slot.start, slot.end, slot.worker));
        Schedule { workers: self.options.workers, slots, makespan: from_nanos(makespan) }
    }

    fn sequence(&mut self) -> Schedule {
        self.sampler.draw(&mut self.random, &mut self.task_durations);
        let mut now = 0;
        let mut run = |task: TaskId| {
            let start = now;
            now += self.task_durations[task.index()];
            Slot { worker: 0, unit: self.plan.unit_of(task), task, start: from_nanos(start), end: from_nanos(now) }
        };
        let slots = self.plan.order().map(&mut run).collect();
        Schedule { workers: 1, slots, makespan: from_nanos(now) }
    }

    /// Draws durations and simulates once; reports every start as (worker, unit, time).
    fn run(&mut self, on_start: impl FnMut(usize, u32, u64)) -> u64 {
        self.sampler.draw(&mut self.random, &mut self.task_durations);
        for (unit, duration) in self.plan.units().iter().zip(&mut self.state.durations) {
            *duration = unit.tasks.iter().map(|task| self.task_durations[task.index()]).sum();
        }
        match &mut self.ready {
            Ready::Urgent(ready) => self.state.run(ready, on_start),
            Ready::Fifo(ready) => self.state.run(ready, on_start),
            Ready::Stealing(ready) => self.state.run(ready, on_start),
        }
    }
}

#[derive(Debug)]
enum Ready {
    Urgent(Urgent),
    Fifo(Fifo),
    Stealing(Stealing),
}

/// The unit of a worker that runs nothing.
const NONE: u32 = u32::MAX;

/// The mutable state of a simulation, all of it allocated once.
#[derive(Debug)]
struct State {
    hand_over: u64,
    predecessors: Vec<u32>,
    /// The successors of all units, one unit after another; unit u has
    /// `successors[ends[u - 1]..ends[u]]`.
    successors: Vec<u32>,
    ends: Vec<usize>,
    /// Set for each unit that is worth giving to another worker, given the duration that the plan
    /// expects.
    shared: Vec<bool>,
    durations: Vec<u64>,
    unmet: Vec<u32>,
    /// The time since which each unit is ready, and the worker that made it ready.
    ready_since: Vec<u64>,
    owner: Vec<usize>,
    /// The unit that each worker runs, and until when.
    running: Vec<u32>,
    until: Vec<u64>,
}

impl State {
    fn new(plan: &Plan, options: &SimulationOptions) -> Self {
        let units = plan.units();
        let mut ends = Vec::with_capacity(units.len());
        let mut successors = Vec::new();
        for unit in units {
            successors.extend(unit.successors.iter().map(|next| next.0));
            ends.push(successors.len());
        }
        let keeps_short_ones = options.policy == Policy::CriticalPath;
        Self {
            hand_over: nanos(options.hand_over),
            predecessors: units.iter().map(|unit| unit.predecessors).collect(),
            successors,
            ends,
            shared: units.iter().map(|unit| !keeps_short_ones || unit.duration >= options.hand_over).collect(),
            durations: vec![0; units.len()],
            unmet: vec![0; units.len()],
            ready_since: vec![0; units.len()],
            owner: vec![0; units.len()],
            running: vec![NONE; options.workers],
            until: vec![0; options.workers],
        }
    }

    /// Simulates event after event: all units that end now end, then every free worker takes one.
    fn run<R: ReadySet>(&mut self, ready: &mut R, mut on_start: impl FnMut(usize, u32, u64)) -> u64 {
        self.unmet.copy_from_slice(&self.predecessors);
        // Worker 0 waits for the trigger, so it owns the first units.
        for unit in 0..self.unmet.len() {
            if self.unmet[unit] == 0 {
                (self.ready_since[unit], self.owner[unit]) = (0, 0);
                ready.insert(unit as u32, 0, self.shared[unit]);
            }
        }
        let mut now = 0u64;
        loop {
            let mut next = u64::MAX;
            let mut idle = false;
            for worker in 0..self.running.len() {
                if self.running[worker] == NONE {
                    let visible = |unit: u32| {
                        let unit = unit as usize;
                        self.owner[unit] == worker || self.ready_since[unit] + self.hand_over <= now
                    };
                    let Some(unit) = ready.take(worker, visible) else {
                        idle = true;
                        continue;
                    };
                    on_start(worker, unit, now);
                    if self.shared[unit as usize] {
                        ready.give_away(worker, |given| self.ready_since[given as usize] = now);
                    }
                    self.running[worker] = unit;
                    self.until[worker] = now + self.durations[unit as usize];
                }
                next = next.min(self.until[worker]);
            }
            if idle && self.hand_over > 0 {
                // A worker waits for a unit that is on its way from another worker.
                ready.for_each_shared(|unit| {
                    let arrives = self.ready_since[unit as usize] + self.hand_over;
                    if arrives > now {
                        next = next.min(arrives);
                    }
                });
            }
            if next == u64::MAX {
                return now;
            }
            now = next;
            for worker in 0..self.running.len() {
                if self.running[worker] != NONE && self.until[worker] == now {
                    let unit = std::mem::replace(&mut self.running[worker], NONE) as usize;
                    let start = if unit == 0 { 0 } else { self.ends[unit - 1] };
                    for index in start..self.ends[unit] {
                        let successor = self.successors[index] as usize;
                        self.unmet[successor] -= 1;
                        if self.unmet[successor] == 0 {
                            (self.ready_since[successor], self.owner[successor]) = (now, worker);
                            ready.insert(successor as u32, worker, self.shared[successor]);
                        }
                    }
                }
            }
        }
    }
}
