//! A low-pass filter for signals that are sampled at any rate, evenly or not.

use std::ops::{Add, Mul, Sub};

use hemiola::prelude::*;

/// A second-order low-pass filter with Butterworth's damping and time constant τ: its poles are at
/// (-1 ± i) / τ.
///
/// Each step is the exact solution for an input that is constant over the sample interval, so that
/// the interval may change from sample to sample. During its first τ seconds it is the mean of all
/// samples, so that it starts without a transient.
#[derive(Data, Clone, Copy, Debug, Default)]
pub struct LowPass<T> {
    value: T,
    rate: T,
    /// The time since the first sample, in seconds, which is counted as long as the mean is taken.
    age: f64,
    samples: f64,
}

impl<T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> LowPass<T> {
    /// Adds a sample, `dt` seconds after the previous one, and returns the filtered value.
    pub fn update(&mut self, input: T, dt: f64, time_constant: f64) -> T {
        if self.age < time_constant {
            self.age += dt;
            self.samples += 1.0;
            self.value = self.value + (input - self.value) * (1.0 / self.samples);
            return self.value;
        }
        let t = dt / time_constant;
        let (sine, cosine) = t.sin_cos();
        let decay = (-t).exp();
        let offset = self.value - input;
        let rate = self.rate * time_constant;
        self.value = input + (offset * cosine + (rate + offset) * sine) * decay;
        self.rate = (rate * cosine - (rate + offset * 2.0) * sine) * (decay / time_constant);
        self.value
    }

    /// Returns the filtered value.
    pub fn value(&self) -> T {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(dt: f64, seconds: f64) -> f64 {
        let mut filter = LowPass::default();
        for index in 0..((0.5 + seconds) / dt).round() as u32 {
            let input = if f64::from(index) * dt < 0.5 { 0.0 } else { 1.0 };
            filter.update(input, dt, 0.5);
        }
        filter.value()
    }

    #[test]
    fn the_step_response_is_that_of_butterworth_at_any_rate() {
        // 1 - exp(-t/τ) (cos(t/τ) + sin(t/τ)) at t = τ.
        let expected = 1.0 - (-1.0_f64).exp() * (1.0_f64.cos() + 1.0_f64.sin());
        for dt in [0.001, 0.0035, 0.0125, 0.1] {
            assert!((response(dt, 0.5) - expected).abs() < 0.01, "{} at {dt} s, not {expected}", response(dt, 0.5));
        }
        assert!((response(0.01, 5.0) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn at_first_it_is_the_mean() {
        let mut filter = LowPass::default();
        filter.update(2.0, 0.01, 1.0);
        assert_eq!(filter.update(4.0, 0.01, 1.0), 3.0);
    }
}
