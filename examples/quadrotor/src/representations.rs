//! What the loops exchange. Metres, radians, newtons, seconds; x is forward, y to the right, z up.
//! Pairs are roll (right side down) and pitch (nose down).

use hemiola::prelude::*;

/// What the inertial sensor measures.
#[derive(Representation, Clone, Default)]
pub struct Inertial {
    pub rates: [f64; 2],
    pub angles: [f64; 2],
}

/// Where the quadrotor is.
#[derive(Representation, Clone, Default)]
pub struct Position {
    pub at: [f64; 3],
    pub velocity: [f64; 3],
}

/// How it should be inclined, and how hard its propellers should pull together.
#[derive(Representation, Clone, Default)]
pub struct AttitudeRequest {
    pub angles: [f64; 2],
    pub thrust: f64,
}

/// How fast it should turn.
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
