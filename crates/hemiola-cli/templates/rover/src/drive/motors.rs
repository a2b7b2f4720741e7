use std::io;

use hemiola::prelude::*;

use crate::representations::Twist;
use crate::world::{MotorBoard, TRACK};

#[derive(Parameters)]
struct MotorsParameters {
    /// The wheels stop when nobody has said for so long how the rover shall move.
    #[parameter(default = 0.5, range = 0.05..=5.0, unit = "s")]
    timeout: f64,
}

/// Has the wheels move the rover as navigation wants it, and brakes if that is silent.
#[derive(Module)]
struct Motors {
    #[parameters]
    parameters: MotorsParameters,
    /// It is no data that a log could hold.
    #[opaque]
    board: MotorBoard,
}

#[module]
impl Motors {
    /// An error does not stop the robot: it is told, and the next run tries again.
    #[update]
    fn send(&mut self, twist: Fresh<Twist>) -> io::Result<()> {
        // When the process of navigation has died, what it said last is stale at once.
        let is_silent = twist.is_stale() || twist.age().as_secs_f64() > self.parameters.timeout;
        if is_silent {
            return self.board.set_speeds(0.0, 0.0);
        }
        let (speed, turn) = (twist.linear.x, twist.angular.z * TRACK / 2.0);
        self.board.set_speeds(speed - turn, speed + turn)
    }

    /// Stops what moves. It is called after the last `send` however the robot ends, and when
    /// something is wrong: a cycle that hangs (`watchdog` in robot.toml), or a person who asks for
    /// it (`cargo run -- safe-state enter`).
    #[safe_state]
    fn stop(&mut self) -> io::Result<()> {
        self.board.set_speeds(0.0, 0.0)
    }
}
