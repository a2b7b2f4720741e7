use std::io;

use hemiola::prelude::*;

use crate::board::{MotorBoard, TICKS_PER_METRE, TRACK};
use crate::representations::Drive;

/// Sends the commanded velocity to the board.
#[derive(Module)]
struct Motors {
    /// The open device: `#[stateless]`, because no later run depends on what it holds.
    #[stateless]
    board: MotorBoard,
}

#[module]
impl Motors {
    /// An error does not stop the robot: it is reported, and the next run tries again.
    #[update]
    fn send(&mut self, drive: &Drive) -> io::Result<()> {
        let (speed, turn) = (drive.metres_per_second, drive.radians_per_second);
        let ticks = |metres_per_second: f64| (metres_per_second * TICKS_PER_METRE) as i32;
        let [left, right] = [speed - turn * TRACK / 2.0, speed + turn * TRACK / 2.0].map(ticks);
        self.board.set_speeds(left, right)
    }

    /// Stops the motors. Hemiola calls it after the last `send`, however the robot ends, and when
    /// the robot enters its safe state: because a cycle hangs (`watchdog` in robot.toml), or
    /// because somebody requests it (`cargo run -- safe-state enter`).
    #[safe_state]
    fn stop(&mut self) -> io::Result<()> {
        self.board.set_speeds(0, 0)
    }
}
