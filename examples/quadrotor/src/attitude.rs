//! The loop in the middle: how the quadrotor is inclined.

use hemiola::prelude::*;

use crate::representations::{AttitudeRequest, Inertial, RateRequest};

#[derive(Parameters)]
struct LevelParameters {
    /// How fast it turns, for each radian that is missing.
    #[parameter(default = 6.0, range = 0.0..=20.0, unit = "1/s")]
    gain: f64,
}

/// Turns the quadrotor until it is inclined as requested.
#[derive(Module)]
struct Level {
    #[parameters]
    parameters: LevelParameters,
}

#[module]
impl Level {
    #[update]
    fn rates(&self, inertial: &Inertial, request: &AttitudeRequest, safe: &SafeState, rates: &mut RateRequest) {
        for axis in 0..2 {
            let wanted = if safe.is_active() { 0.0 } else { request.angles[axis] };
            rates.rates[axis] = self.parameters.gain * (wanted - inertial.angles[axis]);
        }
        rates.thrust = request.thrust;
    }
}
