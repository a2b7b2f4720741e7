use hemiola::prelude::*;

/// A number that moves, with a speed that changes by chance, as measurements tell it: a Kalman
/// filter with two states (Bar-Shalom, Li, Kirubarajan: Estimation with Applications to Tracking
/// and Navigation, 2001, section 6.2.2).
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MovingNumber {
    pub value: f64,
    /// The change of the value per second.
    pub rate: f64,
    /// The covariance of the errors of both.
    pub covariance: [[f64; 2]; 2],
}

impl MovingNumber {
    /// Begins with a measurement and its variance; of the rate nothing is known but the variance.
    pub fn begin(value: f64, variance: f64, rate_variance: f64) -> Self {
        Self { value, rate: 0.0, covariance: [[variance, 0.0], [0.0, rate_variance]] }
    }

    /// Goes on for some seconds, in which the rate changes by chance: `agility` is the variance of
    /// its change in a second.
    pub fn predict(&mut self, seconds: f64, agility: f64) {
        self.value += self.rate * seconds;
        let [[value, both], [_, rate]] = self.covariance;
        let both_after = both + rate * seconds + agility * seconds.powi(2) / 2.0;
        let value_after = value + 2.0 * both * seconds + rate * seconds.powi(2) + agility * seconds.powi(3) / 3.0;
        self.covariance = [[value_after, both_after], [both_after, rate + agility * seconds]];
    }

    /// Returns the square of how far a measurement is from what is expected, in standard
    /// deviations.
    pub fn surprise(&self, measured: f64, variance: f64) -> f64 {
        (measured - self.value).powi(2) / (self.covariance[0][0] + variance)
    }

    /// Learns from a measurement.
    pub fn correct(&mut self, measured: f64, variance: f64) {
        let [[value, both], [_, rate]] = self.covariance;
        let total = value + variance;
        let error = measured - self.value;
        self.value += value / total * error;
        self.rate += both / total * error;
        let both_after = both * variance / total;
        self.covariance = [[value * variance / total, both_after], [both_after, rate - both * both / total]];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Random;

    const STEP: f64 = 1.0 / 30.0;
    const AGILITY: f64 = 0.5;
    const VARIANCE: f64 = 0.01 * 0.01;

    /// Over many numbers that really move so, the errors are as large as the covariance says: the
    /// mean of the normalised squared errors of two states is 2 (section 5.4 there).
    #[test]
    fn the_covariance_is_that_of_the_errors() {
        const RUNS: u32 = 400;
        let mut random = Random::new(3);
        let mut sum = 0.0;
        for _ in 0..RUNS {
            let (mut value, mut rate) = (random.normal(), random.normal());
            let mut filter = MovingNumber::begin(value + VARIANCE.sqrt() * random.normal(), VARIANCE, 1.0);
            for _ in 0..90 {
                // The change of the rate, and what it moves within the step, belong together.
                let push = (AGILITY * STEP).sqrt() * random.normal();
                let beside = (AGILITY * STEP.powi(3) / 12.0).sqrt() * random.normal();
                value += rate * STEP + push * STEP / 2.0 + beside;
                rate += push;
                filter.predict(STEP, AGILITY);
                filter.correct(value + VARIANCE.sqrt() * random.normal(), VARIANCE);
            }
            let [[xx, xy], [_, yy]] = filter.covariance;
            let (x, y) = (filter.value - value, filter.rate - rate);
            sum += (yy * x * x - 2.0 * xy * x * y + xx * y * y) / (xx * yy - xy * xy);
        }
        let mean = sum / f64::from(RUNS);
        // With a probability of 99 %, for 800 degrees of freedom.
        assert!((1.75..2.27).contains(&mean), "{mean}");
    }

    #[test]
    fn what_moves_evenly_is_where_it_is_expected_when_nothing_is_measured_for_a_while() {
        let at = |step: i32| 0.3 + 0.7 * STEP * f64::from(step);
        let mut filter = MovingNumber::begin(at(0), VARIANCE, 1.0);
        for step in 1..=60 {
            filter.predict(STEP, AGILITY);
            filter.correct(at(step), VARIANCE);
        }
        (0..15).for_each(|_| filter.predict(STEP, AGILITY));
        assert!((filter.value - at(75)).abs() < 0.01, "{}", filter.value - at(75));
        let far = at(75) + 1.0;
        assert!(filter.surprise(far, VARIANCE) > 9.0 && filter.surprise(at(75), VARIANCE) < 0.1);
    }
}
