//! Access to the values of representations while the robot runs, and after it has ended.
//!
//! Between two of its runs a cycle holds the requested values, and continues; they stay unchanged
//! until they are released. Any number of readers may access values at the same time.

#![expect(unsafe_code, reason = "making a witness is a promise: the robot has ended")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::module::BetweenRuns;
use hemiola_model::{AnyRepresentation, Representation, Time, Value};

use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::observe::{Asked, Lines, Presence, Viewpoint, WhenFull};
use crate::robot_state::RobotState;

/// The time for which a reader waits for a run to end.
const PATIENCE: Duration = Duration::from_millis(300);
/// The shortest interval between two looks for values.
const LOOK_PERIOD: Duration = Duration::from_micros(200);
/// The interval between two looks as a part of the time that a reader has waited: a cycle that does
/// not run is not looked at hundreds of times.
const LOOK_PART: u32 = 8;

/// The values of all cycles' representations at one time: [`RobotHandle::capture_values`].
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::{Pace, Robot};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let robot = Robot::assemble(configuration)?.start(Pace::RealTime)?;
/// let captured = robot.handle().capture_values();
/// for (cycle, values) in &captured.cycles {
///     for (representation, value) in values {
///         println!("{cycle}: {representation} was {value}");
///     }
/// }
/// assert!(captured.silent.is_empty(), "all cycles run");
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CapturedValues {
    /// The time on the robot's clock at which they were requested.
    pub at: Time,
    /// The values of each cycle's representations at the end of one of its runs, by cycle and name.
    /// Opaque representations are missing.
    pub cycles: BTreeMap<String, BTreeMap<String, Value>>,
    /// The cycles that did not respond, because they do not run.
    pub silent: Vec<String>,
}

/// The representations of one cycle that are accessed, and its viewpoint.
struct Looked {
    viewpoint: Arc<Viewpoint>,
    stores: Vec<usize>,
}

impl RobotHandle {
    /// Reads the value that a representation has at the end of a run, or, if the robot has ended,
    /// its last value.
    ///
    /// # Errors
    /// Returns an error if there is no such representation, it is opaque, or its cycle does not
    /// run.
    pub fn read(&self, representation: &str) -> Result<Value, RuntimeError> {
        self.with_current(representation, |value| value.to_value())?
            .ok_or_else(|| RuntimeError::Opaque { name: representation.to_owned() })
    }

    /// Calls `look` with the value that a representation has at the end of a run.
    ///
    /// # Errors
    /// Returns an error if there is no such representation, or its cycle does not run.
    pub fn with_value<T: Representation, R>(&self, look: impl FnOnce(&T) -> R) -> Result<R, RuntimeError> {
        self.with_current(T::NAME, |value| value.downcast_ref::<T>().map(look))?
            .ok_or_else(|| RuntimeError::SameName { name: T::NAME.to_owned() })
    }

    /// Reads everything that the cycles provide: for each cycle, the values at the end of one run.
    /// It takes as long as the slowest cycle's run; a cycle that does not run is skipped. If the
    /// robot has ended, these are the last values.
    pub fn capture_values(&self) -> CapturedValues {
        let at = self.now();
        let (all, ended) = {
            let robot = self.present();
            let resolved = robot.resolved.cycles.iter().enumerate();
            let all: Vec<Looked> = resolved
                .filter_map(|(index, resolved)| {
                    let viewpoint = self.viewpoints().cycle(index)?.clone();
                    let stores = resolved.providers.keys().filter_map(|name| viewpoint.blackboard.store_of(name));
                    Some(Looked { stores: stores.collect(), viewpoint })
                })
                .collect();
            (all, ended(self.state()))
        };
        let mut captured = CapturedValues { at, cycles: BTreeMap::new(), silent: Vec::new() };
        for looked in all {
            let mut values = BTreeMap::new();
            let mut keep = |value: &AnyRepresentation| {
                if let Some(read) = value.to_value() {
                    values.insert(value.descriptor().name().to_owned(), read);
                }
            };
            let answered = if let Some(ended) = &ended {
                let blackboard = &looked.viewpoint.blackboard;
                looked.stores.iter().for_each(|&store| keep(blackboard.store(store).current(ended)));
                Ok(())
            } else {
                looked.look(self.state(), &mut keep)
            };
            let cycle = looked.viewpoint.name.to_string();
            match answered {
                Ok(()) => _ = captured.cycles.insert(cycle, values),
                Err(_) => captured.silent.push(cycle),
            }
        }
        captured
    }

    fn with_current<R>(
        &self,
        representation: &str,
        look: impl FnOnce(&AnyRepresentation) -> R,
    ) -> Result<R, RuntimeError> {
        let robot = self.present();
        let unknown = || robot.no_representation(representation);
        if let Some(ended) = ended(self.state()) {
            let blackboards = self.viewpoints().all().iter().map(|viewpoint| &viewpoint.blackboard);
            let mut places = blackboards.filter_map(|board| Some((board, board.store_of(representation)?)));
            let (blackboard, store) = places.next().ok_or_else(unknown)?;
            return Ok(look(blackboard.store(store).current(&ended)));
        }
        let mut cycles = robot.resolved.cycles.iter();
        let provider = cycles.position(|cycle| cycle.providers.contains_key(representation)).ok_or_else(unknown)?;
        let viewpoint = self.viewpoints().cycle(provider).ok_or_else(unknown)?.clone();
        let store = viewpoint.blackboard.store_of(representation).ok_or_else(unknown)?;
        let looked = Looked { viewpoint, stores: vec![store] };
        let (mut look, mut seen) = (Some(look), None);
        looked.look(self.state(), &mut |value| seen = look.take().map(|look| look(value)))?;
        seen.ok_or_else(|| RuntimeError::internal("a value that was pinned was not looked at"))
    }
}

/// Returns the witness that no cycle of a robot that has ended will ever run again.
fn ended(state: &RobotState) -> Option<BetweenRuns<'static>> {
    // SAFETY: all threads that could change anything have ended; whoever has this only reads.
    state.has_ended().then(|| unsafe { BetweenRuns::assume() })
}

impl Looked {
    /// Calls `look` with all values at the end of one run.
    fn look(&self, state: &RobotState, look: &mut dyn FnMut(&AnyRepresentation)) -> Result<(), RuntimeError> {
        let presence = Presence::new();
        let asked = Asked {
            stores: self.stores.iter().map(|&store| (store, Duration::ZERO)).collect(),
            once: true,
            ..Asked::default()
        };
        let Some(Lines { values: Some(mut line), .. }) = self.viewpoint.observe(asked, &presence, WhenFull::Drop)?
        else {
            return Ok(());
        };
        // A player that waits for its next step attends to this. Cycles on threads of their own do
        // so at the end of a run.
        if state.clock().due(Time::ZERO).is_none() {
            state.news().notify_all();
        }
        let begin = Instant::now();
        for _ in &self.stores {
            let held = loop {
                match line.take() {
                    Some(held) => break held,
                    None if begin.elapsed() > PATIENCE => {
                        presence.leave();
                        return Err(RuntimeError::CycleDoesNotAnswer { cycle: self.viewpoint.name.to_string() });
                    }
                    None => std::thread::sleep(LOOK_PERIOD.max(begin.elapsed() / LOOK_PART)),
                }
            };
            look(line.see(held, 0).value());
        }
        Ok(())
    }
}
