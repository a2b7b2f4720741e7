//! The output that modules show under some names, gathered into the messages of logs.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_model::module::{DebugContent, DebugRecord};
use hemiola_recording::shown::{Gathered, Message};
use hemiola_runtime::{Observation, Observer, RobotHandle};

use crate::door::outbox::Outbox;
use crate::whole::clock::Clock;

/// The output of modules under some names. While it exists, modules compute it.
pub struct Showing {
    /// The observers of the modules, and the names that they observe.
    seen: Vec<Observer>,
    names: BTreeSet<&'static str>,
    gathered: Gathered,
    /// The time at which the last record arrived.
    came: Instant,
}

/// The time without records after which the drawing of the last run is complete. It is needed
/// because the next run may be a long time away.
const QUIET: Duration = Duration::from_millis(250);

impl Showing {
    /// Creates one that shows nothing yet. Drawings in these spaces lie over images.
    pub fn over(images: BTreeSet<String>) -> Self {
        Self { seen: Vec::new(), names: BTreeSet::new(), gathered: Gathered::over(images), came: Instant::now() }
    }

    /// Shows these names as well.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn show(&mut self, handle: &RobotHandle, names: &BTreeSet<&'static str>) -> Result<(), String> {
        let new: BTreeSet<_> = names.difference(&self.names).copied().collect();
        if !new.is_empty() {
            self.seen.push(observe(handle, &new)?);
            self.names.extend(new);
        }
        Ok(())
    }

    /// Shows these names and no others.
    ///
    /// # Errors
    /// Returns an error if the robot has stopped.
    pub fn show_only(&mut self, handle: &RobotHandle, names: BTreeSet<&'static str>) -> Result<(), String> {
        if names != self.names {
            // Without names, an observer would be asked for nothing but the names that exist.
            self.seen = if names.is_empty() { Vec::new() } else { vec![observe(handle, &names)?] };
            self.names = names;
        }
        Ok(())
    }

    /// Passes all records that have arrived to `look`, and all messages that are complete to
    /// `send`. All times are converted by `clock`. Images for a congested client are dropped.
    pub fn drain(
        &mut self,
        clock: Clock,
        out: &mut Outbox,
        mut look: impl FnMut(&DebugRecord),
        mut send: impl FnMut(Message, &mut Outbox),
    ) {
        let Self { seen, gathered, came, .. } = self;
        for observer in seen {
            while let Some(mut record) = observer.next_debug() {
                *came = Instant::now();
                if matches!(record.content, DebugContent::Image(_)) && out.is_congested() {
                    continue;
                }
                record.time = Time::from_nanoseconds(clock.convert(record.time.nanoseconds()));
                look(&record);
                gathered.add(&record).into_iter().for_each(|message| send(message, out));
            }
        }
        let complete = match came.elapsed() < QUIET {
            true => gathered.take_complete(),
            false => gathered.take_all(),
        };
        complete.into_iter().for_each(|message| send(message, out));
    }
}

fn observe(handle: &RobotHandle, names: &BTreeSet<&'static str>) -> Result<Observer, String> {
    let observation = Observation::default().with_debug_named(names.iter().copied());
    handle.observe(observation).map_err(|error| error.to_string())
}
