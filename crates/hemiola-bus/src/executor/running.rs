//! An executor with a thread of its own.

use std::thread::JoinHandle;

use hemiola_realtime::{RealtimeError, ThreadReport, ThreadSettings, spawn};

use super::{Executor, ExecutorHandle};
use crate::panics::drop_contained;

/// An executor that runs on a thread of its own. Dropping it stops the executor and waits for the
/// present call to end.
///
/// ```
/// use hemiola_bus::{Executor, RobotClock};
/// use hemiola_realtime::{Policy, Priority, ThreadSettings};
/// use std::sync::Arc;
///
/// let executor = Executor::new("control", &Arc::new(RobotClock::running(1.0)));
/// let running = executor.spawn(ThreadSettings::new("control").policy(Policy::Fifo(Priority::new(50)?)))?;
/// for denial in running.report().denials() {
///     eprintln!("{denial}"); // no permission for real-time priorities: it runs all the same
/// }
/// let executor = running.stop();
/// assert_eq!(executor.handle().name(), "control");
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[must_use = "dropping it stops the executor"]
pub struct RunningExecutor {
    handle: ExecutorHandle,
    report: ThreadReport,
    thread: Option<JoinHandle<Executor>>,
}

impl Executor {
    /// Runs the executor on a thread of its own with these settings, overridden by those of its
    /// [configuration](Self::configured).
    ///
    /// # Errors
    /// Fails if the thread cannot be created. A setting that the system refuses is not an error:
    /// see [`RunningExecutor::report`].
    pub fn spawn(mut self, settings: ThreadSettings) -> Result<RunningExecutor, RealtimeError> {
        let handle = self.handle();
        let spawned = spawn(handle.thread(settings), move || {
            self.run();
            self
        })?;
        Ok(RunningExecutor { handle, report: spawned.report, thread: Some(spawned.thread) })
    }
}

impl RunningExecutor {
    /// Returns a handle to add and remove callbacks.
    pub fn handle(&self) -> &ExecutorHandle {
        &self.handle
    }

    /// Returns the outcome of each setting of the thread.
    pub fn report(&self) -> &ThreadReport {
        &self.report
    }

    /// Stops the executor after the present call and returns it, with all its callbacks.
    pub fn stop(mut self) -> Executor {
        match self.join() {
            Some(Ok(executor)) => executor,
            // Callbacks' panics are contained, so this is one of the executor's own.
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => unreachable!("only stopping and dropping take the thread"),
        }
    }

    fn join(&mut self) -> Option<std::thread::Result<Executor>> {
        self.handle.stop();
        self.thread.take().map(JoinHandle::join)
    }
}

impl Drop for RunningExecutor {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // A panic of the executor's own cannot be returned here; the default hook has printed
            // it.
            drop_contained(self.join());
        }
    }
}
