//! Looking at the values of representations while the robot runs, and when it has ended.
//!
//! Between two of its runs a cycle keeps the values that somebody wants to look at, and goes on; they stay as they are until given back.

#![expect(unsafe_code, reason = "making a witness is a promise: the robot has ended")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_model::module::BetweenRuns;
use hemiola_model::{AnyRepresentation, Representation, Time, Value};

use crate::blackboard::Blackboard;
use crate::blackboard::slot::Held;
use crate::blackboard::store::Store;
use crate::command::{Command, Mailbox};
use crate::controls::TRIES;
use crate::error::RuntimeError;
use crate::handle::RobotHandle;

/// How long a reader waits for a run to end.
const PATIENCE: Duration = Duration::from_millis(300);

/// What all cycles had in their representations at one time, as [`RobotHandle::snapshot`] takes it.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Pace, Robot};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let robot = Robot::assemble(configuration)?.start(Pace::RealTime)?;
/// let snapshot = robot.handle().snapshot();
/// for (cycle, values) in &snapshot.cycles {
///     for (representation, value) in values {
///         println!("{cycle}: {representation} was {value}");
///     }
/// }
/// assert!(snapshot.silent.is_empty(), "all cycles run");
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// When it was asked for, on the robot's clock.
    pub at: Time,
    /// By cycle: the values of its representations at the end of one of its runs, by name. Opaque ones have none.
    pub cycles: BTreeMap<String, BTreeMap<String, Value>>,
    /// The cycles that did not answer, because they do not run.
    pub silent: Vec<String>,
}

/// Representations of one cycle, and how to ask the cycle for them.
struct Asked {
    cycle: String,
    mailbox: Arc<Mutex<Mailbox>>,
    blackboard: Arc<Blackboard>,
    stores: Vec<usize>,
}

impl RobotHandle {
    /// Reads the value that a representation has at the end of a run; when the robot has ended, its last value.
    ///
    /// # Errors
    /// There is no such representation, it is opaque, its cycle does not run, or somebody else looks at it for long.
    pub fn read(&self, representation: &str) -> Result<Value, RuntimeError> {
        self.with_current(representation, |value| value.to_value())?
            .ok_or_else(|| RuntimeError::Opaque { name: representation.to_owned() })
    }

    /// Looks at the value that a representation has at the end of a run.
    ///
    /// # Errors
    /// There is no such representation, its cycle does not run, or somebody else looks at it for long.
    pub fn with_value<T: Representation, R>(&self, look: impl FnOnce(&T) -> R) -> Result<R, RuntimeError> {
        self.with_current(T::NAME, |value| value.downcast_ref::<T>().map(look))?
            .ok_or_else(|| RuntimeError::SameName { name: T::NAME.to_owned() })
    }

    /// Reads all that the cycles provide: of each cycle, the values at the end of one run. Takes as long as the slowest cycle's run; a
    /// cycle that does not run is left out. When the robot has ended, these are the last values.
    pub fn snapshot(&self) -> Snapshot {
        let at = self.now();
        let (all, has_ended) = {
            let controls = self.controls();
            let cycles = controls.cycles.iter().zip(&controls.robot.resolved.cycles);
            let all: Vec<Asked> = cycles
                .map(|(control, resolved)| Asked {
                    cycle: control.name.clone(),
                    mailbox: control.mailbox.clone(),
                    blackboard: control.blackboard.clone(),
                    stores: resolved.providers.keys().filter_map(|name| control.blackboard.store_of(name)).collect(),
                })
                .collect();
            (all, controls.state.has_ended())
        };
        let mut snapshot = Snapshot { at, cycles: BTreeMap::new(), silent: Vec::new() };
        for asked in all {
            let mut values = BTreeMap::new();
            let mut keep = |value: &AnyRepresentation| {
                if let Some(read) = value.to_value() {
                    values.insert(value.descriptor().name().to_owned(), read);
                }
            };
            let answered = if has_ended {
                // SAFETY: all threads that could change it have ended.
                let ended = unsafe { BetweenRuns::assume() };
                asked.stores.iter().for_each(|&store| keep(asked.blackboard.store(store).current(&ended)));
                Ok(())
            } else {
                asked.look(&mut keep)
            };
            match answered {
                Ok(()) => _ = snapshot.cycles.insert(asked.cycle, values),
                Err(_) => snapshot.silent.push(asked.cycle),
            }
        }
        snapshot
    }

    fn with_current<R>(
        &self,
        representation: &str,
        look: impl FnOnce(&AnyRepresentation) -> R,
    ) -> Result<R, RuntimeError> {
        let controls = self.controls();
        if controls.state.has_ended() {
            let blackboards = controls.cycles.iter().map(|cycle| &cycle.blackboard).chain(&controls.sources);
            let mut places = blackboards.filter_map(|board| Some((board.clone(), board.store_of(representation)?)));
            let (blackboard, store) = places.next().ok_or_else(|| controls.no_representation(representation))?;
            // Whoever looks may ask for another value.
            drop(controls);
            // SAFETY: all threads that could change it have ended.
            let ended = unsafe { BetweenRuns::assume() };
            return Ok(look(blackboard.store(store).current(&ended)));
        }
        let (cycle, index) = controls.store_of(representation)?;
        let (cycle, mailbox, blackboard) = (cycle.name.clone(), cycle.mailbox.clone(), cycle.blackboard.clone());
        // The cycle may be run by a stepper, which wants to look at the controls before it goes on.
        drop(controls);
        let (mut look, mut seen) = (Some(look), None);
        Asked { cycle, mailbox, blackboard, stores: vec![index] }
            .look(&mut |value| seen = look.take().map(|look| look(value)))?;
        seen.ok_or_else(|| RuntimeError::internal("a value that was pinned was not looked at"))
    }
}

impl Asked {
    /// Looks at all values at the end of one run; those that somebody else is looking at, at the end of a later one.
    fn look(&self, look: &mut dyn FnMut(&AnyRepresentation)) -> Result<(), RuntimeError> {
        let mut left = self.stores.clone();
        for _ in 0..TRIES {
            for pinned in self.pin(&mut left)? {
                pinned.held.as_ref().into_iter().for_each(|held| look(held.value()));
            }
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(RuntimeError::CycleDoesNotAnswer { cycle: self.cycle.clone() })
    }

    /// Pins what nobody else has pinned; the others are left.
    fn pin(&self, left: &mut Vec<usize>) -> Result<Vec<Pinned<'_>>, RuntimeError> {
        let pin = Command::Pin(left.iter().map(|&store| (store, None)).collect());
        let mut mailbox = self.mailbox.lock().unwrap_or_else(PoisonError::into_inner);
        let Command::Pin(values) = mailbox.perform(&self.cycle, pin, PATIENCE)? else {
            return Err(RuntimeError::internal("pinned values did not come back"));
        };
        drop(mailbox);
        left.clear();
        let pinned = values.into_iter().filter_map(|(index, held)| {
            let store = self.blackboard.store(index);
            if held.is_none() {
                left.push(index);
            }
            held.map(|held| Pinned { store, held: Some(held) })
        });
        Ok(pinned.collect())
    }
}

/// Gives a held value back, also when the one who looks at it panics: a provider must not run out of values.
struct Pinned<'s> {
    store: &'s Store,
    held: Option<Held>,
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        self.held.take().into_iter().for_each(|held| self.store.unpin(held));
    }
}
