//! The motion of the arms while the robot walks.

use hemiola::prelude::*;

use super::posture::hanging_arm;
use crate::representations::motion::{ArmTargets, FootTargets};
use crate::robot::Side;

/// Parameters of [`ArmSwing`].
#[derive(Parameters)]
pub struct ArmSwingParameters {
    /// The angle by which an arm swings back, per distance that the foot on its side is ahead.
    #[parameter(default = 4.0, range = 0.0..=10.0, unit = "rad/m")]
    gain: f32,
    /// The maximum angle of the swing.
    #[parameter(default = 0.4, range = 0.0..=1.0, unit = "rad")]
    largest: f32,
}

/// Swings each arm against the leg on its side, as people do, so that their moments cancel out.
#[derive(Module)]
pub struct ArmSwing {
    #[parameters]
    parameters: ArmSwingParameters,
}

#[module]
impl ArmSwing {
    #[update]
    pub(super) fn arm_targets(&self, feet: &FootTargets, arms: &mut ArmTargets) {
        let forward = glam::Quat::from_rotation_z(feet.torso_yaw) * glam::Vec3::X;
        let left_ahead = (feet.soles[0].translation - feet.soles[1].translation).dot(forward) / 2.0;
        arms.angles = Side::BOTH.map(|side| {
            let mut arm = hanging_arm(side);
            let swing = left_ahead * side.sign() * self.parameters.gain;
            arm[0] += swing.clamp(-self.parameters.largest, self.parameters.largest);
            arm
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose3;
    use glam::Vec3;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn the_arm_goes_back_where_the_leg_goes_forward() {
        let mut arms = ArmTargets::default();
        let soles = [Vec3::new(0.06, 0.05, 0.0), Vec3::new(0.0, -0.05, 0.0)].map(Pose3::from_translation);
        ArmSwing::create(ArmSwingParameters::default()).arm_targets(&FootTargets { soles, torso_yaw: 0.0 }, &mut arms);
        let [left, right] = arms.angles.map(|arm| arm[0] - FRAC_PI_2);
        assert!((left - 0.12).abs() < 1e-5 && (right + 0.12).abs() < 1e-5, "{arms:?}");
    }
}
