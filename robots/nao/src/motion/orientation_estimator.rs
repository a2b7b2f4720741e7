//! The torso's attitude from gyroscope and accelerometer: the filter alone, without modules.

use glam::{DMat3, DQuat, DVec2, DVec3, Quat, Vec3};
use hemiola::prelude::*;

use super::low_pass::LowPass;
use super::rest_detector::RestDetector;

#[cfg(test)]
mod tests;

/// The maximum bias, in rad/s: two degrees per second.
const LARGEST_BIAS: f64 = 0.0349;
/// The standard deviation of the initial bias, in rad/s: half a degree per second.
const INITIAL_DEVIATION: f64 = 0.00873;
/// The standard deviation of the bias's drift in [`DRIFT_TIME`], in rad/s: a tenth of a degree per
/// second.
const DRIFT: f64 = 0.00175;
/// The time of the drift, in seconds.
const DRIFT_TIME: f64 = 100.0;
/// The standard deviation to which the estimate converges while moving, in rad/s: a tenth of a
/// degree per second.
const MOTION_DEVIATION: f64 = 0.00175;
/// The standard deviation to which the estimate converges at rest, in rad/s: three hundredths of a
/// degree per second.
const REST_DEVIATION: f64 = 0.000524;
/// The weight of the assumption that the vertical bias is zero, relative to that of the
/// measurements of the others by gravity.
const VERTICAL_WEIGHT: f64 = 1e-4;
/// The gap after which the attitude is initialised anew, in seconds.
const LONGEST_GAP: f64 = 1.0;

/// Estimates attitude and gyroscope bias from a 6-axis inertial unit.
///
/// After VQF: D. Laidig and T. Seel, "VQF: Highly accurate IMU orientation estimation with bias
/// estimation and magnetic disturbance rejection", Information Fusion 91, 2023. The angular
/// velocity alone is integrated to a frame that hardly moves. In that frame, and not in the
/// sensor's, the acceleration is smoothed: motion averages out, gravity remains. The tilt of the
/// smoothed acceleration against "up" is the error of the integration; one rotation corrects it. A
/// Kalman filter explains the change of that rotation by a bias of the gyroscope.
///
/// It works at any rate, evenly sampled or not, in double precision: at 285 Hz a step changes the
/// slow filters in the seventh digit. A sample takes about half a microsecond, without allocation.
#[derive(Data, Clone, Debug)]
pub struct OrientationEstimator {
    /// The time constant with which the acceleration is smoothed, in seconds: a longer one trusts
    /// the gyroscope more, a shorter one the accelerometer.
    pub acceleration_time: f64,
    /// The rotation from the sensor to the almost inertial frame.
    strapdown: DQuat,
    /// The rotation from the almost inertial frame to earth.
    correction: DQuat,
    acceleration: LowPass<DVec3>,
    rest: RestDetector,
    bias: BiasEstimator,
}

impl Default for OrientationEstimator {
    fn default() -> Self {
        Self {
            acceleration_time: 3.0,
            strapdown: DQuat::IDENTITY,
            correction: DQuat::IDENTITY,
            acceleration: LowPass::default(),
            rest: RestDetector::default(),
            bias: BiasEstimator::default(),
        }
    }
}

impl OrientationEstimator {
    /// Adds a sample, `dt` seconds after the previous one, in rad/s, and in m/s² including gravity.
    ///
    /// Samples that are not finite and intervals that are not positive are ignored. After a gap of
    /// more than a second the attitude is initialised anew, and the bias is kept.
    pub fn update(&mut self, angular_velocity: Vec3, acceleration: Vec3, dt: f32) {
        if !(angular_velocity.is_finite() && acceleration.is_finite() && dt > 0.0 && dt.is_finite()) {
            return;
        }
        let (angular_velocity, acceleration, dt) =
            (angular_velocity.as_dvec3(), acceleration.as_dvec3(), f64::from(dt));
        if dt > LONGEST_GAP {
            *self = Self { acceleration_time: self.acceleration_time, bias: self.bias.clone(), ..Self::default() };
        }
        self.rest.update(angular_velocity, acceleration, dt, LARGEST_BIAS);
        let turn = DQuat::from_scaled_axis((angular_velocity - self.bias.bias) * dt);
        self.strapdown = (self.strapdown * turn).normalize();

        let felt = self.acceleration.update(self.strapdown * acceleration, dt, self.acceleration_time);
        let Some(up) = (self.correction * felt).try_normalize() else { return };
        self.correction = (tilt_to_vertical(up) * self.correction).normalize();

        let rotation = DMat3::from_quat(self.correction * self.strapdown);
        // The smoothed direction tilts at the rate at which an unknown bias turns the frame.
        let tilting = DVec2::new(-up.y, up.x) / dt;
        if self.rest.is_resting() {
            self.bias.observe_rest(self.rest.angular_velocity(), rotation, dt, self.acceleration_time);
        } else {
            self.bias.observe_tilt(tilting, rotation, dt, self.acceleration_time);
        }
    }

    /// Returns the rotation from the sensor's frame to one whose z axis points up. Its heading is
    /// arbitrary and drifts.
    #[must_use]
    pub fn attitude(&self) -> Quat {
        (self.correction * self.strapdown).as_quat()
    }

    /// Returns the bias of the gyroscope, in rad/s.
    #[must_use]
    pub fn bias(&self) -> Vec3 {
        self.bias.bias.as_vec3()
    }

    /// Returns whether nothing has moved for some time.
    #[must_use]
    pub fn is_resting(&self) -> bool {
        self.rest.is_resting()
    }
}

/// A Kalman filter whose state is the bias of the gyroscope.
#[derive(Data, Clone, Debug)]
struct BiasEstimator {
    bias: DVec3,
    covariance: DMat3,
    /// The turn from sensor to earth and the horizontal bias in the earth frame, as late as the
    /// smoothed acceleration.
    rotation: LowPass<DMat3>,
    explained: LowPass<DVec2>,
}

impl Default for BiasEstimator {
    fn default() -> Self {
        Self {
            bias: DVec3::ZERO,
            covariance: DMat3::IDENTITY * (INITIAL_DEVIATION * INITIAL_DEVIATION),
            rotation: LowPass::default(),
            explained: LowPass::default(),
        }
    }
}

impl BiasEstimator {
    /// Updates the estimate at rest, when the gyroscope measures nothing but its bias.
    fn observe_rest(&mut self, angular_velocity: DVec3, rotation: DMat3, dt: f64, time_constant: f64) {
        self.smooth(rotation, dt, time_constant);
        let variance = DVec3::splat(measurement_variance(REST_DEVIATION, dt));
        self.correct(angular_velocity - self.bias, DMat3::IDENTITY, variance, dt);
    }

    /// Updates the estimate in motion, when gravity appears to tilt with the part of the bias that
    /// is not yet known. Around the vertical nothing is measured; there the bias is weakly assumed
    /// to be zero.
    fn observe_tilt(&mut self, tilting: DVec2, rotation: DMat3, dt: f64, time_constant: f64) {
        let (rotation, explained) = self.smooth(rotation, dt, time_constant);
        let seen = tilting + explained;
        let horizontal = measurement_variance(MOTION_DEVIATION, dt);
        let variance = DVec3::new(horizontal, horizontal, horizontal / VERTICAL_WEIGHT);
        self.correct(seen.extend(0.0) - rotation * self.bias, rotation, variance, dt);
    }

    fn smooth(&mut self, rotation: DMat3, dt: f64, time_constant: f64) -> (DMat3, DVec2) {
        let explained = (rotation * self.bias).truncate();
        (self.rotation.update(rotation, dt, time_constant), self.explained.update(explained, dt, time_constant))
    }

    fn correct(&mut self, innovation: DVec3, observation: DMat3, variance: DVec3, dt: f64) {
        let limit = INITIAL_DEVIATION * INITIAL_DEVIATION;
        if self.covariance.x_axis.x < limit {
            self.covariance.x_axis.x += drift_variance(dt);
        }
        if self.covariance.y_axis.y < limit {
            self.covariance.y_axis.y += drift_variance(dt);
        }
        if self.covariance.z_axis.z < limit {
            self.covariance.z_axis.z += drift_variance(dt);
        }
        let innovation = innovation.clamp(DVec3::splat(-LARGEST_BIAS), DVec3::splat(LARGEST_BIAS));
        let seen = observation * self.covariance * observation.transpose() + DMat3::from_diagonal(variance);
        let gain = self.covariance * observation.transpose() * seen.inverse();
        let bias = self.bias + gain * innovation;
        self.bias = bias.clamp(DVec3::splat(-LARGEST_BIAS), DVec3::splat(LARGEST_BIAS));
        self.covariance -= gain * observation * self.covariance;
    }
}

/// Returns the growth of the variance of the bias in `dt` seconds.
fn drift_variance(dt: f64) -> f64 {
    DRIFT * DRIFT * dt / DRIFT_TIME
}

/// Returns the variance of a single measurement with which the estimate converges to `deviation` at
/// this sample interval.
fn measurement_variance(deviation: f64, dt: f64) -> f64 {
    let variance = deviation * deviation;
    variance * variance / drift_variance(dt) + variance
}

/// Returns the shortest rotation from the unit vector `up` to the z axis.
fn tilt_to_vertical(up: DVec3) -> DQuat {
    let w = ((up.z + 1.0) / 2.0).max(0.0).sqrt();
    if w < 1e-6 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    DQuat::from_xyzw(up.y / (2.0 * w), -up.x / (2.0 * w), 0.0, w)
}
