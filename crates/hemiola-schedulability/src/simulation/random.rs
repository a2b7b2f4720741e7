//! Random numbers that are the same on every machine.

use hemiola_analysis::TimeSpan;
use hemiola_plan::SplitMix64;

/// The generator with which random systems are drawn.
#[derive(Debug, Clone)]
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Draws a number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    /// Draws a number from `first` to `last`.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first).saturating_add(1).max(1))
    }

    /// Draws a time from `first` to `last`.
    pub(crate) fn time(&mut self, first: TimeSpan, last: TimeSpan) -> TimeSpan {
        TimeSpan::nanoseconds(self.between(first.as_nanoseconds(), last.as_nanoseconds()))
    }

    /// Returns true once in `count` times.
    pub(crate) fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Draws shares of a sum, each of them as likely as any other (UUniFast, Bini and Buttazzo
    /// 2005).
    pub(crate) fn shares(&mut self, count: usize, sum: f64) -> Vec<f64> {
        let mut left = sum;
        let mut shares = Vec::with_capacity(count);
        for more in (1..count).rev() {
            let next = left * self.unit().powf(1.0 / more as f64);
            shares.push(left - next);
            left = next;
        }
        shares.push(left);
        shares
    }

    /// Draws a number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
