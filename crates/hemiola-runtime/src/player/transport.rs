//! What is asked of a player, and when its next step is to be done.

use std::collections::VecDeque;
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
    /// While it is paused: the runs that it goes on for, in the order in which they were asked for.
    forward: VecDeque<Forward>,
    /// Up to there it goes on without waiting.
    hurry: Option<Hurry>,
    /// Where it ends.
    end: Option<Time>,
    /// Which time of the robot belonged to which of the world.
    anchor: Option<(Instant, Time)>,
    /// What the player's thread does now.
    step: Option<Begun>,
    has_ended: bool,
}

/// So many runs, of any cycle or of one.
struct Forward {
    /// By its number.
    cycle: Option<usize>,
    runs: u32,
}

/// Without waiting to a time.
struct Hurry {
    to: Time,
    /// When it goes on with its last stretch, once it is there.
    breath: Option<Instant>,
}

/// A step that goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// Because of the first [`Forward`], of which its runs count.
    ForForward,
    /// For another reason: a run that is asked for during it comes after it.
    Otherwise,
}

/// Before the last stretch of a hurry, those who look on get time to take what has come: then they
/// can follow, and have seen the newest values when it is over.
const BREATH: Duration = Duration::from_millis(50);
const LAST_STRETCH: Duration = Duration::from_millis(500);
/// So many different wishes wait at most; nobody has as many.
const MOST_FORWARD: usize = 64;

/// Now and then, somebody may have stopped the robot, and events are to be gathered.
const LOOK_PERIOD: Duration = Duration::from_millis(20);
/// Who was held up for longer than that does not catch up.
const MOST_BEHIND: Duration = Duration::from_millis(500);

impl Transport {
    /// Begins, or goes on.
    pub fn resume(&self) {
        self.change(|desk| {
            desk.is_paused = false;
            desk.call_off();
            desk.anchor = None;
        });
    }

    /// Stands still after the present step, also if it was to go further.
    pub fn pause(&self) {
        self.change(|desk| {
            desk.is_paused = true;
            desk.call_off();
            desk.hurry = None;
        });
    }

    /// Whether it was paused, or has not begun yet.
    pub fn is_paused(&self) -> bool {
        self.0.desk().is_paused
    }

    /// Pauses after the next run of any cycle: as [`forward_by`](Self::forward_by) one run.
    pub fn forward(&self) {
        self.go_forward(None, 1);
    }

    /// Pauses after the next run of this cycle: as [`forward_by`](Self::forward_by) one run of it.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn forward_to(&self, cycle: &str) -> Result<(), RuntimeError> {
        self.forward_by(1, Some(cycle))
    }

    /// Pauses after so many runs of any cycle, or of this one. Runs that are asked for while others
    /// are not done yet come after them.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn forward_by(&self, runs: u32, cycle: Option<&str>) -> Result<(), RuntimeError> {
        let number = |name: &str| self.0.cycles.iter().position(|known| known == name);
        let unknown =
            |name: &str| RuntimeError::Unknown { kind: "cycle", name: name.to_owned(), known: self.0.cycles.clone() };
        let cycle = cycle.map(|name| number(name).ok_or_else(|| unknown(name))).transpose()?;
        self.go_forward(cycle, runs);
        Ok(())
    }

    /// Does everything before that time without waiting, also while it is paused; then it is as it
    /// was.
    pub fn hurry_to(&self, time: Time) {
        self.change(|desk| desk.hurry = Some(Hurry { to: time, breath: None }));
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

    /// Whether it is paused, and still does what was asked for: a step, or to go further.
    pub fn is_stepping(&self) -> bool {
        let desk = self.0.desk();
        desk.is_paused && !desk.is_at_rest()
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

    fn go_forward(&self, cycle: Option<usize>, runs: u32) {
        self.change(|desk| {
            desk.is_paused = true;
            let has_room = desk.forward.len() < MOST_FORWARD && runs > 0;
            match desk.forward.back_mut() {
                Some(last) if last.cycle == cycle => last.runs = last.runs.saturating_add(runs),
                _ if has_room => desk.forward.push_back(Forward { cycle, runs }),
                _ => {}
            }
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
        let desk = Desk {
            tempo,
            is_paused: true,
            forward: VecDeque::new(),
            hurry: None,
            end: None,
            anchor: None,
            step: None,
            has_ended: false,
        };
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
            if desk.hurry.as_ref().is_some_and(|hurry| next >= hurry.to) {
                (desk.hurry, desk.anchor) = (None, None);
                self.turn.notify_all();
            }
            let wait = match desk.wait(next, Instant::now()) {
                Some(Duration::ZERO) => {
                    desk.begin_step();
                    return true;
                }
                wait => wait.unwrap_or(LOOK_PERIOD).min(LOOK_PERIOD),
            };
            desk = self.turn.wait_timeout(desk, wait).unwrap_or_else(PoisonError::into_inner).0;
            if wait == LOOK_PERIOD {
                drop(desk);
                stepper.attend();
                if self.desk().is_at_rest() {
                    stepper.show_present();
                }
                desk = self.desk();
            }
        }
    }

    pub(super) fn note(&self, step: &Step) {
        self.desk().end_step(step);
        self.turn.notify_all();
    }

    pub(super) fn note_end(&self) {
        let mut desk = self.desk();
        (desk.step, desk.has_ended) = (None, true);
        drop(desk);
        self.turn.notify_all();
    }
}

impl Desk {
    fn is_at_rest(&self) -> bool {
        self.has_ended || (self.is_paused && self.forward.is_empty() && self.hurry.is_none() && self.step.is_none())
    }

    /// Nobody wants the runs any more that were asked for.
    fn call_off(&mut self) {
        self.forward.clear();
        self.step = self.step.map(|_| Begun::Otherwise);
    }

    fn begin_step(&mut self) {
        let is_forward = self.is_paused && self.hurry.is_none() && !self.forward.is_empty();
        self.step = Some(if is_forward { Begun::ForForward } else { Begun::Otherwise });
    }

    /// A step is done. Of a cycle that was asked for, it is one run.
    fn end_step(&mut self, step: &Step) {
        if self.step.take() != Some(Begun::ForForward) {
            return;
        }
        let Some(forward) = self.forward.front_mut() else { return };
        let is_reached = match forward.cycle {
            Some(cycle) => step.cycles.contains(&cycle),
            None => !step.cycles.is_empty(),
        };
        forward.runs -= u32::from(is_reached);
        if forward.runs == 0 {
            self.forward.pop_front();
        }
    }

    /// How long it is until the step of that time is to be done; `None`: nobody knows.
    fn wait(&mut self, next: Time, now: Instant) -> Option<Duration> {
        if let Some(hurry) = self.hurry.as_mut().filter(|hurry| next + LAST_STRETCH >= hurry.to) {
            let breath = *hurry.breath.get_or_insert(now + BREATH);
            return Some(breath.saturating_duration_since(now));
        }
        if self.hurry.is_some() || (self.is_paused && !self.forward.is_empty()) {
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
