//! The messages from a robot to its guard, and what a robot knows about its restarts.

use std::path::PathBuf;

use crate::session::sibling;

/// A message from a robot to its guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A heartbeat. From the first one on, the guard expects more of them.
    Alive,
    /// The robot has ended, and its actuators are safe. No more heartbeats are to be expected.
    Safe,
    /// The log of the robot is this file.
    Log(PathBuf),
}

/// The environment variable with the number of restarts of the robot.
pub const RESTARTS: &str = "HEMIOLA_RESTARTS";

/// Returns the path at which a robot writes a file of its command line: beside those from before
/// its restarts, if there were any.
pub fn after_restart(path: PathBuf) -> PathBuf {
    numbered(path, restarts())
}

/// Returns the number of restarts of this process.
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
