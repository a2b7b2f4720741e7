//! The data that the humanoid's modules exchange. Angles are in radians, lengths in metres;
//! forwards and to the left are positive.

use hemiola::prelude::*;

/// The measurements of the inertial sensor and the joint encoders.
#[derive(Representation, Clone, Default)]
pub struct BodySensors {
    /// The angle by which the body leans forwards.
    pub lean: f64,
    /// The rate at which the lean changes, in rad/s.
    pub lean_rate: f64,
    /// The angle of the head.
    pub head: f64,
}

/// The motion of the body's centre of mass over the foot.
#[derive(Representation, Clone, Default)]
pub struct CentreOfMass {
    /// The distance in front of the ankle.
    pub position: f64,
    /// The velocity in m/s, forwards.
    pub velocity: f64,
}

/// The point at which the foot is to press on the ground: its distance in front of the ankle.
#[derive(Representation, Clone, Default)]
pub struct Pressure {
    pub position: f64,
}

/// The commanded angle of the head.
#[derive(Representation, Clone, Default)]
pub struct HeadAngle {
    pub angle: f64,
}

/// A greyscale image, row by row.
#[derive(Representation, Clone, Default)]
pub struct Image {
    pub width: usize,
    pub pixels: Vec<u8>,
    /// The angle of the head when the image was taken.
    pub head: f64,
}

/// The ball, as the camera sees it.
#[derive(Representation, Clone, Default)]
pub struct Ball {
    pub seen: bool,
    /// The direction of the ball from the body.
    pub bearing: f64,
}

/// The event that the ball comes in sight. It is a message: subscribers receive every one of them.
#[derive(Representation, Clone, Default)]
pub struct BallSighted {
    /// The direction of the ball from the body.
    pub bearing: f64,
}

/// The direction in which cognition wants to look.
#[derive(Representation, Clone, Default)]
pub struct HeadRequest {
    pub angle: f64,
}
