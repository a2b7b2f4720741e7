//! Means with confidence intervals by Student's distribution (Student: The Probable Error of a
//! Mean, Biometrika 6, 1908).

use std::f64::consts::PI;

/// The probability with which an interval contains the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// The mean of a sample, with the half width of its confidence interval.
///
/// ```
/// use nao::closed_loop::statistics::Estimate;
///
/// let estimate = Estimate::of(&[1.0, 2.0, 3.0]).unwrap();
/// assert_eq!((estimate.mean, estimate.count), (2.0, 3));
/// assert!((estimate.half_width - 4.3027 / 3.0_f64.sqrt()).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The distance from the mean to either end of the interval; infinite for a single value.
    pub half_width: f64,
    /// The size of the sample.
    pub count: usize,
}

impl Estimate {
    /// Returns the estimate from a sample; `None` for an empty one.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        match count {
            0 => None,
            1 => Some(Self { mean, half_width: f64::INFINITY, count }),
            _ => {
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                let error = (squares / (count - 1) as f64 / count as f64).sqrt();
                Some(Self { mean, half_width: student_quantile(count - 1) * error, count })
            }
        }
    }

    /// Returns the ends of the interval.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        [self.mean - self.half_width, self.mean + self.half_width]
    }

    /// Returns whether the interval leaves zero out.
    #[must_use]
    pub fn differs_from_zero(&self) -> bool {
        self.half_width < self.mean.abs()
    }
}

/// Returns the value that the absolute value of Student's t exceeds with a probability of
/// 1 - [`CONFIDENCE`], by bisection.
fn student_quantile(degrees: usize) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, degrees) < CONFIDENCE {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if within(middle, degrees) < CONFIDENCE { low = middle } else { high = middle }
    }
    high
}

/// Returns the probability that the absolute value of Student's t is at most `t`: the finite series
/// 26.7.3 and 26.7.4 of Abramowitz and Stegun, Handbook of Mathematical Functions, 1964.
fn within(t: f64, degrees: usize) -> f64 {
    let angle = (t / (degrees as f64).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    if degrees % 2 == 1 {
        // The terms cos, 2/3 cos^3, (2 4)/(3 5) cos^5, .. up to cos^(degrees - 2).
        let (mut term, mut sum) = (cosine, 0.0);
        for power in (1..degrees).step_by(2) {
            sum += term;
            term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        }
        2.0 / PI * (angle + sine * sum)
    } else {
        // The terms 1, 1/2 cos^2, (1 3)/(2 4) cos^4, .. up to cos^(degrees - 2).
        let (mut term, mut sum) = (1.0, 0.0);
        for power in (0..degrees).step_by(2) {
            sum += term;
            term *= cosine * cosine * (power + 1) as f64 / (power + 2) as f64;
        }
        sine * sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simulator::Random;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Fisher and Yates: Statistical Tables, 1963, table III, 5 %.
        for (degrees, expected) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (7, 2.365),
            (9, 2.262),
            (10, 2.228),
            (30, 2.042),
            (60, 2.000),
            (120, 1.980),
        ] {
            let quantile = student_quantile(degrees);
            assert!((quantile - expected).abs() < 6e-4, "{degrees}: {quantile}");
        }
        // With ever more degrees of freedom, that of the normal distribution.
        assert!((student_quantile(1_000_001) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn student_s_own_sample_has_the_interval_of_the_literature() {
        // The additional hours of sleep by a drug over another, in the article of 1908; the interval
        // is that of R's `t.test` for its data set `sleep`.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let estimate = Estimate::of(&sleep).unwrap();
        let [low, high] = estimate.interval();
        assert!((estimate.mean - 1.58).abs() < 1e-12, "{estimate:?}");
        assert!((low - 0.700_114_2).abs() < 1e-6 && (high - 2.459_885_8).abs() < 1e-6, "{low} {high}");
        assert!(estimate.differs_from_zero());
    }

    #[test]
    fn nothing_has_no_mean_and_one_value_no_end() {
        assert_eq!(Estimate::of(&[]), None);
        let single = Estimate::of(&[7.0]).unwrap();
        assert!(single.mean == 7.0 && single.half_width.is_infinite() && !single.differs_from_zero());
    }

    #[test]
    fn about_one_interval_of_twenty_misses_the_mean() {
        let mut random = Random::new(3);
        let mut sample = || -> Vec<f64> { (0..8).map(|_| f64::from(random.normal())).collect() };
        let misses = (0..2000).filter(|_| Estimate::of(&sample()).unwrap().differs_from_zero()).count();
        assert!((70..130).contains(&misses), "{misses}");
    }

    proptest! {
        #[test]
        fn an_interval_moves_and_grows_with_its_sample(
            values in prop::collection::vec(-100.0_f64..100.0, 2..40), by in -50.0_f64..50.0, factor in 0.1_f64..10.0,
        ) {
            let before = Estimate::of(&values).unwrap();
            let after = Estimate::of(&values.iter().map(|value| factor * value + by).collect::<Vec<_>>()).unwrap();
            prop_assert!((after.mean - (factor * before.mean + by)).abs() < 1e-9);
            prop_assert!((after.half_width - factor * before.half_width).abs() < 1e-9 * (1.0 + after.half_width));
        }
    }
}
