//! Bounds for chains that several default executors run, each on a core of its own.
//!
//! - **Model.** [`super::casini_2019`] per core: all callbacks of a core are in one default
//!   executor.
//! - **Formula.** A chain is cut where it changes cores. Each part has the bound R of Lemma 8; the
//!   next part's arrivals have the jitter of this one's, and R in addition. The latency is the sum.
//!   All parts together are a fixed point, from below.
//! - **Complexity.** Pseudo-polynomial per part, times the steps to the common fixed point.
//! - **Source.** Casini, Blass, Lütkebohle and Brandenburg, ECRTS 2019, section 5.

use crate::Supply;
use crate::ros2::casini_2019::{self, Chain};
use hemiola_analysis::picas::{Callback, Deployment};
use hemiola_analysis::{Arrivals, Bound, TimeSpan};

/// Returns the latency of every chain, whatever priorities callbacks and executors have: those are
/// PiCAS' and mean nothing here.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation}};
/// use hemiola_schedulability::ros2::end_to_end;
/// let ms = TimeSpan::milliseconds;
/// let chains = [Chain::new(ms(80), [ms(2), ms(16)]), Chain::new(ms(100), [ms(20), ms(10)])];
/// let deployment = allocation::allocate(&chains, 1, 90).unwrap();
/// // Importance does not help: each chain waits for the other.
/// assert_eq!(end_to_end::latencies(&deployment, ms(1000)), [Ok(ms(48)), Ok(ms(48))]);
/// ```
pub fn latencies(deployment: &Deployment, horizon: TimeSpan) -> Vec<Bound> {
    let mut parts = Vec::new();
    for (chain, one) in deployment.chains.iter().enumerate() {
        let core = |callback: &Callback| deployment.executor(callback).core;
        for run in one.callbacks.chunk_by(|a, b| core(a) == core(b)) {
            let costs = run.iter().map(|callback| callback.cost).collect();
            parts.push(Part {
                chain,
                core: core(&run[0]),
                on_core: Chain { costs, arrivals: Arrivals::periodic(one.period) },
            });
        }
    }
    let mut bounds: Vec<Bound> = vec![Ok(TimeSpan::ZERO); parts.len()];
    loop {
        let before = bounds.clone();
        for core in deployment.executors.iter().map(|executor| executor.core).collect::<std::collections::BTreeSet<_>>()
        {
            let there: Vec<usize> = (0..parts.len()).filter(|&part| parts[part].core == core).collect();
            let chains: Vec<Chain> = there.iter().map(|&part| parts[part].on_core.clone()).collect();
            for (&part, bound) in there.iter().zip(casini_2019::chains(&chains, Supply::Dedicated, horizon)) {
                bounds[part] = bound;
            }
        }
        for part in 1..parts.len() {
            if parts[part].chain == parts[part - 1].chain {
                let arrived = parts[part - 1].on_core.arrivals.jitter;
                // Without a bound, the jitter is practically unlimited, and so is everything that
                // depends on it.
                let late = bounds[part - 1].clone().unwrap_or(TimeSpan::MAX);
                parts[part].on_core.arrivals.jitter = (arrived + late).min(horizon + horizon);
            }
        }
        if bounds == before {
            break;
        }
    }
    let of_chain = |chain: usize| parts.iter().zip(&bounds).filter(move |(part, _)| part.chain == chain);
    (0..deployment.chains.len()).map(|chain| of_chain(chain).map(|(_, bound)| bound.clone()).sum()).collect()
}

/// The callbacks of a chain on one core.
struct Part {
    chain: usize,
    core: usize,
    on_core: Chain,
}
