//! Tests of the robot in its world: the effects of a walk, a fall or a kick, and their
//! repeatability.

use glam::{Quat, Vec3};

use super::*;
use crate::geometry::Pose3;
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest};
use crate::robot::kinematics::LegAngles;
use crate::robot::{JOINTS, Joint, Side, dimensions};

const DT: f32 = 0.012;
/// The duration of a step, in seconds.
const STEP_TIME: f32 = 1.2;

fn stiff(positions: [f32; JOINTS]) -> JointRequest {
    JointRequest { positions, stiffness: [1.0; JOINTS] }
}

/// Returns a slow walk that needs no balance: the weight is over one foot before the other lifts.
fn walk(time: f32, step_length: f32, turn: f32) -> JointRequest {
    let mut positions = standing_positions();
    let phase = (time / STEP_TIME).fract();
    let swinging = if ((time / STEP_TIME) as u32).is_multiple_of(2) { Side::Left } else { Side::Right };
    let smooth = |from: f32, to: f32| {
        let part = ((phase - from) / (to - from)).clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part)
    };
    let sway = (smooth(0.0, 0.3) - smooth(0.7, 1.0)) * -0.05 * swinging.sign();
    let swing = smooth(0.35, 0.65);
    let lift = (std::f32::consts::PI * ((phase - 0.3) / 0.4).clamp(0.0, 1.0)).sin() * 0.03;
    let sole = |side: Side| {
        let (forward, lift) = if side == swinging { (swing - 0.5, lift) } else { (0.5 - swing, 0.0) };
        // Both feet turn outward, then inward: a turn in every second step.
        let open = if swinging == Side::Left { swing } else { 1.0 - swing };
        let place = Vec3::new(0.01 + forward * step_length, 0.05 * side.sign() - sway, -0.30 + lift);
        Pose3::new(Quat::from_rotation_z(turn * open * side.sign() / 2.0), place)
    };
    let legs = LegAngles::reaching_both(&sole(Side::Left), &sole(Side::Right));
    for (side, leg) in Side::BOTH.into_iter().zip(legs) {
        leg.write(side, &mut positions);
    }
    stiff(positions)
}

/// A fast walk in balance: an inverted pendulum that sways from foot to foot (Kajita et al.: The 3D
/// Linear Inverted Pendulum Mode, 2001), by `sway` times the distance that balance needs.
fn pendulum_walk(time: f32, step_length: f32, sway: f32) -> JointRequest {
    const STEP_TIME: f32 = 0.3;
    let frequency = (9.81_f32 / 0.25).sqrt();
    let phase = (time / STEP_TIME).fract();
    let stance = if ((time / STEP_TIME) as u32).is_multiple_of(2) { Side::Right } else { Side::Left };
    let (angle, end) = (frequency * (phase - 0.5) * STEP_TIME, frequency * STEP_TIME / 2.0);
    let length = step_length * (time / 2.0).min(1.0);
    let beside = -stance.sign() * 0.05 * (1.0 - sway * (1.0 - angle.cosh() / end.cosh()));
    let ahead = length / 2.0 * angle.sinh() / end.sinh();
    let part = ((phase - 0.1) / 0.8).clamp(0.0, 1.0);
    let lift = 0.02 * (std::f32::consts::PI * part).sin();
    let swing = length * (2.0 * part * part * (3.0 - 2.0 * part) - 1.0);

    let planted = Vec3::new(0.01 - ahead, -beside, -0.30);
    let swinging = planted + Vec3::new(swing, -0.1 * stance.sign(), lift);
    let [left, right] = if stance == Side::Left { [planted, swinging] } else { [swinging, planted] };
    let mut positions = standing_positions();
    let legs = LegAngles::reaching_both(&Pose3::from_translation(left), &Pose3::from_translation(right));
    for (side, leg) in Side::BOTH.into_iter().zip(legs) {
        leg.write(side, &mut positions);
    }
    stiff(positions)
}

fn truth(world: &World) -> GroundTruth {
    let mut truth = GroundTruth::default();
    world.ground_truth(&mut truth);
    truth
}

fn run(world: &mut World, seconds: f32, mut request: impl FnMut(f32) -> JointRequest) {
    for step in 0..(seconds / DT) as u16 {
        world.step(DT, &request(f32::from(step) * DT));
    }
}

fn everything_sensed(seed: u64) -> Vec<(GroundTruth, ImuSample, JointAngles, FootPressure, SimulatedWorld)> {
    let mut world = World::new(seed, Scenario::BallToGoal);
    (0..500_u16)
        .map(|step| {
            world.step(DT, &walk(f32::from(step) * DT, 0.04, 0.0));
            let (mut imu, mut joints, mut feet, mut snapshot) = Default::default();
            world.sense(&mut imu, &mut joints, &mut feet);
            world.snapshot(&mut snapshot);
            (truth(&world), imu, joints, feet, snapshot)
        })
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_does_not() {
    let first = everything_sensed(7);
    assert!(first == everything_sensed(7));
    assert!(first != everything_sensed(8));
}

#[test]
fn a_standing_robot_stands_still_and_feels_its_weight() {
    let mut world = World::new(1, Scenario::AloneInTheMiddle);
    let start = truth(&world);
    let (mut sum, mut samples) = (Vec3::ZERO, 0.0);
    for step in 0..500_u16 {
        world.step(DT, &stiff(standing_positions()));
        let (mut imu, mut joints, mut feet) = Default::default();
        world.sense(&mut imu, &mut joints, &mut feet);
        if step < 10 {
            continue;
        }
        assert!(imu.angular_velocity.length() < 0.06, "{imu:?}");
        let weight = dimensions::total_mass() * 9.81;
        assert!((feet.total() - weight).abs() < 0.1 * weight, "{feet:?} do not carry {weight} N");
        assert!(feet.left.iter().chain(&feet.right).all(|force| *force > 1.0), "{feet:?}");
        for (measured, wanted) in joints.positions.iter().zip(standing_positions()) {
            assert!((measured - wanted).abs() < 0.004);
        }
        sum += imu.acceleration;
        samples += 1.0;
    }
    assert!((sum / samples).abs_diff_eq(Vec3::Z * 9.81, 0.2), "{}", sum / samples);
    let end = truth(&world);
    assert!(end.robot.translation.distance(start.robot.translation) < 1e-3, "{start:?} {end:?}");
    assert!((end.torso_height - 0.31).abs() < 1e-3 && !end.fallen, "{end:?}");
}

#[test]
fn joints_that_walk_move_the_robot_forward() {
    for seed in 0..5 {
        let mut world = World::new(seed, Scenario::AloneInTheMiddle);
        let steps = 8.0;
        run(&mut world, steps * STEP_TIME, |time| walk(time, 0.05, 0.0));
        let end = truth(&world);
        let expected = (steps - 0.5) * 0.05;
        assert!(!end.fallen, "seed {seed}: {end:?}");
        assert!((end.robot.translation.x - expected).abs() < 0.05, "seed {seed}: {end:?}, expected {expected} m");
        assert!(end.robot.translation.y.abs() < 0.06 && end.robot.rotation.abs() < 0.15, "seed {seed}: {end:?}");
    }
}

#[test]
fn a_fast_walk_in_balance_keeps_the_torso_upright_and_one_without_rocks() {
    for seed in 0..3 {
        let walk = |sway| {
            let mut world = World::new(seed, Scenario::AloneInTheMiddle);
            world.place_ball(glam::Vec2::new(0.0, 2.0));
            run(&mut world, 2.0, |time| pendulum_walk(time, 0.06, sway));
            let mut steepest: f32 = 0.0;
            for step in 0..500_u16 {
                world.step(DT, &pendulum_walk(2.0 + f32::from(step) * DT, 0.06, sway));
                steepest = steepest.max((truth(&world).torso_rotation * Vec3::Z).angle_between(Vec3::Z));
            }
            (world.robot().translation.x, steepest)
        };
        let ((way, upright), (_, rocking)) = (walk(1.0), walk(0.0));
        assert!((1.2..1.5).contains(&way), "seed {seed}: {way} m in 8 seconds, of which 2 to speed up");
        assert!(upright < 0.02 && rocking > 2.0 * upright, "seed {seed}: {upright} {rocking}");
    }
}

#[test]
fn a_walk_drifts_differently_with_every_seed_but_little() {
    let end = |seed| {
        let mut world = World::new(seed, Scenario::AloneInTheMiddle);
        run(&mut world, 8.0 * STEP_TIME, |time| walk(time, 0.04, 0.0));
        world.robot()
    };
    let ends: Vec<_> = (0..4).map(end).collect();
    for (index, one) in ends.iter().enumerate() {
        for other in &ends[..index] {
            let distance = one.translation.distance(other.translation);
            assert!((1e-4..0.08).contains(&distance), "{one:?} {other:?}");
        }
    }
}

#[test]
fn feet_that_open_on_the_swinging_side_turn_the_robot() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    run(&mut world, 8.0 * STEP_TIME, |time| walk(time, 0.0, 0.3));
    let end = truth(&world);
    // Four of eight steps open the feet by 0.3 rad; closing them brings the other foot after.
    assert!(!end.fallen && (end.robot.rotation - 1.2).abs() < 0.25, "{end:?}");
}

#[test]
fn the_weight_moves_to_the_foot_that_the_robot_sways_to() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    run(&mut world, 0.5 * STEP_TIME, |time| walk(time, 0.04, 0.0));
    let (mut imu, mut joints, mut feet) = Default::default();
    world.sense(&mut imu, &mut joints, &mut feet);
    // The left foot swings first.
    assert!(feet.left.iter().sum::<f32>() < 2.0 && feet.right.iter().sum::<f32>() > 45.0, "{feet:?}");
}

#[test]
fn a_robot_that_lifts_a_foot_without_shifting_its_weight_falls_to_that_side() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    let mut positions = standing_positions();
    let lifted = Pose3::from_translation(Vec3::new(0.01, 0.09, -0.22));
    LegAngles::reaching(Side::Left, &lifted).write(Side::Left, &mut positions);
    run(&mut world, 3.0, |_| stiff(positions));
    let end = truth(&world);
    assert!(end.fallen, "{end:?}");
    let up = end.torso_rotation * Vec3::Z;
    assert!(up.y > 0.9, "lies with its head towards {up}");
    let (mut imu, mut joints, mut feet) = Default::default();
    world.sense(&mut imu, &mut joints, &mut feet);
    assert!(feet.total() < 5.0, "{feet:?}");
    // The left side points down: gravity is measured along -y.
    assert!(imu.acceleration.y < -8.0, "{imu:?}");
}

#[test]
fn a_robot_that_bends_too_far_forward_falls_on_its_face_and_gets_up_when_it_stands_again() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    let mut bent = standing_positions();
    for joint in [Joint::LeftAnklePitch, Joint::RightAnklePitch] {
        bent[joint.index()] -= 0.6;
    }
    run(&mut world, 2.5, |_| stiff(bent));
    let lying = truth(&world);
    assert!(lying.fallen && (lying.torso_rotation * Vec3::X).z < -0.8, "{lying:?}");
    assert!(lying.torso_height < 0.15, "{lying:?}");
    run(&mut world, 10.0, |_| JointRequest { positions: standing_positions(), stiffness: [0.0; JOINTS] });
    assert!(truth(&world).fallen, "limp legs do not get up");
    run(&mut world, 5.0, |_| stiff(standing_positions()));
    let up = truth(&world);
    assert!(!up.fallen && (up.torso_height - 0.31).abs() < 2e-3, "{up:?}");
}

#[test]
fn a_robot_that_walks_into_the_ball_pushes_it_ahead() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    world.place_ball(glam::Vec2::new(0.25, 0.05));
    run(&mut world, 6.0 * STEP_TIME, |time| walk(time, 0.06, 0.0));
    let end = truth(&world);
    assert!(end.ball.x > end.robot.translation.x + 0.1 && end.ball.x > 0.35, "{end:?}");
}

#[test]
fn a_goal_is_counted_and_timed_and_the_referee_whistles() {
    let mut world = World::new(3, Scenario::AloneInTheMiddle);
    world.place_ball(glam::Vec2::new(4.6, 0.3));
    world.step(DT, &stiff(standing_positions()));
    run(&mut world, 1.0, |_| stiff(standing_positions()));
    assert_eq!((world.score(), truth(&world).goals_against), (1, 0));
    assert_eq!(truth(&world).scored_at, Some(DT), "when it was scored, not the present");
    let mut snapshot = SimulatedWorld::default();
    world.snapshot(&mut snapshot);
    assert_eq!(snapshot.whistles.len(), 1);
}

#[test]
fn the_scenario_starts_at_the_border_of_the_own_half_with_the_ball_near_the_middle() {
    for seed in 0..50 {
        let start = truth(&World::new(seed, Scenario::BallToGoal));
        assert!(start.robot.translation.x < 0.0 && start.robot.translation.y.abs() > 2.9, "{start:?}");
        let inwards = -start.robot.translation.y.signum();
        assert!(start.robot.forward().y * inwards > 0.9, "{start:?}");
        assert!(start.ball.length() < 0.7, "{start:?}");
        let goal = crate::field::OPPONENT_GOAL;
        for other in &start.others {
            let way = crate::field::Line { from: start.ball, to: goal };
            assert!(way.nearest(*other).distance(*other) > 0.5, "seed {seed}: {other} stands in the way");
        }
    }
}
