use std::sync::{Mutex, PoisonError};

use hemiola_analysis::{Bound, TimeSpan};
use hemiola_schedulability::simulation::Observed;

use super::application::{Application, Cause};
use crate::sync::{AtomicU64, Ordering};

/// An application that measures chains, from the timer's expiry to the end of the last callback,
/// and keeps the runs that exceeded their bound.
pub struct Latencies {
    /// The release of the chain for which each callback is called.
    released: Vec<AtomicU64>,
    /// The chain that ends with each callback, if any.
    ends: Vec<Option<usize>>,
    observed: Vec<Mutex<Observed>>,
    /// The bound on the latency of each chain, if it has one.
    bounds: Vec<Bound>,
    beyond: Mutex<Vec<Beyond>>,
}

/// A run of a chain that exceeded its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beyond {
    pub chain: usize,
    /// The time at which the chain's timer expired.
    pub released: TimeSpan,
    pub end: TimeSpan,
}

/// The number of such runs that are kept.
const MOST_BEYOND: usize = 1000;

impl Latencies {
    /// Measures the chains to which these callbacks belong, in this order.
    pub fn new(chain_of: &[usize]) -> Self {
        let chains = chain_of.iter().max().map_or(0, |last| last + 1);
        let ends = |callback: usize| Some(chain_of[callback]).filter(|chain| chain_of.get(callback + 1) != Some(chain));
        Self {
            released: chain_of.iter().map(|_| AtomicU64::new(0)).collect(),
            ends: (0..chain_of.len()).map(ends).collect(),
            observed: (0..chains).map(|_| Mutex::default()).collect(),
            bounds: Vec::new(),
            beyond: Mutex::new(Vec::with_capacity(MOST_BEYOND)),
        }
    }

    /// Compares with these bounds, by chain.
    pub fn within(self, bounds: &[Bound]) -> Self {
        Self { bounds: bounds.to_vec(), ..self }
    }

    /// Returns the runs of a chain that exceeded its bound.
    pub fn beyond(&self, chain: usize) -> Vec<Beyond> {
        let beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
        beyond.iter().copied().filter(|run| run.chain == chain).collect()
    }

    /// Returns the latencies, by chain.
    pub fn observed(&self) -> Vec<Observed> {
        self.observed.iter().map(|observed| *observed.lock().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

impl Application for Latencies {
    /// The time at which the chain's timer expired.
    type Message = TimeSpan;

    fn begin(&self, callback: usize, cause: Cause<'_, TimeSpan>, _now: TimeSpan) -> bool {
        let released = match cause {
            Cause::Expired(due) => due,
            Cause::Received(&released) => released,
        };
        // Relaxed: only the callback's own thread reads it.
        self.released[callback].store(released.as_nanoseconds(), Ordering::Relaxed);
        true
    }

    fn end(&self, callback: usize, now: TimeSpan) -> TimeSpan {
        let released = TimeSpan::nanoseconds(self.released[callback].load(Ordering::Relaxed));
        if let Some(chain) = self.ends[callback] {
            self.observed[chain].lock().unwrap_or_else(PoisonError::into_inner).add(now - released);
            if self.bounds.get(chain).is_some_and(|bound| bound.as_ref().is_ok_and(|&bound| now - released > bound)) {
                let mut beyond = self.beyond.lock().unwrap_or_else(PoisonError::into_inner);
                if beyond.len() < MOST_BEYOND {
                    beyond.push(Beyond { chain, released, end: now });
                }
            }
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_measured_from_its_timers_expiry_to_its_last_end() {
        let ms = TimeSpan::milliseconds;
        let latencies = Latencies::new(&[0, 0, 1]).within(&[Ok(ms(14)), Ok(ms(14))]);
        assert!(latencies.begin(0, Cause::Expired(ms(80)), ms(81)));
        let message = latencies.end(0, ms(83));
        assert!(latencies.begin(1, Cause::Received(&message), ms(90)));
        latencies.end(1, ms(95));
        let observed = latencies.observed();
        assert_eq!((observed[0].count, observed[0].maximum, observed[1].count), (1, ms(15), 0));
        assert_eq!(latencies.beyond(0), [Beyond { chain: 0, released: ms(80), end: ms(95) }]);
        assert_eq!(latencies.beyond(1), []);
    }
}
