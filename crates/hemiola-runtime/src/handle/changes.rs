//! Changes of a robot while it runs.

use std::path::Path;
use std::time::{Duration, Instant};

use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};

use super::RobotHandle;
use crate::assemble::durations_from;
use crate::containment::contained;
use crate::controls::Controls;
use crate::error::RuntimeError;
use crate::lock::Locked;
use crate::monitor::{EndedTrace, OpenTrace};
use crate::pending::Pending;
use crate::record::Change;
use crate::safe_state::{Cause, SafeStateCause};

/// The time for which replanning waits for cycles; most run more often than that.
const REPLAN_PATIENCE: Duration = Duration::from_millis(200);

impl RobotHandle {
    /// Changes something of the running robot. When it returns, everything that takes time
    /// (resolving, planning, creating modules) is done; cycles apply the change between two of
    /// their runs, in the order in which changes were made. The change is in the journal from now
    /// on, and so in the log.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Pace, Robot};
    /// use hemiola_runtime::Change;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let running = Robot::assemble(configuration)?.start(Pace::RealTime)?;
    /// # let robot = running.handle();
    ///
    /// robot.change(Change::workers("motion", 1)).wait()?;
    ///
    /// let tuned = robot.change(Change::parameter("Walk", "gain", 0.7));
    /// assert!(tuned.wait().unwrap_err().to_string().contains("`Walk`")); // this robot has none
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn change(&self, change: Change) -> Pending {
        self.change_for(change, None)
    }

    /// Changes something as [`change`](Self::change) does, for somebody whom the journal names.
    pub fn change_by(&self, change: Change, who: &str) -> Pending {
        self.change_for(change, Some(who))
    }

    fn change_for(&self, change: Change, by: Option<&str>) -> Pending {
        match change {
            Change::EnterSafeState => {
                self.enter_safe_state_for(by);
                Pending::decided(Ok(()))
            }
            Change::LeaveSafeState => {
                self.leave_safe_state_for(by);
                Pending::decided(Ok(()))
            }
            Change::Trace { ref file } => {
                let result = match file {
                    Some(file) => self.start_trace(file),
                    None => self.stop_trace(),
                };
                self.state.set_watched(self.monitor().is_watched());
                if result.is_ok() {
                    self.note_change(change, None, by);
                }
                Pending::decided(result)
            }
            change => self.post(change, by).unwrap_or_else(|error| Pending::decided(Err(error))),
        }
    }

    fn start_trace(&self, file: &Path) -> Result<(), RuntimeError> {
        let trace = OpenTrace::create(file, self.catalog(), self.tick_scale())?;
        let before = self.monitor().start_trace(trace);
        drop(before);
        Ok(())
    }

    fn stop_trace(&self) -> Result<(), RuntimeError> {
        let mut monitor = self.monitor();
        let (stopped, ended) = (monitor.stop_trace(), monitor.take_ended_trace());
        drop(monitor);
        ended.into_iter().for_each(EndedTrace::wait);
        stopped.map_or(Ok(()), OpenTrace::finish)
    }

    /// Prepares a change and posts it to the cycles that it affects.
    fn post(&self, change: Change, by: Option<&str>) -> Result<Pending, RuntimeError> {
        let controls = self.controls();
        self.post_with(controls, change, by)
    }

    /// Posts a change as [`post`](Self::post) does, with the controls locked already.
    pub(super) fn post_with(
        &self,
        mut controls: Locked<'_, Controls>,
        change: Change,
        by: Option<&str>,
    ) -> Result<Pending, RuntimeError> {
        let profile = self.profile();
        let mailboxes = controls.mailboxes();
        let number = controls.next_change();
        // This calls constructors and defaults of users.
        let prepared = contained(|| controls.prepare(&change, number, &profile));
        let mut prepared = prepared.map_err(|reason| RuntimeError::ChangePanicked { reason })??;
        let mut commands = prepared.take_commands();
        let sent = controls.post(&mut commands);
        if let Ok(sent) = sent {
            let before = controls.note_prepared(prepared);
            let number = change.has_number().then(|| controls.number_change());
            // The controls are still locked, so that the journal has changes in the order of their
            // numbers.
            self.note_change(change, number, by);
            drop(controls);
            drop(before);
            mailboxes.iter().for_each(|mailbox| mailbox.collect());
            return Ok(Pending::sent(sent, self.state.clone()));
        }
        // Modules and values that are not needed may access the robot when they are dropped.
        drop(controls);
        drop((commands, prepared));
        sent.map(|sent| Pending::sent(sent, self.state.clone()))
    }

    /// Puts the robot into its safe state, as [`Change::EnterSafeState`] does. It stays there until
    /// somebody ends the safe state.
    pub fn enter_safe_state(&self) {
        self.enter_safe_state_for(None);
    }

    fn enter_safe_state_for(&self, by: Option<&str>) {
        match by {
            Some(who) => _ = self.enter_safe_state_because(SafeStateCause::RequestBy { who: who.to_owned() }),
            None if self.state.enter_safe_state(Cause::Request) => {
                self.note_change(Change::EnterSafeState, None, None);
                self.note("the robot enters its safe state, because somebody asked for it".to_owned());
            }
            None => {}
        }
    }

    /// Puts the robot into its safe state for a cause that is known in words. Returns `false` if it
    /// was in it already: then the first cause stays, unless the robot only
    /// [waited](Self::wait_in_safe_state). A robot that was only [prepared](crate::Robot::prepare)
    /// begins in its safe state.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Pace, Robot, SafeStateCause};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let prepared = Robot::assemble(configuration)?.prepare(Pace::RealTime)?;
    /// let silence = SafeStateCause::Process { process: "main".into(), reason: "cycle `motion` stopped".into() };
    /// assert!(prepared.handle().enter_safe_state_because(silence)); // before its first run
    /// let running = prepared.begin();
    /// let entry = running.handle().safe_state().unwrap();
    /// assert_eq!(entry.to_string(), "since 0.0 s, because cycle `motion` stopped in process `main`");
    /// # running.stop();
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn enter_safe_state_because(&self, cause: SafeStateCause) -> bool {
        let has_entered = self.state.enter_safe_state_explained(cause.clone());
        if has_entered {
            let by = match &cause {
                SafeStateCause::RequestBy { who } => Some(who.clone()),
                SafeStateCause::Process { process, .. } => Some(format!("process `{process}`")),
                _ => None,
            };
            self.note_change(Change::EnterSafeState, None, by.as_deref());
            self.note(format!("the robot enters its safe state, because {cause}"));
        }
        has_entered
    }

    /// Ends the safe state, as [`Change::LeaveSafeState`] does. The robot does that by itself only
    /// if it [waited](Self::wait_in_safe_state) for something: otherwise a person decides that it
    /// is safe to continue.
    pub fn leave_safe_state(&self) {
        self.leave_safe_state_for(None);
    }

    fn leave_safe_state_for(&self, by: Option<&str>) {
        if self.state.leave_safe_state() {
            self.note_leaving(by);
        }
    }

    pub(super) fn note_leaving(&self, by: Option<&str>) {
        self.note_change(Change::LeaveSafeState, None, by);
        self.note(format!("the robot leaves its safe state, because {} asked for it", by.unwrap_or("somebody")));
    }

    /// Plans all cycles again with the durations measured so far. A cycle that does not run at
    /// present uses its new plan when it runs again.
    ///
    /// # Errors
    /// Returns an error if a plan cannot be made, which is a mistake in Hemiola.
    pub fn replan(&self) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        let cycles = 0..controls.cycles.len();
        let mut prepared = controls.prepare_plans(cycles, &profile)?;
        let sent = controls.post(&mut prepared.take_commands())?;
        let before = controls.note_prepared(prepared);
        drop(controls);
        drop(before);
        self.state.news().notify_all();
        let end = Instant::now() + REPLAN_PATIENCE;
        sent.iter().for_each(|sent| _ = sent.wait_until(end, || self.is_stopping()));
        Ok(())
    }

    /// Returns the plan that a cycle would get with the durations measured so far and that many
    /// workers.
    ///
    /// # Errors
    /// Returns an error if there is no such cycle.
    pub fn plan(&self, cycle: &str, workers: WorkerChoice) -> Result<(Plan, Durations), RuntimeError> {
        let profile = self.profile();
        let robot = self.present();
        let mut resolved = robot.resolved.cycles.iter();
        let resolved = resolved.find(|resolved| resolved.name == cycle).ok_or_else(|| RuntimeError::Unknown {
            kind: "cycle",
            name: cycle.to_owned(),
            known: robot.resolved.cycles.iter().map(|cycle| cycle.name.clone()).collect(),
        })?;
        let graph = TaskGraph::of(resolved);
        let durations = durations_from(&profile, &graph);
        Ok((Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() }), durations))
    }
}
