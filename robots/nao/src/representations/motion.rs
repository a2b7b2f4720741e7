//! The motion cycle's estimates of the body, and the data that its modules exchange on the way to
//! the joints.

use glam::{Quat, Vec2, Vec3};
use hemiola::prelude::*;

use super::behaviour::{GamePhase, KickFoot};
use crate::geometry::{Pose2, Pose3};
use crate::robot::{JOINTS, Side};

/// The pose of the torso over the ground, from which the poses of the cameras follow.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct TorsoPose {
    /// The rotation from the torso's frame to the ground frame, whose x axis points where the torso
    /// does (no yaw).
    pub attitude: Quat,
    /// The height of the torso's origin over the ground, in metres.
    pub height: f32,
}

impl Default for TorsoPose {
    fn default() -> Self {
        Self { attitude: Quat::IDENTITY, height: 0.32 }
    }
}

/// The motion of the robot since its start, by its legs.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Odometry {
    /// The pose relative to the start.
    pub pose: Pose2,
}

/// The last beliefs of cognition, for when it begins anew.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct KeptBelief {
    /// The pose on the field: the last one that was found, and the way walked since then. `None`
    /// before one was found that fits.
    pub pose: Option<Pose2>,
    /// The phase of the game; `None` before one has lasted for a while.
    pub phase: Option<GamePhase>,
}

/// The state of the robot with respect to falls.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FallState {
    /// The state.
    pub state: Uprightness,
}

/// The phases of a fall.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uprightness {
    /// The robot stands or walks.
    #[default]
    Upright,
    /// The robot is about to fall.
    Falling,
    /// The robot lies on the ground.
    Fallen,
    /// The robot is getting up.
    GettingUp,
}

/// One of the feet.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Foot {
    /// The left one.
    #[default]
    Left,
    /// The right one.
    Right,
}

impl Foot {
    /// Returns the side of the robot on which it is.
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::Left => Side::Left,
            Self::Right => Side::Right,
        }
    }

    /// Returns its index in an array of both feet.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the other foot.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

impl From<KickFoot> for Foot {
    fn from(foot: KickFoot) -> Self {
        match foot {
            KickFoot::Left => Self::Left,
            KickFoot::Right => Self::Right,
        }
    }
}

/// The inertial unit without the errors that can be measured at rest.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct CalibratedImu {
    /// The angular velocity, in rad/s.
    pub angular_velocity: Vec3,
    /// The acceleration, in m/s², gravity included.
    pub acceleration: Vec3,
    /// True if nothing has moved for some time.
    pub resting: bool,
}

/// The attitude of the torso.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Orientation {
    /// The rotation from the torso's frame to one whose z axis points up. The x axis of that frame
    /// is the direction in which the torso looked at first, and drifts.
    pub attitude: Quat,
    /// The angle between the torso's z axis and up, in radians.
    pub inclination: f32,
}

/// The configuration of the body by its joints, relative to the torso.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BodyModel {
    /// The points below the ankles, left first.
    pub soles: [Pose3; 2],
    /// The centre of mass of the whole robot.
    pub center_of_mass: Vec3,
}

/// The contact of the feet with the ground.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GroundContact {
    /// The contacts of both feet, left first.
    pub feet: [FootContact; 2],
}

/// The contact of a foot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct FootContact {
    /// The force on the foot, in newtons.
    pub force: f32,
    /// True if the foot carries weight.
    pub touching: bool,
    /// The point at which the force acts, relative to the point below the ankle, in metres.
    pub center_of_pressure: Vec2,
}

/// The foot on which the robot stands: the one that carries more weight.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct SupportFoot {
    /// The foot on which the robot stands.
    pub foot: Foot,
    /// The share of the weight on the left foot, from 0 to 1.
    pub left_share: f32,
    /// True if the robot stood on the other foot in the previous run.
    pub changed: bool,
}

/// The steps of the walk: the current one, and those that follow if the request stays the same.
///
/// Poses are relative to a frame on the ground that begins between the feet where the plan was last
/// restarted.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct StepPlan {
    /// The current phase of the gait.
    pub now: GaitPhase,
    /// The number of runs since `now` began.
    pub frame: u32,
    /// The phases that follow, in order.
    pub upcoming: [GaitPhase; UPCOMING_PHASES],
    /// True if all that was planned before is void: the robot stands, and the origin is between its
    /// feet.
    pub restarted: bool,
}

/// The number of phases that a plan looks ahead, which together are longer than the preview.
pub const UPCOMING_PHASES: usize = 6;

/// A time in which one foot or both are planted.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct GaitPhase {
    /// The duration, in runs of the motion cycle.
    pub frames: u32,
    /// The poses of the feet when the phase begins, left first.
    pub feet: [Pose2; 2],
    /// The foot that moves; `None` while both stay.
    pub swing: Option<Swing>,
}

/// The path of a foot through the air.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Swing {
    /// The foot that moves.
    pub foot: Foot,
    /// The pose at which the foot lands.
    pub target: Pose2,
    /// The motion of the foot on the way.
    pub kind: SwingKind,
}

/// The kind of a swing.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SwingKind {
    /// The foot takes the shortest way.
    #[default]
    Step,
    /// The foot is drawn back, then shoots forward.
    Kick,
}

/// The number of runs of the motion cycle over which the walk is previewed: a second.
pub const PREVIEW_FRAMES: usize = 84;

/// The reference of the zero moment point from the next run on, in the frame of the [`StepPlan`],
/// in metres.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct ZmpReference {
    /// The points, one per run.
    pub points: [Vec2; PREVIEW_FRAMES],
}

impl Default for ZmpReference {
    fn default() -> Self {
        Self { points: [Vec2::ZERO; PREVIEW_FRAMES] }
    }
}

/// The target motion of the centre of mass over the ground, in the frame of the [`StepPlan`].
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct CenterOfMassTarget {
    /// The position, in metres.
    pub position: Vec2,
    /// The velocity, in m/s.
    pub velocity: Vec2,
    /// The zero moment point that results from the motion, in metres.
    pub zero_moment_point: Vec2,
}

/// The path of a kicking foot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct KickSwing {
    /// The target pose of the sole, in the frame of the [`StepPlan`]; `None` when nothing is
    /// kicked.
    pub sole: Option<Pose3>,
}

/// The target poses of feet and torso, in the frame of the [`StepPlan`].
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FootTargets {
    /// The points below the ankles, left first.
    pub soles: [Pose3; 2],
    /// The heading of the torso, in radians: halfway between those of the feet.
    pub torso_yaw: f32,
}

/// The correction that keeps the robot upright against small disturbances, which is added to the
/// joints of both legs, in radians.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BalanceCorrection {
    /// Presses the toes down.
    pub ankle_pitch: f32,
    /// Lifts the left edge of the soles.
    pub ankle_roll: f32,
    /// Bends the torso forward.
    pub hip_pitch: f32,
}

/// The legs' part of the walk, in radians.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LegTargets {
    /// The angles of the joints, in the order of [`Joint::leg`](crate::robot::Joint::leg), left
    /// first.
    pub angles: [[f32; 6]; 2],
}

/// The arms' part of the walk, in radians.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ArmTargets {
    /// The angles of the joints, in the order of [`Joint::arm`](crate::robot::Joint::arm), left
    /// first.
    pub angles: [[f32; 5]; 2],
}

/// The targets of the head's joints in this run, in radians.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct HeadTargets {
    /// The angle to the left.
    pub yaw: f32,
    /// The angle downward.
    pub pitch: f32,
}

/// The motion of a robot that falls, lies or gets up.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GetUpTargets {
    /// True if this motion replaces the walk.
    pub active: bool,
    /// True if the motion has left the ground position: the robot should come upright.
    pub rising: bool,
    /// The positions of all joints, in radians.
    pub positions: [f32; JOINTS],
    /// The stiffness of all joints, from 0 to 1.
    pub stiffness: f32,
}

/// The health of the joints.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct JointHealth {
    /// The difference of each joint's position from the requested one, as a root mean square over
    /// some seconds, in radians.
    pub tracking_error: [f32; JOINTS],
    /// The expected heat of each motor, from 0 (cool) to 1 (as hot as it may get).
    pub heat: [f32; JOINTS],
    /// The joint with the largest tracking error, as an index.
    pub weakest: u32,
}
