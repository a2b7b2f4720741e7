//! The cores that threads may use.

use super::Thread;
use crate::Analysis;
use crate::system::System;

/// The part of the tightest deadline that other cores have to save: for less it is not worthwhile
/// to pin a thread.
const WORTH: f64 = 0.02;

/// Chooses for each thread, in this order, all cores, or one if it is a single thread, where that
/// is better than what it has.
pub fn assign(mut system: System, order: &[Thread]) -> System {
    for &thread in order {
        let mut best = Merit::of(&system);
        for cores in choices(&system, thread) {
            let mut changed = system.clone();
            match thread {
                Thread::Cycle(cycle) => changed.cycles[cycle].cores = cores,
                Thread::Executor(executor) => changed.executors[executor].core = cores.first().copied(),
            }
            let merit = Merit::of(&changed);
            if merit.is_better_than(&best) {
                (system, best) = (changed, merit);
            }
        }
    }
    system
}

/// Returns lists of cores, of which an empty one means all.
fn choices(system: &System, thread: Thread) -> Vec<Vec<usize>> {
    let is_single = match thread {
        Thread::Cycle(cycle) => system.cycles[cycle].workers == 1,
        Thread::Executor(_) => true,
    };
    let alone = (0..if is_single { system.cores } else { 0 }).map(|core| vec![core]);
    [Vec::new()].into_iter().chain(alone).collect()
}

/// A measure of how good a system is.
struct Merit {
    holds: usize,
    /// The largest ratio of a bound to its deadline.
    tightest: f64,
}

impl Merit {
    fn of(system: &System) -> Self {
        let analysis = Analysis::of(system);
        let parts = analysis.verdicts.iter().filter_map(|verdict| {
            let (deadline, bound) = (verdict.deadline?, verdict.bound.as_ref().ok()?);
            Some(bound.as_nanoseconds() as f64 / deadline.as_nanoseconds().max(1) as f64)
        });
        Self {
            holds: analysis.verdicts.iter().filter(|verdict| verdict.holds()).count(),
            tightest: parts.fold(0.0, f64::max),
        }
    }

    fn is_better_than(&self, other: &Self) -> bool {
        self.holds > other.holds || self.holds == other.holds && self.tightest < other.tightest - WORTH
    }
}
