//! Random chains as in the paper's schedulability experiment.
//!
//! Source: reverse-engineered from the 3,000 sets that the authors published: 9 chains of 5
//! callbacks; utilisations of all callbacks by UUniFast (Bini and Buttazzo 2005), sets with a chain
//! above 1 drawn anew; periods of 50 to 1000 ms, the shorter the more important; costs rounded to
//! 0.01 ms.

use crate::simulation::Random;
use hemiola_analysis::TimeSpan;
use hemiola_analysis::picas::Chain;

const CHAINS: usize = 9;
const CALLBACKS: usize = 5;

/// Returns a set with this utilisation of all cores together, the most important chain first.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::picas::random_sets;
/// let chains = random_sets::chains(2.5, 1);
/// assert_eq!((chains.len(), chains[0].callbacks.len()), (9, 5));
/// assert!(chains.is_sorted_by_key(|chain| chain.period));
/// let share = |time: TimeSpan| time.as_nanoseconds() as f64;
/// let sum: f64 = chains.iter().map(|chain| share(chain.cost()) / share(chain.period)).sum();
/// assert!((sum - 2.5).abs() < 0.01);
/// ```
pub fn chains(utilisation: f64, seed: u64) -> Vec<Chain> {
    let mut random = Random::new(seed);
    let shares = loop {
        let shares = random.shares(CHAINS * CALLBACKS, utilisation);
        if shares.chunks(CALLBACKS).all(|chain| chain.iter().sum::<f64>() <= 1.0) {
            break shares;
        }
    };
    let of_chain = |shares: &[f64]| {
        let period = TimeSpan::milliseconds(random.between(50, 1000));
        let cost = |share: &f64| {
            TimeSpan::microseconds((share * period.as_nanoseconds() as f64 / 10_000.0).round() as u64 * 10)
        };
        Chain::new(period, shares.iter().map(cost))
    };
    let mut chains: Vec<Chain> = shares.chunks(CALLBACKS).map(of_chain).collect();
    chains.sort_by_key(|chain| chain.period);
    chains
}
