//! The paper's case study: a model car (F1/10) with six real-time chains and six others on four cores.
//!
//! Figures from the authors' `picas_casestudy.m` (overloaded scenario III); the allocation there is made by hand.

use crate::Time;
use crate::picas::{Callback, Chain, Deployment, Executor, ExecutorId, Order, priorities};

/// The chains with their allocation, the most important one first. The first two share a timer, which is in both.
///
/// ```
/// use hemiola_analysis::{Time, picas::{case_study, holistic}};
/// let latencies = holistic::latencies(&case_study::deployment(), Time::milliseconds(10_000));
/// assert_eq!(latencies[2], Ok(Time::microseconds(63_100)));
/// ```
pub fn deployment() -> Deployment {
    let chains: Vec<Chain> = CHAINS.iter().map(chain).collect();
    let executors = CORES
        .iter()
        .enumerate()
        .map(|(number, &core)| Executor { core: core - 1, priority: 90 - number as u32, order: Order::Priority })
        .collect();
    let mut deployment = Deployment { chains, executors, interference: Vec::new() };
    priorities::assign(&mut deployment.chains);
    // A callback of two chains has the lower of its priorities.
    deployment.chains[0].callbacks[0].priority = deployment.chains[1].callbacks[0].priority;
    deployment
}

fn chain(&(period, callbacks): &(u64, &[(u64, usize)])) -> Chain {
    let callback = |&(cost, executor): &(u64, usize)| Callback {
        executor: ExecutorId(executor - 1),
        ..Callback::new(Time::microseconds(cost * 100))
    };
    Chain { period: Time::milliseconds(period), callbacks: callbacks.iter().map(callback).collect() }
}

/// Period in milliseconds; per callback its cost in tenths of a millisecond and its executor, from 1.
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

/// The cores of the executors, from 1; each has a lower priority than the one before.
const CORES: [usize; 18] = [1, 2, 3, 4, 1, 4, 3, 2, 2, 4, 1, 3, 4, 1, 1, 2, 2, 3];
