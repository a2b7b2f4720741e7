//! The thread that wakes the node when the robot enters or leaves its safe state, or stops.
//!
//! The node's thread does not sleep on the robot's own event for that: others do, and a message on
//! the bus, which wakes one sleeper, might wake one of those instead of the node.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TryRecvError, sync_channel};

use hemiola_realtime::{RealtimeError, ThreadSettings, Wakeup, spawn};
use hemiola_runtime::RobotHandle;

/// The thread that wakes the node. Dropping this ends it.
pub struct SafetyWatch {
    end: Option<SyncSender<Infallible>>,
    event: Arc<Wakeup>,
}

impl SafetyWatch {
    /// Wakes the node now, and whenever the robot enters or leaves its safe state, or stops.
    ///
    /// # Errors
    /// Returns an error if the system refuses a thread.
    pub fn begin(robot: &RobotHandle, node: Arc<Wakeup>, settings: ThreadSettings) -> Result<Self, RealtimeError> {
        let event = robot.safe_state_wakeup();
        let (end, ending) = sync_channel(0);
        let awaited = event.clone();
        spawn(settings, move || {
            while ending.try_recv() == Err(TryRecvError::Empty) {
                let seen = awaited.generation();
                node.notify_all();
                awaited.wait(seen, None);
            }
        })?;
        Ok(Self { end: Some(end), event })
    }
}

impl Drop for SafetyWatch {
    fn drop(&mut self) {
        drop(self.end.take());
        self.event.notify_all();
    }
}
