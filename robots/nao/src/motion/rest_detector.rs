//! Detects from an inertial unit alone whether it is at rest.

use glam::DVec3;
use hemiola::prelude::*;

use super::low_pass::LowPass;

/// The time constant of the mean with which samples are compared, in seconds.
const SMOOTHING_TIME: f64 = 0.5;
/// The maximum deviation of an angular velocity at rest from its own mean, in rad/s: two degrees
/// per second.
const TURNING: f64 = 0.035;
/// The maximum deviation of an acceleration at rest from its own mean, in m/s².
const ACCELERATING: f64 = 0.5;
/// The time without motion until the unit is at rest, in seconds.
const PATIENCE: f64 = 1.5;

/// Compares each sample with the recent mean: at rest none is far from it, and the mean angular
/// velocity is the bias.
///
/// As in VQF (Laidig and Seel 2023, section 3.5).
#[derive(Data, Clone, Copy, Debug, Default)]
pub struct RestDetector {
    angular_velocity: LowPass<DVec3>,
    acceleration: LowPass<DVec3>,
    still_for: f64,
}

impl RestDetector {
    /// Adds a sample, `dt` seconds after the previous one, in rad/s and m/s². A mean angular
    /// velocity above `largest_bias` rad/s around any axis is a motion, not a bias.
    pub fn update(&mut self, angular_velocity: DVec3, acceleration: DVec3, dt: f64, largest_bias: f64) {
        let turning = self.angular_velocity.update(angular_velocity, dt, SMOOTHING_TIME);
        let accelerating = self.acceleration.update(acceleration, dt, SMOOTHING_TIME);
        let moves = angular_velocity.distance(turning) > TURNING
            || acceleration.distance(accelerating) > ACCELERATING
            || turning.abs().max_element() > largest_bias;
        self.still_for = if moves { 0.0 } else { self.still_for + dt };
    }

    /// Returns whether nothing has moved for some time.
    pub fn is_resting(&self) -> bool {
        self.still_for >= PATIENCE
    }

    /// Returns the recent mean, in rad/s.
    pub fn angular_velocity(&self) -> DVec3 {
        self.angular_velocity.value()
    }

    /// Returns the recent mean, in m/s².
    pub fn acceleration(&self) -> DVec3 {
        self.acceleration.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, 9.81);

    #[test]
    fn stillness_is_rest_after_a_while_and_a_jerk_ends_it() {
        let mut detector = RestDetector::default();
        let bias = DVec3::splat(0.01);
        (0..100).for_each(|_| detector.update(bias, GRAVITY, 0.01, 0.035));
        assert!(!detector.is_resting());
        (0..60).for_each(|_| detector.update(bias, GRAVITY, 0.01, 0.035));
        assert!(detector.is_resting() && detector.angular_velocity().abs_diff_eq(bias, 1e-6));
        detector.update(bias, GRAVITY + DVec3::X, 0.01, 0.035);
        assert!(!detector.is_resting());
    }

    #[test]
    fn a_slow_even_turn_is_no_rest() {
        let mut detector = RestDetector::default();
        (0..500).for_each(|_| detector.update(DVec3::Z * 0.1, GRAVITY, 0.01, 0.035));
        assert!(!detector.is_resting());
    }
}
