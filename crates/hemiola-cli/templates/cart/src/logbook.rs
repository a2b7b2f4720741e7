//! A callback beside the cycles.
//!
//! What takes its time, such as to write a file, to speak, or to ask a server, has no place in a
//! module: its cycle would be late. A message goes to a thread of no importance instead.

use std::error::Error;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};

use crate::representations::WaypointReached;

/// Writes down from now on which waypoints the cart reaches.
///
/// # Errors
/// There is no thread to be had, or the topic carries something else.
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
