//! Random numbers that are the same everywhere. The generator is that of hemiola-plan, too: it is shorter than a dependency between the
//! two would be, and the published sequence keeps both the same.

use crate::Time;

/// SplitMix64 (Steele, Lea, Flood 2014): one addition and two multiplications per number, any seed is good.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from `first` to `last`.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first).saturating_add(1).max(1))
    }

    /// A time from `first` to `last`.
    pub(crate) fn time(&mut self, first: Time, last: Time) -> Time {
        Time::nanoseconds(self.between(first.as_nanoseconds(), last.as_nanoseconds()))
    }

    /// True once in `count` times.
    pub(crate) fn once_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    /// Shares of a sum, each of them as likely as any other (UUniFast, Bini and Buttazzo 2005).
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

    /// From 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        let mut random = SplitMix64::new(1234567);
        assert_eq!((random.next(), random.next()), (6457827717110365317, 3203168211198807973));
    }
}
