mod changes;
mod executors;
mod health;
mod upkeep;

pub use health::CycleHealth;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::Time;
use hemiola_realtime::ThreadReport;
use hemiola_trace::{Capture, Catalog, Profile, Report, TickScale};

use crate::controls::Controls;
use crate::error::RuntimeError;
use crate::journal::JournalEntry;
use crate::lock::lock_if_free;
use crate::monitor::{DebugRecords, LatencyBounds, Message, Monitor};
use crate::observe::topics::TopicTap;
use crate::observe::values::Tap;
use crate::record::{Bounded, Change, ChangeNumber};
use crate::robot_state::RobotState;
use crate::safe_state::{Cause, SafeStateCause, SafeStateEntry};

/// Looks at a running robot and changes it. Cheap to clone; usable from any thread but the real-time ones.
///
/// Everything that takes time (resolving, planning, making modules) happens on the calling thread; the cycle exchanges a
/// pointer between two of its runs.
///
/// ```
/// use hemiola_runtime::{Pace, Robot};
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let running = Robot::assemble(configuration)?.start(Pace::RealTime)?;
/// let handle = running.handle().clone();
/// std::thread::spawn(move || handle.enter_safe_state()).join().unwrap(); // a person has pressed the button
/// assert!(running.stop().is_in_safe_state());
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone)]
pub struct RobotHandle {
    controls: Arc<Mutex<Controls>>,
    /// Whoever needs both locks the controls first.
    monitor: Arc<Mutex<Monitor>>,
    /// The same as the controls', which a change may hold for long.
    state: Arc<RobotState>,
}

impl RobotHandle {
    pub(crate) fn new(controls: Controls, monitor: Monitor) -> Self {
        let state = controls.state.clone();
        Self { controls: Arc::new(Mutex::new(controls)), monitor: Arc::new(Mutex::new(monitor)), state }
    }

    /// Writes all events from now on into a trace for Perfetto.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn start_trace(&self, path: impl AsRef<Path>) -> Result<(), RuntimeError> {
        self.monitor().start_trace(path.as_ref())
    }

    /// Ends the trace; tells where it is, if there was one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn stop_trace(&self) -> Result<Option<PathBuf>, RuntimeError> {
        self.monitor().stop_trace()
    }

    /// What the robot was asked to pass on to a recorder ([`Robot::tapped`](crate::Robot::tapped)); `None` if nothing was, or somebody has it.
    pub fn take_tap(&self) -> Option<Tap> {
        let mut controls = self.controls();
        let (lines, transcripts) = (std::mem::take(&mut controls.taps), std::mem::take(&mut controls.transcripts));
        let checkpoints = std::mem::take(&mut controls.checkpoints);
        let is_empty = lines.is_empty() && transcripts.is_empty() && checkpoints.is_empty();
        (!is_empty).then(|| Tap::new(lines, transcripts).with_checkpoints(checkpoints))
    }

    /// The names of the robot's sources, in the order in which snapshots speak of them.
    pub fn sources(&self) -> Vec<String> {
        self.controls().robot.sources.iter().map(|source| source.name().to_owned()).collect()
    }

    /// To record the messages of topics. There shall be one at a time: a stepped robot waits for it.
    pub fn tap_topics(&self) -> TopicTap {
        TopicTap::new(&self.state, self.monitor().scale().clone())
    }

    /// The newest events of all workers, with what is needed to read them.
    pub fn capture(&self) -> (Capture, Catalog, TickScale) {
        let monitor = self.monitor();
        (monitor.capture(), monitor.catalog().clone(), monitor.scale().clone())
    }

    /// Timing figures so far.
    pub fn report(&self) -> Report {
        self.monitor().statistics().report()
    }

    /// Forgets the timing figures so far.
    pub fn clear_statistics(&self) {
        self.monitor().clear_statistics();
    }

    /// Measured durations so far, over those of earlier runs.
    pub fn profile(&self) -> Profile {
        let before = self.controls().robot.profile.clone();
        self.updated(before)
    }

    /// What was measured in this run alone.
    pub fn measured(&self) -> Profile {
        self.monitor().statistics().profile()
    }

    fn updated(&self, mut profile: Profile) -> Profile {
        profile.update(self.measured());
        profile
    }

    /// Compares response times of cycles, and reaction times and data ages of chains, with these bounds from now on, instead of those before.
    ///
    /// An observed latency above its bound is a message and an entry of the journal ([`JournalEvent::Exceedance`](crate::JournalEvent::Exceedance)), and so in
    /// the log, with its cause: an execution time beyond its assumed maximum, a preemption, a core that stood still, a late timer. It is worked out
    /// from the events of all workers on the thread that gathers them, some ten milliseconds later; cycles do nothing for it. At most four are
    /// explained in a second, the others are counted.
    ///
    /// Latencies are times of the world: for a robot that is stepped they say how fast this machine computes it.
    ///
    /// ```
    /// use hemiola_runtime::{JournalEvent, LatencyBounds, Robot};
    /// use std::time::Duration;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// let robot = stepper.handle().clone();
    /// robot.watch_bounds(LatencyBounds::default().response("motion", Duration::from_nanos(1)));
    /// stepper.run_for(Duration::from_secs(1));
    /// assert!(robot.exceedances().into_values().sum::<u64>() >= 100); // that was too much to ask
    /// let told = robot.journal(0).into_iter().filter(|entry| matches!(entry.event, JournalEvent::Exceedance(_)));
    /// assert!((1..=4).contains(&told.count()));
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn watch_bounds(&self, bounds: LatencyBounds) {
        self.monitor().watch_bounds(bounds);
    }

    /// How often which bound was exceeded, told or not.
    pub fn exceedances(&self) -> BTreeMap<Bounded, u64> {
        self.monitor().exceedances()
    }

    /// Messages that were not fetched yet: failures, refusals of the operating system.
    pub fn new_messages(&self) -> Vec<Message> {
        self.monitor().new_messages()
    }

    /// All messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.monitor().messages()
    }

    /// What happened from the entry of this number on, and is still known: a few thousand entries are. For who records it.
    pub fn journal(&self, number: u64) -> Vec<JournalEntry> {
        self.monitor().journal(number)
    }

    /// The same without waiting for who else looks at the robot at present: then it is `None`, and to be asked for again.
    pub fn try_journal(&self, number: u64) -> Option<Vec<JournalEntry>> {
        lock_if_free(&self.monitor).map(|monitor| monitor.journal(number))
    }

    /// Starts keeping plots and drawings of updates, or ends it. While nobody watches they cost updates next to nothing.
    pub fn watch(&self, watched: bool) {
        self.state.set_watched(watched);
    }

    /// Plots and drawings of updates since the last call; see [`watch`](Self::watch).
    pub fn debug_records(&self) -> DebugRecords {
        self.monitor().take_watched()
    }

    /// The robot's topics: what modules publish can be heard there, and what is published there is heard by modules.
    pub fn bus(&self) -> &Bus {
        self.state.bus()
    }

    /// The framework's clock, for timers and executors of one's own.
    pub fn clock(&self) -> &Arc<RobotClock> {
        self.state.clock()
    }

    /// What the framework's clock shows.
    pub fn now(&self) -> Time {
        self.state.clock().now()
    }

    /// Puts the robot into its safe state. It stays there until [`leave_safe_state`](Self::leave_safe_state) is called.
    pub fn enter_safe_state(&self) {
        if self.state.enter_safe_state(Cause::Request) {
            self.note_change(Change::EnterSafeState, None);
            self.note("the robot enters its safe state, because it was asked to".to_owned());
        }
    }

    /// Ends the safe state, which the robot never does by itself: a person decides that it is safe to go on.
    pub fn leave_safe_state(&self) {
        if self.state.leave_safe_state() {
            self.note_change(Change::LeaveSafeState, None);
            self.note("the robot leaves its safe state, because it was asked to".to_owned());
        }
    }

    /// Since when the robot is in its safe state, and why; `None` if it is not in it.
    pub fn safe_state(&self) -> Option<SafeStateEntry> {
        let (since, cause) = self.state.safe_state_entry()?;
        let cause = match cause {
            Cause::Request => SafeStateCause::Request,
            Cause::Silence(cycle) => {
                SafeStateCause::Silence { cycle: self.monitor().catalog().read().cycle_name(cycle) }
            }
            Cause::Failure(task) => SafeStateCause::Failure { update: self.monitor().catalog().read().task_name(task) },
            Cause::Fault => SafeStateCause::Fault,
        };
        Some(SafeStateEntry { since, cause })
    }

    /// What makes the robot's run end with an error, if something does: a thread that ended without being asked to, or a module that cannot be
    /// dropped. The first of it; all of it is told by messages.
    pub fn fault(&self) -> Option<RuntimeError> {
        self.state.faults().first().map(|fault| fault.error())
    }

    /// All threads have ended: lets go of the modules.
    pub(crate) fn end_modules(&self) {
        self.controls().end_modules();
    }

    /// Whether the robot is in its safe state.
    pub fn is_in_safe_state(&self) -> bool {
        self.state.safe_state().is_active()
    }

    /// Stops the robot; its threads end soon.
    pub fn stop(&self) {
        self.state.stop();
    }

    /// Whether the robot was stopped.
    pub fn is_stopping(&self) -> bool {
        self.state.is_stopping()
    }

    /// Missed deadlines and lost inputs of each cycle so far, by name.
    pub fn health(&self) -> BTreeMap<String, CycleHealth> {
        let controls = self.controls();
        let cycles = controls.cycles.iter();
        cycles.map(|cycle| (cycle.name.clone(), CycleHealth::of(cycle))).collect()
    }

    pub(crate) fn note_end(&self) {
        self.state.note_end();
    }

    /// Adds to what people should know: [`new_messages`](Self::new_messages).
    pub fn note(&self, text: String) {
        self.monitor().note(text);
    }

    /// Says that a change from outside has come into force.
    pub(crate) fn note_change(&self, change: Change, number: Option<ChangeNumber>) {
        self.monitor().note_change(change, number);
    }

    pub(crate) fn note_denials(&self, report: &ThreadReport) {
        self.monitor().note_denials(report.denials());
    }

    pub(crate) fn controls(&self) -> MutexGuard<'_, Controls> {
        // A panic while this was locked left at worst a change half described; the cycles are not concerned.
        self.controls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn monitor(&self) -> MutexGuard<'_, Monitor> {
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RobotHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RobotHandle").field("now", &self.now()).finish_non_exhaustive()
    }
}
