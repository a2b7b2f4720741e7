//! A callback that runs outside the cycles.
//!
//! Slow work, such as writing a file, speaking or querying a server, does not belong in a module:
//! its cycle would miss deadlines. Instead, publish a message and do the work on a thread of its
//! own, without real-time priority.

use std::error::Error;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};

use crate::representations::WaypointReached;

/// Starts to note the waypoints that the cart reaches.
///
/// # Errors
/// The thread cannot be started, or the topic carries messages of another type.
pub fn start(robot: &RobotHandle) -> Result<RunningExecutor, Box<dyn Error>> {
    let mut logbook = robot.executor("logbook")?;
    let topic = robot.bus().topic(WaypointReached::NAME)?;
    let book = robot.clone();
    logbook.subscribe(
        &topic,
        Priority(1),
        16,
        WhenFull::DropOldest,
        move |waypoint: &WaypointReached| {
            book.note(format!(
                "waypoint {} reached at {}",
                waypoint.number, waypoint.at
            ));
        },
    )?;
    Ok(logbook.spawn(ThreadSettings::new("logbook"))?)
}
