//! The two threads that serve a running robot, beside its cycles and sources:
//!
//! | thread | work | may wait for |
//! |---|---|---|
//! | `hemiola service` | gathers the output of the others, for observers | nobody |
//! | `hemiola upkeep` | calls user code: replaces and drops modules, formats errors | that code, for ever |

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use hemiola_realtime::{monotonic_now, sleep_until};

use super::guarded;
use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::robot_state::RobotState;

/// The two threads that serve a running robot.
pub(super) struct Attendants {
    service: JoinHandle<()>,
    upkeep: JoinHandle<()>,
    /// The sender that ends the upkeep when it is dropped, after one more round.
    end: Sender<Infallible>,
}

/// The period with which events of workers are gathered and failed modules are replaced.
const PERIOD: Duration = Duration::from_millis(50);
/// The time for which the end of a robot waits for user code on the upkeep thread.
const UPKEEP_PATIENCE: Duration = Duration::from_secs(5);

impl Attendants {
    pub fn start(handle: &RobotHandle, state: &Arc<RobotState>) -> Result<Self, RuntimeError> {
        let (end, ended) = channel();
        let service = {
            let (handle, state) = (handle.clone(), state.clone());
            spawn("hemiola service", move || gather(&handle, &state))?
        };
        let upkeep = {
            let (handle, state) = (handle.clone(), state.clone());
            spawn("hemiola upkeep", move || keep_up(&handle, &state, &ended))?
        };
        Ok(Self { service, upkeep, end })
    }

    /// Serves the robot for the last time, when its other threads have ended or were left behind.
    /// User code that does not return delays nobody.
    pub fn end(self, handle: &RobotHandle) {
        let Self { service, upkeep, end } = self;
        drop(end);
        let patience = monotonic_now() + UPKEEP_PATIENCE;
        while !upkeep.is_finished() && monotonic_now() < patience {
            sleep_until(monotonic_now() + Duration::from_millis(1));
        }
        // All panics are contained and reported: `guarded`.
        _ = service.join();
        if upkeep.is_finished() {
            _ = upkeep.join();
        } else {
            handle.note(
                "thread `hemiola upkeep` does not end and is left behind: a module's constructor, its `Drop`, or the text of \
                 an error does not return"
                    .to_owned(),
            );
        }
        handle.gather();
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, RuntimeError> {
    let spawned = Builder::new().name(name.to_owned()).spawn(body);
    spawned.map_err(|error| RuntimeError::internal(&format!("there is no thread for `{name}`: {error}")))
}

/// Gathers the output of the other threads. After a panic both threads continue, so that the robot
/// can still report.
fn gather(handle: &RobotHandle, state: &RobotState) {
    while !state.is_stopping() {
        let seen = state.turn.generation();
        state.turn.wait(seen, Some(monotonic_now() + PERIOD));
        _ = guarded(state, "hemiola service", || handle.gather());
    }
}

fn keep_up(handle: &RobotHandle, state: &RobotState, ended: &Receiver<Infallible>) {
    loop {
        let is_last = ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Disconnected);
        _ = guarded(state, "hemiola upkeep", || {
            handle.describe_failures();
            handle.keep_up();
        });
        if is_last {
            return;
        }
    }
}
