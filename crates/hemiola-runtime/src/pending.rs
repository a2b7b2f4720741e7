use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::command::Command;
use crate::error::RuntimeError;
use crate::mailbox::Sent;
use crate::robot_state::RobotState;

/// The time for which [`Pending::wait`] waits for a cycle to apply a change.
const PATIENCE: Duration = Duration::from_secs(2);

/// A change in transit to the cycles that it concerns:
/// [`RobotHandle::change`](crate::RobotHandle::change).
///
/// Each cycle applies it between two of its runs. It can be waited for, polled, or dropped; it is
/// applied in any case.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// use hemiola_runtime::Change;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// # let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// # let robot = stepper.handle().clone();
///
/// let mut workers = robot.change(Change::workers("motion", 1));
/// assert!(workers.poll().is_none()); // the cycle has not run since
/// stepper.step();
/// assert!(matches!(workers.poll(), Some(Ok(()))));
///
/// let refused = robot.change(Change::release("Bal")).wait();
/// assert!(refused.unwrap_err().to_string().contains("`Bal`"));
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[must_use = "a change that is refused says so only here; `drop` it if nobody wants to know"]
pub struct Pending {
    open: Vec<Sent>,
    /// The robot to whose cycles the commands were sent; `None` if there are none.
    robot: Option<Arc<RobotState>>,
    outcome: Result<(), RuntimeError>,
}

impl Pending {
    /// Creates a change that is applied when these commands are executed.
    pub(crate) fn sent(open: Vec<Sent>, robot: Arc<RobotState>) -> Self {
        Self { open, robot: Some(robot), outcome: Ok(()) }
    }

    /// Creates a change whose outcome is known, with nothing in transit.
    pub(crate) fn decided(outcome: Result<(), RuntimeError>) -> Self {
        Self { open: Vec::new(), robot: None, outcome }
    }

    /// Returns the outcome of the change; `None` while a cycle has not reached it. Never waits.
    pub fn poll(&mut self) -> Option<Result<(), &RuntimeError>> {
        let Self { open, outcome, .. } = self;
        open.retain(|sent| match sent.poll() {
            Some(command) => {
                keep_first(outcome, refusal(&command));
                false
            }
            None => true,
        });
        self.open.is_empty().then(|| self.outcome.as_ref().copied())
    }

    /// Waits until all cycles have applied the change, for at most two seconds.
    ///
    /// # Errors
    /// Returns an error if the change is refused, with the reason; or if a cycle does not run, and
    /// will apply it when it does; or if the robot stops before.
    pub fn wait(self) -> Result<(), RuntimeError> {
        self.wait_for(PATIENCE)
    }

    /// Waits until all cycles have applied the change, for at most `patience`.
    ///
    /// # Errors
    /// Returns the errors of [`wait`](Self::wait).
    pub fn wait_for(mut self, patience: Duration) -> Result<(), RuntimeError> {
        let end = later(patience);
        for (sent, robot) in self.open.iter().zip(self.robot.iter().cycle()) {
            keep_first(&mut self.outcome, refusal(&sent.wait_until(end, || robot.is_stopping())?));
        }
        self.outcome
    }
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pending").field("open", &self.open.len()).field("outcome", &self.outcome).finish()
    }
}

/// Returns the time after `patience`, or the latest that can be represented.
fn later(patience: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(patience).unwrap_or(now + Duration::from_secs(u32::MAX.into()))
}

fn keep_first(outcome: &mut Result<(), RuntimeError>, next: Option<RuntimeError>) {
    if let (Ok(()), Some(error)) = (&*outcome, next) {
        *outcome = Err(error);
    }
}

/// Returns the reason why a command that came back was not executed.
fn refusal(command: &Command) -> Option<RuntimeError> {
    if !command.found_in_use() {
        return None;
    }
    let (what, why) = match command {
        Command::Override { value, .. } => {
            (format!("the value of `{}`", value.descriptor().name()), "a reader that does not run holds the last one")
        }
        _ => ("parameters".to_owned(), "the watchdog is making their module safe"),
    };
    Some(RuntimeError::InUse { what, why: why.to_owned() })
}
