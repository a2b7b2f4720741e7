//! What the service thread does for a running robot.

use std::collections::BTreeSet;

use hemiola_realtime::KernelThread;
use hemiola_trace::WorkerId;

use super::{CycleHealth, RobotHandle};
use crate::controls::{Controls, CycleControl, Instances};
use crate::error::RuntimeError;
use crate::monitor::DescribedFailure;
use crate::record::Change;

impl RobotHandle {
    /// Gathers events, takes back what cycles have executed, replaces failed modules, plans with
    /// what was learnt. Does not wait for somebody who is making a change, which may take long:
    /// then the rings would overflow. The next call tries again.
    pub(crate) fn service(&self) {
        self.viewpoints.tidy();
        let failures = self.monitor().take_failures();
        let described = failures.into_iter().map(DescribedFailure::of).collect();
        self.gather(described);
        if let Some(mut controls) = self.controls.lock_if_free() {
            let before = if self.is_stopping() { Vec::new() } else { self.learn(&mut controls) };
            let mailboxes = controls.mailboxes();
            drop(controls);
            drop(before);
            mailboxes.iter().for_each(|mailbox| mailbox.collect());
            self.restart_failed();
        }
    }

    /// Gathers events, and tells of these failures.
    fn gather(&self, described: Vec<DescribedFailure>) {
        let mut monitor = self.monitor();
        monitor.tell_failures(described);
        monitor.poll();
        self.state.set_watched(monitor.is_watched());
    }

    /// Gathers events for the last time, where code of a user has kept the service thread from
    /// ending.
    pub(crate) fn gather_without_service(&self) {
        self.gather(Vec::new());
    }

    /// Looks from now on, whenever it gathers events, at what the kernel counts of these threads.
    pub(crate) fn watch_threads(&self, threads: Vec<(WorkerId, KernelThread)>) -> Result<(), RuntimeError> {
        self.monitor().watch_threads(threads)
    }

    /// Plans cycles anew that have run often enough since the last time to know better how long
    /// everything takes. Gives back what is to be dropped when the controls are no longer locked.
    fn learn(&self, controls: &mut Controls) -> Vec<Instances> {
        let mut before = Vec::new();
        let is_due = |cycle: &CycleControl| CycleHealth::of(&cycle.health).runs >= cycle.next_lesson;
        if !controls.cycles.iter().any(is_due) {
            return before;
        }
        let profile = self.updated(controls.robot.profile.clone());
        for index in 0..controls.cycles.len() {
            let cycle = &controls.cycles[index];
            // One that is being changed gets its plan later.
            if !is_due(cycle) || !cycle.mailbox.is_idle() {
                continue;
            }
            // A plan that cannot be made would not have been at the start.
            if let Ok(mut prepared) = controls.prepare_plans([index], &profile)
                && controls.post(&mut prepared.take_commands()).is_ok()
            {
                before.extend(controls.note_prepared(prepared));
            }
            controls.cycles[index].next_lesson *= 10;
        }
        before
    }

    /// Replaces modules that have failed and are to begin anew.
    fn restart_failed(&self) {
        let failed = self.monitor().take_failed();
        let mut again = BTreeSet::new();
        for module in failed {
            // Somebody may be making a change by now.
            let Some(controls) = self.controls.lock_if_free() else {
                again.insert(module);
                continue;
            };
            if controls.restarted_by_recording.contains(module) {
                continue;
            }
            match self.post_with(controls, Change::Restart { module: module.to_owned() }, None) {
                Ok(on_its_way) => drop(on_its_way),
                Err(RuntimeError::CycleDoesNotAnswer { .. }) => _ = again.insert(module),
                Err(error) => self.note(format!("{module} could not be replaced: {error}")),
            }
        }
        self.monitor().return_failed(again);
    }
}
