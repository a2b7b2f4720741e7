//! The order of the callbacks of an executor.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Thread;
use crate::TimeSpan;
use crate::system::{Order, System};

/// Orders the callbacks of executors that run them by priority: those that are due sooner come
/// first; of those that are due at the same time, or never, those that run more often; of one
/// chain, the later ones.
pub fn by_deadline(system: &System, threads: &[Thread]) -> System {
    let mut system = system.clone();
    for &thread in threads {
        let Thread::Executor(executor) = thread else { continue };
        if system.executors[executor].order == Order::Priority {
            order(&mut system, executor);
        }
    }
    system
}

fn order(system: &mut System, executor: usize) {
    let name = Some(system.executors[executor].name.clone());
    // A callback that runs for several reasons is listed once.
    let mut urgencies: BTreeMap<String, (TimeSpan, TimeSpan, Reverse<usize>)> = BTreeMap::new();
    let mut levels = BTreeMap::new();
    for chain in &system.chains {
        let due = system.due(chain).unwrap_or(TimeSpan::MAX);
        let period = system.period_of(&chain.name).unwrap_or(TimeSpan::MAX);
        for (place, callback) in chain.callbacks.iter().enumerate().filter(|(_, callback)| callback.executor == name) {
            let urgency = (due, period, Reverse(place));
            let known = urgencies.entry(callback.name.clone()).or_insert(urgency);
            *known = urgency.min(*known);
            levels.insert(callback.name.clone(), callback.priority.unwrap_or(0));
        }
    }
    let mut order: Vec<_> = urgencies.into_iter().collect();
    // The least important callback comes first.
    order.sort_by(|(_, one), (_, other)| other.cmp(one));
    let mut levels: Vec<u32> = levels.into_values().collect();
    levels.sort_unstable();
    if levels.windows(2).any(|pair| pair[0] == pair[1]) {
        levels = (1..).take(order.len()).collect();
    }
    let level_of: BTreeMap<String, u32> = order.into_iter().map(|(name, _)| name).zip(levels).collect();
    for callback in
        system.chains.iter_mut().flat_map(|chain| &mut chain.callbacks).filter(|callback| callback.executor == name)
    {
        callback.priority = level_of.get(&callback.name).copied();
    }
}
