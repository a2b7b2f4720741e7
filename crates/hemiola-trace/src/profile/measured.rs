//! Durations that were measured many times.

use super::HeldUp;
use crate::distribution::{Bucket, Distribution};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Durations in nanoseconds that were measured: a histogram of three digits, its maximum exact.
///
/// ```
/// use hemiola_trace::{Distribution, Measured};
///
/// let mut distribution = Distribution::new();
/// (1..=10_000).for_each(|nanoseconds| distribution.record(nanoseconds));
/// let measured = Measured::from(distribution);
/// assert_eq!((measured.count(), measured.maximum()), (10_000, 10_000));
/// assert!(measured.quantile(0.999).abs_diff(9_990) <= 10);
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "StoredMeasured")]
pub struct Measured {
    maximum: u64,
    buckets: Vec<Bucket>,
    #[serde(skip_serializing_if = "HeldUp::is_none")]
    held_up: HeldUp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMeasured {
    maximum: u64,
    buckets: Vec<Bucket>,
    #[serde(default)]
    held_up: HeldUp,
}

/// Stored durations are made as good as measured ones: in order, and no bucket above the maximum.
impl From<StoredMeasured> for Measured {
    fn from(StoredMeasured { maximum, buckets, held_up }: StoredMeasured) -> Self {
        let mut measured = Self::default();
        measured.merge(&Self { maximum, buckets, held_up });
        measured
    }
}

impl From<Vec<Bucket>> for Measured {
    fn from(buckets: Vec<Bucket>) -> Self {
        StoredMeasured { maximum: 0, buckets, held_up: HeldUp::default() }.into()
    }
}

impl From<Distribution> for Measured {
    fn from(distribution: Distribution) -> Self {
        Self::from(&distribution)
    }
}

impl From<&Distribution> for Measured {
    fn from(distribution: &Distribution) -> Self {
        Self { maximum: distribution.maximum(), buckets: distribution.buckets().collect(), held_up: HeldUp::default() }
    }
}

impl Measured {
    /// Returns the number of durations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| u64::from(bucket.count)).sum()
    }

    /// Returns the longest duration, in nanoseconds; zero if there are none.
    pub fn maximum(&self) -> u64 {
        self.maximum
    }

    /// Returns the shortest duration, in nanoseconds, to three digits; zero if there are none.
    pub fn minimum(&self) -> u64 {
        self.buckets.first().map_or(0, |bucket| bucket.nanoseconds)
    }

    /// Returns the duration that the share `quantile` (0 to 1) does not exceed, in nanoseconds and
    /// to three digits; zero if there are none.
    pub fn quantile(&self, quantile: f64) -> u64 {
        let rank = (self.count() as f64 * quantile).ceil() as u64;
        let mut seen = 0;
        let reached = self.buckets.iter().find(|bucket| {
            seen += u64::from(bucket.count);
            seen >= rank
        });
        reached.map_or(self.maximum, |bucket| bucket.nanoseconds)
    }

    /// Returns the durations that occurred, ascending.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Returns the executions that were held up, and count as no longer than others.
    pub fn held_up(&self) -> HeldUp {
        self.held_up
    }

    /// Marks durations as held up: those longer than `longest` nanoseconds count as `longest`.
    #[must_use]
    pub fn with_held_up(mut self, held_up: HeldUp, longest: u64) -> Self {
        let first = self.buckets.partition_point(|bucket| bucket.nanoseconds < longest);
        let count = self.buckets.drain(first..).fold(0_u32, |sum, bucket| sum.saturating_add(bucket.count));
        if count > 0 {
            self.buckets.push(Bucket { nanoseconds: longest, count });
        }
        self.maximum = self.maximum.min(longest);
        self.held_up.add(held_up);
        self
    }

    /// Adds the durations of another measurement.
    pub fn merge(&mut self, other: &Self) {
        self.held_up.add(other.held_up);
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        for Bucket { nanoseconds, count } in self.buckets.iter().chain(&other.buckets) {
            let sum = counts.entry(*nanoseconds).or_default();
            *sum = sum.saturating_add(*count);
        }
        counts.retain(|_, count| *count > 0);
        self.buckets = counts.into_iter().map(|(nanoseconds, count)| Bucket { nanoseconds, count }).collect();
        let highest = self.buckets.last().map_or(0, |bucket| bucket.nanoseconds);
        self.maximum = self.maximum.max(other.maximum).max(highest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(nanoseconds: u64, count: u32) -> Measured {
        vec![Bucket { nanoseconds, count }].into()
    }

    #[test]
    fn buckets_that_somebody_wrote_in_any_order_are_put_in_order() {
        let measured: Measured =
            serde_json::from_str(r#"{"maximum": 5, "buckets": [[9, 1], [3, 2], [9, 1]]}"#).unwrap();
        assert_eq!((measured.minimum(), measured.maximum(), measured.buckets().len()), (3, 9, 2));
    }

    #[test]
    fn what_was_held_up_counts_as_the_longest_of_the_others_and_is_remembered() {
        let took = |nanoseconds: u64, count| Bucket { nanoseconds, count };
        let distribution: Distribution = [took(500, 7), took(900, 2), took(60_000, 1)].into_iter().collect();
        let held_up = HeldUp { count: 1, longest: 60_000 };
        let image = Measured::from(distribution).with_held_up(held_up, 900);
        assert_eq!((image.count(), image.maximum(), image.buckets()), (10, 900, &[took(500, 7), took(900, 3)][..]));
        let text = serde_json::to_string(&image).unwrap();
        assert_eq!(serde_json::from_str::<Measured>(&text).unwrap(), image);
        let mut both = measured(700, 1);
        both.merge(&image);
        both.merge(&image);
        assert_eq!((both.maximum(), both.held_up()), (900, HeldUp { count: 2, longest: 60_000 }));
        assert!(!serde_json::to_string(&measured(700, 1)).unwrap().contains("held_up"));
    }
}
