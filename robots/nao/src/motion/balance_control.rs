//! Small corrections that keep a walking robot upright.

use glam::Vec2;
use hemiola::prelude::*;

use crate::representations::motion::{BalanceCorrection, CalibratedImu, TorsoPose};

/// Parameters of [`BalanceControl`].
#[derive(Parameters)]
pub struct BalanceControlParameters {
    /// The angle by which the ankles turn per angular velocity of the torso.
    #[parameter(default = 0.03, range = 0.0..=0.2, unit = "s")]
    ankle_gain: f32,
    /// The angle by which the hips bend back per angular velocity of the torso.
    #[parameter(default = 0.01, range = 0.0..=0.2, unit = "s")]
    hip_gain: f32,
    /// The angle by which the ankles turn per inclination of the torso.
    #[parameter(default = 0.05, range = 0.0..=1.0)]
    inclination_gain: f32,
    /// The time constant with which the gyroscope is smoothed.
    #[parameter(default = 0.02, range = 0.0..=0.5, unit = "s")]
    smoothing_time: f32,
    /// The maximum correction.
    #[parameter(default = 0.1, range = 0.0..=0.3, unit = "rad")]
    largest: f32,
}

/// Turns the ankles so that the ground pushes against unwanted motion of the torso.
///
/// The walk keeps the torso level; any angular velocity around roll and pitch is a disturbance.
/// When the torso tips forward, the toes press down; when it tips to the right, the right edges of
/// the soles do.
#[derive(Module)]
pub struct BalanceControl {
    #[parameters]
    parameters: BalanceControlParameters,
    angular_velocity: Vec2,
}

#[module]
impl BalanceControl {
    #[update]
    pub(super) fn balance_correction(
        &mut self,
        imu: &CalibratedImu,
        torso: &TorsoPose,
        clock: &Clock,
        correction: &mut BalanceCorrection,
    ) {
        let parameters = &self.parameters;
        let part = clock.step_seconds() / (clock.step_seconds() + parameters.smoothing_time).max(f32::MIN_POSITIVE);
        self.angular_velocity += (imu.angular_velocity.truncate() - self.angular_velocity) * part;
        let up = torso.attitude * glam::Vec3::Z;
        let (roll, pitch) = ((-up.y).asin(), up.x.asin());
        let limited = |angle: f32| angle.clamp(-parameters.largest, parameters.largest);
        let Vec2 { x: rolling, y: pitching } = self.angular_velocity;
        correction.ankle_roll = limited(parameters.ankle_gain * rolling + parameters.inclination_gain * roll);
        correction.ankle_pitch = limited(parameters.ankle_gain * pitching + parameters.inclination_gain * pitch);
        correction.hip_pitch = limited(-parameters.hip_gain * pitching);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};
    use std::time::Duration;

    #[test]
    fn the_sole_presses_down_where_the_torso_tips_to() {
        let mut module = BalanceControl::create(BalanceControlParameters::default());
        let imu = CalibratedImu { angular_velocity: Vec3::new(0.0, 1.0, 0.0), ..Default::default() };
        let torso = TorsoPose { attitude: Quat::from_rotation_x(0.1), height: 0.3 };
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut correction = BalanceCorrection::default();
        (0..50).for_each(|_| module.balance_correction(&imu, &torso, &clock, &mut correction));
        assert!((correction.ankle_pitch - 0.03).abs() < 1e-4 && correction.hip_pitch < 0.0, "{correction:?}");
        assert!((correction.ankle_roll - 0.005).abs() < 1e-4, "{correction:?}");
    }
}
