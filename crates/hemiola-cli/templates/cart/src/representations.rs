//! What the cart's modules exchange: plain data. Lengths are in metres, angles in radians,
//! counter-clockwise.

use hemiola::prelude::*;

/// How far the wheels have turned since the board was switched on.
#[derive(Representation, Clone, Default)]
pub struct Encoders {
    pub left_ticks: i64,
    pub right_ticks: i64,
}

/// Where the cart is and where it looks. It begins at the origin, along the x axis.
#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// Where the cart shall drive.
#[derive(Representation, Clone, Default)]
pub struct Goal {
    pub x: f64,
    pub y: f64,
}

/// How the cart shall move now.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub metres_per_second: f64,
    pub radians_per_second: f64,
}

/// A message: an event, which nobody misses who subscribes to it.
#[derive(Representation, Clone, Default)]
pub struct WaypointReached {
    pub number: u64,
    pub at: Time,
}
