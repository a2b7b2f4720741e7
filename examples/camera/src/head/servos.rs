use hemiola::prelude::*;

use crate::representations::{GazeRequest, HeadAngles, ServoCommand};

#[derive(Parameters)]
struct ServosParameters {
    /// The speed for each radian that is missing.
    #[parameter(default = 10.0, range = 0.0..=50.0, unit = "1/s")]
    gain: f64,
    /// The highest speed.
    #[parameter(default = 3.0, range = 0.1..=10.0, unit = "rad/s")]
    speed: f64,
}

/// Turns the head to where it shall look: as fast as that moves, and faster by what is missing. In
/// the safe state it stands still.
#[derive(Module)]
struct Servos {
    #[parameters]
    parameters: ServosParameters,
}

#[module]
impl Servos {
    #[update]
    fn command(
        &self,
        angles: &HeadAngles,
        request: &GazeRequest,
        safe: &SafeState,
        debug: &Debug,
        command: &mut ServoCommand,
    ) {
        if safe.is_active() {
            return; // `command` begins as its default: no speed
        }
        let ServosParameters { gain, speed } = self.parameters;
        let missing = request.direction - angles.direction;
        command.rates = (request.rates + missing * gain).map(|rate| rate.clamp(-speed, speed));
        debug.plot("head.azimuth [°]", angles.direction.azimuth.to_degrees());
        debug.plot("head.speed [°/s]", command.rates.azimuth.to_degrees());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Direction;

    fn command(azimuth: f64, wanted: f64, safe: SafeState) -> f64 {
        let servos = Servos { parameters: ServosParameters { gain: 10.0, speed: 3.0 } };
        let angles = HeadAngles { direction: Direction::new(azimuth, 0.0) };
        let request = GazeRequest { direction: Direction::new(wanted, 0.0), rates: Direction::new(0.5, 0.0) };
        let mut command = ServoCommand::default();
        servos.command(&angles, &request, &safe, &Debug::default(), &mut command);
        command.rates.azimuth
    }

    #[test]
    fn a_head_that_is_behind_turns_faster_than_what_it_follows_but_not_faster_than_it_may() {
        assert_eq!(command(0.2, 0.2, SafeState::Inactive), 0.5);
        assert!((command(0.1, 0.2, SafeState::Inactive) - 1.5).abs() < 1e-9);
        assert_eq!(command(-1.0, 1.0, SafeState::Inactive), 3.0);
    }

    #[test]
    fn in_the_safe_state_it_stands_still() {
        assert_eq!(command(0.1, 0.2, SafeState::Active), 0.0);
    }
}
