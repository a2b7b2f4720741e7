//! The number of workers of a cycle.

use super::Thread;
use crate::system::System;
use crate::{Analysis, TimeSpan};

/// The factor by which a bound may be worse in exchange for fewer workers.
const TOLERATED: f64 = 1.02;

/// Returns the largest number of workers that can be useful.
pub fn most(system: &System, cycle: usize) -> usize {
    system.cores.min(system.cycles[cycle].tasks.len()).max(1)
}

/// Chooses for each cycle, in this order, the fewest workers whose bound is hardly worse than the
/// best.
pub fn assign(mut system: System, order: &[Thread]) -> System {
    for &thread in order {
        let Thread::Cycle(cycle) = thread else { continue };
        let held = held(&Analysis::of(&system));
        let mut choices = Vec::new();
        for workers in 1..=most(&system, cycle) {
            let mut changed = system.clone();
            changed.cycles[cycle].workers = workers;
            let analysis = Analysis::of(&changed);
            let bound = analysis.find(&system.cycles[cycle].name).and_then(|verdict| verdict.bound.clone().ok());
            choices.extend(bound.filter(|_| self::held(&analysis) >= held).map(|bound| (workers, bound)));
        }
        let best = choices.iter().map(|&(_, bound)| bound).min();
        let is_enough = |bound: TimeSpan| {
            best.is_some_and(|best| bound.as_nanoseconds() as f64 <= best.as_nanoseconds() as f64 * TOLERATED)
        };
        if let Some(&(workers, _)) = choices.iter().find(|&&(_, bound)| is_enough(bound)) {
            system.cycles[cycle].workers = workers;
        }
    }
    system
}

fn held(analysis: &Analysis) -> usize {
    analysis.verdicts.iter().filter(|verdict| verdict.holds()).count()
}
