//! Puts what happens into words.
//!
//! Modules publish events with a few stores and go on. Callbacks on a thread of no importance put
//! them into words and hand them to the scribe, an actor that owns the text.

use std::time::Duration;

use hemiola::bus::{Actor, ActorHandle, BusError, Executor, Priority, RunningExecutor, WhenFull};
use hemiola::realtime::{ThreadSettings, spawn};
use hemiola::{Representation, RobotHandle, Time};

use crate::NaoError;
use crate::representations::events::{Fell, Remark, WhistleHeard};

/// Writes down what the robot tells, for as long as it lives.
pub struct Announcer {
    scribe: ActorHandle<Scribe>,
    /// Below the handle: its callbacks have handles, too, and the scribe ends with the last of
    /// them.
    _events: RunningExecutor,
}

#[derive(Default)]
struct Scribe {
    lines: Vec<String>,
    /// How many lines there were, with those that are forgotten.
    count: usize,
}

/// The oldest of more lines are forgotten.
const MOST_LINES: usize = 1000;
/// So many events of each kind and publisher, and so many lines, may wait.
const CAPACITY: usize = 64;

impl Announcer {
    /// Listens to the robot's events from now on.
    ///
    /// # Errors
    /// A topic carries something else, or there is no thread to be had.
    pub fn start(robot: &RobotHandle) -> Result<Self, NaoError> {
        let (mut actor, scribe) = Actor::new(Scribe::default(), CAPACITY);
        robot.bus().list_actor("scribe", &actor);
        let mut events = robot.executor("announcer")?;
        tell(&mut events, robot, &scribe, |whistle: &WhistleHeard| (whistle.began, "hears a whistle".to_owned()))?;
        tell(&mut events, robot, &scribe, |fall: &Fell| {
            (fall.at, format!("falls, {:.0}° inclined", fall.inclination.to_degrees()))
        })?;
        tell(&mut events, robot, &scribe, |remark: &Remark| (remark.at, remark.text.clone()))?;
        spawn(ThreadSettings::new("scribe"), move || actor.run_until_closed())?;
        Ok(Self { scribe, _events: events.spawn(ThreadSettings::new("announcer"))? })
    }

    /// The last lines, at most so many, after how many others.
    pub fn last_lines(&mut self, most: usize) -> (usize, Vec<String>) {
        let last = move |scribe: &mut Scribe| {
            let lines = &scribe.lines[scribe.lines.len().saturating_sub(most)..];
            (scribe.count - lines.len(), lines.to_vec())
        };
        self.scribe.call(last, Duration::from_millis(100)).unwrap_or_default()
    }
}

/// Lets each event of that kind become a line.
fn tell<E: Representation>(
    events: &mut Executor,
    robot: &RobotHandle,
    scribe: &ActorHandle<Scribe>,
    words: fn(&E) -> (Time, String),
) -> Result<(), BusError> {
    let topic = robot.bus().topic(E::NAME)?;
    let mut scribe = scribe.clone();
    events.subscribe(&topic, Priority(1), CAPACITY, WhenFull::DropOldest, move |event: &E| {
        let (time, words) = words(event);
        // A scribe that is behind by 64 lines does without some; none is behind for long.
        _ = scribe.send(move |scribe| scribe.write(time, &words));
    })?;
    Ok(())
}

impl Scribe {
    fn write(&mut self, time: Time, words: &str) {
        if self.lines.len() == MOST_LINES {
            self.lines.remove(0);
        }
        self.lines.push(format!("{:5.1} s  {words}", time.seconds()));
        self.count += 1;
    }
}
