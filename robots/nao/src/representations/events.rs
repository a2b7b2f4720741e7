//! Events: messages of topics, each of which has the name of its type.

use hemiola::prelude::*;

/// The referee has begun to whistle.
#[derive(Representation, Clone, Default, Debug)]
pub struct WhistleHeard {
    /// When the whistle began.
    pub began: Time,
}

/// The robot has lost its balance.
#[derive(Representation, Clone, Default, Debug)]
pub struct Fell {
    /// When nothing could bring it back.
    pub at: Time,
    /// The inclination of its torso then, in rad.
    pub inclination: f32,
}

/// A remark of the robot.
#[derive(Representation, Clone, Default, Debug)]
pub struct Remark {
    /// When.
    pub at: Time,
    /// One sentence.
    pub text: String,
}
