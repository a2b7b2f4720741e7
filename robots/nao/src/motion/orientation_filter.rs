//! The attitude of the torso.

use glam::Vec3;
use hemiola::prelude::*;

use super::OrientationEstimator;
use crate::representations::motion::{CalibratedImu, Orientation};

/// Parameters of [`OrientationFilter`].
#[derive(Parameters)]
pub struct OrientationFilterParameters {
    /// The time constant of the acceleration: longer trusts the gyroscope, shorter the
    /// accelerometer.
    #[parameter(default = 3.0, range = 0.1..=30.0, unit = "s")]
    acceleration_time: f64,
}

/// Runs the [`OrientationEstimator`] on the calibrated inertial unit.
#[derive(Module)]
pub struct OrientationFilter {
    #[parameters]
    parameters: OrientationFilterParameters,
    estimator: OrientationEstimator,
}

#[module]
impl OrientationFilter {
    #[update]
    pub(super) fn orientation(
        &mut self,
        imu: &CalibratedImu,
        clock: &Clock,
        orientation: &mut Orientation,
        debug: &Debug,
    ) {
        self.estimator.acceleration_time = self.parameters.acceleration_time;
        self.estimator.update(imu.angular_velocity, imu.acceleration, clock.step_seconds());
        orientation.attitude = self.estimator.attitude();
        orientation.inclination = (orientation.attitude * Vec3::Z).z.clamp(-1.0, 1.0).acos();
        debug.plot("orientation.inclination", orientation.inclination);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use std::time::Duration;

    #[test]
    fn a_tilted_torso_at_rest_is_seen_at_once() {
        let mut module = OrientationFilter::create(OrientationFilterParameters::default());
        let tilt = Quat::from_rotation_y(0.4);
        let imu = CalibratedImu { acceleration: tilt.inverse() * Vec3::Z * 9.81, ..Default::default() };
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut orientation = Orientation::default();
        module.orientation(&imu, &clock, &mut orientation, &Debug::default());
        assert!((orientation.inclination - 0.4).abs() < 1e-3, "{orientation:?}");
        assert!(orientation.attitude.angle_between(tilt) < 1e-3, "{orientation:?}");
    }
}
