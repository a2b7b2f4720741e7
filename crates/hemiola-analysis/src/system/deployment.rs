use std::cmp::Reverse;

use super::{Beginning, Callback, Chain, Cycle, System};
use crate::dag::Dag;
use crate::picas::{self, Deployment, ExecutorId};
use crate::{NoBound, TimeSpan};

impl Cycle {
    /// Returns the graph of a cycle that has been checked, without costs of dispatching.
    ///
    /// # Panics
    /// Panics if its tasks wait for each other, which [`System::from_toml`] rejects.
    pub fn graph(&self) -> Dag {
        let place = |name: &String| self.tasks.iter().position(|task| task.name == *name);
        let mut edges = Vec::new();
        for (to, task) in self.tasks.iter().enumerate() {
            edges.extend(task.after.iter().filter_map(place).map(|from| (from, to)));
        }
        let costs = self.tasks.iter().map(|task| task.takes.longest);
        Dag::new(costs, edges).unwrap_or_else(|error| unreachable!("checked descriptions have no circles: {error}"))
    }

    /// Returns the rank of each of its tasks, 0 for the highest priority, if they have priorities.
    pub fn order(&self) -> Option<Vec<usize>> {
        let priorities: Vec<u32> = self.tasks.iter().map(|task| task.priority).collect::<Option<_>>()?;
        let mut order: Vec<usize> = (0..priorities.len()).collect();
        order.sort_by_key(|&task| (Reverse(priorities[task]), task));
        let mut places = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(place, task)| places[task] = place);
        Some(places)
    }
}

impl System {
    /// Returns the total cost of all tasks that the workers of a cycle keep for themselves in a
    /// run.
    pub(crate) fn kept(&self, cycle: usize) -> TimeSpan {
        let kept = self.cycles[cycle].tasks.iter().filter(|task| task.kept);
        kept.map(|task| task.takes.longest + self.costs.dispatch).sum()
    }

    /// Returns the chains on executors that are pinned to a core. The others have no callbacks
    /// there, because they may migrate. Chains that begin after something do so at once: how much
    /// later is for the analysis to find.
    ///
    /// # Errors
    /// Returns an error if a callback has no executor.
    pub fn deployment(&self) -> Result<Deployment, NoBound> {
        let executors = self.executors.iter().map(|executor| picas::Executor {
            core: executor.core.unwrap_or_default(),
            priority: executor.level(),
            order: executor.order,
        });
        let chain = |(number, chain): (usize, &Chain)| {
            let mut callbacks = self.placed(number)?;
            if self.is_moved(&callbacks) {
                callbacks.clear();
            }
            let begins = match chain.begins {
                Beginning::Timer => picas::Beginning::Timer,
                Beginning::WakeUp => picas::Beginning::WakeUp,
                Beginning::After(_) => picas::Beginning::After { within: TimeSpan::ZERO },
            };
            let period = self.period_of(&chain.name).unwrap_or(TimeSpan::MAX);
            Ok(picas::Chain { period, begins, offset: chain.offset, callbacks })
        };
        let chains = self.chains.iter().enumerate().map(chain).collect::<Result<_, NoBound>>()?;
        Ok(Deployment { chains, executors: executors.collect(), interference: Vec::new(), costs: self.costs })
    }

    /// Returns the parts of chains that are, at least partly, on an executor that is pinned to no
    /// core.
    pub(crate) fn moved(&self) -> Vec<Moved> {
        let mut moved = Vec::new();
        for chain in 0..self.chains.len() {
            let callbacks = self.placed(chain).unwrap_or_default();
            if self.is_moved(&callbacks) {
                let mut earliest_begin = TimeSpan::ZERO;
                for (place, run) in callbacks.chunk_by(|one, other| one.executor == other.executor).enumerate() {
                    moved.push(Moved {
                        chain,
                        place,
                        executor: run[0].executor,
                        callbacks: run.to_vec(),
                        earliest_begin,
                    });
                    earliest_begin += run.iter().map(|callback| callback.shortest).sum();
                }
            }
        }
        moved
    }

    /// Returns the callbacks of a chain with their executors.
    fn placed(&self, chain: usize) -> Result<Vec<picas::Callback>, NoBound> {
        let place = |callback: &Callback| {
            let unassigned = || NoBound::Unassigned { callback: callback.name.clone() };
            let name = callback.executor.as_ref().ok_or_else(unassigned)?;
            let number = self.executors.iter().position(|executor| executor.name == *name).ok_or_else(unassigned)?;
            Ok(picas::Callback {
                cost: callback.takes.longest,
                shortest: callback.takes.shortest,
                priority: callback.priority.unwrap_or(0),
                executor: ExecutorId(number),
            })
        };
        self.chains[chain].callbacks.iter().map(place).collect()
    }

    fn is_moved(&self, callbacks: &[picas::Callback]) -> bool {
        callbacks.iter().any(|callback| self.executors[callback.executor.0].core.is_none())
    }
}

/// The callbacks of a chain that one executor runs in a row, where the chain is on an executor that
/// is pinned to no core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) chain: usize,
    /// The position among such parts of the chain.
    pub(crate) place: usize,
    pub(crate) executor: ExecutorId,
    pub(crate) callbacks: Vec<picas::Callback>,
    /// The time after the chain's release at which it begins if all before it run as fast as they
    /// can.
    pub(crate) earliest_begin: TimeSpan,
}

impl Moved {
    pub(crate) fn lowest(&self) -> u32 {
        self.callbacks.iter().map(|callback| callback.priority).min().unwrap_or(0)
    }

    pub(crate) fn highest(&self) -> u32 {
        self.callbacks.iter().map(|callback| callback.priority).max().unwrap_or(0)
    }

    /// Returns whether priorities rise along the callbacks, so that an earlier instance comes
    /// first.
    pub(crate) fn rises(&self) -> bool {
        self.callbacks.is_sorted_by(|one, other| one.priority < other.priority)
    }
}
