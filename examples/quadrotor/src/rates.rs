//! The innermost loop, which controls angular rates, as often as the gyroscope measures them.

use hemiola::prelude::*;

use crate::airframe::{ARM, GRAVITY, INERTIA, MASS};
use crate::representations::{Inertial, RateRequest, Thrusts};

#[derive(Parameters)]
struct MixerParameters {
    /// The angular acceleration per radian per second of error in the rate.
    #[parameter(default = 25.0, range = 0.0..=100.0, unit = "1/s")]
    gain: f64,
}

/// Computes the thrusts that turn the quadrotor at the requested rates.
#[derive(Module)]
struct Mixer {
    #[parameters]
    parameters: MixerParameters,
}

#[module]
impl Mixer {
    #[update]
    fn thrusts(
        &self,
        inertial: &Inertial,
        request: &RateRequest,
        safe: &SafeState,
        debug: &Debug,
        thrusts: &mut Thrusts,
    ) {
        // Without propellers it would fall: in the safe state it sinks slowly, and the loop around
        // this one keeps it level.
        let thrust = if safe.is_active() { SINKING } else { request.thrust };
        let force = |axis: usize| {
            let missing = request.rates[axis] - inertial.rates[axis];
            self.parameters.gain * missing * INERTIA / (4.0 * ARM)
        };
        let (roll, pitch) = (force(0), force(1));
        let each = thrust / 4.0;
        thrusts.newtons = [each + roll - pitch, each - roll - pitch, each - roll + pitch, each + roll + pitch];
        debug.plot("rates.roll", inertial.rates[0]);
        debug.plot("rates.pitch", inertial.rates[1]);
    }
}

/// The thrust at which it sinks slowly, in newtons.
const SINKING: f64 = 0.98 * MASS * GRAVITY;
