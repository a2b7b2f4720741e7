//! The paper's case study: a model car (F1/10) with six real-time chains and six others on four
//! cores.
//!
//! The figures are from the authors' `picas_casestudy.m` (overloaded scenario III); the allocation
//! there is made by hand.

use crate::simulation::{Model, Source, deployed};
use hemiola_analysis::picas::{Callback, Chain, Deployment, Executor, ExecutorId, Order, priorities};
use hemiola_analysis::{Costs, TimeSpan};

/// Returns the chains with their allocation, the most important one first. The first two share a
/// timer, which is in both.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::holistic};
/// use hemiola_schedulability::picas::case_study;
/// let latencies = holistic::latencies(&case_study::deployment(), TimeSpan::milliseconds(10_000));
/// assert_eq!(latencies[2], Ok(TimeSpan::microseconds(63_100)));
/// ```
pub fn deployment() -> Deployment {
    let chains: Vec<Chain> = CHAINS.iter().map(chain).collect();
    let executors = CORES
        .iter()
        .enumerate()
        .map(|(number, &core)| Executor { core: core - 1, priority: 90 - number as u32, order: Order::Priority })
        .collect();
    let mut deployment = Deployment { chains, executors, interference: Vec::new(), costs: Costs::default() };
    priorities::assign(&mut deployment.chains);
    // A callback of two chains has the lower of its priorities.
    deployment.chains[0].callbacks[0].priority = deployment.chains[1].callbacks[0].priority;
    deployment
}

/// Returns a model that simulates the study, and for each callback its chain: the shared timer runs
/// once, and starts both chains.
///
/// ```
/// use hemiola_schedulability::picas::case_study;
/// let (model, chain_of) = case_study::model(&case_study::deployment());
/// assert_eq!(model.callbacks[0].publishes, [1, 3]);
/// assert_eq!((chain_of[1], chain_of[3]), (0, 1));
/// ```
pub fn model(deployment: &Deployment) -> (Model, Vec<usize>) {
    const CORE_COUNT: usize = 4;
    const SHARED: usize = 0;
    let (mut model, chain_of) = deployed(deployment, CORE_COUNT);
    let repeated = chain_of.iter().position(|&chain| chain == 1).unwrap_or(SHARED);
    let further = std::mem::take(&mut model.callbacks[repeated].publishes);
    model.callbacks[repeated].source = Source::Messages { depth: 1, arrivals: Vec::new() };
    model.callbacks[SHARED].publishes.extend(further);
    (model, chain_of)
}

fn chain(&(period, callbacks): &(u64, &[(u64, usize)])) -> Chain {
    let callback = |&(cost, executor): &(u64, usize)| Callback {
        executor: ExecutorId(executor - 1),
        ..Callback::new(TimeSpan::microseconds(cost * 100))
    };
    let callbacks = callbacks.iter().map(callback).collect();
    Chain { callbacks, ..Chain::new(TimeSpan::milliseconds(period), []) }
}

/// The chains: a period in milliseconds; the cost of each callback in tenths of a millisecond, and
/// its executor, counted from 1.
const CHAINS: [(u64, &[(u64, usize)]); 12] = [
    (80, &[(23, 1), (161, 1)]),
    (80, &[(23, 1), (22, 2), (184, 2), (91, 2)]),
    (100, &[(231, 3), (79, 3), (142, 3), (179, 3)]),
    (100, &[(206, 4), (179, 4), (66, 4)]),
    (160, &[(17, 5), (110, 5), (66, 5), (79, 5)]),
    (1000, &[(17, 6), (1959, 6)]),
    (120, &[(332, 7), (22, 8)]),
    (120, &[(332, 9), (66, 10)]),
    (120, &[(332, 11), (66, 12)]),
    (120, &[(332, 13), (17, 14)]),
    (120, &[(332, 15), (22, 16)]),
    (120, &[(332, 17), (22, 18)]),
];

/// The cores of the executors, counted from 1; each executor has a lower priority than the one
/// before.
const CORES: [usize; 18] = [1, 2, 3, 4, 1, 4, 3, 2, 2, 4, 1, 3, 4, 1, 1, 2, 2, 3];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::{Observer, Options, run};
    use hemiola_analysis::picas::holistic;

    struct Longest(Vec<usize>, [TimeSpan; 12]);

    impl Observer for Longest {
        fn callback_ended(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
            let chain = self.0[callback];
            if self.0.get(callback + 1) != Some(&chain) {
                self.1[chain] = self.1[chain].max(now - released);
            }
        }
    }

    #[test]
    fn simulated_latencies_of_the_real_time_chains_are_the_known_ones() {
        let deployment = deployment();
        let (model, chain_of) = model(&deployment);
        let mut longest = Longest(chain_of, [TimeSpan::ZERO; 12]);
        run(&model, &Options { end: TimeSpan::milliseconds(60_000), ..Options::default() }, &mut longest);
        let known = [184, 320, 631, 451, 456, 3780].map(|tenths| TimeSpan::microseconds(tenths * 100));
        assert_eq!(longest.1[..6], known);
        for (bound, observed) in holistic::latencies(&deployment, TimeSpan::milliseconds(100_000)).iter().zip(longest.1)
        {
            assert!(bound.as_ref().is_ok_and(|&bound| observed <= bound));
        }
    }
}
