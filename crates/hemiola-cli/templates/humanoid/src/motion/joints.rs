use std::io;

use hemiola::prelude::*;

use crate::body::JointBoard;
use crate::representations::{HeadAngle, Pressure};

/// Hands on to the body what its joints shall do.
#[derive(Module)]
struct Joints {
    /// It is no data that a log could hold.
    #[opaque]
    board: JointBoard,
}

#[module]
impl Joints {
    /// An error does not stop the robot: it is told, and the next run tries again.
    #[update]
    fn send(&mut self, pressure: &Pressure, head: &HeadAngle) -> io::Result<()> {
        self.board.set(pressure.position, head.angle)
    }

    /// Lets the humanoid sit down. It is called after the last `send` however the robot ends, and
    /// when something is wrong: a cycle that hangs (`watchdog` in robot.toml), or a person who asks
    /// for it (`cargo run -- safe-state enter`).
    #[safe_state]
    fn sit(&mut self) -> io::Result<()> {
        self.board.sit()
    }
}
