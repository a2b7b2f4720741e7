//! The data that the cart's modules exchange. Lengths are in metres, angles in radians,
//! counter-clockwise.

use hemiola::prelude::*;

/// The ticks that the encoders have counted since the board was switched on.
#[derive(Representation, Clone, Default)]
pub struct Encoders {
    pub left_ticks: i64,
    pub right_ticks: i64,
}

/// The position and heading of the cart. It starts at the origin and faces along the x axis.
#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// The position to drive to.
#[derive(Representation, Clone, Default)]
pub struct Goal {
    pub x: f64,
    pub y: f64,
}

/// The commanded velocity of the cart.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub metres_per_second: f64,
    pub radians_per_second: f64,
}

/// The event of reaching a waypoint. It is a message: subscribers receive every one of them.
#[derive(Representation, Clone, Default)]
pub struct WaypointReached {
    pub number: u64,
    pub at: Time,
}
