//! A module that drives hardware and handles the safe state itself.

use std::io;

use hemiola::prelude::*;

/// The angle that the arm should have, in radians.
#[derive(Representation, Clone, Default)]
pub struct ArmRequest {
    pub radians: f64,
}

/// The port of the arm's servo; a real one writes to a device.
#[derive(Default)]
pub struct Servo {
    pub commands: Vec<f64>,
}

impl Servo {
    fn write(&mut self, radians: f64) -> io::Result<()> {
        self.commands.push(radians);
        Ok(())
    }
}

// ANCHOR: careful
#[derive(Module)]
pub struct Arm {
    #[stateless]
    pub servo: Servo,
    /// The angle that was commanded last.
    pub angle: f64,
}

#[module]
impl Arm {
    #[update]
    pub fn send(&mut self, request: &ArmRequest, safe: &SafeState, clock: &Clock) -> io::Result<()> {
        let wanted = if safe.is_active() { FOLDED } else { request.radians };
        let step = FASTEST * f64::from(clock.step_seconds());
        self.angle = wanted.clamp(self.angle - step, self.angle + step);
        self.servo.write(self.angle)
    }
}

/// The angle at which the arm is out of the way, in radians.
const FOLDED: f64 = 0.0;
/// The maximum speed, in radians per second.
const FASTEST: f64 = 1.0;
// ANCHOR_END: careful

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn in_the_safe_state_the_arm_folds_slowly() {
        let mut arm = Arm { servo: Servo::default(), angle: 0.2 };
        let clock = Clock::new(Time::ZERO, Duration::from_millis(100), 0);
        for _ in 0..3 {
            arm.send(&ArmRequest { radians: 1.0 }, &SafeState::Active, &clock).unwrap();
        }
        assert!((arm.servo.commands[0] - 0.1).abs() < 1e-6, "{:?}", arm.servo.commands);
        assert!(arm.servo.commands[2].abs() < 1e-6, "{:?}", arm.servo.commands);
    }
}
