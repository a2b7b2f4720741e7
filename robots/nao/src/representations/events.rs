//! What happens rather than what is: messages of topics, each called as its type.

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

/// What the robot would say.
#[derive(Representation, Clone, Default, Debug)]
pub struct Remark {
    /// When.
    pub at: Time,
    /// One sentence.
    pub text: String,
}
