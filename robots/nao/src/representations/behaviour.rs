//! What the robot decides to do: from cognition to motion.

use std::fmt;

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;

/// What the whole body shall do.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MotionRequest {
    /// The kind of motion.
    pub motion: Motion,
}

/// A kind of motion.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub enum Motion {
    /// Stand still.
    #[default]
    Stand,
    /// Walk with this velocity over the ground.
    Walk {
        /// Forward (x) and left (y), in m/s.
        velocity: Vec2,
        /// Turn to the left, in rad/s.
        turn: f32,
    },
    /// Kick forward out of the walk with the next step of this foot.
    Kick {
        /// Which foot.
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

/// Where the head shall point.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct HeadRequest {
    /// To the left, in radian.
    pub yaw: f32,
    /// Downward, in radian.
    pub pitch: f32,
}

/// What the referee wants.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GameState {
    /// The phase of the game.
    pub phase: GamePhase,
    /// Since when, in seconds.
    pub lasts: f32,
}

/// A phase of the game.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GamePhase {
    /// Wait for the whistle.
    #[default]
    Ready,
    /// Play.
    Playing,
    /// The ball is in the opponent's goal, and the referee has whistled.
    Scored,
}

/// How to find a lost ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallSearch {
    /// How.
    pub stage: SearchStage,
    /// Where to look, on the field.
    pub look_at: Vec2,
    /// Where to walk, on the field.
    pub walk_to: Pose2,
}

/// How hard to look for the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchStage {
    /// Not at all: it is known.
    #[default]
    Known,
    /// With the head alone.
    Look,
    /// Turning in place.
    Turn,
    /// Walking where it has not been looked for.
    Walk,
}

/// Where the ball shall go.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallTarget {
    /// What to do with it; `None` while its place is not known.
    pub play: Option<Play>,
}

/// What to do with the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Play {
    /// Kick or push.
    pub kind: PlayKind,
    /// Direction on the field, in radian.
    pub direction: f32,
    /// How far off the direction may be, in radian.
    pub tolerance: f32,
    /// Where the ball is expected to be afterwards, on the field.
    pub end: Vec2,
}

/// How to move the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayKind {
    /// Kick it.
    #[default]
    Kick,
    /// Walk through it.
    Dribble,
}

/// Where to walk to play the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Approach {
    /// Where to be, on the field; `None` without a play.
    pub target: Option<Pose2>,
    /// How far along the approach is.
    pub stage: ApproachStage,
    /// The foot that the ball is brought in front of.
    pub foot: KickFoot,
    /// Where the ball shall then be, relative to the robot.
    pub ball_place: Vec2,
    /// How far to stay away from the ball on the way, in metre.
    pub clearance: f32,
}

/// How far along an approach is.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApproachStage {
    /// On the way to a place behind the ball.
    #[default]
    Around,
    /// Behind the ball: straight to the place to play it from.
    Close,
    /// Through the ball.
    Push,
}

/// The way to walk.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WalkPath {
    /// Corners on the field, the robot's own place first; empty when there is nowhere to go.
    pub corners: Vec<Vec2>,
    /// How to stand at the end, in radian.
    pub final_rotation: f32,
    /// In metre.
    pub length: f32,
    /// What to do at the end.
    pub arrival: Arrival,
}

/// What to do at the end of a path.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// Slow down and stop.
    #[default]
    Stop,
    /// Go on at full speed: the end is only a corner.
    Pass,
}

/// How fast to walk along the path.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WalkVelocity {
    /// Forward and left, in m/s.
    pub velocity: Vec2,
    /// To the left, in rad/s.
    pub turn: f32,
}

/// Whether to kick now.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct KickDecision {
    /// With which foot; `None` is no.
    pub foot: Option<KickFoot>,
}

/// What the robot looks at.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Attention {
    /// The kind of thing.
    pub focus: Focus,
}

/// What to look at.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// Ahead and down, ready to see anything.
    #[default]
    Ahead,
    /// The ball.
    Ball,
    /// Both sides of the ball, for landmarks.
    Landmarks,
    /// Wherever the ball could be.
    Search,
}

/// What the robot is doing.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BehaviorState {
    /// The activity.
    pub activity: Activity,
    /// For how long, in seconds.
    pub lasts: f32,
}

/// Something the robot does.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// Waits for the whistle.
    #[default]
    Waits,
    /// Lies or gets up; motion sees to that.
    IsDown,
    /// Looks for the ball.
    Searches,
    /// Walks to the ball.
    Approaches,
    /// Pushes the ball.
    Dribbles,
    /// Kicks.
    Kicks,
    /// Has scored.
    Celebrates,
}

/// What the robot would say about what it does.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Commentary {
    /// One sentence.
    pub text: String,
    /// Goes up by one with every change of activity.
    pub count: u32,
}
