//! The messages from a robot to its guard, and what a robot knows of the robots before it.

use std::path::PathBuf;

use crate::session::sibling;

/// A message from a robot to its guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The robot lives. From the first one on the guard expects more of them.
    Alive,
    /// The robot has ended, and what moves is safe. No more signs of life are to be expected.
    Safe,
    /// The log of the robot is this file.
    Log(PathBuf),
}

/// The environment variable that says how often the robot was started again.
pub const RESTARTS: &str = "HEMIOLA_RESTARTS";

/// Returns where a robot writes a file that its command line names: beside those of the robots
/// before it that have died, if any have.
pub fn after_restart(path: PathBuf) -> PathBuf {
    numbered(path, restarts())
}

/// Returns how often this process was started again.
pub fn restarts() -> u32 {
    std::env::var(RESTARTS).ok().and_then(|restarts| restarts.parse().ok()).unwrap_or(0)
}

fn numbered(path: PathBuf, restarts: u32) -> PathBuf {
    if restarts == 0 { path } else { sibling(&path, &format!("-restart-{restarts}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_robot_has_recorded_is_not_written_over() {
        assert_eq!(numbered("logs/game.mcap".into(), 0), PathBuf::from("logs/game.mcap"));
        assert_eq!(numbered("logs/game.mcap".into(), 2), PathBuf::from("logs/game-restart-2.mcap"));
    }
}
