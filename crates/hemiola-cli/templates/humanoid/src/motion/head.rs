use hemiola::prelude::*;

use crate::representations::{BodySensors, HeadAngle, HeadRequest};

#[derive(Parameters)]
struct HeadParameters {
    /// The maximum speed of the head.
    #[parameter(default = 3.0, range = 0.1..=10.0, unit = "rad/s")]
    speed: f64,
    /// The maximum angle of the head to each side.
    #[parameter(default = 1.5, range = 0.0..=2.0, unit = "rad")]
    reach: f64,
}

/// Turns the head to where cognition wants to look. It runs 83 times a second and receives 30
/// requests a second: between two of them it continues towards the last one.
#[derive(Module)]
struct Head {
    #[parameters]
    parameters: HeadParameters,
}

#[module]
impl Head {
    #[update]
    fn angle(
        &self,
        body: &BodySensors,
        request: &HeadRequest,
        clock: &Clock,
        head: &mut HeadAngle,
    ) {
        let HeadParameters { speed, reach } = self.parameters;
        let step = speed * f64::from(clock.step_seconds());
        head.angle = request
            .angle
            .clamp(-reach, reach)
            .clamp(body.head - step, body.head + step);
    }
}
