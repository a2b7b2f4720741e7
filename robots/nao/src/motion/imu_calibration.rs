//! The calibration of the inertial unit while the robot rests.

use glam::{DVec3, Vec3};
use hemiola::prelude::*;

use super::posture::GRAVITY;
use super::rest_detector::RestDetector;
use crate::representations::motion::CalibratedImu;
use crate::representations::sensing::ImuSample;

/// Parameters of [`ImuCalibration`].
#[derive(Parameters)]
pub struct ImuCalibrationParameters {
    /// The maximum bias: a larger angular velocity at rest is a motion.
    #[parameter(default = 0.035, range = 0.0..=0.2, unit = "rad/s")]
    largest_bias: f64,
    /// The maximum relative error of gravity measured at rest that is corrected; more is not.
    #[parameter(default = 0.05, range = 0.0..=0.2)]
    largest_scale_error: f32,
    /// The time constant with which the calibration follows measurements at rest.
    #[parameter(default = 2.0, range = 0.1..=60.0, unit = "s")]
    time_constant: f32,
}

/// Estimates the gyroscope's bias and the accelerometer's scale whenever the robot rests, and
/// applies them all the time.
///
/// A sample that is not finite is replaced by the previous one: one bad transfer must not reach the
/// filters.
#[derive(Module)]
pub struct ImuCalibration {
    #[parameters]
    parameters: ImuCalibrationParameters,
    detector: RestDetector,
    bias: Vec3,
    /// The relative error of measured gravity: positive if it is measured too large.
    scale_error: f32,
    /// True if the robot has rested before: the first time, the measurements are adopted at once.
    has_rested: bool,
    last: ImuSample,
}

#[module]
impl ImuCalibration {
    #[update]
    pub(super) fn calibrated_imu(&mut self, sample: &ImuSample, clock: &Clock, calibrated: &mut CalibratedImu) {
        if sample.angular_velocity.is_finite() && sample.acceleration.is_finite() {
            self.last.clone_from(sample);
        }
        let (turning, accelerating) = (self.last.angular_velocity, self.last.acceleration);
        let dt = clock.step_seconds();
        if dt > 0.0 {
            let limit = self.parameters.largest_bias;
            self.detector.update(turning.as_dvec3(), accelerating.as_dvec3(), f64::from(dt), limit);
        }
        if self.detector.is_resting() {
            self.learn(self.detector.angular_velocity(), self.detector.acceleration(), dt);
        }
        calibrated.angular_velocity = turning - self.bias;
        calibrated.acceleration = accelerating / (1.0 + self.scale_error);
        calibrated.resting = self.detector.is_resting();
    }

    fn learn(&mut self, turning: DVec3, accelerating: DVec3, dt: f32) {
        let part = if self.has_rested { 1.0 - (-dt / self.parameters.time_constant).exp() } else { 1.0 };
        let limit = self.parameters.largest_scale_error;
        let scale_error = (accelerating.length() as f32 / GRAVITY - 1.0).clamp(-limit, limit);
        self.bias += (turning.as_vec3() - self.bias) * part;
        self.scale_error += (scale_error - self.scale_error) * part;
        self.has_rested = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn run(module: &mut ImuCalibration, sample: &ImuSample, runs: u32) -> CalibratedImu {
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut calibrated = CalibratedImu::default();
        (0..runs).for_each(|_| module.calibrated_imu(sample, &clock, &mut calibrated));
        calibrated
    }

    #[test]
    fn what_is_wrong_at_rest_is_taken_away_also_when_moving() {
        let mut module = ImuCalibration::create(ImuCalibrationParameters::default());
        let bias = Vec3::new(0.01, -0.02, 0.005);
        let still = ImuSample { angular_velocity: bias, acceleration: Vec3::Z * 10.0 };
        assert!(!run(&mut module, &still, 50).resting);
        assert!(run(&mut module, &still, 200).resting);
        let moving = ImuSample { angular_velocity: bias + Vec3::X, acceleration: Vec3::Z * 20.0 };
        let calibrated = run(&mut module, &moving, 1);
        assert!(!calibrated.resting && calibrated.angular_velocity.abs_diff_eq(Vec3::X, 1e-4), "{calibrated:?}");
        assert!((calibrated.acceleration.z - 2.0 * GRAVITY).abs() < 0.01, "{calibrated:?}");
    }

    #[test]
    fn a_sample_that_is_not_finite_changes_nothing() {
        let mut module = ImuCalibration::create(ImuCalibrationParameters::default());
        let good = ImuSample { angular_velocity: Vec3::Y, acceleration: Vec3::Z * 9.8 };
        let before = run(&mut module, &good, 3);
        let bad = ImuSample { angular_velocity: Vec3::new(f32::NAN, 0.0, 0.0), ..good };
        assert_eq!(run(&mut module, &bad, 1), before);
    }
}
