//! Postures and dimensions that several parts of the walk share.

use std::f32::consts::FRAC_PI_2;

use glam::{Vec2, Vec3};

use crate::geometry::{Pose2, Pose3};
use crate::robot::kinematics::{LegAngles, Links};
use crate::robot::{JOINTS, Joint, Side};

/// The period of the motion cycle for which the walk is planned, in seconds.
pub const FRAME: f32 = 0.012;
/// The acceleration due to gravity, in m/s².
pub const GRAVITY: f32 = 9.81;
/// The height of the torso's origin above the soles when standing and walking, in metres.
pub const TORSO_HEIGHT: f32 = 0.3;
/// The distance from the midpoint between the feet to each of them, in metres.
pub const FOOT_SPACING: f32 = 0.05;
/// The point on a sole at which the weight rests, relative to the point below the ankle: its
/// centre, so that both edges are equally far.
pub const WEIGHT_ON_SOLE: Vec2 = Vec2::new(0.02, 0.0);

/// Returns the poses of both feet side by side around the origin, left first.
pub fn neutral_feet() -> [Pose2; 2] {
    Side::BOTH.map(|side| Pose2::new(0.0, FOOT_SPACING * side.sign(), 0.0))
}

/// Returns the point at which the weight rests on a foot at `foot`.
pub fn weight_on(foot: &Pose2) -> Vec2 {
    foot.transform(WEIGHT_ON_SOLE)
}

/// Returns all joints of a robot that stands with hanging arms, its torso upright and `height`
/// metres above the soles, and its centre of mass over the middle of the soles.
pub fn standing(height: f32) -> [f32; JOINTS] {
    let mut positions = [0.0; JOINTS];
    for side in Side::BOTH {
        for (joint, angle) in Joint::arm(side).into_iter().zip(hanging_arm(side)) {
            positions[joint.index()] = angle;
        }
    }
    let mut forward = 0.0;
    for _ in 0..8 {
        for side in Side::BOTH {
            let sole = Vec3::new(forward, FOOT_SPACING * side.sign(), -height);
            LegAngles::reaching(side, &Pose3::from_translation(sole)).write(side, &mut positions);
        }
        forward = Links::new(&positions).center_of_mass().x - WEIGHT_ON_SOLE.x;
    }
    positions
}

/// Returns shoulder pitch and roll, elbow yaw and roll, and wrist yaw of an arm that hangs beside
/// the body.
pub fn hanging_arm(side: Side) -> [f32; 5] {
    [FRAC_PI_2, 0.2 * side.sign(), 0.0, -0.3 * side.sign(), 0.0]
}

/// Returns the height of the centre of mass above the soles in the walk's standing posture, in
/// metres.
pub fn center_of_mass_height() -> f32 {
    TORSO_HEIGHT + Links::new(&standing(TORSO_HEIGHT)).center_of_mass().z
}

/// Returns a value from 0 to 1 with zero speed and acceleration at both ends, for a progress from 0
/// to 1 (clamped).
pub fn minimum_jerk(progress: f32) -> f32 {
    let s = progress.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standing_robot_has_its_weight_over_the_middle_of_the_soles() {
        let links = Links::new(&standing(TORSO_HEIGHT));
        let center = links.center_of_mass();
        for side in Side::BOTH {
            let sole = links.sole(side);
            assert!((center.x - sole.translation.x - WEIGHT_ON_SOLE.x).abs() < 1e-4, "{center} {sole:?}");
            assert!((sole.translation.z + TORSO_HEIGHT).abs() < 1e-4 && (sole.rotation * Vec3::Z).z > 0.9999);
        }
        assert!(center.y.abs() < 1e-4 && (0.2..0.3).contains(&center_of_mass_height()));
    }

    #[test]
    fn a_smooth_way_begins_and_ends_at_rest() {
        assert_eq!((minimum_jerk(-1.0), minimum_jerk(0.5), minimum_jerk(2.0)), (0.0, 0.5, 1.0));
        assert!(minimum_jerk(0.01) < 1e-4 && minimum_jerk(0.99) > 0.9999);
    }
}
