//! The state of the field at the beginning of a run.

use glam::{Quat, Vec2, Vec3};

use super::ball::Ball;
use super::others::{Patrol, Team};
use super::random::Random;
use crate::field::{LENGTH, WIDTH};
use crate::geometry::{Pose2, Pose3};
use crate::robot::kinematics::LegAngles;
use crate::robot::{JOINTS, Joint, Side};

/// A situation to start from. Its seed varies the details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scenario {
    /// The robot enters its own half at a touch line, walks to the ball near the middle, and takes
    /// it into the opponent's goal past two opponents and a mate. The referee whistles after a
    /// second.
    #[default]
    BallToGoal,
    /// The robot stands in the middle and looks at the opponent's goal; the ball lies one metre
    /// ahead; there are no other robots, and no whistles.
    AloneInTheMiddle,
}

impl Scenario {
    /// Returns the maximum duration of a run, in seconds of simulated time.
    #[must_use]
    pub const fn time_limit(self) -> f32 {
        match self {
            Self::BallToGoal => 60.0,
            Self::AloneInTheMiddle => 10.0,
        }
    }

    pub(super) fn begin(self, random: &mut Random) -> Beginning {
        match self {
            Self::BallToGoal => ball_to_goal(random),
            Self::AloneInTheMiddle => Beginning {
                robot: Pose2::default(),
                ball: Ball::new(Vec2::X, Vec2::ZERO, Quat::IDENTITY),
                others: Vec::new(),
                whistles: Vec::new(),
            },
        }
    }
}

/// A situation in all details.
pub(super) struct Beginning {
    pub robot: Pose2,
    pub ball: Ball,
    pub others: Vec<Patrol>,
    /// The times at which the referee whistles, in seconds.
    pub whistles: Vec<f32>,
}

fn ball_to_goal(random: &mut Random) -> Beginning {
    let side = random.sign();
    let inwards = -side * std::f32::consts::FRAC_PI_2;
    let robot = Pose2::new(random.uniform(-1.8..-1.0), side * WIDTH / 2.0, inwards + random.uniform(-0.15..0.15));
    let ball = Vec2::new(random.uniform(-0.1..0.4), random.uniform(-0.4..0.4));
    let axis = Vec3::new(random.normal(), random.normal(), random.normal()).normalize_or(Vec3::Z);
    let pattern = Quat::from_axis_angle(axis, random.uniform(0.0..std::f32::consts::TAU));

    // The way from the ball to the goal is free: the opponents defend beside it.
    let defended = random.sign();
    let others = vec![
        Patrol::new(Team::Opponent, Vec2::new(LENGTH / 2.0 - 1.4, 1.5 * defended), 0.3, random),
        Patrol::new(Team::Opponent, Vec2::new(1.6, -1.7 * defended), 0.4, random),
        Patrol::new(Team::Own, Vec2::new(-2.6, -0.8 * side), 0.5, random),
    ];
    Beginning { robot, ball: Ball::new(ball, Vec2::ZERO, pattern), others, whistles: vec![1.0] }
}

/// Returns the joints of a robot that stands upright with slightly bent knees and hanging arms.
#[must_use]
pub fn standing_positions() -> [f32; JOINTS] {
    let mut positions = [0.0; JOINTS];
    for side in Side::BOTH {
        let sole = Pose3::from_translation(Vec3::new(0.01, 0.05 * side.sign(), -0.31));
        LegAngles::reaching(side, &sole).write(side, &mut positions);
        let arm = [std::f32::consts::FRAC_PI_2, 0.2 * side.sign(), 0.0, -0.3 * side.sign(), 0.0];
        for (joint, position) in Joint::arm(side).into_iter().zip(arm) {
            positions[joint.index()] = position;
        }
    }
    positions
}
