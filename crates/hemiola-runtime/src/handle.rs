use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola_bus::{Bus, Executor, RobotClock};
use hemiola_model::data::ValueReader;
use hemiola_model::{Time, Value};
use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
use hemiola_realtime::ThreadReport;
use hemiola_trace::{Capture, Catalog, Profile, Report, TickScale};

use crate::command::Command;
use crate::controls::{Controls, CycleControl, Posted, TRIES, lock_if_free};
use crate::error::RuntimeError;
use crate::monitor::{DebugRecords, Message, Monitor};
use crate::robot::durations_from;
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

/// So many calls of an executor are kept until they are gathered, many times a second.
const EXECUTOR_EVENTS: usize = 4096;
/// How long replanning waits; most cycles run more often than that.
const REPLAN_PATIENCE: Duration = Duration::from_millis(200);

impl RobotHandle {
    pub(crate) fn new(controls: Controls, monitor: Monitor) -> Self {
        let state = controls.state.clone();
        Self { controls: Arc::new(Mutex::new(controls)), monitor: Arc::new(Mutex::new(monitor)), state }
    }

    /// Lets another module provide a representation, from the next run on. The module that provided it ends if nothing else of
    /// it is needed; a new one starts with the configured parameters.
    ///
    /// # Errors
    /// There is no such module, or the modules do not fit together then; nothing is changed.
    pub fn switch_provider(&self, representation: &str, module: &str) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        let mut system = controls.robot.system.clone();
        system.providers.insert(representation.to_owned(), module.to_owned());
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        let before = std::mem::replace(&mut controls.robot.system, system);
        let before = (before, std::mem::replace(&mut controls.robot.resolved, resolved));
        for index in 0..controls.cycles.len() {
            let unchanged = controls.robot.resolved.cycles[index] == before.1.cycles[index];
            if unchanged {
                continue;
            }
            if let Err(error) = controls.install(index, &profile, None) {
                if !matches!(error, RuntimeError::CycleDoesNotAnswer { .. }) {
                    (controls.robot.system, controls.robot.resolved) = before;
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Changes a parameter of a module, in all cycles that it runs in.
    ///
    /// # Errors
    /// There is no such module or parameter, or the value does not fit; nothing is changed.
    pub fn set_parameter(&self, module: &str, parameter: &str, value: Value) -> Result<(), RuntimeError> {
        let mut controls = self.controls();
        let modules = controls.robot.modules.clone();
        let Some(descriptor) = modules.iter().find(|known| known.name == module) else {
            let known = modules.iter().map(|module| module.name.to_owned()).collect();
            return Err(RuntimeError::Unknown { kind: "module", name: module.to_owned(), known });
        };
        let mut values = controls.parameters.get(module).cloned().unwrap_or_default();
        values.insert(parameter.to_owned(), value);
        let failed = |errors| RuntimeError::Parameters { name: module.to_owned(), errors };
        // Also for a module that no cycle uses at present.
        descriptor.check(&values).map_err(failed)?;
        for cycle in &controls.cycles {
            if let Some(instance) = cycle.instances.get(module) {
                let parameters = instance.prepare(&values).map_err(failed)?;
                cycle.set_parameters(instance, parameters)?;
            }
        }
        // New instances start with it as well.
        controls.robot.configuration.modules.entry(module.to_owned()).or_default().parameters.clone_from(&values);
        controls.parameters.insert(module.to_owned(), values);
        Ok(())
    }

    /// Shows this value of a representation from the next run on, whatever its provider says.
    ///
    /// # Errors
    /// There is no such representation, it is opaque, or the value does not fit it.
    pub fn override_representation(&self, representation: &str, value: &Value) -> Result<(), RuntimeError> {
        let controls = self.controls();
        let (cycle, store) = controls.store_of(representation)?;
        let descriptor = cycle.blackboard.store(store).descriptor();
        let mut made = descriptor.create();
        match made.read(&mut ValueReader::new(value)) {
            Ok(true) => {}
            Ok(false) => return Err(RuntimeError::Opaque { name: representation.to_owned() }),
            Err(error) => return Err(RuntimeError::Value { name: representation.to_owned(), error }),
        }
        for _ in 0..TRIES {
            match cycle.perform(Command::Override { store, value: made, done: false })? {
                Command::Override { done: true, .. } => return Ok(()),
                Command::Override { value, .. } => made = value,
                _ => return Err(RuntimeError::internal("a command came back as another one")),
            }
        }
        Err(RuntimeError::NeedsRestart {
            what: format!("overriding `{representation}`"),
            why: "a reader that does not run holds the last value".to_owned(),
        })
    }

    /// Ends overriding a representation.
    ///
    /// # Errors
    /// There is no such representation.
    pub fn release_representation(&self, representation: &str) -> Result<(), RuntimeError> {
        let controls = self.controls();
        let (cycle, store) = controls.store_of(representation)?;
        cycle.perform(Command::EndOverride { store }).map(|_| ())
    }

    /// Changes the number of workers of a cycle; `None` lets the plan choose.
    ///
    /// # Errors
    /// There is no such cycle, or more workers than it was started with.
    pub fn set_workers(&self, cycle: &str, workers: Option<usize>) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        let index = controls.cycle_index(cycle)?;
        let pool = controls.cycles[index].pool;
        if let Some(workers) = workers.filter(|&workers| workers == 0 || workers > pool) {
            return Err(RuntimeError::NeedsRestart {
                what: format!("{workers} workers for `{cycle}`"),
                why: format!("it was started with {pool}; set `workers` in robot.toml"),
            });
        }
        if let Some(configuration) = controls.robot.configuration.cycles.get_mut(index) {
            configuration.workers = workers;
        }
        controls.install(index, &profile, None)
    }

    /// Plans all cycles anew with the durations measured so far. A cycle that does not run at present goes on with its new plan
    /// when it runs again.
    ///
    /// # Errors
    /// A plan cannot be made, which is a mistake in Hemiola.
    pub fn replan(&self) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        (0..controls.cycles.len()).try_for_each(|index| {
            match controls.install(index, &profile, Some(REPLAN_PATIENCE)) {
                Err(RuntimeError::CycleDoesNotAnswer { .. }) => Ok(()),
                result => result,
            }
        })
    }

    /// The plan that a cycle would get with the durations measured so far and so many workers.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn plan(&self, cycle: &str, workers: WorkerChoice) -> Result<(Plan, Durations), RuntimeError> {
        let profile = self.profile();
        let controls = self.controls();
        let index = controls.cycle_index(cycle)?;
        let graph = TaskGraph::of(&controls.robot.resolved.cycles[index]);
        let durations = durations_from(&profile, &graph);
        Ok((Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() }), durations))
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

    fn updated(&self, mut profile: Profile) -> Profile {
        profile.update(self.monitor().statistics().profile());
        profile
    }

    /// Messages that were not fetched yet: failures, refusals of the operating system.
    pub fn new_messages(&self) -> Vec<Message> {
        self.monitor().new_messages()
    }

    /// All messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.monitor().messages()
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

    /// An executor of one's own on the robot's clock, for callbacks beside the cycles. Its calls are in the robot's statistics and traces, with
    /// flows from messages, requests and answers to the calls.
    ///
    /// ```
    /// use hemiola_bus::Priority;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// # let robot = stepper.handle().clone();
    /// let mut arm = robot.executor("arm")?;
    /// arm.serve(robot.bus(), "grip", Priority(10), 4, |force: &f32| *force < 20.0)?;
    /// # let answer = robot.bus().client::<f32, bool>("grip")?.call_async(5.0)?;
    /// # arm.run_ready();
    /// # stepper.run_for(std::time::Duration::from_secs(1));
    /// assert_eq!(robot.report().callbacks[0].name, "grip requests"); // it was called
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// There are 65,536 names of executors and workers already.
    pub fn executor(&self, name: &str) -> Result<Executor, RuntimeError> {
        let mut executor = Executor::new(name, self.clock());
        let mut monitor = self.monitor();
        let (thread, events) = executor.record(monitor.catalog(), EXECUTOR_EVENTS)?;
        monitor.add_executor(thread, events);
        Ok(executor)
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
            self.note("the robot enters its safe state, because it was asked to".to_owned());
        }
    }

    /// Ends the safe state, which the robot never does by itself: a person decides that it is safe to go on.
    pub fn leave_safe_state(&self) {
        if self.state.leave_safe_state() {
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
        };
        Some(SafeStateEntry { since, cause })
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

    pub(crate) fn note(&self, text: String) {
        self.monitor().note(text);
    }

    pub(crate) fn note_denials(&self, report: &ThreadReport) {
        self.monitor().note_denials(report.denials());
    }

    /// Gathers events, replaces failed modules, plans with what was learnt. Never waits for somebody who is changing the robot, who
    /// may be waiting for a cycle himself: then the rings would overflow. The next call tries again.
    pub(crate) fn service(&self) {
        self.monitor().poll();
        if let Some(mut controls) = lock_if_free(&self.controls) {
            self.restart_failed(&mut controls);
            self.learn(&mut controls);
        }
    }

    /// Plans cycles anew that have run often enough since the last time to know better how long everything takes.
    fn learn(&self, controls: &mut Controls) {
        let is_due = |cycle: &CycleControl| CycleHealth::of(cycle).runs >= cycle.next_lesson;
        if !controls.cycles.iter().any(is_due) {
            return;
        }
        let profile = self.updated(controls.robot.profile.clone());
        for index in 0..controls.cycles.len() {
            // A plan that cannot be made would not have been at the start.
            if is_due(&controls.cycles[index])
                && !matches!(controls.post_program(index, &profile, None), Ok(Posted::Later))
            {
                controls.cycles[index].next_lesson *= 10;
            }
        }
    }

    fn restart_failed(&self, controls: &mut Controls) {
        let failed = self.monitor().take_failed();
        if failed.is_empty() {
            return;
        }
        let profile = self.updated(controls.robot.profile.clone());
        let mut again = BTreeSet::new();
        for module in failed {
            for index in 0..controls.cycles.len() {
                if !controls.cycles[index].instances.contains_key(module) {
                    continue;
                }
                match controls.post_program(index, &profile, Some(module)) {
                    Ok(Posted::Now) => {}
                    Ok(Posted::Later) => _ = again.insert(module),
                    Err(error) => self.note(format!("{module} could not be replaced: {error}")),
                }
            }
        }
        self.monitor().return_failed(again);
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

/// How a cycle has been doing.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// # let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// stepper.run_for(std::time::Duration::from_secs(1));
/// let motion = stepper.handle().health()["motion"];
/// assert!(motion.runs >= 100 && motion.dropped == 0);
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleHealth {
    /// Runs that have ended.
    pub runs: u64,
    /// Runs that ended after their deadline.
    pub overruns: u64,
    /// Inputs that were lost.
    pub dropped: u64,
    /// When the last run ended.
    pub last_end: Time,
}

impl CycleHealth {
    fn of(cycle: &CycleControl) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        let health = &cycle.health;
        Self {
            runs: health.runs.load(Relaxed),
            overruns: health.overruns.load(Relaxed),
            dropped: health.dropped.load(Relaxed),
            last_end: health.last_end(),
        }
    }
}
