//! The pose of the torso above the ground.

use glam::Quat;
use hemiola::prelude::*;

use crate::geometry::yaw;
use crate::representations::motion::{BodyModel, Orientation, SupportFoot, TorsoPose};
use crate::robot::dimensions::sole_outline;

/// Computes the attitude from the inertial unit, and the height from the leg that carries the
/// robot, whose lowest corner touches the ground.
#[derive(Module)]
pub struct TorsoHeight {}

#[module]
impl TorsoHeight {
    #[update]
    pub(super) fn torso_pose(
        &self,
        orientation: &Orientation,
        body: &BodyModel,
        support: &SupportFoot,
        pose: &mut TorsoPose,
    ) {
        pose.attitude = Quat::from_rotation_z(-yaw(orientation.attitude)) * orientation.attitude;
        let sole = body.soles[support.foot.index()];
        let below = |corner: glam::Vec2| -(pose.attitude * sole.transform(corner.extend(0.0))).z;
        pose.height = sole_outline(support.foot.side()).map(below).into_iter().fold(f32::MIN, f32::max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose3;
    use glam::Vec3;

    fn pose(attitude: Quat) -> TorsoPose {
        let soles = [Pose3::from_translation(Vec3::new(0.0, 0.0, -0.3)); 2];
        let body = BodyModel { soles, ..Default::default() };
        let mut pose = TorsoPose::default();
        let orientation = Orientation { attitude, inclination: 0.0 };
        TorsoHeight::create(()).torso_pose(&orientation, &body, &SupportFoot::default(), &mut pose);
        pose
    }

    #[test]
    fn the_heading_does_not_matter() {
        let pose = pose(Quat::from_rotation_z(2.0));
        assert!(pose.attitude.angle_between(Quat::IDENTITY) < 1e-3 && (pose.height - 0.3).abs() < 1e-6, "{pose:?}");
    }

    #[test]
    fn a_torso_that_leans_forward_stands_on_its_toes() {
        let pose = pose(Quat::from_rotation_y(0.2));
        let expected = 0.3 * 0.2_f32.cos() + 0.102 * 0.2_f32.sin();
        assert!((pose.height - expected).abs() < 1e-5, "{pose:?}, not {expected}");
    }
}
