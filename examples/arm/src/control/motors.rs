use std::io;
use std::path::Path;

use hemiola::prelude::*;

use crate::board::Board;
use crate::representations::Torques;

#[derive(Parameters)]
struct MotorsParameters {
    /// The file that stands for the pin of the brake; `[guard]` in robot.toml writes it, too.
    #[parameter(default = "arm.brake".to_owned())]
    brake: String,
}

/// Hands on to the board what the motors shall do. Without them the arm would fall: whatever
/// happens, the brake holds it.
#[derive(Module)]
struct Motors {
    #[parameters]
    parameters: MotorsParameters,
    /// A device, and no data that a log could hold.
    #[opaque]
    board: Board,
}

#[module]
impl Motors {
    /// An error does not stop the robot: it is told, and the next run tries again.
    #[update]
    fn send(&mut self, torques: &Torques) -> io::Result<()> {
        self.board.turn(torques.newton_metres, Path::new(&self.parameters.brake))
    }

    /// Engages the brake. It is called after the last `send` however the robot ends, and when
    /// something is wrong: a cycle that hangs (`watchdog` in robot.toml), or a person who asks for
    /// it (`cargo run -p arm -- safe-state enter`).
    #[safe_state]
    fn hold(&mut self) -> io::Result<()> {
        self.board.hold(Path::new(&self.parameters.brake))
    }
}
