//! Turns events into sentences.
//!
//! Modules publish events with a few stores and continue. Callbacks on a thread without real-time
//! priority turn them into sentences and send them to the scribe, an actor that owns the text.

use std::time::Duration;

use hemiola::bus::{Actor, ActorHandle, BusError, Executor, Priority, RunningExecutor, WhenFull};
use hemiola::realtime::{ThreadSettings, spawn};
use hemiola::{Representation, RobotHandle, Time};

use crate::NaoError;
use crate::representations::events::{Fell, Remark, WhistleHeard};

/// Collects the robot's events as text until it is dropped.
pub struct Announcer {
    scribe: ActorHandle<Scribe>,
    /// Declared after the handle: its callbacks hold handles, too, and the scribe ends with the
    /// last of them.
    _events: RunningExecutor,
}

#[derive(Default)]
struct Scribe {
    lines: Vec<String>,
    /// The number of lines so far, including those that were dropped.
    count: usize,
}

/// The maximum number of lines that are kept; older ones are dropped.
const MOST_LINES: usize = 1000;
/// The capacity of the queues of each kind of event and publisher, and of that of lines.
const CAPACITY: usize = 64;

impl Announcer {
    /// Subscribes to the robot's events.
    ///
    /// # Errors
    /// A topic carries messages of another type, or no thread can be started.
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

    /// Returns the number of earlier lines, and up to `most` of the last lines.
    pub fn last_lines(&mut self, most: usize) -> (usize, Vec<String>) {
        let last = move |scribe: &mut Scribe| {
            let lines = &scribe.lines[scribe.lines.len().saturating_sub(most)..];
            (scribe.count - lines.len(), lines.to_vec())
        };
        self.scribe.call(last, Duration::from_millis(100)).unwrap_or_default()
    }
}

/// Subscribes to a kind of event, and turns each into a line.
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
        // If 64 lines wait for the scribe, further ones are dropped; it is never behind for long.
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
