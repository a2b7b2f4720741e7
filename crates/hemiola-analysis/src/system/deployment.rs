use std::cmp::Reverse;

use super::{Cycle, System};
use crate::dag::Dag;
use crate::picas::{self, Deployment, ExecutorId};
use crate::{NoBound, Time};

impl System {
    /// The graph of a cycle that has been checked, without costs of dispatching.
    pub(crate) fn graph(cycle: &Cycle) -> Dag {
        let place = |name: &String| cycle.tasks.iter().position(|task| task.name == *name);
        let mut edges = Vec::new();
        for (to, task) in cycle.tasks.iter().enumerate() {
            edges.extend(task.after.iter().filter_map(place).map(|from| (from, to)));
        }
        let costs = cycle.tasks.iter().map(|task| task.takes.longest);
        Dag::new(costs, edges).unwrap_or_else(|error| unreachable!("checked descriptions have no circles: {error}"))
    }

    /// All that the workers of a cycle keep for themselves in a run.
    pub(crate) fn kept(&self, cycle: usize) -> Time {
        let kept = self.cycles[cycle].tasks.iter().filter(|task| task.kept);
        kept.map(|task| task.takes.longest + self.costs.dispatch).sum()
    }

    /// The places of a cycle's tasks by importance, 0 for the most important, if they have priorities.
    pub(crate) fn priorities(cycle: &Cycle) -> Option<Vec<usize>> {
        let priorities: Vec<u32> = cycle.tasks.iter().map(|task| task.priority).collect::<Option<_>>()?;
        let mut order: Vec<usize> = (0..priorities.len()).collect();
        order.sort_by_key(|&task| (Reverse(priorities[task]), task));
        let mut places = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(place, task)| places[task] = place);
        Some(places)
    }

    /// Its chains on their executors.
    pub(crate) fn deployment(&self) -> Result<Deployment, NoBound> {
        let executors = self
            .executors
            .iter()
            .map(|executor| picas::Executor { core: executor.core, priority: executor.priority, order: executor.order })
            .collect();
        let mut chains = Vec::new();
        for chain in &self.chains {
            let mut callbacks = Vec::new();
            for callback in &chain.callbacks {
                let unassigned = || NoBound::Unassigned { callback: callback.name.clone() };
                let name = callback.executor.as_ref().ok_or_else(unassigned)?;
                let number =
                    self.executors.iter().position(|executor| executor.name == *name).ok_or_else(unassigned)?;
                callbacks.push(picas::Callback {
                    cost: callback.takes.longest,
                    shortest: callback.takes.shortest,
                    priority: callback.priority.unwrap_or(0),
                    executor: ExecutorId(number),
                });
            }
            chains.push(picas::Chain { period: chain.period, offset: None, callbacks });
        }
        Ok(Deployment { chains, executors, interference: Vec::new(), costs: self.costs })
    }
}
