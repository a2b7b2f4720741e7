mod attendance;
mod transport;

pub use transport::Transport;

use std::fmt;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hemiola_realtime::{monotonic_now, sleep_until};

use crate::assemble::Robot;
use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::stepper::Stepper;
use transport::Shared;

/// A player, which steps a robot on a thread of its own, at a pace that its [`Transport`] controls:
/// a replay or a simulation that somebody watches.
///
/// The pace determines when a step is executed, and nothing else: the steps are those of a
/// [`Stepper`], so every pace, with any pauses, gives the same bits.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_runtime::{Robot, Tempo};
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let player = Robot::assemble(configuration)?.into_player(Tempo::Factor(2.0))?;
/// let transport = player.transport();
/// transport.hurry_to(Time::from_seconds(60.0)); // a minute, in a moment
/// transport.forward(); // one run more
/// transport.wait_until_at_rest();
/// assert_eq!(player.handle().now(), Time::from_seconds(60.0));
/// transport.resume(); // and now at twice the robot's pace
/// player.stop();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
pub struct Player {
    handle: RobotHandle,
    transport: Transport,
    /// The thread, until it is waited for.
    thread: Option<JoinHandle<Played>>,
}

/// The pace at which a [`Player`] steps.
///
/// See [`Transport::set_tempo`](crate::Transport::set_tempo).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tempo {
    /// Steps follow each other without waiting.
    AsFastAsPossible,
    /// The given number of seconds on the robot's clock per second of real time.
    Factor(f64),
}

impl Default for Tempo {
    fn default() -> Self {
        Self::Factor(1.0)
    }
}

/// The outcome of a [`Player`]'s robot.
///
/// ```
/// let played = hemiola_runtime::Played::default();
/// assert!(played.failure.is_none()); // it came to its end
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// The reason why it could not follow its recording to the end, if it could not:
    /// [`Stepper::failure`].
    pub failure: Option<String>,
    /// The first difference from the recording: [`Stepper::deviation`].
    pub deviation: Option<String>,
}

impl Robot {
    /// Creates a player, with everything that the robot needs. It waits until its [`Transport`]
    /// lets it begin.
    ///
    /// # Errors
    /// Returns the errors of [`into_stepper`](Self::into_stepper).
    pub fn into_player(self, tempo: Tempo) -> Result<Player, RuntimeError> {
        let (sender, receiver) = mpsc::channel();
        // The stepper is created there as well: the thread that steps a robot has its panics
        // contained.
        let steps = move || match self.into_stepper() {
            Ok(stepper) => {
                let news = stepper.handle().state().news().clone();
                let shared = Arc::new(Shared::new(tempo, stepper.cycle_names(), news));
                _ = sender.send(Ok((stepper.handle().clone(), Transport(shared.clone()))));
                play(stepper, &shared)
            }
            Err(error) => {
                _ = sender.send(Err(error));
                Played::default()
            }
        };
        let refused = |error| RuntimeError::internal(&format!("no thread for a player: {error}"));
        let thread = thread::Builder::new().name("hemiola player".into()).spawn(steps).map_err(refused)?;
        let made = receiver.recv().map_err(|_| RuntimeError::internal("the player's thread ended at once"))?;
        let (handle, transport) = made?;
        Ok(Player { handle, transport, thread: Some(thread) })
    }
}

impl Player {
    /// Returns the handle, with which the robot is observed and changed, also while it is paused: a
    /// change comes into force with a cycle's next run.
    pub fn handle(&self) -> &RobotHandle {
        &self.handle
    }

    /// Returns the transport, which starts, pauses and paces the player.
    pub fn transport(&self) -> Transport {
        self.transport.clone()
    }

    /// Returns whether the robot has come to its end, or was stopped.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the robot has come to its end, or was stopped.
    pub fn wait(mut self) -> Played {
        let failed = || Played { failure: Some("it ended with a panic of its own".to_owned()), deviation: None };
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_else(failed)
    }

    /// Stops the robot, and waits until it has ended. The thread that steps it is left behind a
    /// second later if a module does not return; what moves is made safe by then.
    pub fn stop(self) -> Played {
        self.handle.make_safe();
        let patience = monotonic_now() + END_PATIENCE;
        while !self.has_ended() && monotonic_now() < patience {
            sleep_until(monotonic_now() + Duration::from_millis(1));
        }
        if self.has_ended() {
            return self.wait();
        }
        let failure = "thread `hemiola player` does not end and is left behind: a module does not return".to_owned();
        Played { failure: Some(failure), deviation: None }
    }
}

impl Drop for Player {
    /// Makes the robot safe even if the thread that owns the player panics: nothing keeps moving
    /// when the process ends.
    fn drop(&mut self) {
        if !self.has_ended() {
            self.handle.make_safe();
        }
    }
}

/// The time within which a stopped robot must end its step.
const END_PATIENCE: Duration = Duration::from_secs(1);

impl fmt::Debug for Player {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Player").field("now", &self.handle.now()).finish_non_exhaustive()
    }
}

/// Steps until the sources have ended, the end is reached, or somebody stops the robot.
fn play(mut stepper: Stepper, shared: &Shared) -> Played {
    while shared.wait_for_turn(&mut stepper)
        && let Some(step) = stepper.step()
    {
        shared.note(&step);
    }
    let played =
        Played { failure: stepper.failure().map(str::to_owned), deviation: stepper.deviation().map(str::to_owned) };
    if stepper.upcoming().is_none() {
        stepper.handle().come_to_the_end();
    }
    // There is nothing more to execute, but what the last steps left behind is gathered.
    stepper.handle().gather_and_keep_up();
    stepper.handle().stop();
    drop(stepper);
    shared.note_end();
    played
}
