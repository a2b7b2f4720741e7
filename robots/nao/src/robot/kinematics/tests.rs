use glam::EulerRot;
use proptest::prelude::*;

use super::*;

const ZERO: [f32; JOINTS] = [0.0; JOINTS];

fn position_within_limits(joint: Joint) -> impl Strategy<Value = f32> {
    let (smallest, largest) = joint.limits();
    smallest..largest
}

fn all_positions() -> impl Strategy<Value = [f32; JOINTS]> {
    let strategies: Vec<_> = Joint::ALL.into_iter().map(position_within_limits).collect();
    strategies.prop_map(|positions| positions.try_into().expect("one position per joint"))
}

/// Returns the positions of the same joints on the other side: pitch stays, roll and yaw change
/// sign.
fn mirrored(positions: &[f32; JOINTS]) -> [f32; JOINTS] {
    let mut result = *positions;
    result[Joint::HeadYaw.index()] *= -1.0;
    for (left, right) in Joint::arm(Side::Left).into_iter().zip(Joint::arm(Side::Right)).chain(
        // The shared joint turns both legs to opposite sides by itself.
        Joint::leg(Side::Left).into_iter().zip(Joint::leg(Side::Right)).skip(1),
    ) {
        let sign = if left.name().ends_with("Pitch") { 1.0 } else { -1.0 };
        result[left.index()] = sign * positions[right.index()];
        result[right.index()] = sign * positions[left.index()];
    }
    result
}

#[track_caller]
fn assert_same_pose(pose: &Pose3, expected: &Pose3, tolerance: f32) {
    let way = pose.translation.distance(expected.translation);
    let turn = pose.rotation.angle_between(expected.rotation);
    // The angle between nearly equal quaternions is only exact to the root of the precision.
    assert!(way < tolerance && turn < 2e-3 + tolerance, "{pose:?} is not {expected:?}");
}

#[test]
fn stretched_legs_end_where_the_data_sheet_says() {
    let links = Links::new(&ZERO);
    for side in Side::BOTH {
        // 85 + 100 + 102.9 + 45.19 mm down, 50 mm to the side.
        let expected = Pose3::from_translation(Vec3::new(0.0, 0.05 * side.sign(), -0.33309));
        assert_same_pose(&links.sole(side), &expected, 1e-6);
        assert_same_pose(&LegAngles::default().sole(side), &expected, 1e-6);
    }
}

#[test]
fn stretched_arms_and_cameras_end_where_the_data_sheet_says() {
    let links = Links::new(&ZERO);
    for side in Side::BOTH {
        // 105 + 55.95 + 57.75 mm forward, 98 + 15 mm to the side, 100 - 12.31 mm up.
        let expected = Vec3::new(0.2187, 0.113 * side.sign(), 0.08769);
        assert!(links.hand(side).translation.abs_diff_eq(expected, 1e-6), "{:?}", links.hand(side));
    }
    let upper = links.camera(Camera::Upper);
    assert!(upper.translation.abs_diff_eq(Vec3::new(0.05871, 0.0, 0.19014), 1e-6));
    let lower = links.camera(Camera::Lower);
    assert!(lower.translation.abs_diff_eq(Vec3::new(0.05071, 0.0, 0.14424), 1e-6));
    let axis = lower.rotation * Vec3::X;
    assert!(((-axis.z).asin().to_degrees() - 39.7).abs() < 1e-3, "{axis}");
}

#[test]
fn a_right_angle_in_the_knee_puts_the_ankle_behind_it() {
    let mut positions = ZERO;
    positions[Joint::LeftKneePitch.index()] = std::f32::consts::FRAC_PI_2;
    let sole = Links::new(&positions).sole(Side::Left);
    // The tibia points backwards, and so does the sole's normal, forward.
    assert!(sole.translation.abs_diff_eq(Vec3::new(-0.10290 - 0.04519, 0.05, -0.185), 1e-6), "{sole:?}");
    assert!((sole.rotation * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
}

#[test]
fn a_negative_hip_yaw_pitch_turns_both_feet_outward() {
    let mut positions = ZERO;
    positions[Joint::HipYawPitch.index()] = -0.3;
    let links = Links::new(&positions);
    let (left, right) = (links.sole(Side::Left).on_ground(), links.sole(Side::Right).on_ground());
    assert!(left.rotation > 0.1 && (left.rotation + right.rotation).abs() < 1e-6, "{left:?} {right:?}");
}

#[test]
fn the_centre_of_mass_lies_in_the_lower_torso() {
    let mut positions = ZERO;
    for side in Side::BOTH {
        positions[Joint::arm(side)[0].index()] = std::f32::consts::FRAC_PI_2;
    }
    let center = Links::new(&positions).center_of_mass();
    assert!(center.x.abs() < 0.01 && center.y.abs() < 1e-4, "{center}");
    assert!((-0.06..0.0).contains(&center.z), "{center}");
}

#[test]
fn a_target_out_of_reach_stretches_the_leg_towards_it() {
    let far = Pose3::from_translation(Vec3::new(0.0, 0.05, -0.5));
    let angles = LegAngles::reaching(Side::Left, &far);
    assert_eq!(angles.knee_pitch, 0.0);
    assert_same_pose(&angles.sole(Side::Left), &LegAngles::default().sole(Side::Left), 1e-5);
}

proptest! {
    #[test]
    fn the_mirrored_robot_has_mirrored_poses(positions in all_positions()) {
        let links = Links::new(&positions);
        let mirror = Links::new(&mirrored(&positions));
        let flip = |point: Vec3| Vec3::new(point.x, -point.y, point.z);
        for side in Side::BOTH {
            let (sole, other) = (links.sole(side).translation, mirror.sole(side.other()).translation);
            prop_assert!(flip(sole).abs_diff_eq(other, 1e-5), "{sole} {other}");
            let (hand, other) = (links.hand(side).translation, mirror.hand(side.other()).translation);
            prop_assert!(flip(hand).abs_diff_eq(other, 1e-5), "{hand} {other}");
        }
        let (center, other) = (links.center_of_mass(), mirror.center_of_mass());
        prop_assert!(flip(center).abs_diff_eq(other, 1e-5));
    }

    #[test]
    fn inverse_kinematics_finds_the_pose_that_forward_kinematics_gave(positions in all_positions()) {
        let links = Links::new(&positions);
        for side in Side::BOTH {
            let sole = links.sole(side);
            // A knee bent backwards (a few degrees are possible) has the same sole as one bent
            // forwards.
            assert_same_pose(&LegAngles::reaching(side, &sole).sole(side), &sole, 2e-4);
        }
    }

    #[test]
    fn inverse_kinematics_finds_the_angles_of_a_bent_leg(
        hip_yaw_pitch in -0.6f32..0.6, hip_roll in -0.35f32..0.35, hip_pitch in -1.2f32..0.4,
        knee_pitch in 0.1f32..2.0, ankle_pitch in -1.0f32..0.8, ankle_roll in -0.35f32..0.35,
    ) {
        let angles = LegAngles { hip_yaw_pitch, hip_roll, hip_pitch, knee_pitch, ankle_pitch, ankle_roll };
        for side in Side::BOTH {
            let sole = angles.sole(side);
            for found in [LegAngles::reaching(side, &sole), LegAngles::reaching_with(side, &sole, hip_yaw_pitch)] {
                prop_assert!((found.hip_yaw_pitch - hip_yaw_pitch).abs() < 2e-3, "{found:?}");
                prop_assert!((found.hip_roll - hip_roll).abs() < 2e-3, "{found:?}");
                prop_assert!((found.hip_pitch - hip_pitch).abs() < 2e-3, "{found:?}");
                prop_assert!((found.knee_pitch - knee_pitch).abs() < 2e-3, "{found:?}");
                prop_assert!((found.ankle_pitch - ankle_pitch).abs() < 2e-3, "{found:?}");
                prop_assert!((found.ankle_roll - ankle_roll).abs() < 2e-3, "{found:?}");
            }
        }
    }

    #[test]
    fn the_shared_hip_joint_keeps_place_and_inclination_of_both_soles(
        x in -0.04f32..0.04, y in 0.0f32..0.03, lift in 0.0f32..0.04, yaw in -0.2f32..0.3, lean in -0.1f32..0.1,
    ) {
        let torso = Quat::from_euler(EulerRot::YXZ, lean, lean / 2.0, 0.0).inverse();
        let left = Pose3::new(torso * Quat::from_rotation_z(yaw), Vec3::new(x, 0.05 + y, -0.3 + lift));
        let right = Pose3::new(torso, Vec3::new(-x, -0.05 - y, -0.3));
        let angles = LegAngles::reaching_both(&left, &right);
        prop_assert_eq!(angles[0].hip_yaw_pitch, angles[1].hip_yaw_pitch);
        for (side, (angles, wanted)) in Side::BOTH.into_iter().zip(angles.into_iter().zip([left, right])) {
            let sole = angles.sole(side);
            prop_assert!(sole.translation.abs_diff_eq(wanted.translation, 1e-4), "{sole:?} {wanted:?}");
            prop_assert!((sole.rotation * Vec3::Z).abs_diff_eq(wanted.rotation * Vec3::Z, 1e-4));
        }
    }

    #[test]
    fn feet_turned_by_opposite_angles_are_reached_exactly(x in -0.04f32..0.04, yaw in 0.0f32..0.3) {
        let foot = |side: Side| {
            let sign = side.sign();
            Pose3::new(Quat::from_rotation_z(yaw * sign), Vec3::new(x, 0.06 * sign, -0.29))
        };
        let angles = LegAngles::reaching_both(&foot(Side::Left), &foot(Side::Right));
        for side in Side::BOTH {
            assert_same_pose(&angles[side as usize].sole(side), &foot(side), 1e-4);
        }
    }
}
