//! The threads that get a priority: the workers of a cycle, or the thread of an executor.

use crate::system::{Chain, Path, Start, System};
use crate::{Analysis, TimeSpan, Verdict};

/// A thread, by its position in the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thread {
    Cycle(usize),
    Executor(usize),
}

impl Thread {
    /// Returns the threads of those names that exist and have a priority.
    pub fn named(system: &System, cycles: &[&str], executors: &[&str]) -> Vec<Self> {
        let cycle = |name: &&str| system.cycles.iter().position(|cycle| cycle.name == **name);
        let executor = |name: &&str| {
            system.executors.iter().position(|executor| executor.name == **name && executor.reservation.is_none())
        };
        let cycles = cycles.iter().filter_map(cycle).map(Self::Cycle);
        cycles.chain(executors.iter().filter_map(executor).map(Self::Executor)).collect()
    }

    pub fn priority(self, system: &System) -> u32 {
        match self {
            Self::Cycle(cycle) => system.cycles[cycle].priority,
            Self::Executor(executor) => system.executors[executor].priority,
        }
    }

    pub fn priority_mut(self, system: &mut System) -> &mut u32 {
        match self {
            Self::Cycle(cycle) => &mut system.cycles[cycle].priority,
            Self::Executor(executor) => &mut system.executors[executor].priority,
        }
    }

    /// Returns how soon the thread has to be done; [`TimeSpan::MAX`] if it has no deadline.
    pub fn due(self, system: &System) -> TimeSpan {
        match self {
            Self::Cycle(cycle) => {
                let own = system.cycles[cycle].deadline;
                let responses = responses(system, cycle).filter_map(|path| path.deadline);
                let period = || system.period_of(&system.cycles[cycle].name);
                responses.chain(own).min().or_else(period).unwrap_or(TimeSpan::MAX)
            }
            Self::Executor(executor) => {
                let due = |chain| system.due(chain);
                chains(system, executor).filter_map(due).min().unwrap_or(TimeSpan::MAX)
            }
        }
    }

    /// Returns whether the thread meets its own deadlines, and a cycle also those that count from
    /// the sample with which it begins.
    pub fn is_in_time(self, analysis: &Analysis, system: &System) -> bool {
        let is_in_time = |name: &str| analysis.find(name).is_some_and(Verdict::holds);
        match self {
            Self::Cycle(cycle) => {
                let responses = responses(system, cycle).map(|path| &path.name);
                responses.chain([&system.cycles[cycle].name]).all(|name| is_in_time(name))
            }
            Self::Executor(executor) => chains(system, executor).all(|chain| is_in_time(&chain.name)),
        }
    }
}

/// Returns the paths from a sample to the end of the cycle that it begins.
fn responses(system: &System, cycle: usize) -> impl Iterator<Item = &Path> {
    let name = &system.cycles[cycle].name;
    let responds = move |path: &&Path| path.from == Start::Sample && path.through.last() == Some(name);
    system.paths.iter().filter(responds)
}

/// Returns the chains that have a callback on an executor.
fn chains(system: &System, executor: usize) -> impl Iterator<Item = &Chain> {
    let name = Some(&system.executors[executor].name);
    system.chains.iter().filter(move |chain| chain.callbacks.iter().any(|callback| callback.executor.as_ref() == name))
}
