//! Bounds for chains on an executor that several threads share, each on a core of its own, and that
//! runs the most important ready callback.
//!
//! - **Model.** Chains are listed with the most important one first, and all callbacks of a chain
//!   are as important. A free thread runs the ready callback of the most important chain, without
//!   interrupting; any thread may run any callback. A chain that has not ended when its next
//!   instance begins has no bound here.
//! - **Formula.** The least `R = C + (sum of W_h(R) + (m + (n - 1) (m - 1)) B) / m` for a chain of
//!   n callbacks, over more important chains h, with `W(t) = floor(x / T) C + min(C, x mod T)`,
//!   `x = t + R - C`. B is the longest callback of less important chains, of which several
//!   instances may run at the same time if their chain is behind.
//! - **Why it holds.** While a callback of the chain is ready and does not run, all m threads run
//!   more important ones, or less important ones that had begun before it was ready: at most m
//!   before the first, and m - 1 before each other one, because the thread that ended the one
//!   before is free to choose. A chain runs one callback at a time, so that within t it can do no
//!   more than W(t).
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** The argument is the one of global limited-preemptive scheduling (Serrano et al.
//!   2016; for these executors Sobhani, Choi and Kim, RTAS 2023, whose formulas were not at hand).
//!   `tests/many_threads.rs` tries to exceed it.

use hemiola_analysis::Search;
use hemiola_analysis::picas::Chain;
use hemiola_analysis::{Bound, NoBound, TimeSpan};

/// Returns the longest time from a chain's release to the end of its last callback, for every
/// chain.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::Chain};
/// use hemiola_schedulability::picas::many_threads;
/// let ms = TimeSpan::milliseconds;
/// let chains = [Chain::new(ms(50), [ms(2), ms(10)]), Chain::new(ms(100), [ms(20), ms(8)])];
/// // Both threads may be at callbacks of 20 ms when the first chain begins, and one of them when its second callback is ready.
/// assert_eq!(many_threads::latencies(&chains, 2, ms(1000)), [Ok(ms(12 + (2 * 20 + 20) / 2)), Ok(ms(28 + 12))]);
/// ```
pub fn latencies(chains: &[Chain], threads: usize, horizon: TimeSpan) -> Vec<Bound> {
    let threads = threads.max(1);
    let mut bounds: Vec<Bound> = Vec::new();
    for (number, chain) in chains.iter().enumerate() {
        let bound = latency(chain, &chains[..number], &bounds, &chains[number + 1..], threads, horizon);
        bounds.push(bound);
    }
    bounds
}

fn latency(
    chain: &Chain,
    higher: &[Chain],
    bounds: &[Bound],
    lower: &[Chain],
    threads: usize,
    horizon: TimeSpan,
) -> Bound {
    let mut before = Vec::new();
    for (number, (other, bound)) in higher.iter().zip(bounds).enumerate() {
        let bound = bound.clone().map_err(|_| NoBound::Unbounded { on: format!("chain {number}") })?;
        before.push((other.cost(), other.period, bound));
    }
    let longest = lower.iter().flat_map(|other| &other.callbacks).map(|callback| callback.cost).max();
    let later = chain.callbacks.len().saturating_sub(1) as u64;
    let begun = longest.unwrap_or(TimeSpan::ZERO) * (threads as u64 + later * (threads as u64 - 1));
    let latency = Search::below(horizon).fixed_point(chain.cost(), |window| {
        let work = |&(cost, period, bound): &(TimeSpan, TimeSpan, TimeSpan)| {
            let (whole, rest) = (window + bound - cost).whole(period);
            cost * whole + rest.min(cost)
        };
        chain.cost() + (before.iter().map(work).sum::<TimeSpan>() + begun).shared_by(threads)
    })?;
    if latency > chain.period { Err(NoBound::LongerThanPeriod { period: chain.period }) } else { Ok(latency) }
}
