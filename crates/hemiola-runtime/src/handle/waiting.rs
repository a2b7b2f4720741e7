//! Waiting for something in the safe state.

use hemiola_model::module::SafeState;

use super::RobotHandle;
use crate::record::Change;
use crate::safe_state::WaitId;

/// The wait of a robot for something without which it must not move: until [`end`](Self::end) it is
/// in its safe state. If this is dropped without that, it stays there.
///
/// See [`RobotHandle::wait_in_safe_state`].
#[derive(Debug)]
#[must_use = "the robot is in its safe state until the wait is ended"]
pub struct SafeStateWait {
    robot: RobotHandle,
    wait: WaitId,
}

impl RobotHandle {
    /// Keeps the robot in its safe state until something is there, such as another process of it. A
    /// robot that was only [prepared](crate::Robot::prepare) begins there. It leaves it by itself
    /// when the last wait has ended, if there was no other cause meanwhile: any other cause takes
    /// the place of a wait. Whoever [leaves](Self::leave_safe_state) the safe state ends all waits.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Pace, Robot};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
    /// let waiting = prepared.handle().wait_in_safe_state("host `head`: it has not been met yet");
    /// let running = prepared.begin();
    /// let entry = running.handle().safe_state().unwrap();
    /// assert_eq!(entry.to_string(), "since 0.0 s, because it is waiting for host `head`: it has not been met yet");
    /// waiting.end();
    /// assert!(!running.handle().is_in_safe_state());
    /// # running.stop();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn wait_in_safe_state(&self, what: impl Into<String>) -> SafeStateWait {
        let what = what.into();
        let entered = format!("the robot enters its safe state, because it is waiting for {what}");
        let (wait, has_entered) = self.state.wait_in_safe_state(what);
        if has_entered {
            self.note_change(Change::EnterSafeState, None, None);
            self.note(entered);
        }
        SafeStateWait { robot: self.clone(), wait }
    }

    /// Follows somebody who has left the safe state, for a robot that is in it for the same cause:
    /// ends the safe state, unless the robot [waits](Self::wait_in_safe_state) for something. Then
    /// it stays there as long as that takes.
    ///
    /// See [`wait_in_safe_state`](Self::wait_in_safe_state).
    pub fn leave_safe_state_unless_waiting(&self, who: &str) {
        match self.state.leave_safe_state_unless_waiting() {
            Some(SafeState::Inactive) => self.note_leaving(Some(who)),
            Some(SafeState::Active) => {
                let what = self.state.awaited().unwrap_or_default();
                self.note(format!("the robot stays in its safe state, because it is waiting for {what}"));
            }
            None => {}
        }
    }
}

impl SafeStateWait {
    /// Replaces the words that say what the robot waits for.
    pub fn describe(&self, what: impl Into<String>) {
        self.robot.state.describe_wait(self.wait, what.into());
    }

    /// Ends the wait. A robot that waits for nothing else leaves its safe state, unless it has
    /// another cause.
    pub fn end(self) {
        if self.robot.state.end_wait(self.wait) {
            self.robot.note_change(Change::LeaveSafeState, None, None);
            self.robot.note("the robot leaves its safe state, because nothing is missing any more".to_owned());
        }
    }
}
