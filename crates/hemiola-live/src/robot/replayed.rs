//! The transport of a replay: a log that is replayed by the robot's own program.
//!
//! Unlike a log that is only viewed, a replay has one time for all clients. A request of one client
//! affects all of them, so it requires the right to change the robot.

use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, RobotHandle, Tempo, Transport};
use serde_json::{Value, json};

use crate::door::outbox::Outbox;
use crate::protocol::JournalText;
use crate::transport::{Playing, checked_speed};

/// The replay that a robot runs, and its transport.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The transport of the player.
    pub transport: Transport,
    /// The time of the robot's clock from which on clients can connect.
    pub begin: Time,
    /// The time of the robot's clock at the end of the replay.
    pub end: Time,
    /// The journal of the recorded robot, sorted by time.
    pub events: Vec<JournalEntry>,
}

/// The length of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stride {
    /// The given number of runs, of one cycle or of all.
    Runs(u32, Option<String>),
    /// The distance to the next recorded event and the first run after it.
    Event,
}

/// The most runs of a step.
const MOST_RUNS: u32 = 10_000;

impl Replayed {
    /// Adds the times of the replay to the welcome.
    pub fn add_to(&self, welcome: &mut Value) {
        welcome["begin"] = json!(self.begin.nanoseconds());
        welcome["end"] = json!(self.end.nanoseconds());
    }

    /// Returns the recorded events as entries of a journal.
    pub fn recorded(&self) -> Value {
        json!({"entries": self.events.iter().cloned().map(JournalText::from).collect::<Vec<_>>()})
    }

    /// Resumes the replay.
    ///
    /// # Errors
    /// Returns an error if the speed is not valid.
    pub fn play(&self, speed: Option<f64>) -> Result<(), String> {
        if let Some(speed) = speed {
            self.transport.set_tempo(Tempo::Factor(checked_speed(speed)?));
        }
        self.transport.resume();
        Ok(())
    }

    /// Pauses the replay.
    pub fn pause(&self) {
        self.transport.pause();
    }

    /// Advances by a step, and then pauses.
    ///
    /// # Errors
    /// Returns an error if such a step is not possible.
    pub fn step(&self, now: Time, stride: &Stride) -> Result<(), String> {
        match stride {
            Stride::Runs(runs @ 1..=MOST_RUNS, cycle) => {
                self.transport.forward_by(*runs, cycle.as_deref()).map_err(|error| error.to_string())
            }
            Stride::Runs(..) => Err(format!("a step must have 1 to {MOST_RUNS} runs")),
            Stride::Event => {
                let next = self.events.iter().find(|event| event.at > now);
                let next = next.ok_or_else(|| format!("nothing was recorded after {}: only runs follow", show(now)))?;
                self.transport.pause();
                self.transport.hurry_to(next.at);
                // An event between two runs has passed with the second run, and from then on
                // another event is the next one.
                self.transport.forward();
                Ok(())
            }
        }
    }

    /// Advances to a time without waiting, and then continues as before.
    ///
    /// # Errors
    /// Returns an error if the time has passed, because what a robot has computed cannot be undone.
    pub fn seek(&self, now: Time, time: Time) -> Result<(), String> {
        if time < now {
            let time = time.max(Time::ZERO);
            return Err(format!(
                "a replay goes forward only: it is at {}, and {} has passed. Use `--from {}` to begin there, or `hemiola view` to move freely within the log itself",
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

/// Formats a time as `12.345 s`.
fn show(time: Time) -> String {
    format!("{:.3} s", time.seconds())
}

/// The state of the replay, and its way to a client.
#[derive(Default)]
pub struct TransportStream {
    /// The state that was last sent to the client, and when.
    told: Option<(Playing, Instant)>,
}

/// The period at which a client is sent the time while it passes.
const TOLD: Duration = Duration::from_millis(250);

impl TransportStream {
    /// Sends the state if it has changed: at once, or periodically if only the time has changed.
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

    /// Makes the next call of [`send`](Self::send) send the state again.
    pub fn forget(&mut self) {
        self.told = None;
    }
}
