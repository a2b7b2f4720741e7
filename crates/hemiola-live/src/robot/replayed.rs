//! The transport of a replay: the log of a robot that is played through the robot's own program.
//!
//! Unlike a log that is only looked at, there is one time for all clients: what one of them asks
//! for happens to all, so it takes the right to change the robot.

use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, RobotHandle, Tempo, Transport};
use serde_json::{Value, json};

use crate::door::outbox::Outbox;
use crate::protocol::JournalText;
use crate::transport::{Playing, checked_speed};

/// What a robot repeats, and what paces it.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Of its player.
    pub transport: Transport,
    /// What its clock showed when somebody could look at it for the first time.
    pub begin: Time,
    /// What its clock will show at its end.
    pub end: Time,
    /// What happened to the robot when it was recorded, in the order of the times.
    pub events: Vec<JournalEntry>,
}

/// How far a step goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stride {
    /// So many runs, of any cycle or of one.
    Runs(u32, Option<String>),
    /// To the next thing that happened when it was recorded, and the first run after it.
    Event,
}

/// So many runs are one step.
const MOST_RUNS: u32 = 10_000;

impl Replayed {
    /// What clients are told of all of it.
    pub fn add_to(&self, welcome: &mut Value) {
        welcome["begin"] = json!(self.begin.nanoseconds());
        welcome["end"] = json!(self.end.nanoseconds());
    }

    /// What happened when it was recorded, as entries of a journal.
    pub fn recorded(&self) -> Value {
        json!({"entries": self.events.iter().cloned().map(JournalText::from).collect::<Vec<_>>()})
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// The speed is none.
    pub fn play(&self, speed: Option<f64>) -> Result<(), String> {
        if let Some(speed) = speed {
            self.transport.set_tempo(Tempo::Factor(checked_speed(speed)?));
        }
        self.transport.resume();
        Ok(())
    }

    /// Lets it stand still.
    pub fn pause(&self) {
        self.transport.pause();
    }

    /// Goes a step on, and stands still then.
    ///
    /// # Errors
    /// There is no such step.
    pub fn step(&self, now: Time, stride: &Stride) -> Result<(), String> {
        match stride {
            Stride::Runs(runs @ 1..=MOST_RUNS, cycle) => {
                self.transport.forward_by(*runs, cycle.as_deref()).map_err(|error| error.to_string())
            }
            Stride::Runs(..) => Err(format!("a step is 1 to {MOST_RUNS} runs")),
            Stride::Event => {
                let next = self.events.iter().find(|event| event.at > now);
                let next =
                    next.ok_or_else(|| format!("nothing was recorded after {}: there are runs only", show(now)))?;
                self.transport.pause();
                self.transport.hurry_to(next.at);
                // What happens between two runs is over with the second one: from there on another
                // event is next.
                self.transport.forward();
                Ok(())
            }
        }
    }

    /// Goes on to a time without waiting, and then on as before.
    ///
    /// # Errors
    /// It is over: what a robot has computed cannot be undone.
    pub fn seek(&self, now: Time, time: Time) -> Result<(), String> {
        if time < now {
            let time = time.max(Time::ZERO);
            return Err(format!(
                "a replay goes forward only: it is at {}, and {} is over. `--from {}` begins there; `hemiola view` goes back in the log itself",
                show(now),
                show(time),
                show(time).replace(' ', ""),
            ));
        }
        self.transport.hurry_to(time.min(self.end));
        Ok(())
    }

    fn playing(&self, handle: &RobotHandle) -> Playing {
        let speed = match self.transport.tempo() {
            Tempo::Factor(factor) => factor,
            Tempo::AsFastAsPossible => f64::INFINITY,
        };
        Playing {
            time: handle.now().nanoseconds(),
            speed,
            is_playing: !self.transport.is_paused(),
            is_stepping: self.transport.is_stepping(),
        }
    }
}

/// `12.345 s`
fn show(time: Time) -> String {
    format!("{:.3} s", time.seconds())
}

/// How the replay goes, on its way to a client.
#[derive(Default)]
pub struct TransportStream {
    /// What the client knows, and since when.
    told: Option<(Playing, Instant)>,
}

/// A client is told the time so often while it goes on.
const TOLD: Duration = Duration::from_millis(250);

impl TransportStream {
    /// Tells what the client does not know: at once when something other than the time has changed.
    pub fn send(&mut self, replayed: &Replayed, handle: &RobotHandle, out: &mut Outbox) {
        let playing = replayed.playing(handle);
        let is_known = self.told.is_some_and(|(told, since)| {
            let is_same = Playing { time: told.time, ..playing } == told;
            let is_at_rest = !playing.is_playing && !playing.is_stepping;
            is_same && (told.time == playing.time || (!is_at_rest && since.elapsed() < TOLD))
        });
        if !is_known {
            self.told = Some((playing, Instant::now()));
            out.send(&playing.event());
        }
    }

    /// Tells it anew.
    pub fn forget(&mut self) {
        self.told = None;
    }
}
