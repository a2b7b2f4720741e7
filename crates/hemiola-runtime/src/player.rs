use std::fmt;
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hemiola_model::Time;

use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::robot::Robot;
use crate::stepper::{Step, Stepper};

/// Steps a robot on a thread of its own, at a pace, as [`Transport`] says: a replay or a simulation that somebody watches.
///
/// The pace decides when a step is done, and nothing else: the steps are those of a [`Stepper`], so every pace, with any pauses, gives the same
/// bits.
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
    thread: JoinHandle<Played>,
}

/// How fast a [`Player`] steps.
///
/// ```
/// use hemiola_runtime::Tempo;
///
/// assert_ne!(Tempo::default(), Tempo::AsFastAsPossible);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tempo {
    /// Without waiting.
    AsFastAsPossible,
    /// So many seconds of the robot's clock per second.
    Factor(f64),
}

impl Default for Tempo {
    fn default() -> Self {
        Self::Factor(1.0)
    }
}

/// How a [`Player`]'s robot has ended.
///
/// ```
/// let played = hemiola_runtime::Played::default();
/// assert!(played.failure.is_none()); // it came to its end
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Why it could not follow its recording to the end, if it could not: [`Stepper::failure`].
    pub failure: Option<String>,
    /// What was different on the way: [`Stepper::deviation`].
    pub deviation: Option<String>,
}

/// Starts, pauses and paces a [`Player`], from any thread.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Robot, Tempo};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// # let player = Robot::assemble(configuration)?.into_player(Tempo::default())?;
/// let transport = player.transport(); // it is paused until somebody lets it begin
/// transport.forward_to("motion")?;
/// transport.wait_until_at_rest();
/// assert_eq!(player.handle().health()["motion"].runs, 1);
/// # player.stop();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone)]
pub struct Transport(Arc<Shared>);

struct Shared {
    desk: Mutex<Desk>,
    /// Notified when something on the desk has changed.
    turn: Condvar,
    cycles: Vec<String>,
}

/// What is asked for.
struct Desk {
    tempo: Tempo,
    is_paused: bool,
    /// While it is paused: a run that it goes on to.
    forward: Option<Forward>,
    /// Up to there it goes on without waiting.
    hurry: Option<Time>,
    /// Where it ends.
    end: Option<Time>,
    /// Which time of the robot belonged to which of the world.
    anchor: Option<(Instant, Time)>,
    has_ended: bool,
}

#[derive(Clone, Copy)]
enum Forward {
    AnyCycle,
    /// By its number.
    Cycle(usize),
}

/// Now and then, somebody may have stopped the robot, and events are to be gathered.
const LOOK_PERIOD: Duration = Duration::from_millis(20);
/// Who was held up for longer than that does not catch up.
const MOST_BEHIND: Duration = Duration::from_millis(500);

impl Robot {
    /// Makes everything, to be stepped at a pace. It waits until its [`Transport`] lets it begin.
    ///
    /// # Errors
    /// As [`into_stepper`](Self::into_stepper).
    pub fn into_player(self, tempo: Tempo) -> Result<Player, RuntimeError> {
        let (sender, receiver) = mpsc::channel();
        // Made there as well: whoever steps a robot has its panics contained.
        let steps = move || match self.into_stepper() {
            Ok(stepper) => {
                let shared = Arc::new(Shared::new(tempo, stepper.cycle_names()));
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
        Ok(Player { handle, transport, thread })
    }
}

impl Player {
    /// Looks at the robot, and changes it, also while it is paused: a change comes into force with a cycle's next run.
    pub fn handle(&self) -> &RobotHandle {
        &self.handle
    }

    /// What starts, pauses and paces it.
    pub fn transport(&self) -> Transport {
        self.transport.clone()
    }

    /// Whether the robot has come to its end, or was stopped.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until the robot has come to its end, or was stopped.
    pub fn wait(self) -> Played {
        let panicked = || Played { failure: Some("it ended with a panic of its own".to_owned()), deviation: None };
        self.thread.join().unwrap_or_else(|_| panicked())
    }

    /// Stops the robot, and waits until it has ended.
    pub fn stop(self) -> Played {
        self.handle.stop();
        self.wait()
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Player").field("now", &self.handle.now()).finish_non_exhaustive()
    }
}

impl Transport {
    /// Begins, or goes on.
    pub fn resume(&self) {
        self.change(|desk| {
            desk.is_paused = false;
            desk.forward = None;
            desk.anchor = None;
        });
    }

    /// Stands still after the present step.
    pub fn pause(&self) {
        self.change(|desk| desk.is_paused = true);
    }

    /// Whether it was paused, or has not begun yet.
    pub fn is_paused(&self) -> bool {
        self.0.desk().is_paused
    }

    /// Pauses after the next run of any cycle.
    pub fn forward(&self) {
        self.go_forward(Forward::AnyCycle);
    }

    /// Pauses after the next run of this cycle.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn forward_to(&self, cycle: &str) -> Result<(), RuntimeError> {
        let index = self.0.cycles.iter().position(|known| known == cycle);
        let index = index.ok_or_else(|| RuntimeError::Unknown {
            kind: "cycle",
            name: cycle.to_owned(),
            known: self.0.cycles.clone(),
        })?;
        self.go_forward(Forward::Cycle(index));
        Ok(())
    }

    /// Does everything before that time without waiting, also while it is paused; then it is as it was.
    pub fn hurry_to(&self, time: Time) {
        self.change(|desk| desk.hurry = Some(time));
    }

    /// How fast it goes on.
    pub fn tempo(&self) -> Tempo {
        self.0.desk().tempo
    }

    /// Goes on as fast as that.
    pub fn set_tempo(&self, tempo: Tempo) {
        self.change(|desk| {
            desk.tempo = tempo;
            desk.anchor = None;
        });
    }

    /// Ends when the robot's clock shows that time.
    pub fn end_at(&self, time: Time) {
        self.change(|desk| desk.end = Some(time));
    }

    /// Whether it stands still: it is paused, and has done what was asked for, or it has ended.
    pub fn is_at_rest(&self) -> bool {
        self.0.desk().is_at_rest()
    }

    /// Returns when it stands still.
    pub fn wait_until_at_rest(&self) {
        let desk = self.0.desk();
        drop(self.0.turn.wait_while(desk, |desk| !desk.is_at_rest()).unwrap_or_else(PoisonError::into_inner));
    }

    fn go_forward(&self, forward: Forward) {
        self.change(|desk| {
            desk.is_paused = true;
            desk.forward = Some(forward);
        });
    }

    fn change(&self, change: impl FnOnce(&mut Desk)) {
        change(&mut self.0.desk());
        self.0.turn.notify_all();
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let desk = self.0.desk();
        formatter.debug_struct("Transport").field("tempo", &desk.tempo).field("is_paused", &desk.is_paused).finish()
    }
}

impl Shared {
    fn new(tempo: Tempo, cycles: Vec<String>) -> Self {
        let desk =
            Desk { tempo, is_paused: true, forward: None, hurry: None, end: None, anchor: None, has_ended: false };
        Self { desk: Mutex::new(desk), turn: Condvar::new(), cycles }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next step is to be done; `false` when there is none.
    fn wait_for_turn(&self, stepper: &mut Stepper) -> bool {
        let Some(next) = stepper.upcoming() else { return false };
        let mut desk = self.desk();
        loop {
            if stepper.handle().is_stopping() || desk.end.is_some_and(|end| stepper.now() >= end) {
                return false;
            }
            if desk.hurry.is_some_and(|time| next >= time) {
                (desk.hurry, desk.anchor) = (None, None);
                self.turn.notify_all();
            }
            let wait = match desk.wait(next, Instant::now()) {
                Some(Duration::ZERO) => return true,
                wait => wait.unwrap_or(LOOK_PERIOD).min(LOOK_PERIOD),
            };
            desk = self.turn.wait_timeout(desk, wait).unwrap_or_else(PoisonError::into_inner).0;
            if wait == LOOK_PERIOD {
                drop(desk);
                stepper.attend();
                desk = self.desk();
            }
        }
    }

    fn note(&self, step: &Step) {
        let mut desk = self.desk();
        let is_reached = |forward: Forward| match forward {
            Forward::AnyCycle => !step.cycles.is_empty(),
            Forward::Cycle(cycle) => step.cycles.contains(&cycle),
        };
        if desk.hurry.is_none() && desk.forward.is_some_and(is_reached) {
            desk.forward = None;
            self.turn.notify_all();
        }
    }

    fn note_end(&self) {
        self.desk().has_ended = true;
        self.turn.notify_all();
    }
}

impl Desk {
    fn is_at_rest(&self) -> bool {
        self.has_ended || (self.is_paused && self.forward.is_none() && self.hurry.is_none())
    }

    /// How long it is until the step of that time is to be done; `None`: nobody knows.
    fn wait(&mut self, next: Time, now: Instant) -> Option<Duration> {
        if self.hurry.is_some() || (self.is_paused && self.forward.is_some()) {
            return Some(Duration::ZERO);
        }
        if self.is_paused {
            return None;
        }
        let Tempo::Factor(factor) = self.tempo else { return Some(Duration::ZERO) };
        let (then, time) = *self.anchor.get_or_insert((now, next));
        let ahead = next.since(time).as_secs_f64() / factor;
        // A factor that is none leads nowhere.
        let due = then + Duration::try_from_secs_f64(ahead).unwrap_or(LOOK_PERIOD);
        if now.saturating_duration_since(due) > MOST_BEHIND {
            self.anchor = Some((now, next));
        }
        Some(due.saturating_duration_since(now))
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
    // Nothing more to do, but what the last steps left behind is gathered.
    stepper.handle().service();
    stepper.handle().stop();
    drop(stepper);
    shared.note_end();
    played
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn desk(tempo: Tempo) -> Desk {
        let shared = Shared::new(tempo, Vec::new());
        shared.desk.into_inner().unwrap()
    }

    #[test]
    fn the_pace_is_kept_from_where_it_began_and_nobody_catches_up_for_long() {
        let at = Time::from_seconds;
        let begin = Instant::now();
        let after = |seconds: f64| begin + Duration::from_secs_f64(seconds);
        let mut desk = desk(Tempo::Factor(0.5));
        assert_eq!(desk.wait(at(7.0), begin), None, "it has not begun");
        desk.is_paused = false;
        assert_eq!(desk.wait(at(7.0), begin), Some(Duration::ZERO), "the first step comes at once");
        assert_eq!(desk.wait(at(8.0), begin), Some(Duration::from_secs(2)));
        assert_eq!(desk.wait(at(8.0), after(2.25)), Some(Duration::ZERO));
        assert_eq!(desk.wait(at(9.0), after(2.25)), Some(Duration::from_secs_f64(1.75)), "a delay is made up for");
        assert_eq!(desk.wait(at(9.0), after(60.0)), Some(Duration::ZERO));
        assert_eq!(desk.wait(at(10.0), after(60.0)), Some(Duration::from_secs(2)), "a long one is not");
    }

    #[test]
    fn who_hurries_or_goes_forward_does_not_wait() {
        let mut desk = desk(Tempo::Factor(1e-3));
        assert!(desk.is_at_rest());
        desk.hurry = Some(Time::from_seconds(60.0));
        assert_eq!(desk.wait(Time::from_seconds(3.0), Instant::now()), Some(Duration::ZERO));
        assert!(!desk.is_at_rest());
        (desk.hurry, desk.forward) = (None, Some(Forward::AnyCycle));
        assert_eq!(desk.wait(Time::from_seconds(3.0), Instant::now()), Some(Duration::ZERO));
        assert!(!desk.is_at_rest());
    }
}
