//! The gripper, whose serial line takes its time. In a module it would hold up a cycle, so that
//! messages go to a thread of its own; `[executor.gripper]` in robot.toml says how important it is.

use std::error::Error;

use hemiola::bus::{Priority, RunningExecutor, WhenFull};
use hemiola::realtime::ThreadSettings;
use hemiola::{Representation, RobotHandle};

use crate::board::Board;
use crate::representations::Grip;

/// Has the gripper do from now on what messages say.
///
/// # Errors
/// There is no thread to be had, or the topic carries something else.
pub fn start(robot: &RobotHandle) -> Result<RunningExecutor, Box<dyn Error>> {
    let mut gripper = robot.executor("gripper")?;
    let topic = robot.bus().topic(Grip::NAME)?;
    let (mut board, journal) = (Board::default(), robot.clone());
    gripper.subscribe(&topic, Priority(1), 16, WhenFull::DropOldest, move |grip: &Grip| {
        let [x, z] = grip.at;
        let verb = if grip.close { "closes" } else { "opens" };
        match board.grip(grip.close) {
            Ok(()) => journal.note(format!("the gripper {verb} at ({x:.2}, {z:.2})")),
            Err(error) => journal.note(format!("the gripper does not do what it is told: {error}")),
        }
    })?;
    Ok(gripper.spawn(ThreadSettings::new("gripper"))?)
}
