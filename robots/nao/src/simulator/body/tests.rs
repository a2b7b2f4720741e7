use super::*;
use crate::robot::kinematics::LegAngles;
use crate::simulator::standing_positions;

const DT: f32 = 0.012;

fn body() -> (Body, Random) {
    let mut random = Random::new(4);
    (Body::new(&Pose2::new(1.0, -2.0, 0.5), &standing_positions(), &mut random), random)
}

/// Returns standing positions with the soles moved relative to the torso.
fn shifted(way: Vec3) -> [f32; JOINTS] {
    let mut positions = standing_positions();
    for side in Side::BOTH {
        let sole = Pose3::from_translation(Vec3::new(0.01, 0.05 * side.sign(), -0.31) - way);
        LegAngles::reaching(side, &sole).write(side, &mut positions);
    }
    positions
}

#[test]
fn a_body_begins_with_flat_soles_around_its_place() {
    let (body, _) = body();
    let middle = (body.sole(Side::Left).translation + body.sole(Side::Right).translation) / 2.0;
    assert!(middle.abs_diff_eq(Vec3::new(1.0, -2.0, 0.0), 1e-5), "{middle}");
    for side in Side::BOTH {
        assert!((body.sole(side).rotation * Vec3::Z).abs_diff_eq(Vec3::Z, 1e-5));
        assert!((body.sole(side).on_ground().rotation - 0.5).abs() < 1e-5);
        assert!(body.touches(side));
    }
}

#[test]
fn a_slow_sway_moves_the_centre_of_pressure_and_nothing_else() {
    let (mut body, mut random) = body();
    let soles = Side::BOTH.map(|side| body.sole(side));
    for step in 0..=200_u8 {
        body.step(DT, &shifted(Vec3::new(0.0, 0.03, 0.0) * f32::from(step) / 200.0), Legs::Stiff, &mut random);
    }
    let center = Pose2::new(1.0, -2.0, 0.5).relative(body.center_of_pressure());
    // The feet, a quarter of the mass, stay behind.
    assert!((0.020..0.026).contains(&center.y), "{center}");
    for side in Side::BOTH {
        assert!(body.sole(side).translation.abs_diff_eq(soles[side as usize].translation, 1e-4));
    }
}

#[test]
fn a_jerk_rocks_the_body_and_it_comes_to_rest_again() {
    let (mut body, mut random) = body();
    let mut largest: f32 = 0.0;
    for step in 0..200_u8 {
        // 4 cm back within five steps: nearly 1 m/s.
        let way = (f32::from(step) / 5.0).min(1.0) * 0.04;
        body.step(DT, &shifted(Vec3::new(-way, 0.0, 0.0)), Legs::Stiff, &mut random);
        largest = largest.max(body.lean.length());
        assert_eq!(body.posture(), Posture::Upright);
    }
    assert!(largest > 0.01, "{largest}");
    assert_eq!(body.lean, Vec2::ZERO);
}

#[test]
fn changing_the_planted_foot_does_not_jerk_the_torso() {
    let (mut body, mut random) = body();
    // A tilted right foot takes over from the flat left one.
    let mut positions = shifted(Vec3::new(0.0, -0.04, 0.0));
    for _ in 0..100 {
        body.step(DT, &positions, Legs::Stiff, &mut random);
    }
    assert_eq!(body.support, Side::Left);
    let before = body.torso();
    let tilted = Pose3::new(Quat::from_rotation_y(0.1), Vec3::new(0.01, -0.01, -0.315));
    LegAngles::reaching(Side::Right, &tilted).write(Side::Right, &mut positions);
    body.step(DT, &positions, Legs::Stiff, &mut random);
    assert_eq!(body.support, Side::Right);
    assert!(body.torso().translation.distance(before.translation) < 0.01);
    assert!(body.torso().rotation.angle_between(before.rotation) < 0.04, "{:?}", body.torso());
    for _ in 0..30 {
        body.step(DT, &positions, Legs::Stiff, &mut random);
    }
    assert!((body.sole(Side::Right).rotation * Vec3::Z).abs_diff_eq(Vec3::Z, 1e-3));
}

#[test]
fn a_push_slides_the_feet_and_the_torso_follows() {
    let (mut body, mut random) = body();
    let before = body.torso();
    body.push(Vec2::new(0.02, 0.0));
    for _ in 0..60 {
        body.step(DT, &standing_positions(), Legs::Stiff, &mut random);
    }
    let way = body.torso().translation - before.translation;
    assert!(way.abs_diff_eq(Vec3::new(0.02, 0.0, 0.0), 1e-4), "{way}");
}
