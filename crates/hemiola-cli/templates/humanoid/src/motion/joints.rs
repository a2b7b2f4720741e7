use std::io;

use hemiola::prelude::*;

use crate::body::JointBoard;
use crate::representations::{HeadAngle, Pressure};

/// Sends the commands of balance and head to the joints.
#[derive(Module)]
struct Joints {
    /// The open device: `#[stateless]`, because no later run depends on what it holds.
    #[stateless]
    board: JointBoard,
}

#[module]
impl Joints {
    /// An error does not stop the robot: it is reported, and the next run tries again.
    #[update]
    fn send(&mut self, pressure: &Pressure, head: &HeadAngle) -> io::Result<()> {
        self.board.set(pressure.position, head.angle)
    }

    /// Makes the humanoid sit down. Hemiola calls it after the last `send`, however the robot ends,
    /// and when the robot enters its safe state: because a cycle hangs (`watchdog` in robot.toml),
    /// or because somebody requests it (`cargo run -- safe-state enter`).
    #[safe_state]
    fn sit(&mut self) -> io::Result<()> {
        self.board.sit()
    }
}
