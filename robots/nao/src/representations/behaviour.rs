//! The decisions of the robot: from cognition to motion.

use std::fmt;

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;

/// The request for the whole body.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MotionRequest {
    /// The kind of motion.
    pub motion: Motion,
}

/// A kind of motion.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub enum Motion {
    /// The robot stands still.
    #[default]
    Stand,
    /// The robot walks with this velocity over the ground.
    Walk {
        /// The velocity forward (x) and to the left (y), in m/s.
        velocity: Vec2,
        /// The turn rate to the left, in rad/s.
        turn: f32,
    },
    /// The robot kicks forward during the walk with the next step of this foot.
    Kick {
        /// The foot that kicks.
        foot: KickFoot,
    },
}

impl fmt::Display for Motion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stand => write!(formatter, "stands"),
            Self::Walk { velocity, turn } => {
                let degrees = turn.to_degrees();
                write!(formatter, "walks {:+.2} m/s ahead, {:+.2} m/s left, {degrees:+.0} °/s", velocity.x, velocity.y)
            }
            Self::Kick { foot: KickFoot::Left } => write!(formatter, "kicks with the left foot"),
            Self::Kick { foot: KickFoot::Right } => write!(formatter, "kicks with the right foot"),
        }
    }
}

/// The foot that kicks.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KickFoot {
    /// The left one.
    #[default]
    Left,
    /// The right one.
    Right,
}

/// The request for the direction of the head.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct HeadRequest {
    /// The angle to the left, in radians.
    pub yaw: f32,
    /// The angle downward, in radians.
    pub pitch: f32,
}

/// The state of the game.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GameState {
    /// The phase of the game.
    pub phase: GamePhase,
    /// The time since the phase began, in seconds.
    pub lasts: f32,
}

/// A phase of the game.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GamePhase {
    /// The robot waits for the whistle.
    #[default]
    Ready,
    /// The robot plays.
    Playing,
    /// The ball is in the opponent's goal, and the referee has whistled.
    Scored,
    /// The robot stands still: the game has not begun, is interrupted or over.
    Stopped,
    /// The robot takes its place for a kick-off of its own team.
    OwnKickOff,
    /// The robot takes its place for a kick-off of the other team.
    TheirKickOff,
    /// The robot keeps away from the ball, which is the other team's.
    Yields,
    /// The robot is penalised, and does nothing.
    Penalised,
}

/// The robot's part in the play of its team. The default is that of a robot without a team.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TeamRole {
    /// The part.
    pub role: Role,
    /// The pose from which the robot plays its part; `None` for the striker, who goes to the ball.
    pub post: Option<Pose2>,
    /// The ball on the field as the team knows it; `None` if no mate does, or there is no team.
    pub ball: Option<Vec2>,
}

/// A part in the play of a team.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The robot goes to the ball.
    #[default]
    Striker,
    /// The robot keeps the goal.
    Goalkeeper,
    /// The robot takes a place from which it can help.
    Supporter,
}

/// The place that the rules of the game, or the robot's part in its team, demand.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// The pose to walk to, on the field; `None` if the robot is there, or no place is demanded.
    pub target: Option<Pose2>,
    /// The distance to keep from the ball on the way, in metres.
    pub clearance: f32,
}

/// The plan for finding a lost ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallSearch {
    /// The stage of the search.
    pub stage: SearchStage,
    /// The point on the field to look at.
    pub look_at: Vec2,
    /// The pose on the field to walk to.
    pub walk_to: Pose2,
}

/// The effort of the search for the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchStage {
    /// The ball is known: there is no search.
    #[default]
    Known,
    /// The head alone searches.
    Look,
    /// The robot turns in place.
    Turn,
    /// The robot walks to where it has not searched.
    Walk,
}

/// The target of the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallTarget {
    /// The play to make; `None` while the ball's position is not known.
    pub play: Option<Play>,
}

/// A way to play the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Play {
    /// The kind of the play: a kick or a push.
    pub kind: PlayKind,
    /// The direction on the field, in radians.
    pub direction: f32,
    /// The maximum deviation from the direction, in radians.
    pub tolerance: f32,
    /// The position on the field at which the ball is expected to be afterwards.
    pub end: Vec2,
}

/// The kind of a play.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayKind {
    /// The robot kicks the ball.
    #[default]
    Kick,
    /// The robot walks into the ball.
    Dribble,
}

/// The pose to walk to in order to play the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Approach {
    /// The pose to reach, on the field; `None` without a play.
    pub target: Option<Pose2>,
    /// The stage that the approach has reached.
    pub stage: ApproachStage,
    /// The foot that the ball is brought in front of.
    pub foot: KickFoot,
    /// The position that the ball shall then have, relative to the robot.
    pub ball_place: Vec2,
    /// The distance to keep from the ball on the way, in metres.
    pub clearance: f32,
}

/// The stage of an approach.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApproachStage {
    /// The robot is on the way to a place behind the ball.
    #[default]
    Around,
    /// The robot is behind the ball and walks straight to the place from which to play it.
    Close,
    /// The robot walks into the ball.
    Push,
}

/// The path to walk.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WalkPath {
    /// The corners of the path on the field, from the robot's own position on; empty when there is
    /// nowhere to go.
    pub corners: Vec<Vec2>,
    /// The heading at the end of the path, in radians.
    pub final_rotation: f32,
    /// The length of the path, in metres.
    pub length: f32,
    /// The behaviour at the end of the path.
    pub arrival: Arrival,
}

/// The behaviour at the end of a path.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// The robot slows down and stops.
    #[default]
    Stop,
    /// The robot continues at full speed: the end is only a corner.
    Pass,
}

/// The walking velocity along the path.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WalkVelocity {
    /// The velocity forward (x) and to the left (y), in m/s.
    pub velocity: Vec2,
    /// The turn rate to the left, in rad/s.
    pub turn: f32,
}

/// The decision to kick.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct KickDecision {
    /// The foot to kick with; `None` if the robot does not kick.
    pub foot: Option<KickFoot>,
}

/// The attention of the robot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Attention {
    /// The kind of object to look at.
    pub focus: Focus,
}

/// The object to look at.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// The ground ahead, to see anything.
    #[default]
    Ahead,
    /// The ball.
    Ball,
    /// The landmarks on both sides of the ball.
    Landmarks,
    /// The places where the ball could be.
    Search,
}

/// The current behaviour of the robot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BehaviorState {
    /// The activity.
    pub activity: Activity,
    /// The time since the activity began, in seconds.
    pub lasts: f32,
}

/// An activity of the robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// The robot waits for the whistle.
    #[default]
    Waits,
    /// The robot lies or gets up, which is up to motion.
    IsDown,
    /// The robot searches for the ball.
    Searches,
    /// The robot walks to the ball.
    Approaches,
    /// The robot pushes the ball.
    Dribbles,
    /// The robot kicks.
    Kicks,
    /// The robot has scored.
    Celebrates,
    /// The robot walks to the place that the rules demand.
    TakesPlace,
    /// The robot is penalised.
    Penalised,
}

/// The robot's comments on what it does.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Commentary {
    /// The comment, as one sentence.
    pub text: String,
    /// The number of comments so far: one for every change of activity.
    pub count: u32,
}
