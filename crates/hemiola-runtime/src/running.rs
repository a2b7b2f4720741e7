use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hemiola_bus::RobotClock;
use hemiola_model::configuration::{Configuration, Scheduling, Trigger};
use hemiola_realtime::{
    Containment, Policy, Priority, ThreadSettings, monotonic_now, refuse_errands, secure_memory, sleep_until,
};

use crate::assemble::{Launched, Robot, launch, thread_settings};
use crate::containment::contained;
use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::lock::own;
use crate::record::Change;
use crate::robot_state::RobotState;
use crate::source::SourceRunner;
use crate::stop_cause::StopCause;
use crate::sync::{AtomicUsize, Ordering};
use attendants::Attendants;
use threads::{run_by_timer, run_source, run_sources_together, run_when_triggered};

mod attendants;
mod threads;

/// The pace of the robot's clock.
///
/// ```
/// use hemiola_runtime::Pace;
///
/// assert_eq!(Pace::default(), Pace::RealTime);
/// let twice_as_fast = Pace::Factor(2.0); // a recording of ten minutes in five
/// assert_ne!(twice_as_fast, Pace::RealTime);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    /// The pace of real time.
    #[default]
    RealTime,
    /// The given number of seconds on the robot's clock per second of real time.
    Factor(f64),
}

/// A robot that runs on its own threads.
///
/// ```
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::{Pace, Robot};
///
/// let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let running = Robot::assemble(configuration)?.start(Pace::RealTime)?;
/// running.handle().stop(); // from any thread: when somebody presses Ctrl-C
/// let ended = running.wait();
/// assert!(ended.is_stopping());
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
pub struct RunningRobot {
    handle: RobotHandle,
    state: Arc<RobotState>,
    threads: Vec<JoinHandle<()>>,
    attendants: Option<Attendants>,
}

/// The time that threads need to wake up before the first sample is due.
const START_DELAY: Duration = Duration::from_millis(10);
/// The time for which a stopping robot waits for its threads.
const END_PATIENCE: Duration = Duration::from_secs(1);
/// The working memory that is made resident before the robot starts.
const HEAP: usize = 32 << 20;

/// A robot whose threads exist and wait for the beginning, so that a recorder or another observer
/// misses nothing. Its clock shows zero meanwhile.
///
/// ```
/// use hemiola_runtime::{Pace, Robot};
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
///
/// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
/// let handle = prepared.handle().clone();
/// assert_eq!(handle.health()["motion"].runs, 0); // and so it stays
/// let running = prepared.begin();
/// # running.stop();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[must_use = "it runs when `begin` is called"]
#[derive(Debug)]
pub struct PreparedRobot(RunningRobot);

impl PreparedRobot {
    /// Returns the handle of the robot that will run.
    pub fn handle(&self) -> &RobotHandle {
        self.0.handle()
    }

    /// Makes changes before the first run, in the name of `by`, which the journal records: those of
    /// an earlier run of the same robot. All of them come into force with the first run of each
    /// cycle, so that replays of the log repeat them. Returns those that cannot be made, each with
    /// the reason in words.
    ///
    /// ```
    /// use hemiola_runtime::{Change, Pace, Robot};
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    ///
    /// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
    /// let tuned = Change::parameter("Walk", "gain", 0.7);
    /// let refused = prepared.change(vec![Change::workers("motion", 1), tuned.clone()], "the run before");
    /// assert_eq!(refused[0].0, tuned); // this robot has no such module
    /// # prepared.begin().stop();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn change(&self, changes: Vec<Change>, by: &str) -> Vec<(Change, String)> {
        self.0.handle.change_before_first_run(changes, by)
    }

    /// Begins: the robot's clock starts as soon as its threads can be awake, in 10 ms.
    pub fn begin(self) -> RunningRobot {
        self.0.state.clock().restart(START_DELAY);
        self.0.state.begin();
        self.0
    }
}

impl Robot {
    /// Starts the robot: [prepares](Self::prepare) it, and begins at once.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare).
    pub fn start(self, pace: Pace) -> Result<RunningRobot, RuntimeError> {
        Ok(self.prepare(pace)?.begin())
    }

    /// Creates the robot and its threads, which wait for the beginning.
    ///
    /// Memory is locked and threads get their priorities if that is allowed. If not, the robot runs
    /// nevertheless and reports so once ([`RobotHandle::messages`]).
    ///
    /// # Errors
    /// Returns an error if a module or source cannot be created, the operating system refuses
    /// threads, or values shall come from a recording ([`Course::taking`](crate::Course::taking)).
    pub fn prepare(mut self, pace: Pace) -> Result<PreparedRobot, RuntimeError> {
        if !own(&mut self.course).taken.is_empty() {
            // Reading a recording waits for the disk.
            return Err(RuntimeError::TakenWhileLive);
        }
        let memory = secure_memory(HEAP);
        let factor = match pace {
            Pace::RealTime => 1.0,
            Pace::Factor(factor) if factor.is_finite() && factor > 0.0 => factor,
            Pace::Factor(_) => 1.0,
        };
        let Launched { cycles, sources, controls, mut monitor, viewpoints, helpers, watchdog, state, .. } =
            launch(self, RobotClock::running(factor))?;
        monitor.note_denials(memory.lock.denial().into_iter());
        state.clock().hold();
        let (mut threads, mut watched) = (Vec::new(), helpers);
        let catalog = monitor.catalog().clone();
        let configuration = controls.robot.configuration().clone();
        let handle = RobotHandle::new(controls, monitor, viewpoints);
        if !watchdog.is_idle() || handle.ending().moves_something() {
            let mut settings = ThreadSettings::new("hemiola watchdog");
            if !watchdog.is_idle() {
                settings = settings.policy(Policy::Fifo(above_all(&configuration)));
            }
            let (state, ending) = (state.clone(), handle.ending().clone());
            let body = move || _ = guarded(&state, "hemiola watchdog", || watchdog.run(&ending));
            let spawned = hemiola_realtime::spawn(settings, body)?;
            handle.note_denials(&spawned.report);
            threads.push(spawned.thread);
        }
        let triggers = cycles.iter().filter_map(|cycle| cycle.core.trigger.as_ref());
        state.set_triggers(triggers.map(|trigger| trigger.wakeup.clone()));
        // Cycles are started first, so that none misses the first sample.
        let left = Arc::new(AtomicUsize::new(cycles.len()));
        for (index, (cycle, configured)) in cycles.into_iter().zip(&configuration.cycles).enumerate() {
            let settings = thread_settings(&format!("{} 0", cycle.core.name), configured.scheduling, &configured.cores);
            let rate = match configured.trigger {
                Trigger::Rate(rate) => Some(rate),
                Trigger::Source(_) | Trigger::Topic(_) => None,
            };
            let worker = catalog.worker(cycle.core.id, 0, 0)?;
            let (state, left, name) = (state.clone(), left.clone(), format!("{} 0", cycle.core.name));
            let ending = handle.ending().clone();
            let body = move || {
                refuse_errands();
                _ = guarded(&state, &name, || match rate {
                    Some(rate) => run_by_timer(cycle, rate),
                    None => run_when_triggered(cycle),
                });
                ending.end_cycle(index);
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    // This was the last cycle, so nothing is left to do.
                    state.stop(StopCause::CyclesEnded);
                }
            };
            let spawned = hemiola_realtime::spawn(settings, body)?;
            handle.note_denials(&spawned.report);
            watched.extend(spawned.report.thread.map(|thread| (worker, thread)));
            threads.push(spawned.thread);
        }
        // Samples may arrive from outside at any time, and a robot does not continue for these
        // alone.
        let running = Arc::new(AtomicUsize::new(sources.iter().filter(|source| !source.is_open()).count()));
        for mut sources in by_thread(sources) {
            let Some(first) = sources.first() else { continue };
            let (state, running, is_open) = (state.clone(), running.clone(), first.is_open());
            let (name, settings, coherence) = (first.name, first.settings.clone(), first.coherence().cloned());
            let workers = sources.iter().map(|source| catalog.source_thread(state.source_ids()[source.number]));
            let workers = workers.collect::<Result<Vec<_>, _>>()?;
            let spawned = hemiola_realtime::spawn(settings, move || {
                _ = guarded(&state, name, || match coherence {
                    Some(coherence) => run_sources_together(sources, &coherence),
                    None => sources.drain(..).for_each(run_source),
                });
                if !is_open && running.fetch_sub(1, Ordering::AcqRel) == 1 {
                    // This was the last source, so nothing new will come.
                    state.stop(StopCause::SourcesEnded);
                }
            })?;
            handle.note_denials(&spawned.report);
            let thread = spawned.report.thread;
            watched.extend(workers.into_iter().filter_map(|worker| Some((worker, thread?))));
            threads.push(spawned.thread);
        }
        handle.tell_denials();
        handle.watch_threads(watched)?;
        let attendants = Attendants::start(&handle, &state)?;
        Ok(PreparedRobot(RunningRobot { handle, state, threads, attendants: Some(attendants) }))
    }
}

/// Returns the sources of each thread: one, or those whose values are shown together.
fn by_thread(sources: Vec<SourceRunner>) -> Vec<Vec<SourceRunner>> {
    let mut threads: Vec<Vec<SourceRunner>> = Vec::new();
    for source in sources {
        let coherence = source.coherence().cloned();
        let is_same = |thread: &&mut Vec<SourceRunner>| {
            coherence.is_some() && thread.first().and_then(SourceRunner::coherence) == coherence.as_ref()
        };
        match threads.iter_mut().find(is_same) {
            Some(thread) => thread.push(source),
            None => threads.push(vec![source]),
        }
    }
    threads
}

impl RunningRobot {
    /// Returns the handle, which observes and changes the robot, and can be cloned and sent to
    /// other threads.
    pub fn handle(&self) -> &RobotHandle {
        &self.handle
    }

    /// Waits until the robot stops: all sources have ended, or somebody called
    /// [`RobotHandle::stop`].
    ///
    /// A thread whose module does not return within a second after that is left behind, which a
    /// message reports.
    pub fn wait(mut self) -> RobotHandle {
        self.state.wait_for_stop(None);
        let patience = monotonic_now() + END_PATIENCE.max(self.handle.ending().within() * 2);
        while self.threads.iter().any(|thread| !thread.is_finished()) && monotonic_now() < patience {
            sleep_until(monotonic_now() + Duration::from_millis(1));
        }
        let (ended, left_behind): (Vec<_>, Vec<_>) = self.threads.drain(..).partition(JoinHandle::is_finished);
        for thread in ended {
            // All panics are contained and reported: `guarded`.
            _ = thread.join();
        }
        if left_behind.is_empty() {
            self.handle.note_end();
        }
        for thread in left_behind {
            let name = thread.thread().name().unwrap_or("without a name").to_owned();
            self.handle.note(format!("thread `{name}` does not end and is left behind: a module does not return"));
        }
        if let Some(attendants) = self.attendants.take() {
            attendants.end(&self.handle);
        }
        self.handle.clone()
    }

    /// Stops the robot and waits until its threads have ended.
    pub fn stop(self) -> RobotHandle {
        self.state.stop(StopCause::Requested);
        self.wait()
    }
}

impl Drop for RunningRobot {
    /// Stops the robot even if the thread that owns it panics, so that it is at rest when the
    /// process ends.
    fn drop(&mut self) {
        self.state.stop(StopCause::Requested);
        self.handle.ending().wait();
    }
}

/// Returns a priority above those of all cycles and sources, if there is one.
fn above_all(configuration: &Configuration) -> Priority {
    let triggers = configuration.cycles.iter().filter_map(|cycle| match &cycle.trigger {
        Trigger::Source(source) => Some(source),
        Trigger::Rate(_) | Trigger::Topic(_) => None,
    });
    let sources = configuration.sources.keys().chain(triggers).map(|name| configuration.source_scheduling(name));
    let all = configuration.cycles.iter().map(|cycle| cycle.scheduling).chain(sources);
    let highest = all.filter_map(Scheduling::priority).max().unwrap_or(0);
    Priority::new(highest.saturating_add(1).min(99)).unwrap_or(Priority::LOWEST)
}

impl fmt::Debug for RunningRobot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunningRobot").field("now", &self.handle.now()).finish_non_exhaustive()
    }
}

/// Runs the body of a thread of the robot. Returns `None` if it panicked, which is a fault.
fn guarded(state: &RobotState, thread: &str, body: impl FnOnce()) -> Option<()> {
    let _containment = Containment::new();
    contained(body).map_err(|reason| state.note_end_of(thread, reason)).ok()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_bus::Bus;

    use super::*;
    use crate::safe_state::Cause;

    #[test]
    fn a_thread_that_ends_without_being_asked_to_is_a_fault_and_the_robot_enters_its_safe_state() {
        let clock = RobotClock::running(1.0);
        let state = RobotState::new(Bus::with_timing(), clock, Vec::new(), Vec::new(), Default::default());
        assert_eq!(guarded(&state, "motion 0", || {}), Some(()));
        assert!(state.faults().first().is_none() && !state.safe_state().is_active());
        assert_eq!(guarded(&state, "motion 0", || panic!("out of gas")), None);
        let fault = state.faults().first().unwrap().error().to_string();
        assert!(["motion 0", "out of gas"].iter().all(|part| fault.contains(part)), "{fault}");
        assert!(matches!(state.safe_state_entry(), Some((_, Cause::Fault))));
    }
}
