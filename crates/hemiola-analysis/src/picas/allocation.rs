//! The executor and core of each callback: chain-aware node allocation.
//!
//! - **Model.** One executor runs all callbacks of a node, which may belong to several chains.
//!   Chains, the most important one first; cores are alike.
//! - **Part A.** Chain after chain: its nodes go to the least loaded core (the first of several),
//!   in a new executor with the next lower priority, unless a more important chain has placed them.
//!   While they do not fit, the earliest is removed; the removed ones are allocated next, before
//!   the next chain.
//! - **Part B**, when there is no further executor: the nodes join the executor on the least loaded
//!   core that they fit on whose joining breaks no more rules of [`super::strategies`] than are
//!   broken already; if they fit on no core, the earliest is removed.
//! - **Part C.** A node that is left over goes to the least loaded core among those whose least
//!   important chain is less important than its own (else, of all), even if that overloads the
//!   core, and joins that core's executor with the lowest priority.
//! - **Rules.** If each callback is a node, none is broken unless part C overloads a core. The node
//!   of several chains may break rule VI: its executor has the priority of the most important one.
//! - **Ties.** Equally loaded: the core with the smaller number; executors of a core: the one with
//!   the lower priority.
//! - **Complexity.** Nodes times cores, times executors and the square of callbacks in part B.
//! - **Source.** Choi, Xiang and Kim, RTAS 2021, Algorithm 2. Part A is as in the 3,000 published
//!   allocations; the published parts B and C are known by title only, and never occur there: what
//!   they do here is our own choice.

use crate::picas::strategies::violations;
use crate::picas::{Chain, Deployment, Executor, ExecutorId, Order, priorities};
use crate::{Costs, NoBound, TimeSpan};

/// Assigns priorities, executors and cores to all callbacks, each of which is a node of its own.
/// There are at most `executors` executors: the first has that priority, each further one the next
/// lower.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation}};
/// let ms = TimeSpan::milliseconds;
/// // The second chain does not fit beside the first on one core: its end does, its begin goes to the other core.
/// let chains = [Chain::new(ms(10), [ms(3)]), Chain::new(ms(10), [ms(4)]), Chain::new(ms(10), [ms(4), ms(4)])];
/// let deployment = allocation::allocate(&chains, 2, 90).unwrap();
/// let cores: Vec<usize> =
///     deployment.chains[2].callbacks.iter().map(|callback| deployment.executor(callback).core).collect();
/// assert_eq!(cores, [1, 0]);
/// ```
///
/// # Errors
/// [`NoBound::OverUtilised`] if there is more work than `cores` have time for.
pub fn allocate(chains: &[Chain], cores: usize, executors: u32) -> Result<Deployment, NoBound> {
    allocate_nodes(chains, &[], cores, executors)
}

/// Assigns priorities, executors and cores, as [`allocate`] does, and all callbacks of a node to
/// one executor. A node lists its callbacks, each as (chain, position in it); a callback that is in
/// no list is a node of its own, and one that is in several belongs to the first.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation}};
/// let ms = TimeSpan::milliseconds;
/// let chains = [Chain::new(ms(10), [ms(3)]), Chain::new(ms(10), [ms(4), ms(4)])];
/// // The driver has a callback of both chains.
/// let driver = vec![(0, 0), (1, 0)];
/// let deployment = allocation::allocate_nodes(&chains, &[driver], 2, 90).unwrap();
/// assert_eq!(deployment.chains[0].callbacks[0].executor, deployment.chains[1].callbacks[0].executor);
/// assert_eq!(deployment.utilisation(2), [0.7, 0.4]);
/// ```
///
/// # Errors
/// [`NoBound::OverUtilised`] if there is more work than `cores` have time for.
///
/// # Panics
/// Panics if there is no such callback as a node lists.
pub fn allocate_nodes(
    chains: &[Chain],
    nodes: &[Vec<(usize, usize)>],
    cores: usize,
    executors: u32,
) -> Result<Deployment, NoBound> {
    let mut chains = chains.to_vec();
    priorities::assign(&mut chains);
    let shares = chains.iter().flat_map(|chain| chain.callbacks.iter().map(|callback| (callback.cost, chain.period)));
    crate::bound::check_utilisation(shares, cores as f64)?;
    let nodes = Nodes::of(&chains, nodes);
    let mut allocation = Allocation {
        deployment: Deployment { chains, executors: Vec::new(), interference: Vec::new(), costs: Costs::default() },
        is_placed: vec![false; nodes.callbacks.len()],
        nodes,
        load: vec![0.0; cores.max(1)],
        highest: executors.max(1),
    };
    for chain in 0..allocation.deployment.chains.len() {
        allocation.place_chain(chain);
    }
    Ok(allocation.deployment)
}

/// All nodes. Each callback is (chain, position in it), and belongs to one of them.
struct Nodes {
    callbacks: Vec<Vec<(usize, usize)>>,
    /// The node of each callback, by chain and position.
    of: Vec<Vec<usize>>,
}

impl Nodes {
    fn of(chains: &[Chain], given: &[Vec<(usize, usize)>]) -> Self {
        const NONE: usize = usize::MAX;
        let mut nodes =
            Self { callbacks: Vec::new(), of: chains.iter().map(|chain| vec![NONE; chain.callbacks.len()]).collect() };
        let all =
            chains.iter().enumerate().flat_map(|(chain, one)| (0..one.callbacks.len()).map(move |at| (chain, at)));
        let alone = all.map(|callback| vec![callback]);
        for callbacks in given.iter().cloned().chain(alone) {
            let number = nodes.callbacks.len();
            let mut own = Vec::new();
            for (chain, place) in callbacks {
                let node = &mut nodes.of[chain][place];
                if *node == NONE {
                    *node = number;
                    own.push((chain, place));
                }
            }
            if !own.is_empty() {
                nodes.callbacks.push(own);
            }
        }
        nodes
    }
}

struct Allocation {
    deployment: Deployment,
    nodes: Nodes,
    is_placed: Vec<bool>,
    load: Vec<f64>,
    highest: u32,
}

impl Allocation {
    fn place_chain(&mut self, chain: usize) {
        // A tail of the chain is always placed first: what is left is its beginning.
        let mut left: Vec<usize> = Vec::new();
        for &node in &self.nodes.of[chain] {
            if !self.is_placed[node] && !left.contains(&node) {
                left.push(node);
            }
        }
        while !left.is_empty() {
            let mut first = 0;
            let new_executor = (self.deployment.executors.len() as u32) < self.highest;
            let place = loop {
                let share: f64 = left[first..].iter().map(|&node| self.share(node)).sum();
                let place = if new_executor { self.new_executor(share) } else { self.join(&left[first..], share) };
                match place {
                    Some(place) => break place,
                    None if first + 1 < left.len() => first += 1,
                    None => break self.leftover(chain, new_executor),
                }
            };
            for node in left.drain(first..) {
                for &(chain, place_in_it) in &self.nodes.callbacks[node] {
                    self.deployment.chains[chain].callbacks[place_in_it].executor = place;
                }
                self.is_placed[node] = true;
                self.load[self.deployment.executors[place.0].core] += self.share(node);
            }
        }
    }

    /// Returns the share of a core that a node uses.
    fn share(&self, node: usize) -> f64 {
        let nanoseconds = |time: TimeSpan| time.as_nanoseconds() as f64;
        let share = |&(chain, place): &(usize, usize)| {
            let chain = &self.deployment.chains[chain];
            nanoseconds(chain.callbacks[place].cost) / nanoseconds(chain.period)
        };
        self.nodes.callbacks[node].iter().map(share).sum()
    }

    /// Returns the cores, the least loaded one first.
    fn cores(&self) -> Vec<usize> {
        let mut cores: Vec<usize> = (0..self.load.len()).collect();
        cores.sort_by(|&a, &b| self.load[a].total_cmp(&self.load[b]));
        cores
    }

    fn open(&mut self, core: usize) -> ExecutorId {
        let number = self.deployment.executors.len();
        self.deployment.executors.push(Executor {
            core,
            priority: self.highest - number as u32,
            order: Order::Priority,
        });
        ExecutorId(number)
    }

    /// Part A: opens a new executor on the least loaded core if the callbacks fit there.
    fn new_executor(&mut self, share: f64) -> Option<ExecutorId> {
        let core = *self.cores().first()?;
        (self.load[core] + share <= 1.0).then(|| self.open(core))
    }

    /// Part B: finds an executor that the nodes can join without breaking another rule.
    fn join(&self, nodes: &[usize], share: f64) -> Option<ExecutorId> {
        let broken = violations(&self.placed_and(&[], ExecutorId(0))).len();
        let fits = self.cores().into_iter().filter(|&core| self.load[core] + share <= 1.0);
        fits.flat_map(|core| self.executors_of(core))
            .find(|&executor| violations(&self.placed_and(nodes, executor)).len() <= broken)
    }

    /// Returns the deployment so far, with these nodes in an executor, and without callbacks that
    /// have not been placed.
    fn placed_and(&self, joining: &[usize], executor: ExecutorId) -> Deployment {
        let mut deployment = self.deployment.clone();
        for (chain, nodes) in deployment.chains.iter_mut().zip(&self.nodes.of) {
            let mut nodes = nodes.iter();
            chain.callbacks.retain_mut(|callback| {
                let is_joining = nodes.clone().next().is_some_and(|node| joining.contains(node));
                if is_joining {
                    callback.executor = executor;
                }
                nodes.next().is_some_and(|&node| self.is_placed[node]) || is_joining
            });
        }
        deployment
    }

    /// Returns a core's executors, the one with the lowest priority first.
    fn executors_of(&self, core: usize) -> impl Iterator<Item = ExecutorId> + '_ {
        let executors = self.deployment.executors.iter().enumerate().rev();
        executors.filter(move |(_, executor)| executor.core == core).map(|(number, _)| ExecutorId(number))
    }

    /// Part C: chooses an executor for a node of a chain that fits nowhere.
    fn leftover(&mut self, chain: usize, new_executor: bool) -> ExecutorId {
        let least_important = |core: usize| {
            let placed = self.nodes.callbacks.iter().zip(&self.is_placed).filter(|(_, is_placed)| **is_placed);
            let there = |&&(chain, place): &&(usize, usize)| {
                self.deployment.executor(&self.deployment.chains[chain].callbacks[place]).core == core
            };
            placed.flat_map(|(callbacks, _)| callbacks).filter(there).map(|&(chain, _)| chain).max()
        };
        let cores = self.cores();
        let core = cores.iter().copied().find(|&core| least_important(core) > Some(chain)).unwrap_or(cores[0]);
        let lowest = self.executors_of(core).next();
        match lowest {
            Some(lowest) if !new_executor => lowest,
            _ if new_executor => self.open(core),
            // Every core is used before executors run out, unless there are fewer executors than
            // cores.
            _ => ExecutorId(self.deployment.executors.len() - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Chains of callbacks, and the callbacks of each of eight nodes.
    fn systems() -> impl Strategy<Value = (Vec<Chain>, Vec<Vec<(usize, usize)>>)> {
        let chain = (10..100_u64, prop::collection::vec((1..100_u64, 0..8_usize), 1..5));
        prop::collection::vec(chain, 1..7).prop_map(|drawn| {
            let mut nodes = vec![Vec::new(); 8];
            let chains = drawn.iter().enumerate().map(|(number, (period, callbacks))| {
                callbacks.iter().enumerate().for_each(|(place, (_, node))| nodes[*node].push((number, place)));
                // Each uses less than a tenth of a core, and there are 24 at most.
                let cost = |&(cost, _): &(u64, usize)| TimeSpan::nanoseconds(cost * period);
                Chain::new(TimeSpan::nanoseconds(period * 1000), callbacks.iter().map(cost))
            });
            (chains.collect(), nodes)
        })
    }

    proptest! {
        #[test]
        fn one_executor_runs_all_callbacks_of_a_node(
            (chains, nodes) in systems(),
            cores in 3..5_usize,
            executors in 1..40_u32,
        ) {
            let deployment = allocate_nodes(&chains, &nodes, cores, executors).unwrap();
            for node in &nodes {
                let mut executors = node.iter().map(|&(chain, place)| deployment.chains[chain].callbacks[place].executor);
                let first = executors.next();
                prop_assert!(executors.all(|executor| Some(executor) == first));
            }
            prop_assert!(deployment.executors.len() <= executors as usize);
            let all: f64 = deployment.utilisation(cores).iter().sum();
            let alone: f64 = allocate(&chains, cores, executors).unwrap().utilisation(cores).iter().sum();
            prop_assert!((all - alone).abs() < 1e-9);
        }

        #[test]
        fn nodes_of_one_callback_each_change_nothing(
            (chains, nodes) in systems(),
            cores in 3..5_usize,
            executors in 1..40_u32,
        ) {
            let alone: Vec<_> = nodes.into_iter().flatten().map(|callback| vec![callback]).collect();
            let one = allocate_nodes(&chains, &alone, cores, executors);
            prop_assert_eq!(one, allocate(&chains, cores, executors));
        }
    }

    #[test]
    fn a_node_of_several_chains_goes_where_the_most_important_one_goes() {
        let ms = TimeSpan::milliseconds;
        let chains =
            [Chain::new(ms(10), [ms(1), ms(4)]), Chain::new(ms(20), [ms(4), ms(4)]), Chain::new(ms(40), [ms(4)])];
        let node = vec![(0, 1), (2, 0)];
        let deployment = allocate_nodes(&chains, &[node], 2, 90).unwrap();
        let executors: Vec<Vec<usize>> = deployment
            .chains
            .iter()
            .map(|chain| chain.callbacks.iter().map(|callback| callback.executor.0).collect())
            .collect();
        assert_eq!(executors, [vec![0, 0], vec![1, 1], vec![0]]);
        // Inside of the executor, the less important chain's callback has the lowest priority.
        assert!(violations(&deployment).is_empty());
    }
}
