use super::{Cycle, System};
use crate::NoBound;
use crate::dag::Dag;
use crate::picas::{self, Deployment, ExecutorId};

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
            chains.push(picas::Chain { period: chain.period, callbacks });
        }
        Ok(Deployment { chains, executors, interference: Vec::new(), costs: self.costs })
    }
}
