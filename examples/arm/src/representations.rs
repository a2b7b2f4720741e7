//! The values that the modules exchange. Angles are in radians, lengths in metres; the first joint
//! is measured from the horizontal, the second one from the upper arm.

use hemiola::prelude::*;

/// The joints, as encoders measure them.
#[derive(Representation, Clone, Default)]
pub struct JointAngles {
    pub angles: [f64; 2],
    /// In radians per second.
    pub rates: [f64; 2],
}

/// The place where the joints shall come to rest next.
#[derive(Representation, Clone, Default)]
pub struct Goal {
    /// Another number is another goal; 0 is none.
    pub number: u32,
    pub angles: [f64; 2],
}

/// The movement of the joints to the goal: where they shall be now, how fast, and how that changes.
#[derive(Representation, Clone, Default)]
pub struct Reference {
    pub goal: u32,
    pub angles: [f64; 2],
    /// In radians per second.
    pub rates: [f64; 2],
    /// In radians per second².
    pub accelerations: [f64; 2],
    /// The movement has come to its end.
    pub is_over: bool,
}

/// The torques of the motors, in newton metres.
#[derive(Representation, Clone, Default)]
pub struct Torques {
    pub newton_metres: [f64; 2],
}

/// A message: the gripper shall close or open.
#[derive(Representation, Clone, Default)]
pub struct Grip {
    pub close: bool,
    /// The place of the hand: forward and up.
    pub at: [f64; 2],
}
