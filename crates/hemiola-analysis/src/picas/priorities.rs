//! Priorities of callbacks: the paper's Algorithm 1.
//!
//! - **Model.** Chains, the most important one first.
//! - **Rule.** Number callbacks upwards from the first one of the least important chain to the last
//!   one of the most important: a chain's later callbacks have precedence over its earlier ones,
//!   and all of a chain over all of a less important one. An earlier instance of a chain then
//!   always completes first (Lemma 1).
//! - **Complexity.** Linear.
//! - **Source.** Choi, Xiang and Kim, RTAS 2021, Algorithm 1.

use crate::picas::Chain;

/// Assigns a priority to every callback, counted from 1.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, priorities}};
/// let cost = TimeSpan::nanoseconds(1);
/// let mut chains = [Chain::new(cost, [cost; 2]), Chain::new(cost, [cost; 3])];
/// priorities::assign(&mut chains);
/// let priorities = chains.map(|chain| chain.callbacks.iter().map(|callback| callback.priority).collect::<Vec<_>>());
/// assert_eq!(priorities, [vec![4, 5], vec![1, 2, 3]]);
/// ```
pub fn assign(chains: &mut [Chain]) {
    let upwards = chains.iter_mut().rev().flat_map(|chain| &mut chain.callbacks);
    for (callback, priority) in upwards.zip(1..) {
        callback.priority = priority;
    }
}
