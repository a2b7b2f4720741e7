//! The middle loop, which controls the attitude of the quadrotor.

use hemiola::prelude::*;

use crate::representations::{AttitudeRequest, Inertial, RateRequest};

#[derive(Parameters)]
struct LevelParameters {
    /// The requested rate per radian of error in the attitude.
    #[parameter(default = 6.0, range = 0.0..=20.0, unit = "1/s")]
    gain: f64,
}

/// Turns the quadrotor until it has the requested attitude.
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
