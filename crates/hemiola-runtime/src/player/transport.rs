//! The requests to a player, and the time of its next step.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_realtime::{Wakeup, monotonic_now};

use super::Tempo;
use super::attendance::{Attendance, LOOK_PERIOD};
use crate::error::RuntimeError;
use crate::stage::Step;
use crate::stepper::Stepper;

/// A transport, which starts, pauses and paces a [`Player`](super::Player), from any thread.
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

/// The state that the player's thread and all transports share.
pub(super) struct Shared {
    desk: Mutex<Desk>,
    /// The event that is notified when the requests have changed, or a step has ended.
    turn: Wakeup,
    /// The event that is notified when the robot has news, and when the requests have changed.
    news: Arc<Wakeup>,
    cycles: Vec<String>,
}

/// The requests to the player.
struct Desk {
    tempo: Tempo,
    is_paused: bool,
    /// The runs that it executes while it is paused, in the order in which they were requested.
    forward: VecDeque<Forward>,
    /// The time up to which it executes without waiting.
    hurry: Option<Hurry>,
    /// The time at which it ends.
    end: Option<Time>,
    /// A time of the world, and the robot's time that corresponds to it.
    anchor: Option<(Instant, Time)>,
    /// The step that the player's thread executes now.
    step: Option<Begun>,
    has_ended: bool,
}

/// A number of runs, of any cycle or of one.
struct Forward {
    /// The number of the cycle.
    cycle: Option<usize>,
    runs: u32,
}

/// A request to advance to a time without waiting.
struct Hurry {
    to: Time,
    /// The time at which the last stretch begins, once the player has reached it.
    breath: Option<Instant>,
}

/// A step in progress, by its reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// The first [`Forward`], of whose runs it is one.
    ForForward,
    /// Another reason: a run that is requested during the step comes after it.
    Otherwise,
}

/// The pause before the last stretch of a hurry, in which observers receive what has arrived: then
/// they can follow, and have seen the newest values when it is over.
const BREATH: Duration = Duration::from_millis(50);
const LAST_STRETCH: Duration = Duration::from_millis(500);
/// The maximum number of different requests for runs that wait; nobody makes that many.
const MOST_FORWARD: usize = 64;

/// The maximum delay for which the player catches up.
const MOST_BEHIND: Duration = Duration::from_millis(500);

impl Transport {
    /// Begins, or resumes.
    pub fn resume(&self) {
        self.change(|desk| {
            desk.is_paused = false;
            desk.call_off();
            desk.anchor = None;
        });
    }

    /// Pauses after the present step, and drops all requests to advance.
    pub fn pause(&self) {
        self.change(|desk| {
            desk.is_paused = true;
            desk.call_off();
            desk.hurry = None;
        });
    }

    /// Returns whether it was paused, or has not begun yet.
    pub fn is_paused(&self) -> bool {
        self.0.desk().is_paused
    }

    /// Pauses after the next run of any cycle, like [`forward_by`](Self::forward_by) with one run.
    pub fn forward(&self) {
        self.go_forward(None, 1);
    }

    /// Pauses after the next run of this cycle, like [`forward_by`](Self::forward_by) with one run
    /// of it.
    ///
    /// # Errors
    /// Returns an error if there is no such cycle.
    pub fn forward_to(&self, cycle: &str) -> Result<(), RuntimeError> {
        self.forward_by(1, Some(cycle))
    }

    /// Pauses after that many runs of any cycle, or of this one. Runs that are requested while
    /// others are not executed yet come after them.
    ///
    /// # Errors
    /// Returns an error if there is no such cycle.
    pub fn forward_by(&self, runs: u32, cycle: Option<&str>) -> Result<(), RuntimeError> {
        let number = |name: &str| self.0.cycles.iter().position(|known| known == name);
        let unknown =
            |name: &str| RuntimeError::Unknown { kind: "cycle", name: name.to_owned(), known: self.0.cycles.clone() };
        let cycle = cycle.map(|name| number(name).ok_or_else(|| unknown(name))).transpose()?;
        self.go_forward(cycle, runs);
        Ok(())
    }

    /// Executes everything before that time without waiting, also while it is paused; afterwards it
    /// is paused as before.
    pub fn hurry_to(&self, time: Time) {
        self.change(|desk| desk.hurry = Some(Hurry { to: time, breath: None }));
    }

    /// Returns the pace.
    pub fn tempo(&self) -> Tempo {
        self.0.desk().tempo
    }

    /// Sets the pace.
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

    /// Returns whether it is paused, and still executes what was requested.
    pub fn is_stepping(&self) -> bool {
        let desk = self.0.desk();
        desk.is_paused && !desk.is_at_rest()
    }

    /// Returns whether it is at rest: it is paused, and has executed what was requested, or it has
    /// ended.
    pub fn is_at_rest(&self) -> bool {
        self.0.desk().is_at_rest()
    }

    /// Waits until it is at rest.
    pub fn wait_until_at_rest(&self) {
        loop {
            let seen = self.0.turn.generation();
            if self.is_at_rest() {
                return;
            }
            self.0.turn.wait(seen, None);
        }
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
        self.0.news.notify_all();
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let desk = self.0.desk();
        formatter.debug_struct("Transport").field("tempo", &desk.tempo).field("is_paused", &desk.is_paused).finish()
    }
}

impl Shared {
    pub(super) fn new(tempo: Tempo, cycles: Vec<String>, news: Arc<Wakeup>) -> Self {
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
        Self { desk: Mutex::new(desk), turn: Wakeup::new(), news, cycles }
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next step is due; returns `false` if there is none.
    pub(super) fn wait_for_turn(&self, stepper: &mut Stepper) -> bool {
        let Some(next) = stepper.upcoming() else { return false };
        let mut attendance = Attendance::after_step(Instant::now());
        loop {
            // These are read first, so that nothing that comes later is slept over.
            let (asked, news) = (self.turn.generation(), self.news.generation());
            let mut desk = self.desk();
            if stepper.handle().is_stopping() || desk.end.is_some_and(|end| stepper.now() >= end) {
                return false;
            }
            if desk.hurry.as_ref().is_some_and(|hurry| next >= hurry.to) {
                (desk.hurry, desk.anchor) = (None, None);
                self.turn.notify_all();
            }
            let now = Instant::now();
            let wait = desk.wait(next, now);
            if wait == Some(Duration::ZERO) {
                desk.begin_step();
                return true;
            }
            let is_at_rest = desk.is_at_rest();
            drop(desk);
            let due = attendance.due(news).map(|due| due.saturating_duration_since(now));
            if due == Some(Duration::ZERO) {
                let again = stepper.attend();
                let is_shown = !is_at_rest || stepper.show_present();
                attendance.note(news, now, if is_shown { again } else { Some(now) });
                continue;
            }
            let deadline = wait.into_iter().chain(due).min().map(|wait| monotonic_now() + wait);
            // News that wait until they are attended to end no sleep again.
            match attendance.is_pending(news) {
                true => self.turn.wait(asked, deadline),
                false => self.news.wait(news, deadline),
            };
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

    /// Drops the requests for runs.
    fn call_off(&mut self) {
        self.forward.clear();
        self.step = self.step.map(|_| Begun::Otherwise);
    }

    fn begin_step(&mut self) {
        let is_forward = self.is_paused && self.hurry.is_none() && !self.forward.is_empty();
        self.step = Some(if is_forward { Begun::ForForward } else { Begun::Otherwise });
    }

    /// Notes that a step has been executed, and counts its run if it was requested.
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

    /// Returns the time until the step of that time is due; `None` if that is not known.
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
        // A factor that is not a number leads nowhere.
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
