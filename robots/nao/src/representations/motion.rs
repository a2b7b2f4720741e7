//! What the motion cycle knows of the body.

use glam::Quat;
use hemiola::prelude::*;

use crate::geometry::Pose2;

/// The torso over the ground: what cameras need to be placed in the world.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct TorsoPose {
    /// Turns vectors of the torso's frame into the ground frame, whose x axis points where the torso does (no yaw).
    pub attitude: Quat,
    /// Height of the torso's origin over the ground, in metre.
    pub height: f32,
}

impl Default for TorsoPose {
    fn default() -> Self {
        Self { attitude: Quat::IDENTITY, height: 0.32 }
    }
}

/// Where the legs say that the robot has gone since it started.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Odometry {
    /// Relative to the start.
    pub pose: Pose2,
}

/// Whether the robot stands.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FallState {
    /// The state.
    pub state: Uprightness,
}

/// How upright the robot is.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Uprightness {
    /// It stands or walks.
    #[default]
    Upright,
    /// It is about to fall.
    Falling,
    /// It lies on the ground.
    Fallen,
    /// It is getting up.
    GettingUp,
}
