//! The innermost loop, as fast as the gyroscope: how fast the quadrotor turns.

use hemiola::prelude::*;

use crate::airframe::{ARM, GRAVITY, INERTIA, MASS};
use crate::representations::{Inertial, RateRequest, Thrusts};

#[derive(Parameters)]
struct MixerParameters {
    /// How fast it turns faster, for each radian per second that is missing.
    #[parameter(default = 25.0, range = 0.0..=100.0, unit = "1/s")]
    gain: f64,
}

/// Has the propellers turn the quadrotor as requested.
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
        // Without propellers it would fall: in the safe state it sinks, and the loops outside of
        // this one keep it level.
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

/// The thrust with which it sinks slowly, in newtons.
const SINKING: f64 = 0.98 * MASS * GRAVITY;
