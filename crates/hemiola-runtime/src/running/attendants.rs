//! The two threads that serve a running robot, beside its cycles and sources:
//!
//! | thread | work | may wait for |
//! |---|---|---|
//! | `hemiola service` | gathers the output of the others, for observers | nobody |
//! | `hemiola upkeep` | calls user code: replaces and drops modules, formats errors | that code, for ever |
//!
//! A robot in which something happens is served once in [`PERIOD`], without anybody being notified.
//! When nothing has happened for so long, both threads sleep until something does.

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use hemiola_realtime::{MonotonicTime, Wakeup, monotonic_now, sleep_until};

use super::guarded;
use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::robot_state::RobotState;
use crate::sync::{AtomicBool, Ordering};

/// The two threads that serve a running robot.
pub(super) struct Attendants {
    service: JoinHandle<()>,
    upkeep: JoinHandle<()>,
    rounds: Arc<Rounds>,
}

/// The rounds of the service, each of which the upkeep follows.
#[derive(Default)]
struct Rounds {
    /// The event that is notified after each round, and at the end.
    ended: Wakeup,
    /// Set if one more round of the upkeep is the last.
    is_last: AtomicBool,
}

/// The shortest time between two rounds in which events of workers are gathered and failed modules
/// are replaced.
const PERIOD: Duration = Duration::from_millis(50);
/// The time for which the end of a robot waits for user code on the upkeep thread.
const UPKEEP_PATIENCE: Duration = Duration::from_secs(5);

impl Attendants {
    pub fn start(handle: &RobotHandle, state: &Arc<RobotState>) -> Result<Self, RuntimeError> {
        let rounds = Arc::new(Rounds::default());
        let service = {
            let (handle, state, rounds) = (handle.clone(), state.clone(), rounds.clone());
            spawn("hemiola service", move || gather(&handle, &state, &rounds))?
        };
        let upkeep = {
            let (handle, state, rounds) = (handle.clone(), state.clone(), rounds.clone());
            spawn("hemiola upkeep", move || keep_up(&handle, &state, &rounds))?
        };
        Ok(Self { service, upkeep, rounds })
    }

    /// Serves the robot for the last time, when its other threads have ended or were left behind.
    /// User code that does not return delays nobody.
    pub fn end(self, handle: &RobotHandle) {
        let Self { service, upkeep, rounds } = self;
        // All panics are contained and reported: `guarded`.
        _ = service.join();
        handle.gather();
        rounds.is_last.store(true, Ordering::Relaxed);
        rounds.ended.notify_all();
        let patience = monotonic_now() + UPKEEP_PATIENCE;
        while !upkeep.is_finished() && monotonic_now() < patience {
            sleep_until(monotonic_now() + Duration::from_millis(1));
        }
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
fn gather(handle: &RobotHandle, state: &RobotState, rounds: &Rounds) {
    loop {
        let seen = state.news().generation();
        let mut due = None;
        _ = guarded(state, "hemiola service", || due = handle.gather());
        rounds.ended.notify_all();
        if state.wait_for_stop(Some(monotonic_now() + PERIOD)) {
            return;
        }
        // Whoever brings news of a robot that has been at rest makes a system call, and nobody else
        // does.
        state.news().wait(seen, due.map(monotonic));
    }
}

/// Returns the same instant on the clock of threads that sleep.
fn monotonic(instant: Instant) -> MonotonicTime {
    monotonic_now() + instant.saturating_duration_since(Instant::now())
}

fn keep_up(handle: &RobotHandle, state: &RobotState, rounds: &Rounds) {
    loop {
        let seen = rounds.ended.generation();
        let is_last = rounds.is_last.load(Ordering::Relaxed);
        let mut is_done = true;
        _ = guarded(state, "hemiola upkeep", || {
            handle.describe_failures();
            is_done = handle.keep_up();
        });
        if is_last {
            return;
        }
        rounds.ended.wait(seen, (!is_done).then(|| monotonic_now() + PERIOD));
    }
}
