//! What is done for a running robot beside its cycles: gathering what they leave behind, which
//! calls no code of users and waits for nobody, and the upkeep, which does, and may.

use std::collections::BTreeSet;

use hemiola_realtime::KernelThread;
use hemiola_trace::WorkerId;

use super::{CycleHealth, RobotHandle};
use crate::controls::{Controls, CycleControl, Instances};
use crate::error::RuntimeError;
use crate::monitor::DescribedFailure;
use crate::record::Change;

impl RobotHandle {
    /// Both, on one thread: for a robot that is stepped.
    pub(crate) fn gather_and_keep_up(&self) {
        self.describe_failures();
        self.gather();
        self.keep_up();
    }

    /// Gathers events, and passes on what there is to be told.
    pub(crate) fn gather(&self) {
        let mut monitor = self.monitor();
        monitor.poll();
        self.state.set_watched(monitor.is_watched());
    }

    /// Tells what has failed, in the words of users.
    pub(crate) fn describe_failures(&self) {
        let failures = self.monitor().take_failures();
        let described: Vec<_> = failures.into_iter().map(DescribedFailure::of).collect();
        self.monitor().tell_failures(described);
    }

    /// Drops what cycles do not need any more, plans with what was learnt, replaces failed modules.
    /// Does not wait for somebody who is making a change, which may take long: the next call tries
    /// again.
    pub(crate) fn keep_up(&self) {
        self.viewpoints.tidy();
        let Some(mut controls) = self.controls.lock_if_free() else { return };
        let before = if self.is_stopping() { Vec::new() } else { self.learn(&mut controls) };
        let mailboxes = controls.mailboxes();
        drop(controls);
        drop(before);
        mailboxes.iter().for_each(|mailbox| mailbox.collect());
        // Nothing would run that is made for a robot that stops.
        if !self.is_stopping() {
            self.restart_failed();
        }
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
