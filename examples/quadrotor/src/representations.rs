//! The data that the loops exchange, in metres, radians, newtons and seconds; x points forward, y
//! to the right, z up. Pairs are roll (right side down) and pitch (nose down).

use hemiola::prelude::*;

/// The measurements of the inertial sensor.
#[derive(Representation, Clone, Default)]
pub struct Inertial {
    pub rates: [f64; 2],
    pub angles: [f64; 2],
}

/// The position and velocity of the quadrotor.
#[derive(Representation, Clone, Default)]
pub struct Position {
    pub at: [f64; 3],
    pub velocity: [f64; 3],
}

/// The requested attitude, and the total thrust of the propellers.
#[derive(Representation, Clone, Default)]
pub struct AttitudeRequest {
    pub angles: [f64; 2],
    pub thrust: f64,
}

/// The requested angular rates, and the total thrust of the propellers.
#[derive(Representation, Clone, Default)]
pub struct RateRequest {
    pub rates: [f64; 2],
    pub thrust: f64,
}

/// The thrust of each propeller: front left, front right, rear right, rear left.
#[derive(Representation, Clone, Default)]
pub struct Thrusts {
    pub newtons: [f64; 4],
}
