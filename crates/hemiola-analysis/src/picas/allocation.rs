//! The executor and core of each callback: chain-aware node allocation.
//!
//! - **Model.** Every callback is a node of its own. Chains, the most important one first; cores
//!   are alike.
//! - **Part A.** Chain after chain: its nodes go to the least loaded core (the first of several),
//!   in a new executor with the next lower priority. While they do not fit, the earliest is
//!   removed; the removed ones are allocated next, before the next chain.
//! - **Part B**, when there is no further executor: the nodes join the executor on the least loaded
//!   core that they fit on whose joining keeps all rules of [`super::strategies`]; if they fit on
//!   no core, the earliest is removed.
//! - **Part C.** A node that is left over goes to the least loaded core among those whose least
//!   important chain is less important than its own (else, of all), even if that overloads the
//!   core, and joins that core's executor with the lowest priority.
//! - **Ties.** Equally loaded: the core with the smaller number; executors of a core: the one with
//!   the lower priority.
//! - **Complexity.** Callbacks times cores, times executors in part B.
//! - **Source.** Choi, Xiang and Kim, RTAS 2021, Algorithm 2. Part A is as in the 3,000 published
//!   allocations; the published parts B and C are known by title only, and never occur there: what
//!   they do here is our own choice.

use crate::picas::strategies::violations;
use crate::picas::{Chain, Deployment, Executor, ExecutorId, Order, priorities};
use crate::{Costs, NoBound, TimeSpan};

/// Assigns priorities, executors and cores to all callbacks. There are at most `executors`
/// executors: the first has that priority, each further one the next lower.
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
    let mut chains = chains.to_vec();
    priorities::assign(&mut chains);
    let shares = chains.iter().flat_map(|chain| chain.callbacks.iter().map(|callback| (callback.cost, chain.period)));
    crate::bound::check_utilisation(shares, cores as f64)?;
    let mut allocation = Allocation {
        deployment: Deployment { chains, executors: Vec::new(), interference: Vec::new(), costs: Costs::default() },
        placed: Vec::new(),
        load: vec![0.0; cores.max(1)],
        highest: executors.max(1),
    };
    for chain in 0..allocation.deployment.chains.len() {
        allocation.place_chain(chain);
    }
    Ok(allocation.deployment)
}

struct Allocation {
    deployment: Deployment,
    /// The callbacks that have been placed, as (chain, position in it).
    placed: Vec<(usize, usize)>,
    load: Vec<f64>,
    highest: u32,
}

impl Allocation {
    fn place_chain(&mut self, chain: usize) {
        // A tail of the chain is always placed first: what is left is its beginning.
        let mut left = self.deployment.chains[chain].callbacks.len();
        while left > 0 {
            let mut first = 0;
            let new_executor = (self.deployment.executors.len() as u32) < self.highest;
            let place = loop {
                let share: f64 = (first..left).map(|place| self.share(chain, place)).sum();
                let place = if new_executor { self.new_executor(share) } else { self.join(chain, first..left, share) };
                match place {
                    Some(place) => break place,
                    None if first + 1 < left => first += 1,
                    None => break self.leftover(chain, new_executor),
                }
            };
            for callback in first..left {
                self.deployment.chains[chain].callbacks[callback].executor = place;
                self.placed.push((chain, callback));
                self.load[self.deployment.executors[place.0].core] += self.share(chain, callback);
            }
            left = first;
        }
    }

    fn share(&self, chain: usize, place: usize) -> f64 {
        let chain = &self.deployment.chains[chain];
        let nanoseconds = |time: TimeSpan| time.as_nanoseconds() as f64;
        nanoseconds(chain.callbacks[place].cost) / nanoseconds(chain.period)
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

    /// Part B: finds an executor that the callbacks can join without violating a rule.
    fn join(&self, chain: usize, callbacks: std::ops::Range<usize>, share: f64) -> Option<ExecutorId> {
        let fits = self.cores().into_iter().filter(|&core| self.load[core] + share <= 1.0);
        fits.flat_map(|core| self.executors_of(core)).find(|&executor| {
            let mut trial = self.placed_only();
            let joined = &mut trial.chains[chain].callbacks;
            let leaving = &self.deployment.chains[chain].callbacks[callbacks.clone()];
            joined.splice(..0, leaving.iter().map(|callback| crate::picas::Callback { executor, ..*callback }));
            violations(&trial).is_empty()
        })
    }

    /// Returns the deployment so far, without callbacks that have not been placed.
    fn placed_only(&self) -> Deployment {
        let mut deployment = self.deployment.clone();
        for (number, chain) in deployment.chains.iter_mut().enumerate() {
            let mut place = 0;
            chain.callbacks.retain(|_| {
                place += 1;
                self.placed.contains(&(number, place - 1))
            });
        }
        deployment
    }

    /// Returns a core's executors, the one with the lowest priority first.
    fn executors_of(&self, core: usize) -> impl Iterator<Item = ExecutorId> + '_ {
        let executors = self.deployment.executors.iter().enumerate().rev();
        executors.filter(move |(_, executor)| executor.core == core).map(|(number, _)| ExecutorId(number))
    }

    /// Part C: chooses an executor for a callback that fits nowhere.
    fn leftover(&mut self, chain: usize, new_executor: bool) -> ExecutorId {
        let least_important = |core: usize| {
            let there = |&&(chain, place): &&(usize, usize)| {
                self.deployment.executor(&self.deployment.chains[chain].callbacks[place]).core == core
            };
            self.placed.iter().filter(there).map(|&(chain, _)| chain).max()
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
