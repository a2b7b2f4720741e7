//! Every metric over several passes: in each pass all ways are run once, in turn.

use hemiola_trace::Summary;
use serde::Serialize;

/// A metric of the tables.
#[derive(Clone, Copy)]
pub struct Metric {
    pub name: &'static str,
    of: fn(&Summary) -> u64,
}

/// The metrics of the thesis, in the order of the tables.
pub const METRICS: [Metric; 5] = [
    Metric { name: "p1", of: |figures| figures.p01 },
    MEAN,
    P99,
    MAXIMUM,
    Metric { name: "98 % range", of: |figures| figures.range98 },
];
pub const MEAN: Metric = Metric { name: "mean", of: |figures| figures.mean };
pub const P99: Metric = Metric { name: "p99", of: |figures| figures.p99 };
pub const MAXIMUM: Metric = Metric { name: "maximum", of: |figures| figures.maximum };

/// The values of a metric over passes, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OverPasses {
    pub minimum: f64,
    pub mean: f64,
    pub maximum: f64,
    /// The largest value less the smallest.
    pub spread: f64,
}

impl Metric {
    /// Returns the values over passes; `None` without any.
    pub fn over(self, passes: &[Summary]) -> Option<OverPasses> {
        let values = passes.iter().map(|figures| (self.of)(figures) as f64);
        let (minimum, maximum) = (values.clone().reduce(f64::min)?, values.clone().reduce(f64::max)?);
        let mean = values.sum::<f64>() / passes.len() as f64;
        Some(OverPasses { minimum, mean, maximum, spread: maximum - minimum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(mean: u64, p99: u64) -> Summary {
        Summary { mean, p99, ..Summary::default() }
    }

    #[test]
    fn a_metric_has_minimum_mean_maximum_and_spread_over_passes() {
        let passes = [pass(3, 10), pass(5, 40), pass(10, 10)];
        let over = OverPasses { minimum: 3.0, mean: 6.0, maximum: 10.0, spread: 7.0 };
        assert_eq!(MEAN.over(&passes), Some(over));
        assert_eq!(P99.over(&passes).map(|over| (over.mean, over.spread)), Some((20.0, 30.0)));
    }

    #[test]
    fn a_single_pass_has_no_spread_and_none_has_no_values() {
        let over = OverPasses { minimum: 7.0, mean: 7.0, maximum: 7.0, spread: 0.0 };
        assert_eq!(MEAN.over(&[pass(7, 9)]), Some(over));
        assert_eq!(MEAN.over(&[]), None);
    }
}
