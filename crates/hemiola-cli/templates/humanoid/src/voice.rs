//! A callback that runs outside the cycles.
//!
//! Slow work, such as speaking, does not belong in a module: its cycle would miss deadlines.
//! Instead, publish a message and do the work on a thread of its own, without real-time priority.

use std::error::Error;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};

use crate::representations::BallSighted;

/// Starts to say when the ball comes in sight. The voice is **simulated**: it is a note in the
/// robot's output.
///
/// # Errors
/// The thread cannot be started, or the topic carries messages of another type.
pub fn start(robot: &RobotHandle) -> Result<RunningExecutor, Box<dyn Error>> {
    let mut voice = robot.executor("voice")?;
    let topic = robot.bus().topic(BallSighted::NAME)?;
    let speaker = robot.clone();
    voice.subscribe(
        &topic,
        Priority(1),
        4,
        WhenFull::DropOldest,
        move |sighted: &BallSighted| {
            let degrees = sighted.bearing.to_degrees();
            speaker.note(format!("\"I see the ball, at {degrees:.0}°\""));
        },
    )?;
    Ok(voice.spawn(ThreadSettings::new("voice"))?)
}
