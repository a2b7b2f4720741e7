//! What the humanoid's modules exchange: plain data. Angles are in radians, lengths in metres;
//! forwards and to the left are positive.

use hemiola::prelude::*;

/// What the inertial sensor and the encoders of the joints measure.
#[derive(Representation, Clone, Default)]
pub struct BodySensors {
    /// How far the body leans forwards.
    pub lean: f64,
    /// How fast that changes, in rad/s.
    pub lean_rate: f64,
    /// The angle of the head.
    pub head: f64,
}

/// Where the middle of the body's mass is over the foot.
#[derive(Representation, Clone, Default)]
pub struct CentreOfMass {
    /// Before the ankle.
    pub position: f64,
    /// In m/s.
    pub velocity: f64,
}

/// Where the foot shall press on the ground, before the ankle.
#[derive(Representation, Clone, Default)]
pub struct Pressure {
    pub position: f64,
}

/// The angle that the head shall have at the end of this run.
#[derive(Representation, Clone, Default)]
pub struct HeadAngle {
    pub angle: f64,
}

/// An image in shades of grey, row by row.
#[derive(Representation, Clone, Default)]
pub struct Image {
    pub width: usize,
    pub pixels: Vec<u8>,
    /// The angle of the head when it was taken.
    pub head: f64,
}

/// Where the ball is.
#[derive(Representation, Clone, Default)]
pub struct Ball {
    pub seen: bool,
    /// Its direction from the body.
    pub bearing: f64,
}

/// Where cognition wants to look.
#[derive(Representation, Clone, Default)]
pub struct HeadRequest {
    pub angle: f64,
}
