//! A callback that runs outside the cycles, in the process of navigation.
//!
//! Slow work, such as playing a sound or calling a server, does not belong in a module: its cycle
//! would miss deadlines. Instead, publish a message and do the work on a thread of its own, without
//! real-time priority.

use std::error::Error;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};

use crate::representations::GoalReached;

/// Starts to announce the goals that the rover reaches.
///
/// # Errors
/// The thread cannot be started, or the topic carries messages of another type.
pub fn start(robot: &RobotHandle) -> Result<RunningExecutor, Box<dyn Error>> {
    let mut announcer = robot.executor("announcer")?;
    let topic = robot.bus().topic(GoalReached::NAME)?;
    let speaker = robot.clone();
    announcer.subscribe(
        &topic,
        Priority(1),
        16,
        WhenFull::DropOldest,
        move |goal: &GoalReached| {
            let [x, y] = goal.place;
            speaker.note(format!("goal {} reached: ({x}, {y})", goal.number));
        },
    )?;
    Ok(announcer.spawn(ThreadSettings::new("announcer"))?)
}
