use std::io;

use hemiola::prelude::*;

use crate::representations::Twist;
use crate::world::{MotorBoard, TRACK};

#[derive(Parameters)]
struct MotorsParameters {
    /// The age of a command after which the wheels stop.
    #[parameter(default = 0.5, range = 0.05..=5.0, unit = "s")]
    timeout: f64,
}

/// Sends the velocity that navigation commands to the wheels, and brakes if none arrives.
#[derive(Module)]
struct Motors {
    #[parameters]
    parameters: MotorsParameters,
    /// The open device: `#[stateless]`, because no later run depends on what it holds.
    #[stateless]
    board: MotorBoard,
}

#[module]
impl Motors {
    /// An error does not stop the robot: it is reported, and the next run tries again.
    #[update]
    fn send(&mut self, twist: Fresh<Twist>) -> io::Result<()> {
        // When the process of navigation has died, its last command is stale at once.
        let is_silent = twist.is_stale() || twist.age().as_secs_f64() > self.parameters.timeout;
        if is_silent {
            return self.board.set_speeds(0.0, 0.0);
        }
        let (speed, turn) = (twist.linear.x, twist.angular.z * TRACK / 2.0);
        self.board.set_speeds(speed - turn, speed + turn)
    }

    /// Stops the motors. Hemiola calls it after the last `send`, however the robot ends, and when
    /// the robot enters its safe state: because a cycle hangs (`watchdog` in robot.toml), or
    /// because somebody requests it (`cargo run -- safe-state enter`).
    #[safe_state]
    fn stop(&mut self) -> io::Result<()> {
        self.board.set_speeds(0.0, 0.0)
    }
}
