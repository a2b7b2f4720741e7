//! Means with confidence intervals by Student's distribution (Student: The Probable Error of a
//! Mean, Biometrika 6, 1908).

use std::f64::consts::PI;

/// The probability with which an interval contains the true mean.
pub const CONFIDENCE: f64 = 0.95;

/// The mean of a sample, with its standard error.
///
/// ```
/// use nao::closed_loop::statistics::Estimate;
///
/// let estimate = Estimate::of(&[1.0, 2.0, 3.0]).unwrap();
/// assert_eq!((estimate.mean, estimate.count), (2.0, 3));
/// assert!((estimate.half_width().unwrap() - 4.3027 / 3.0_f64.sqrt()).abs() < 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean. `None` where the sample does not tell it: it is a single
    /// value, or its values are all the same.
    pub error: Option<f64>,
    /// The size of the sample.
    pub count: usize,
}

impl Estimate {
    /// Returns the estimate from a sample; `None` for an empty one.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let &first = values.first()?;
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let varies = values.iter().any(|value| *value != first);
        let error = varies.then(|| (squares / (count - 1) as f64 / count as f64).sqrt());
        Some(Self { mean, error, count })
    }

    /// Returns the distance from the mean to either end of its interval.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        self.half_width_at(CONFIDENCE)
    }

    /// Returns the ends of the interval; of an estimate without one, the mean twice.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        let half_width = self.half_width().unwrap_or(0.0);
        [self.mean - half_width, self.mean + half_width]
    }

    /// Returns whether zero is outside of the interval that holds with [`CONFIDENCE`] for so many
    /// estimates together (Bonferroni: each may miss with its share of the probability).
    #[must_use]
    pub fn differs_from_zero(&self, estimates: usize) -> bool {
        let confidence = 1.0 - (1.0 - CONFIDENCE) / estimates.max(1) as f64;
        self.half_width_at(confidence).is_some_and(|half_width| half_width < self.mean.abs())
    }

    fn half_width_at(&self, confidence: f64) -> Option<f64> {
        // Only a sample that varies has a degree of freedom.
        self.error.map(|error| student_quantile(self.count - 1, confidence) * error)
    }
}

/// Returns the value that the absolute value of Student's t does not exceed with this probability,
/// by bisection.
fn student_quantile(degrees: usize, probability: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while within(high, degrees) < probability {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if within(middle, degrees) < probability { low = middle } else { high = middle }
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
        // What tables of the distribution print for 5 % and 0.1 % outside, both sides together.
        for (degrees, five, tenth) in [
            (1, 12.706, 636.619),
            (2, 4.303, 31.598),
            (3, 3.182, 12.924),
            (7, 2.365, 5.408),
            (9, 2.262, 4.781),
            (10, 2.228, 4.587),
            (30, 2.042, 3.646),
            (60, 2.000, 3.460),
            (120, 1.980, 3.373),
        ] {
            for (probability, expected) in [(0.95, five), (0.999, tenth)] {
                let quantile = student_quantile(degrees, probability);
                assert!((quantile / expected - 1.0).abs() < 3e-4, "{degrees} {probability}: {quantile}");
            }
        }
        // With ever more degrees of freedom, that of the normal distribution.
        assert!((student_quantile(1_000_001, 0.95) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn the_series_are_the_integral_of_the_density() {
        for degrees in 1..40 {
            // The density is proportional to (1 + x^2/n)^-(n+1)/2; with x = sqrt(n) tan(a), the
            // integral is that of cos(a)^(n-1), here by Simpson's rule.
            let integral = |to: f64| {
                let steps = 2000;
                let weight = |step: i32| if step == 0 || step == steps { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
                let value = |step: i32| (to * f64::from(step) / f64::from(steps)).cos().powi(degrees - 1);
                (0..=steps).map(|step| weight(step) * value(step)).sum::<f64>() * to
            };
            for t in [0.3_f64, 1.0, 2.5, 6.0] {
                let expected = integral((t / f64::from(degrees).sqrt()).atan()) / integral(PI / 2.0);
                let probability = within(t, degrees.unsigned_abs() as usize);
                assert!((probability - expected).abs() < 1e-9, "{degrees} {t}: {probability} {expected}");
            }
        }
    }

    #[test]
    fn student_s_own_sample_has_the_interval_of_the_literature() {
        // The additional hours of sleep by a drug over another, in the article of 1908; the
        // interval is that of R's `t.test` for its data set `sleep`.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let estimate = Estimate::of(&sleep).unwrap();
        let [low, high] = estimate.interval();
        assert!((estimate.mean - 1.58).abs() < 1e-12, "{estimate:?}");
        assert!((low - 0.700_114_2).abs() < 1e-6 && (high - 2.459_885_8).abs() < 1e-6, "{low} {high}");
        // Its probability to come about by chance is 0.0028 there: significant among 17 and not 18.
        assert!(estimate.differs_from_zero(17) && !estimate.differs_from_zero(18));
    }

    #[test]
    fn without_spread_there_is_no_interval() {
        assert_eq!(Estimate::of(&[]), None);
        for values in [&[7.0][..], &[7.0, 7.0, 7.0]] {
            let estimate = Estimate::of(values).unwrap();
            assert_eq!((estimate.mean, estimate.half_width(), estimate.interval()), (7.0, None, [7.0, 7.0]));
            assert!(!estimate.differs_from_zero(1));
        }
    }

    #[test]
    fn about_one_interval_of_twenty_misses_the_mean() {
        let mut random = Random::new(3);
        let mut sample = || -> Vec<f64> { (0..8).map(|_| f64::from(random.normal())).collect() };
        let misses = (0..2000).filter(|_| Estimate::of(&sample()).unwrap().differs_from_zero(1)).count();
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
            let (before, after) = (before.half_width().unwrap(), after.half_width().unwrap());
            prop_assert!((after - factor * before).abs() < 1e-9 * (1.0 + after));
        }
    }
}
