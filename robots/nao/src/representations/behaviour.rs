//! What the robot decides to do: from cognition to motion.

use glam::Vec2;
use hemiola::prelude::*;

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
