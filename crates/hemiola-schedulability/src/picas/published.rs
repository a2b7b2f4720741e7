//! The analysis of PiCAS exactly as published, for comparison only: it is **not safe**.
//!
//! - **Model.** [`super`]; a chain's deadline is its period.
//! - **Formula.** Per core that a chain visits, the least `R = C + B + W(R)`: its own cost there;
//!   the longest callback of the same executor with lower priority; and everything that goes before
//!   its least important callback there, once per period, or only once if the other chain's timer
//!   cannot go before it. The latency is the sum, plus a period if it exceeds the period.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Choi, Xiang and Kim, RTAS 2021, section V, as in the authors'
//!   `response_time_callbacks.m`.
//! - **Where it fails.** Later segments of a chain that is split over cores begin with jitter,
//!   which it ignores; six of 27,000 published results are exceeded in simulation, by up to 58 %.
//!   Use [`hemiola_analysis::picas::holistic`].

use hemiola_analysis::Search;
use hemiola_analysis::picas::{Callback, Deployment};
use hemiola_analysis::{Bound, TimeSpan};

/// Returns the published latency of every chain.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation}};
/// use hemiola_schedulability::picas::published;
/// let ms = TimeSpan::milliseconds;
/// let deployment = allocation::allocate(&[Chain::new(ms(80), [ms(2), ms(16)])], 1, 90).unwrap();
/// assert_eq!(published::latencies(&deployment, ms(1000)), [Ok(ms(18))]);
/// ```
pub fn latencies(deployment: &Deployment, horizon: TimeSpan) -> Vec<Bound> {
    (0..deployment.chains.len()).map(|chain| latency(deployment, chain, horizon)).collect()
}

fn latency(deployment: &Deployment, chain: usize, horizon: TimeSpan) -> Bound {
    let mut sum = TimeSpan::ZERO;
    for core in cores_of(deployment, chain) {
        sum += segment(deployment, chain, core, horizon)?;
    }
    let period = deployment.chains[chain].period;
    Ok(if sum > period { sum + period } else { sum })
}

/// Returns the cores that a chain visits, each once.
fn cores_of(deployment: &Deployment, chain: usize) -> Vec<usize> {
    let callbacks = &deployment.chains[chain].callbacks;
    let mut cores: Vec<usize> = callbacks.iter().map(|callback| deployment.executor(callback).core).collect();
    cores.sort_unstable();
    cores.dedup();
    cores
}

fn segment(deployment: &Deployment, chain: usize, core: usize, horizon: TimeSpan) -> Bound {
    let on_core = |callback: &&Callback| deployment.executor(callback).core == core;
    let own = || deployment.chains[chain].callbacks.iter().filter(on_core);
    let Some(lowest) = own().min_by_key(|callback| callback.priority) else { return Ok(TimeSpan::ZERO) };
    let whole = cores_of(deployment, chain).len() == 1;
    let level = deployment.executor(lowest).priority;

    let mut blocking = TimeSpan::ZERO;
    // Each entry is (cost, distance or nothing if it can interfere only once).
    let mut interferers: Vec<(TimeSpan, Option<TimeSpan>)> = Vec::new();
    for (other_chain, other) in deployment.callbacks() {
        let executor = deployment.executor(other);
        if other.executor == lowest.executor && other_chain != chain && other.priority < lowest.priority {
            blocking = blocking.max(other.cost);
        }
        let goes_first = executor.priority > level || (executor.priority == level && other.priority > lowest.priority);
        if executor.core != core || !goes_first || (other_chain == chain && whole) {
            continue;
        }
        let its_chain = &deployment.chains[other_chain];
        let split = cores_of(deployment, other_chain).len() > 1;
        let distance = if split { its_chain.period } else { its_chain.period.max(its_chain.cost()) };
        let timer = &its_chain.callbacks[0];
        let again = timer.priority >= lowest.priority || deployment.executor(timer).core != core;
        interferers.push((other.cost, again.then_some(distance)));
    }
    let certain = own().map(|callback| callback.cost).sum::<TimeSpan>() + blocking;
    Search::below(horizon).fixed_point(certain, |window| {
        let times = |distance: Option<TimeSpan>| distance.map_or(1, |distance| window.jobs_of(distance));
        certain + interferers.iter().map(|&(cost, distance)| cost * times(distance)).sum::<TimeSpan>()
    })
}
