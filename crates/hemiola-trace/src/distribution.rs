//! A distribution of durations.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A distribution of durations in nanoseconds: a histogram of three digits, with exact extremes and
/// mean.
///
/// ```
/// use hemiola_trace::Distribution;
///
/// let mut distribution = Distribution::new();
/// for nanoseconds in 1..=10_000 {
///     distribution.record(nanoseconds);
/// }
/// let summary = distribution.summary();
/// assert_eq!((summary.count, summary.maximum, summary.mean), (10_000, 10_000, 5_000));
/// assert!(summary.p99.abs_diff(9_900) <= 10);
/// ```
#[derive(Clone)]
pub struct Distribution {
    /// The histogram, with counts of 32 bits and a range that grows with the values: a task of 1 ms
    /// takes 40 KiB.
    histogram: Histogram<u32>,
    sum: u64,
    minimum: u64,
    maximum: u64,
}

impl Distribution {
    /// The longest duration that is distinguished (an hour): longer ones are counted as this.
    pub const LONGEST: u64 = 3_600_000_000_000;

    /// Creates a distribution without durations.
    pub fn new() -> Self {
        let mut histogram = Histogram::new(DIGITS).expect("three digits are within the histogram's range");
        histogram.auto(true);
        Self { histogram, sum: 0, minimum: u64::MAX, maximum: 0 }
    }

    /// Adds one duration.
    pub fn record(&mut self, nanoseconds: u64) {
        self.record_many(nanoseconds, 1);
    }

    /// Adds `count` equal durations.
    pub fn record_many(&mut self, nanoseconds: u64, count: u32) {
        if count == 0 {
            return;
        }
        let nanoseconds = nanoseconds.min(Self::LONGEST);
        // This cannot fail, because the histogram grows and the value is bounded.
        if self.histogram.record_n(nanoseconds, count).is_ok() {
            self.sum = self.sum.saturating_add(nanoseconds.saturating_mul(u64::from(count)));
            self.minimum = self.minimum.min(nanoseconds);
            self.maximum = self.maximum.max(nanoseconds);
        }
    }

    /// Returns the number of durations.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns whether there are no durations.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns the duration that the share `quantile` (0 to 1) does not exceed, to three digits;
    /// zero if there are none.
    pub fn quantile(&self, quantile: f64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        self.histogram.value_at_quantile(quantile).clamp(self.minimum, self.maximum)
    }

    /// Returns the mean; zero if there are no durations.
    pub fn mean(&self) -> u64 {
        self.sum.checked_div(self.count()).unwrap_or(0)
    }

    /// Returns the shortest duration; zero if there are none.
    pub fn minimum(&self) -> u64 {
        if self.is_empty() { 0 } else { self.minimum }
    }

    /// Returns the longest duration; zero if there are none.
    pub fn maximum(&self) -> u64 {
        self.maximum
    }

    /// Returns the range from p1 to p99: how much the durations vary, without rare outliers.
    pub fn range98(&self) -> u64 {
        self.quantile(0.99).saturating_sub(self.quantile(0.01))
    }

    /// Returns the figures that reports show.
    pub fn summary(&self) -> Summary {
        Summary {
            count: self.count(),
            p01: self.quantile(0.01),
            mean: self.mean(),
            p99: self.quantile(0.99),
            maximum: self.maximum(),
            range98: self.range98(),
        }
    }

    /// Returns the durations that occurred, ascending, with their counts; the middle of a bucket
    /// represents the whole bucket.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.histogram.iter_recorded().map(|step| Bucket {
            nanoseconds: self
                .histogram
                .median_equivalent(step.value_iterated_to())
                .clamp(self.minimum(), self.maximum()),
            count: step.count_at_value(),
        })
    }

    /// Adds the durations of another distribution.
    pub fn merge(&mut self, other: &Self) {
        if self.histogram.add(&other.histogram).is_ok() {
            self.sum = self.sum.saturating_add(other.sum);
            self.minimum = self.minimum.min(other.minimum);
            self.maximum = self.maximum.max(other.maximum);
        }
    }

    /// Removes all durations and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.histogram.reset();
        (self.sum, self.minimum, self.maximum) = (0, u64::MAX, 0);
    }
}

impl Default for Distribution {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<Bucket> for Distribution {
    fn from_iter<I: IntoIterator<Item = Bucket>>(buckets: I) -> Self {
        let mut distribution = Self::new();
        for bucket in buckets {
            distribution.record_many(bucket.nanoseconds, bucket.count);
        }
        distribution
    }
}

impl fmt::Debug for Distribution {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.summary().fmt(formatter)
    }
}

/// The figures of a [`Distribution`], in nanoseconds.
///
/// ```
/// use hemiola_trace::Distribution;
///
/// let mut responses = Distribution::new();
/// (1..=100).for_each(|run| responses.record(run * 1_000));
/// let summary = responses.summary();
/// assert_eq!((summary.count, summary.mean, summary.maximum), (100, 50_500, 100_000));
/// // Quantiles have three digits.
/// assert!((summary.p99 as f64 / 99_000.0 - 1.0).abs() < 1e-3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The number of durations.
    pub count: u64,
    /// The 1st percentile.
    pub p01: u64,
    /// The mean.
    pub mean: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The longest duration.
    pub maximum: u64,
    /// The range from the 1st to the 99th percentile.
    pub range98: u64,
}

/// A duration and its count. In JSON: `[nanoseconds, count]`.
///
/// ```
/// use hemiola_trace::{Bucket, Distribution};
///
/// let distribution: Distribution = [Bucket { nanoseconds: 500, count: 3 }].into_iter().collect();
/// assert_eq!(distribution.count(), 3);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(from = "(u64, u32)", into = "(u64, u32)")]
pub struct Bucket {
    /// The duration.
    pub nanoseconds: u64,
    /// The number of times that it occurred.
    pub count: u32,
}

impl From<(u64, u32)> for Bucket {
    fn from((nanoseconds, count): (u64, u32)) -> Self {
        Self { nanoseconds, count }
    }
}

impl From<Bucket> for (u64, u32) {
    fn from(bucket: Bucket) -> Self {
        (bucket.nanoseconds, bucket.count)
    }
}

const DIGITS: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_recorded_is_all_zero() {
        let distribution = Distribution::new();
        assert_eq!(distribution.summary(), Summary::default());
        assert_eq!(distribution.buckets().count(), 0);
    }

    #[test]
    fn a_cleared_distribution_is_as_new() {
        let mut distribution: Distribution = [Bucket { nanoseconds: 5, count: 9 }].into_iter().collect();
        distribution.clear();
        assert_eq!((distribution.summary(), distribution.minimum()), (Summary::default(), 0));
        distribution.record(7);
        assert_eq!((distribution.minimum(), distribution.maximum()), (7, 7));
    }

    #[test]
    fn absurd_durations_are_counted_as_the_longest() {
        let mut distribution = Distribution::new();
        distribution.record(u64::MAX);
        assert_eq!((distribution.count(), distribution.maximum()), (1, Distribution::LONGEST));
    }

    proptest! {
        /// The quantiles are compared with the sorted values themselves.
        #[test]
        fn quantiles_are_right_to_three_digits(mut values in prop::collection::vec(1..2_000_000_000u64, 1..400)) {
            let mut distribution = Distribution::new();
            values.iter().for_each(|&value| distribution.record(value));
            values.sort_unstable();
            for quantile in [0.01, 0.5, 0.99, 1.0] {
                let rank = ((quantile * values.len() as f64).ceil() as usize).max(1);
                let exact = values[rank - 1];
                prop_assert!(distribution.quantile(quantile).abs_diff(exact) <= 1 + exact / 1000);
            }
            prop_assert_eq!(distribution.maximum(), values[values.len() - 1]);
            prop_assert_eq!(distribution.minimum(), values[0]);
            prop_assert_eq!(distribution.mean(), values.iter().sum::<u64>() / values.len() as u64);
        }

        #[test]
        fn buckets_carry_the_distribution(values in prop::collection::vec(0..2_000_000_000u64, 1..200)) {
            let mut distribution = Distribution::new();
            values.iter().for_each(|&value| distribution.record(value));
            let again: Distribution = distribution.buckets().collect();
            prop_assert_eq!(again.count(), distribution.count());
            for quantile in [0.01, 0.5, 0.99] {
                let (before, after) = (distribution.quantile(quantile), again.quantile(quantile));
                prop_assert!(before.abs_diff(after) <= 2 + before / 1000, "{} {}", before, after);
            }
        }

        #[test]
        fn merging_is_recording_both(a in prop::collection::vec(0..9_000_000u64, 0..50), b in prop::collection::vec(0..9_000_000u64, 0..50)) {
            let (mut left, mut right, mut both) = (Distribution::new(), Distribution::new(), Distribution::new());
            a.iter().for_each(|&value| left.record(value));
            b.iter().for_each(|&value| right.record(value));
            a.iter().chain(&b).for_each(|&value| both.record(value));
            left.merge(&right);
            prop_assert_eq!(left.summary(), both.summary());
        }
    }
}
