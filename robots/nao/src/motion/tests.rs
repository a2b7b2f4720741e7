//! Tests of the motion cycle in the simulator: all modules are called directly in the order of
//! their dependencies, every 12 ms.

use std::time::Duration;

use glam::Vec2;
use hemiola::prelude::*;

use super::*;
use crate::geometry::normalize_angle;
use crate::representations::behaviour::{HeadRequest, KickFoot, Motion, MotionRequest};
use crate::representations::motion::*;
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest};
use crate::robot::{JOINTS, Joint};
use crate::simulator::{Scenario, World};

const STEP: Duration = Duration::from_millis(12);

macro_rules! motion_cycle {
    ($($field:ident: $module:path),* $(,)?) => {
        /// All modules with their state, and the values that the next run reads.
        struct MotionCycle {
            $($field: $module,)*
            request: JointRequest,
            contact: GroundContact,
            get_up: GetUpTargets,
            safe_state: SafeState,
            run: u64,
        }

        impl MotionCycle {
            fn new() -> Self {
                Self {
                    $($field: <$module>::create(Default::default()),)*
                    request: JointRequest::default(),
                    contact: GroundContact::default(),
                    get_up: GetUpTargets::default(),
                    safe_state: SafeState::Inactive,
                    run: 0,
                }
            }
        }
    };
}

motion_cycle! {
    imu_calibration: imu_calibration::ImuCalibration,
    orientation_filter: orientation_filter::OrientationFilter,
    robot_model: robot_model::RobotModel,
    foot_soles: ground_contact::FootSoles,
    weight_shift: support_foot::WeightShift,
    torso_height: torso_height::TorsoHeight,
    fall_detection: fall_detection::FallDetection,
    leg_odometry: leg_odometry::LegOdometry,
    joint_monitor: joint_monitor::JointMonitor,
    step_planner: step_planner::StepPlanner,
    zmp_planner: zmp_planner::ZmpPlanner,
    preview_controller: preview_controller::PreviewController,
    kick_engine: kick_engine::KickEngine,
    swing_foot: swing_foot::SwingFoot,
    leg_inverse_kinematics: leg_inverse_kinematics::LegInverseKinematics,
    arm_swing: arm_swing::ArmSwing,
    head_control: head_control::HeadControl,
    get_up_motion: get_up::GetUp,
    balance_control: balance_control::BalanceControl,
    joint_combiner: joint_combiner::JointCombiner,
}

/// The robot's estimates of its own state after a run.
#[derive(Default)]
struct Belief {
    torso: TorsoPose,
    odometry: Odometry,
    fall: FallState,
    health: JointHealth,
}

impl MotionCycle {
    fn run(&mut self, imu: &ImuSample, joints: &JointAngles, pressure: &FootPressure, motion: Motion) -> Belief {
        let debug = &Debug::default();
        let clock = &Clock::new(Time::ZERO + STEP * self.run as u32, STEP, self.run);
        self.run += 1;
        let mut belief = Belief::default();

        let mut calibrated = CalibratedImu::default();
        self.imu_calibration.calibrated_imu(imu, clock, &mut calibrated);
        let mut orientation = Orientation::default();
        self.orientation_filter.orientation(&calibrated, clock, &mut orientation, debug);
        let mut body = BodyModel::default();
        self.robot_model.body_model(joints, &mut body);
        let mut contact = GroundContact::default();
        self.foot_soles.ground_contact(pressure, Previous::new(&self.contact), &mut contact, debug);
        let mut support = SupportFoot::default();
        self.weight_shift.support_foot(&contact, &body, &orientation, &mut support);
        self.torso_height.torso_pose(&orientation, &body, &support, &mut belief.torso);
        let last_get_up = Previous::new(&self.get_up);
        self.fall_detection.fall_state(
            &orientation,
            &calibrated,
            last_get_up,
            clock,
            &mut Publisher::to_nobody(),
            &mut belief.fall,
        );
        self.leg_odometry.odometry(&orientation, &body, &support, &belief.fall, &mut belief.odometry, debug);
        let last_request = Previous::new(&self.request);
        self.joint_monitor.joint_health(joints, last_request, clock, &mut belief.health, debug);

        let mut plan = StepPlan::default();
        self.step_planner.step_plan(&MotionRequest { motion }, &belief.fall, &self.safe_state, &mut plan, debug);
        let mut reference = ZmpReference::default();
        self.zmp_planner.zmp_reference(&plan, &mut reference);
        let mut center = CenterOfMassTarget::default();
        self.preview_controller.center_of_mass_target(&plan, &reference, &mut center, debug);
        let mut kick = KickSwing::default();
        self.kick_engine.kick_swing(&plan, &mut kick);
        let mut feet = FootTargets::default();
        self.swing_foot.foot_targets(&plan, &kick, &mut feet);
        let mut legs = LegTargets::default();
        self.leg_inverse_kinematics.leg_targets(&feet, &center, Previous::new(&self.request), &mut legs);
        let mut arms = ArmTargets::default();
        self.arm_swing.arm_targets(&feet, &mut arms);
        let mut head = HeadTargets::default();
        self.head_control.head_targets(&HeadRequest { yaw: 0.3, pitch: 0.2 }, clock, &mut head);
        let mut get_up = GetUpTargets::default();
        self.get_up_motion.get_up_targets(&belief.fall, &orientation, clock, &mut get_up);
        let mut balance = BalanceCorrection::default();
        self.balance_control.balance_correction(&calibrated, &belief.torso, clock, &mut balance);
        let mut request = JointRequest::default();
        let (safe_state, combiner) = (&self.safe_state, &mut self.joint_combiner);
        combiner.joint_request(&legs, &arms, &head, &balance, &get_up, joints, clock, safe_state, &mut request);

        (self.request, self.contact, self.get_up) = (request, contact, get_up);
        belief
    }
}

/// A robot on the field.
struct Robot {
    world: World,
    cycle: MotionCycle,
    belief: Belief,
    fell: bool,
    most_inclined: f32,
}

impl Robot {
    /// Creates a robot alone in the middle of the field, which stands long enough to calibrate its
    /// gyroscope.
    fn new(seed: u64) -> Self {
        let mut robot = Self {
            world: World::new(seed, Scenario::AloneInTheMiddle),
            cycle: MotionCycle::new(),
            belief: Belief::default(),
            fell: false,
            most_inclined: 0.0,
        };
        robot.world.place_ball(Vec2::new(-3.0, 2.0));
        robot.run(Motion::Stand, 3.0);
        robot
    }

    fn run(&mut self, motion: Motion, seconds: f32) {
        for _ in 0..(seconds / STEP.as_secs_f32()).round() as u32 {
            let (mut imu, mut joints, mut pressure) = Default::default();
            self.world.sense(&mut imu, &mut joints, &mut pressure);
            self.belief = self.cycle.run(&imu, &joints, &pressure, motion);
            self.world.step(STEP.as_secs_f32(), &self.cycle.request);
            let truth = self.truth();
            self.fell |= truth.fallen;
            let up = truth.torso_rotation * glam::Vec3::Z;
            self.most_inclined = self.most_inclined.max(up.z.clamp(-1.0, 1.0).acos());
        }
    }

    fn truth(&self) -> GroundTruth {
        let mut truth = GroundTruth::default();
        self.world.ground_truth(&mut truth);
        truth
    }

    fn place(&self) -> Vec2 {
        self.truth().robot.translation
    }
}

fn walk(forward: f32, left: f32, turn: f32) -> Motion {
    Motion::Walk { velocity: Vec2::new(forward, left), turn }
}

#[test]
fn the_robot_walks_where_it_is_asked_to_and_does_not_fall() {
    // Over four seconds, of which the first step and the acceleration take half a second.
    for (motion, smallest, direction) in [
        (walk(0.25, 0.0, 0.0), 0.7, Vec2::X),
        (walk(-0.18, 0.0, 0.0), 0.5, Vec2::NEG_X),
        (walk(0.0, 0.15, 0.0), 0.4, Vec2::Y),
        (walk(0.0, -0.15, 0.0), 0.4, Vec2::NEG_Y),
    ] {
        for seed in 1..4 {
            let mut robot = Robot::new(seed);
            let start = robot.truth().robot;
            robot.run(motion, 4.0);
            let walked = start.relative(robot.place());
            assert!(!robot.fell && robot.most_inclined < 0.05, "seed {seed}, {motion:?}: {}", robot.most_inclined);
            assert!(walked.dot(direction) > smallest, "seed {seed}, {motion:?}: {walked}");
            assert!(walked.perp_dot(direction).abs() < 0.2, "seed {seed}, {motion:?}: {walked}");
        }
    }
}

#[test]
fn the_robot_turns_in_place_and_on_a_curve() {
    for (motion, smallest) in [(walk(0.0, 0.0, 0.8), 1.2), (walk(0.0, 0.0, -0.8), 1.2), (walk(0.2, 0.0, 0.5), 0.7)] {
        let mut robot = Robot::new(2);
        let start = robot.truth().robot.rotation;
        robot.run(motion, 2.5);
        let turned = normalize_angle(robot.truth().robot.rotation - start);
        let Motion::Walk { turn, .. } = motion else { unreachable!() };
        assert!(!robot.fell && turned * turn.signum() > smallest, "{motion:?}: {turned}");
    }
}

#[test]
fn a_robot_that_stops_stands_still_soon() {
    let mut robot = Robot::new(3);
    robot.run(walk(0.25, 0.0, 0.2), 3.0);
    robot.run(Motion::Stand, 2.0);
    let stopped = robot.place();
    robot.run(Motion::Stand, 2.0);
    assert!(!robot.fell && robot.place().distance(stopped) < 0.002);
    assert!(robot.cycle.request.positions.iter().zip(posture::standing(posture::TORSO_HEIGHT)).all(
        |(position, standing)| {
            // Except for head and balance.
            (position - standing).abs() < 0.31
        }
    ));
}

#[test]
fn no_change_of_mind_makes_the_robot_fall() {
    let minds = [
        (walk(0.25, 0.0, 0.0), 0.9),
        (walk(-0.2, 0.0, 0.0), 0.7),
        (walk(0.0, 0.15, 0.0), 0.31),
        (walk(0.0, -0.15, 0.8), 0.53),
        (Motion::Kick { foot: KickFoot::Left }, 0.6),
        (walk(0.25, 0.1, -0.8), 1.1),
        (Motion::Stand, 0.2),
        (walk(9.0, -9.0, 9.0), 0.8),
        (Motion::Kick { foot: KickFoot::Right }, 1.7),
        (Motion::Stand, 0.05),
        (walk(f32::NAN, 0.0, 0.0), 0.4),
        (walk(-0.2, 0.15, 0.8), 1.0),
    ];
    for seed in 1..4 {
        let mut robot = Robot::new(seed);
        for (index, (motion, seconds)) in minds.iter().cycle().skip(seed as usize * 5).take(30).enumerate() {
            robot.run(*motion, *seconds);
            assert!(!robot.fell && robot.most_inclined < 0.1, "seed {seed}: {motion:?}, the {index}th of its motions");
        }
    }
}

#[test]
fn a_kick_sends_the_ball_far_and_straight() {
    for (foot, seed) in [(KickFoot::Left, 1), (KickFoot::Right, 2)] {
        let mut robot = Robot::new(seed);
        let start = robot.truth().robot;
        let ball = start.transform(Vec2::new(0.19, 0.05 * Foot::from(foot).side().sign()));
        robot.world.place_ball(ball);
        robot.run(Motion::Kick { foot }, 1.6);
        robot.run(Motion::Stand, 5.0);
        let way = Vec2::from_angle(-start.rotation).rotate(robot.truth().ball - ball);
        assert!(!robot.fell && way.x > 1.0 && way.y.abs() < 0.2 * way.x, "{foot:?}: {way}");
    }
}

#[test]
fn a_fallen_robot_notices_gets_up_and_walks_again() {
    for bend in [-0.6, 0.5] {
        let mut robot = Robot::new(4);
        let mut bent = robot.cycle.request.clone();
        for ankle in [Joint::LeftAnklePitch, Joint::RightAnklePitch] {
            bent.positions[ankle.index()] += bend;
        }
        // The test moves the joints until the robot has lost its balance.
        while !robot.truth().fallen {
            robot.world.step(STEP.as_secs_f32(), &bent);
        }
        robot.run(walk(0.2, 0.0, 0.0), 1.2);
        assert!(robot.belief.fall.state != Uprightness::Upright, "{:?}", robot.belief.fall);
        robot.run(walk(0.2, 0.0, 0.0), 10.0);
        assert!(!robot.truth().fallen && robot.belief.fall.state == Uprightness::Upright, "{:?}", robot.belief.fall);
        robot.fell = false;
        let start = robot.place();
        robot.run(walk(0.2, 0.0, 0.0), 3.0);
        assert!(!robot.fell && robot.place().distance(start) > 0.4);
    }
}

#[test]
fn the_robot_knows_how_it_stands_and_how_far_it_has_come() {
    for seed in 1..5 {
        let mut robot = Robot::new(seed);
        let start = robot.truth().robot * robot.belief.odometry.pose.inverse();
        let mut worst_tilt = 0.0_f32;
        let mut worst_height = 0.0_f32;
        for _ in 0..500 {
            robot.run(walk(0.2, 0.05, 0.3), 0.012);
            let truth = robot.truth();
            let up =
                [truth.torso_rotation, robot.belief.torso.attitude].map(|attitude| attitude.inverse() * glam::Vec3::Z);
            worst_tilt = worst_tilt.max(up[0].angle_between(up[1]));
            worst_height = worst_height.max((robot.belief.torso.height - truth.torso_height).abs());
        }
        assert!(worst_tilt < 0.03 && worst_height < 0.008, "seed {seed}: {worst_tilt} rad, {worst_height} m");
        let (truth, believed) = (robot.truth().robot, start * robot.belief.odometry.pose);
        let error = truth.translation.distance(believed.translation);
        let turn = normalize_angle(truth.rotation - believed.rotation).abs();
        assert!(error < 0.15 && turn < 0.1, "seed {seed}: {error} m, {turn} rad");
    }
}

#[test]
fn in_the_safe_state_the_robot_crouches_out_of_the_walk_and_stays_on_its_feet() {
    let mut robot = Robot::new(5);
    robot.run(walk(0.2, 0.0, 0.0), 2.0);
    robot.cycle.safe_state = SafeState::Active;
    robot.run(walk(0.2, 0.0, 0.0), 6.5);
    assert!(!robot.fell && robot.truth().torso_height < 0.25, "{:?}", robot.truth());
    assert_eq!(robot.cycle.request.stiffness, [0.0; JOINTS]);
}

#[test]
fn the_same_inputs_give_the_same_bits() {
    let end = || {
        let mut robot = Robot::new(6);
        robot.run(walk(0.2, 0.05, -0.3), 2.0);
        (robot.cycle.request, robot.belief.odometry, robot.belief.torso)
    };
    assert!(end() == end());
}
