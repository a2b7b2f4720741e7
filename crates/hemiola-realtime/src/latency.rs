use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A summary of how long something took, or how late it was, over a number of samples.
///
/// ```
/// use hemiola_realtime::LatencyDistribution;
/// use std::time::Duration;
///
/// let mut latencies = [4, 2, 90, 3, 5].map(Duration::from_micros);
/// let distribution = LatencyDistribution::of(&mut latencies);
/// assert_eq!(distribution.median, Duration::from_micros(4));
/// assert_eq!(distribution.maximum, Duration::from_micros(90)); // which the mean would hide
/// assert_eq!(distribution.samples, 5); // so the maximum says little about rarer ones
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyDistribution {
    /// The number of samples.
    pub samples: u64,
    /// The shortest latency.
    #[serde(rename = "minimum_ns", with = "nanoseconds")]
    pub minimum: Duration,
    /// The latency that half of the samples do not exceed.
    #[serde(rename = "median_ns", with = "nanoseconds")]
    pub median: Duration,
    /// The latency that 99 % of the samples do not exceed.
    #[serde(rename = "p99_ns", with = "nanoseconds")]
    pub p99: Duration,
    /// The latency that 99.9 % of the samples do not exceed.
    #[serde(rename = "p999_ns", with = "nanoseconds")]
    pub p999: Duration,
    /// The longest latency.
    #[serde(rename = "maximum_ns", with = "nanoseconds")]
    pub maximum: Duration,
}

impl LatencyDistribution {
    /// Summarises measured latencies; all zeros if there are none. Reorders `latencies`.
    ///
    /// ```
    /// use hemiola_realtime::LatencyDistribution;
    /// use std::time::Duration;
    ///
    /// let mut latencies: Vec<Duration> = (1..=100).map(Duration::from_micros).collect();
    /// let distribution = LatencyDistribution::of(&mut latencies);
    /// assert_eq!(distribution.median, Duration::from_micros(50));
    /// assert_eq!(distribution.p99, Duration::from_micros(99));
    /// ```
    pub fn of(latencies: &mut [Duration]) -> Self {
        latencies.sort_unstable();
        // The nearest rank counts: the smallest value that at least this share does not exceed.
        let at = |per_mille: usize| {
            let rank = (latencies.len() * per_mille).div_ceil(1000).max(1);
            latencies.get(rank - 1).copied().unwrap_or_default()
        };
        let samples = latencies.len() as u64;
        Self { samples, minimum: at(0), median: at(500), p99: at(990), p999: at(999), maximum: at(1000) }
    }
}

mod nanoseconds {
    use super::*;
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks_whatever_the_order_and_number() {
        let of = |values: Vec<u64>| {
            let mut latencies: Vec<Duration> = values.into_iter().map(Duration::from_micros).collect();
            let LatencyDistribution { samples, minimum, median, p99, p999, maximum } =
                LatencyDistribution::of(&mut latencies);
            (samples, [minimum, median, p99, p999, maximum].map(|duration| duration.as_micros()))
        };
        assert_eq!(of((1..=200).rev().collect()), (200, [1, 100, 198, 200, 200]));
        assert_eq!(of((1..=2000).collect()), (2000, [1, 1000, 1980, 1998, 2000]));
        assert_eq!(of(vec![7]), (1, [7; 5]));
        assert_eq!(of(vec![]), (0, [0; 5]));
    }
}
