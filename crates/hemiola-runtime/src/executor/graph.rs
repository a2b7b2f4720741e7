use std::hint::black_box;
use std::time::Duration;

use hemiola_plan::Plan;
use hemiola_trace::Ticks;

use super::ready_set::{CAPACITY, UnitSet};
use crate::error::RuntimeError;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// A plan in the form that the executor runs: units by priority, counters of unmet dependencies.
///
/// The plan's order of units is the order of their importance. A counter is reset when it reaches
/// zero, so that a run needs no preparation. The data that a run reads is contiguous, because
/// little of it is in any cache after the sleep between two runs.
pub struct ExecutableGraph {
    units: Box<[Unit]>,
    /// The tasks of all units, then the successors of all units.
    lists: Box<[u32]>,
    roots: UnitSet,
    /// A bit for each unit that is worth a hand-over.
    long: Box<[u64]>,
    /// The order of the tasks on one worker.
    sequence: Box<[u32]>,
    workers: usize,
}

/// A chain of tasks that runs as one. It is on a cache line of its own, because workers count down
/// neighbours at the same time.
#[repr(align(64))]
pub struct Unit {
    pending: AtomicU32,
    predecessors: u32,
    ready_at: AtomicU64,
    tasks: Section,
    successors: Section,
    long: bool,
}

/// A part of [`ExecutableGraph::lists`].
#[derive(Clone, Copy)]
struct Section {
    begin: u32,
    end: u32,
}

/// The minimum length of a unit that is worth starting on another worker. The worker that made it
/// ready keeps a shorter one until it starts a long one.
pub const WORTH_SHARING: Duration = Duration::from_nanos(1500);

impl ExecutableGraph {
    /// Prepares a plan.
    ///
    /// # Errors
    /// Returns an error if the plan has more than [`CAPACITY`] units.
    pub fn new(plan: &Plan) -> Result<Self, RuntimeError> {
        let count = plan.units().len();
        if count > CAPACITY {
            return Err(RuntimeError::TooManyUnits {
                cycle: plan.graph().name().to_owned(),
                units: count,
                maximum: CAPACITY,
            });
        }
        let mut lists: Vec<u32> = Vec::new();
        let mut append = |list: &mut dyn Iterator<Item = u32>| {
            let begin = lists.len() as u32;
            lists.extend(list);
            Section { begin, end: lists.len() as u32 }
        };
        let tasks: Vec<Section> =
            plan.units().iter().map(|unit| append(&mut unit.tasks.iter().map(|task| task.0))).collect();
        let successors: Vec<Section> =
            plan.units().iter().map(|unit| append(&mut unit.successors.iter().map(|next| next.0))).collect();
        let units: Box<[Unit]> = (plan.units().iter().zip(tasks).zip(successors))
            .map(|((unit, tasks), successors)| Unit {
                pending: AtomicU32::new(unit.predecessors),
                predecessors: unit.predecessors,
                ready_at: AtomicU64::new(0),
                tasks,
                successors,
                long: unit.duration >= WORTH_SHARING,
            })
            .collect();
        let mut long = vec![0_u64; CAPACITY / 64];
        for (unit, _) in units.iter().enumerate().filter(|(_, unit)| unit.long) {
            long[unit / 64] |= 1 << (unit % 64);
        }
        Ok(Self {
            roots: (0..count).filter(|&unit| units[unit].is_root()).collect(),
            long: long.into(),
            sequence: plan.order().map(|task| task.0).collect(),
            workers: plan.workers(),
            lists: lists.into(),
            units,
        })
    }

    /// Creates a graph of one unit that has nothing to do, for that many workers.
    pub(super) fn idle(workers: usize) -> Self {
        let nothing = Section { begin: 0, end: 0 };
        let unit = Unit {
            pending: AtomicU32::new(0),
            predecessors: 0,
            ready_at: AtomicU64::new(0),
            tasks: nothing,
            successors: nothing,
            long: false,
        };
        Self {
            units: Box::new([unit]),
            lists: Box::default(),
            roots: UnitSet::from_iter([0]),
            long: vec![0; CAPACITY / 64].into(),
            sequence: Box::default(),
            workers,
        }
    }

    /// Returns the number of workers that it requests.
    pub fn workers(&self) -> usize {
        self.workers
    }

    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(super) fn tasks(&self, unit: &Unit) -> &[u32] {
        self.list(unit.tasks)
    }

    pub(super) fn successors(&self, unit: &Unit) -> &[u32] {
        self.list(unit.successors)
    }

    fn list(&self, section: Section) -> &[u32] {
        &self.lists[section.begin as usize..section.end as usize]
    }

    pub(super) fn roots(&self) -> UnitSet {
        self.roots.clone()
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

    /// Touches every cache line that a run reads.
    pub(super) fn touch(&self) {
        black_box(self.units.iter().map(|unit| unit.pending.load(Ordering::Relaxed)).fold(0, u32::wrapping_add));
        let a_line = 64 / size_of::<u32>();
        black_box(
            self.lists.iter().chain(&self.sequence).step_by(a_line).fold(0, |sum: u32, entry| sum.wrapping_add(*entry)),
        );
        black_box(self.long.iter().fold(0, |sum: u64, word| sum.wrapping_add(*word)));
    }
}

impl Unit {
    /// Returns whether the unit depends on no other one.
    pub(super) fn is_root(&self) -> bool {
        self.predecessors == 0
    }

    pub(super) fn is_long(&self) -> bool {
        self.long
    }

    /// Counts one dependency as met; returns `true` for the last one, which also resets the counter
    /// for the next run.
    ///
    /// Release publishes what this worker's task wrote; acquire makes the last one see what all
    /// others wrote.
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
