//! Events: messages of topics, each of which has the name of its type.

use hemiola::prelude::*;

/// The referee has begun to whistle.
#[derive(Representation, Clone, Default, Debug)]
pub struct WhistleHeard {
    /// The time at which the whistle began.
    pub began: Time,
}

/// The robot has lost its balance.
#[derive(Representation, Clone, Default, Debug)]
pub struct Fell {
    /// The time at which the fall became inevitable.
    pub at: Time,
    /// The inclination of the torso at that time, in radians.
    pub inclination: f32,
}

/// A remark of the robot.
#[derive(Representation, Clone, Default, Debug)]
pub struct Remark {
    /// The time of the remark.
    pub at: Time,
    /// The remark, as one sentence.
    pub text: String,
}
