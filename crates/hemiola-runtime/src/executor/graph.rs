use std::time::Duration;

use hemiola_plan::{Plan, TaskId};
use hemiola_trace::Ticks;

use super::CAPACITY;
use crate::error::RuntimeError;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// A plan in the form that the executor runs: units by priority, counters of unmet dependencies.
///
/// Units of output tasks (actuators, publishing) come first of all once they are ready; all others by their longest
/// remaining path. A counter is set back when it reaches zero, so that a run needs no preparation.
pub struct ExecutableGraph {
    units: Box<[Unit]>,
    roots: Box<[usize]>,
    /// A bit for each unit that is worth a hand-over.
    long: Box<[u64]>,
    /// The order of the tasks on one worker: what outputs need first.
    sequence: Box<[u32]>,
    workers: usize,
}

/// A chain of tasks that runs as one.
pub struct Unit {
    tasks: Box<[u32]>,
    successors: Box<[u32]>,
    predecessors: u32,
    pending: AtomicU32,
    ready_at: AtomicU64,
    long: bool,
}

/// Units at least this long are worth being started by another worker.
const WORTH_SHARING: Duration = Duration::from_nanos(1500);

impl ExecutableGraph {
    /// Prepares a plan; `outputs` are the tasks whose effects others wait for.
    ///
    /// # Errors
    /// The plan has more than [`CAPACITY`] units.
    pub fn new(plan: &Plan, outputs: &[TaskId]) -> Result<Self, RuntimeError> {
        let count = plan.units().len();
        if count > CAPACITY {
            return Err(RuntimeError::TooManyUnits { cycle: plan.graph().name().to_owned(), units: count, maximum: CAPACITY });
        }
        let is_output = |unit: usize| plan.units()[unit].tasks.iter().any(|task| outputs.contains(task));
        // Stable: within both groups the plan's order by priority stays.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&unit| !is_output(unit));
        let mut rank = vec![0; count];
        order.iter().enumerate().for_each(|(new, &old)| rank[old] = new);

        let units: Box<[Unit]> = order
            .iter()
            .map(|&old| {
                let unit = &plan.units()[old];
                Unit {
                    tasks: unit.tasks.iter().map(|task| task.0).collect(),
                    successors: unit.successors.iter().map(|next| rank[next.index()] as u32).collect(),
                    predecessors: unit.predecessors,
                    pending: AtomicU32::new(unit.predecessors),
                    ready_at: AtomicU64::new(0),
                    // Before anything is measured all units may be long.
                    long: unit.duration.is_zero() || unit.duration >= WORTH_SHARING,
                }
            })
            .collect();
        let mut long = vec![0_u64; CAPACITY / 64];
        for (unit, _) in units.iter().enumerate().filter(|(_, unit)| unit.long) {
            long[unit / 64] |= 1 << (unit % 64);
        }
        Ok(Self {
            roots: (0..count).filter(|&unit| units[unit].predecessors == 0).collect(),
            long: long.into(),
            sequence: sequence(plan, outputs),
            workers: plan.workers(),
            units,
        })
    }

    /// How many workers it wants.
    pub fn workers(&self) -> usize {
        self.workers
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(super) fn roots(&self) -> &[usize] {
        &self.roots
    }

    pub(super) fn long(&self) -> &[u64] {
        &self.long
    }

    pub(super) fn sequence(&self) -> &[u32] {
        &self.sequence
    }

    pub(super) fn words(&self) -> usize {
        self.units.len().div_ceil(64)
    }
}

/// All tasks in an order for one worker: what the outputs need (and the outputs) first, within that by priority.
fn sequence(plan: &Plan, outputs: &[TaskId]) -> Box<[u32]> {
    let mut needed = vec![false; plan.graph().tasks().len()];
    for &output in outputs {
        needed[output.index()] = true;
        for task in plan.graph().prerequisites(output) {
            needed[task.index()] = true;
        }
    }
    let by_priority: Vec<TaskId> = plan.order().collect();
    let (first, rest): (Vec<TaskId>, Vec<TaskId>) = by_priority.into_iter().partition(|task| needed[task.index()]);
    first.into_iter().chain(rest).map(|task| task.0).collect()
}

impl Unit {
    pub(super) fn tasks(&self) -> &[u32] {
        &self.tasks
    }

    pub(super) fn successors(&self) -> &[u32] {
        &self.successors
    }

    pub(super) fn is_long(&self) -> bool {
        self.long
    }

    /// Counts one dependency as met; `true` for the last one, which also sets the counter back for the next run.
    ///
    /// Release hands on what this worker's task wrote; acquire makes the last one see what all others wrote.
    pub(super) fn meet_dependency(&self) -> bool {
        if self.pending.fetch_sub(1, Ordering::AcqRel) != 1 {
            return false;
        }
        self.pending.store(self.predecessors, Ordering::Relaxed);
        true
    }

    pub(super) fn set_ready_at(&self, at: Ticks) {
        self.ready_at.store(at.0, Ordering::Relaxed);
    }

    pub(super) fn ready_at(&self) -> Ticks {
        Ticks(self.ready_at.load(Ordering::Relaxed))
    }
}
