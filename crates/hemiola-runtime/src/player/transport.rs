//! What is asked of a player, and when its next step is to be done.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hemiola_model::Time;

use super::Tempo;
use crate::error::RuntimeError;
use crate::stage::Step;
use crate::stepper::Stepper;

/// Starts, pauses and paces a [`Player`](super::Player), from any thread.
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
pub struct Transport(pub(super) Arc<Shared>);

/// What the player's thread and all transports have in common.
pub(super) struct Shared {
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
    pub(super) fn new(tempo: Tempo, cycles: Vec<String>) -> Self {
        let desk =
            Desk { tempo, is_paused: true, forward: None, hurry: None, end: None, anchor: None, has_ended: false };
        Self { desk: Mutex::new(desk), turn: Condvar::new(), cycles }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next step is to be done; `false` when there is none.
    pub(super) fn wait_for_turn(&self, stepper: &mut Stepper) -> bool {
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

    pub(super) fn note(&self, step: &Step) {
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

    pub(super) fn note_end(&self) {
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
        let ahead = Duration::try_from_secs_f64(ahead).ok();
        let due = ahead.and_then(|ahead| then.checked_add(ahead)).unwrap_or(then + LOOK_PERIOD);
        if now.saturating_duration_since(due) > MOST_BEHIND {
            self.anchor = Some((now, next));
        }
        Some(due.saturating_duration_since(now))
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
