//! The referee's word: the state of the game as the league's GameController sends it.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::team::allowance::WithheldMessages;

/// The last valid packet of the GameController, from the point of view of this robot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct GameControl {
    /// The time of the last valid packet; `None` before the first one.
    pub last_packet: Option<Time>,
    /// The number of valid packets so far.
    pub packets: u32,
    /// The kind of time that is played.
    pub phase: MatchPhase,
    /// The state of the game.
    pub state: MatchState,
    /// The set play that is going on.
    pub set_play: SetPlay,
    /// True in the first half.
    pub first_half: bool,
    /// The team that kicks off, or has the set play.
    pub kicking_team: KickingTeam,
    /// The time left in the half, in seconds; negative once it is over.
    pub seconds_remaining: i16,
    /// The time left that the referee counts in addition, in seconds: in the state ready, or until
    /// the ball is free.
    pub secondary_seconds: i16,
    /// The penalty of this robot.
    pub penalty: Penalty,
    /// The time left of the penalty, in seconds.
    pub penalty_seconds: u8,
    /// The number of goals of this robot's team.
    pub own_score: u8,
    /// The number of goals of the other team.
    pub opponent_score: u8,
    /// The number of messages that the team may still send in this game.
    pub message_budget: u16,
    /// The packets that were refused.
    pub refused: RefusedPackets,
    /// The number of status packets that were sent to the GameController.
    pub statuses: u32,
}

/// The number of packets that were refused, by reason.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusedPackets {
    /// The number of packets of another length.
    pub length: u32,
    /// The number of packets that begin with something else.
    pub magic: u32,
    /// The number of packets of another version of the protocol.
    pub version: u32,
    /// The number of packets with a value that the protocol does not have.
    pub content: u32,
    /// The number of packets of a game of other teams.
    pub team: u32,
}

/// The kind of time that is played.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchPhase {
    /// One of the halves.
    #[default]
    Normal,
    /// The penalty shoot-out.
    PenaltyShootout,
    /// A half of extra time.
    Overtime,
    /// A time-out.
    Timeout,
}

/// The state of the game.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchState {
    /// Nothing has begun: robots stand still.
    #[default]
    Initial,
    /// Robots walk to their places.
    Ready,
    /// Robots stand still and wait for the whistle.
    Set,
    /// Robots play.
    Playing,
    /// The half is over.
    Finished,
    /// The game is about to begin: robots stand still and watch the referee.
    Standby,
}

impl MatchState {
    /// Returns its name in running text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Standby => "standby",
            Self::Ready => "ready",
            Self::Set => "set",
            Self::Playing => "playing",
            Self::Finished => "finished",
        }
    }
}

/// A way to begin to play again after the ball was out or somebody was pushed.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetPlay {
    /// The game goes on, or begins with a kick-off.
    #[default]
    None,
    /// A kick from the goal area.
    GoalKick,
    /// A kick after somebody was pushed.
    PushingFreeKick,
    /// A kick from the corner.
    CornerKick,
    /// A kick from the touch line.
    KickIn,
    /// A kick from the penalty mark.
    PenaltyKick,
}

/// The team that has the ball in a kick-off or set play.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KickingTeam {
    /// Neither team.
    #[default]
    Nobody,
    /// Our own team.
    Own,
    /// The other team.
    Opponent,
}

/// The reason why a robot is out of the game.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Penalty {
    /// The robot is in the game.
    #[default]
    None,
    /// The robot has held the ball, or touched it with its hands.
    IllegalBallContact,
    /// The robot has pushed another one.
    PlayerPushing,
    /// The robot has moved in the state set.
    MotionInSet,
    /// The robot has lain or stood still for too long.
    Inactive,
    /// The robot was where it must not be.
    IllegalPosition,
    /// The robot has left the field.
    LeavingTheField,
    /// The team has asked to take the robot out.
    RequestForPickup,
    /// The game was stuck around it.
    LocalGameStuck,
    /// The robot was where it must not be in the state set.
    IllegalPositionInSet,
    /// The robot has stood with its feet apart.
    PlayerStance,
    /// The robot has moved in the state standby.
    MotionInStandby,
    /// The robot is a substitute.
    Substitute,
    /// The referee has taken it out by hand.
    Manual,
    /// A reason that this version of the protocol does not have.
    Unknown,
}

impl Penalty {
    /// Returns its name in running text.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::IllegalBallContact => "illegal ball contact",
            Self::PlayerPushing => "player pushing",
            Self::MotionInSet => "motion in set",
            Self::Inactive => "fallen or inactive",
            Self::IllegalPosition => "illegal position",
            Self::LeavingTheField => "leaving the field",
            Self::RequestForPickup => "request for pick-up",
            Self::LocalGameStuck => "local game stuck",
            Self::IllegalPositionInSet => "illegal position in set",
            Self::PlayerStance => "player stance",
            Self::MotionInStandby => "motion in standby",
            Self::Substitute => "substitute",
            Self::Manual => "taken out by hand",
            Self::Unknown => "unknown",
        }
    }
}

/// The messages of the robot's mates, and what became of its own.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TeamReport {
    /// The number of the robot itself; 0 if it has no team.
    pub player: u8,
    /// The mates from which a message has been received, by their numbers.
    pub mates: Vec<Teammate>,
    /// The number of messages that the robot has sent.
    pub sent: u32,
    /// The messages that were not sent.
    pub withheld: WithheldMessages,
    /// The number of messages of mates that were received.
    pub received: u32,
    /// The number of packets that are no message of a mate.
    pub refused: u32,
}

/// A robot of the same team, by its last message.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Teammate {
    /// The number of the robot, from 1.
    pub player: u8,
    /// The time at which the message was received.
    pub at: Time,
    /// True if the robot lies, falls or gets up.
    pub fallen: bool,
    /// The pose on the field.
    pub pose: Pose2,
    /// The ball on the field; `None` if the mate did not know its place.
    pub ball: Option<Vec2>,
    /// The time since the mate saw the ball, in seconds, when it sent the message.
    pub ball_age: f32,
    /// The number of messages that were lost since the first one, as their numbers show.
    pub lost: u32,
}
