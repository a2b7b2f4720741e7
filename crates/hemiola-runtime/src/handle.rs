mod beginning;
mod changes;
mod executors;
mod health;
mod inlets;
mod monitoring;
mod upkeep;
mod waiting;

pub use health::CycleHealth;
pub use waiting::SafeStateWait;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_realtime::{Containment, MonotonicTime, Wakeup, monotonic_now};

use crate::assemble::Robot;
use crate::controls::Controls;
use crate::cycle::Health;
use crate::ending::Ending;
use crate::error::RuntimeError;
use crate::lock::{Locked, Reentered};
use crate::monitor::Monitor;
use crate::observe::topics::TopicLine;
use crate::observe::{Observation, Observer, Occasion, Presence, Viewpoints, WhenFull};
use crate::present::Present;
use crate::robot_state::RobotState;
use crate::safe_state::{Cause, SafeStateCause, SafeStateEntry};
use crate::stop_cause::StopCause;

/// A handle with which a running robot is observed and changed. It is cheap to clone, and usable
/// from any thread except the real-time ones.
///
/// Everything that takes time (resolving, planning, creating modules) happens on the calling
/// thread; the cycle exchanges a pointer between two of its runs.
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
    /// The controls. They are locked by whoever makes a change, for the duration of the change;
    /// readers use `present`.
    controls: Arc<Reentered<Controls>>,
    present: Arc<Present<Robot>>,
    /// The monitor. A thread that needs both locks acquires the controls first.
    monitor: Arc<Reentered<Monitor>>,
    /// The state of the robot, shared with the controls.
    state: Arc<RobotState>,
    viewpoints: Arc<Viewpoints>,
    ending: Arc<Ending>,
    /// The health of each cycle, by name.
    cycles: Arc<[(String, Arc<Health>)]>,
}

/// The time for which the end of the robot waits for a change in progress.
const END_PATIENCE: Duration = Duration::from_secs(1);

impl RobotHandle {
    pub(crate) fn new(controls: Controls, monitor: Monitor, viewpoints: Arc<Viewpoints>) -> Self {
        let (state, present) = (controls.state.clone(), controls.present.clone());
        let cycles = controls.cycles.iter().map(|cycle| (cycle.name.clone(), cycle.health.clone())).collect();
        let actuators = controls.cycles.iter().map(|cycle| cycle.actuators.clone());
        let within = controls.robot.configuration().safe_state.within;
        let ending = Arc::new(Ending::new(actuators, within, state.faults().clone()));
        Self {
            controls: Arc::new(Reentered::new(controls)),
            present,
            monitor: Arc::new(Reentered::new(monitor)),
            state,
            viewpoints,
            ending,
            cycles,
        }
    }

    /// Observes the robot from the next run of each cycle on, and the next sample of each source.
    /// Returns at once. There may be any number of observers at any time; one that comes before the
    /// robot begins misses nothing.
    ///
    /// ```
    /// use hemiola_runtime::{Observation, Robot};
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let robot = Robot::assemble(configuration)?;
    /// let everything = robot.recordable();
    /// let mut stepper = robot.into_stepper()?;
    /// let mut seen = stepper.handle().observe(Observation::of(everything).with_runs().complete())?;
    /// stepper.step();
    /// assert_eq!(seen.next_run().map(|run| run.run), Some(0));
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there is no such representation or cycle, the representation is opaque,
    /// or its default value cannot be created.
    pub fn observe(&self, observation: Observation) -> Result<Observer, RuntimeError> {
        // A stepped clock stands still, so no time of the world corresponds to its times.
        let is_stepped = self.clock().due(Time::ZERO).is_none();
        let is_awaited = is_stepped && observation.is_complete;
        let has_begun = self.state.has_begun();
        let occasion = Occasion {
            full: if is_awaited { WhenFull::Wait } else { WhenFull::Drop },
            since: if has_begun { self.now() } else { Time::ZERO },
            is_running: has_begun && !is_stepped,
        };
        let presence = Presence::notifying(observation.wakeup.clone());
        let mut observer = Observer::of(presence.clone());
        self.viewpoints.observe(&observation, &presence, &mut observer, occasion)?;
        let mut monitor = self.monitor();
        if let Some(chosen) = observation.topics.clone() {
            let (scale, wakeup) = (monitor.scale().clone(), observation.wakeup.clone());
            observer.see_topics(TopicLine::new(&self.state, scale, chosen, is_awaited, wakeup));
        }
        observer.see_gathered(monitor.observe(&observation, &presence));
        self.state.set_watched(monitor.is_watched());
        self.state.news().notify_all();
        Ok(observer)
    }

    /// Calls `look` with the present contents of the robot, including all changes of providers,
    /// workers and parameters. Never waits, not even for a change in progress, which may take long.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// let cycles = stepper.handle().with_robot(|robot| robot.resolved().cycles.len());
    /// assert_eq!(cycles, 1);
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn with_robot<R>(&self, look: impl FnOnce(&Robot) -> R) -> R {
        look(&self.present())
    }

    /// Returns the descriptor of a representation that a cycle or source of this robot may provide.
    pub fn representation(&self, name: &str) -> Option<&'static RepresentationDescriptor> {
        let mut stores = self.viewpoints.all().iter().flat_map(|viewpoint| viewpoint.blackboard.stores());
        stores.find(|store| store.descriptor().name() == name).map(|store| store.descriptor())
    }

    /// Returns the names of the robot's sources, and of topics that come from other processes, in
    /// the order in which checkpoints refer to them.
    pub fn sources(&self) -> Vec<String> {
        self.present().begins()
    }

    /// Returns the bus with the robot's topics: messages that modules publish can be received
    /// there, and modules receive what is published there.
    pub fn bus(&self) -> &Bus {
        self.state.bus()
    }

    /// Returns the framework's clock, for your own timers and executors.
    pub fn clock(&self) -> &Arc<RobotClock> {
        self.state.clock()
    }

    /// Returns the time on the framework's clock.
    pub fn now(&self) -> Time {
        self.state.clock().now()
    }

    /// Returns the reading of the machine's monotonic clock at which the framework's clock shows
    /// zero, with which clocks of several processes are compared; `None` if this clock is stepped.
    pub fn clock_origin(&self) -> Option<MonotonicTime> {
        self.state.clock().due(Time::ZERO)
    }

    /// Returns whether the robot has begun. Until then the clock of a robot that was only
    /// [prepared](crate::Robot::prepare) stands at zero, to which no time of the world corresponds.
    ///
    /// ```
    /// use hemiola_runtime::{Pace, Robot};
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
    /// let handle = prepared.handle().clone();
    /// assert!(!handle.has_begun());
    /// let running = prepared.begin();
    /// assert!(handle.has_begun());
    /// # running.stop();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn has_begun(&self) -> bool {
        self.state.has_begun()
    }

    /// Notifies this event when the robot begins, and when it is stopped; at once if it has begun.
    /// An [observer](Observation::notifying) can use the same event for everything else that it
    /// waits for.
    ///
    /// ```
    /// use hemiola_realtime::Wakeup;
    /// use hemiola_runtime::{Pace, Robot};
    /// use std::sync::Arc;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
    /// let wakeup = Arc::new(Wakeup::new());
    /// let seen = wakeup.generation();
    /// prepared.handle().notify_of_turns(&wakeup);
    /// let running = prepared.begin();
    /// wakeup.wait(seen, None); // returns at once
    /// # running.stop();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn notify_of_turns(&self, wakeup: &Arc<Wakeup>) {
        self.state.notify_of_turns(wakeup);
    }

    /// Stops the robot; its threads end soon after.
    pub fn stop(&self) {
        self.state.stop(StopCause::Requested);
    }

    /// Returns whether the robot was stopped.
    pub fn is_stopping(&self) -> bool {
        self.state.is_stopping()
    }

    /// Returns why the robot stops; `None` while it runs.
    pub fn stop_cause(&self) -> Option<StopCause> {
        self.state.stop_cause()
    }

    /// Sleeps until the robot stops, or for `patience`; returns whether it stops.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Pace, Robot};
    /// use std::time::Duration;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let running = Robot::assemble(configuration)?.start(Pace::RealTime)?;
    /// let robot = running.handle().clone();
    /// assert!(!robot.wait_for_stop(Duration::from_millis(5)));
    /// robot.stop();
    /// assert!(robot.wait_for_stop(Duration::MAX)); // at once
    /// # running.wait();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn wait_for_stop(&self, patience: Duration) -> bool {
        let deadline = u64::try_from(patience.as_nanos()).ok().map(|_| monotonic_now() + patience);
        self.state.wait_for_stop(deadline)
    }

    /// Stops the robot, waits until what moves is safe, and returns whether it is: for a program
    /// that ends without waiting for its robot, as at a second Ctrl-C. It takes no longer than
    /// `[safe_state] within` in robot.toml, even if a module hangs.
    pub fn make_safe(&self) -> bool {
        self.stop();
        self.ending.oversee();
        self.ending.wait()
    }

    /// Returns whether the robot is in its safe state.
    pub fn is_in_safe_state(&self) -> bool {
        self.state.safe_state().is_active()
    }

    /// Returns when and why the robot entered its safe state; `None` if it is not in it.
    pub fn safe_state(&self) -> Option<SafeStateEntry> {
        let (since, cause) = self.state.safe_state_entry()?;
        let cause = match cause {
            Cause::Request => SafeStateCause::Request,
            Cause::Silence(cycle) => {
                SafeStateCause::Silence { cycle: self.monitor().catalog().read().cycle_name(cycle) }
            }
            Cause::Failure(task) => SafeStateCause::Failure { update: self.monitor().catalog().read().task_name(task) },
            Cause::Fault => SafeStateCause::Fault,
            Cause::Explained => self.state.safe_state_explanation()?,
            Cause::Waiting => SafeStateCause::Waiting { what: self.state.awaited()? },
        };
        Some(SafeStateEntry { since, cause })
    }

    /// Returns the event that is notified whenever the robot enters or leaves its safe state, and
    /// when it is stopped. An [observer](Observation::notifying) can use the same event for
    /// everything else that it waits for.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// # let robot = stepper.handle();
    /// let wakeup = robot.safe_state_wakeup();
    /// let seen = wakeup.generation();
    /// robot.enter_safe_state();
    /// wakeup.wait(seen, None); // returns at once
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn safe_state_wakeup(&self) -> Arc<Wakeup> {
        self.state.safety().clone()
    }

    /// Returns the fault that makes the robot's run end with an error, if there is one: a thread
    /// that ended unexpectedly, or a module that cannot be dropped. Only the first fault is
    /// returned; messages report all of them.
    pub fn fault(&self) -> Option<RuntimeError> {
        self.state.faults().first().map(|fault| fault.error())
    }

    /// Returns the missed deadlines and lost inputs of each cycle so far, by name. Never waits.
    pub fn health(&self) -> BTreeMap<String, CycleHealth> {
        self.cycles.iter().map(|(name, health)| (name.clone(), CycleHealth::of(health))).collect()
    }

    /// Releases the modules of a robot that has ended, and their ends of topics and services; a
    /// module that panics when it is dropped is a [`fault`](Self::fault). Does nothing while the
    /// robot runs, or while a constructor that hangs holds up a change: then the modules are left
    /// behind.
    pub fn end_modules(&self) {
        if self.state.has_ended()
            && let Some(mut controls) = self.controls.lock_within(END_PATIENCE)
        {
            let mailboxes = controls.mailboxes();
            let modules = controls.take_modules();
            drop(controls);
            // What comes back may access the robot when it is dropped.
            mailboxes.iter().for_each(|mailbox| mailbox.clear());
            let _quiet = Containment::new();
            drop(modules);
        }
    }

    /// Stops the robot because nothing is left to do.
    pub(crate) fn come_to_the_end(&self) {
        self.state.stop(StopCause::SourcesEnded);
    }

    pub(crate) fn note_end(&self) {
        self.state.note_end();
    }

    pub(crate) fn ending(&self) -> &Arc<Ending> {
        &self.ending
    }

    pub(crate) fn state(&self) -> &RobotState {
        &self.state
    }

    pub(crate) fn viewpoints(&self) -> &Viewpoints {
        &self.viewpoints
    }

    /// Returns the present contents of the robot.
    pub(crate) fn present(&self) -> Arc<Robot> {
        self.present.get()
    }

    pub(crate) fn controls(&self) -> Locked<'_, Controls> {
        // A panic while this was locked left at worst a change partly described; the cycles are not
        // affected.
        self.controls.lock()
    }

    fn monitor(&self) -> Locked<'_, Monitor> {
        self.monitor.lock()
    }
}

impl fmt::Debug for RobotHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RobotHandle").field("now", &self.now()).finish_non_exhaustive()
    }
}
