//! The work for a running robot beside its cycles: gathering their output, which calls no user code
//! and never waits, and the upkeep, which calls user code and may wait.

use std::collections::BTreeSet;
use std::time::Instant;

use hemiola_realtime::KernelThread;
use hemiola_trace::WorkerId;

use super::{CycleHealth, RobotHandle};
use crate::controls::{Controls, CycleControl, Instances};
use crate::error::RuntimeError;
use crate::monitor::DescribedFailure;
use crate::record::Change;

impl RobotHandle {
    /// Gathers output and does the upkeep on one thread, for a stepped robot. Returns when that
    /// must be done again, whatever happens until then.
    pub(crate) fn gather_and_keep_up(&self) -> Option<Instant> {
        self.describe_failures();
        let due = self.gather();
        if self.keep_up() { due } else { Some(Instant::now()) }
    }

    /// Gathers events, and passes reports on. Returns when that must be done again, whatever
    /// happens until then.
    pub(crate) fn gather(&self) -> Option<Instant> {
        let mut monitor = self.monitor();
        monitor.poll();
        self.state.set_watched(monitor.is_watched());
        monitor.due()
    }

    /// Reports failures, in the words of users' errors.
    pub(crate) fn describe_failures(&self) {
        let failures = self.monitor().take_failures();
        if failures.is_empty() {
            return;
        }
        let described: Vec<_> = failures.into_iter().map(DescribedFailure::of).collect();
        self.monitor().tell_failures(described);
        self.state.news().notify_all();
    }

    /// Drops what cycles no longer need, plans with new durations, and replaces failed modules. It
    /// does not wait for a thread that is making a change, which may take long: then it returns
    /// `false`, as something is left to do.
    pub(crate) fn keep_up(&self) -> bool {
        self.viewpoints.tidy();
        let Some(mut controls) = self.controls.lock_if_free() else { return false };
        let before = if self.is_stopping() { Vec::new() } else { self.learn(&mut controls) };
        let mailboxes = controls.mailboxes();
        drop(controls);
        drop(before);
        mailboxes.iter().for_each(|mailbox| mailbox.collect());
        // Modules created for a robot that is stopping would never run.
        self.is_stopping() || self.restart_failed()
    }

    /// Starts to read the kernel's accounts of these threads whenever events are gathered.
    pub(crate) fn watch_threads(&self, threads: Vec<(WorkerId, KernelThread)>) -> Result<(), RuntimeError> {
        self.monitor().watch_threads(threads)
    }

    /// Plans cycles again whose durations are known better, because they have run often enough
    /// since the last time. Returns what is to be dropped when the controls are no longer locked.
    fn learn(&self, controls: &mut Controls) -> Vec<Instances> {
        let mut before = Vec::new();
        let is_due = |cycle: &CycleControl| CycleHealth::of(&cycle.health).runs >= cycle.next_lesson;
        if !controls.cycles.iter().any(is_due) {
            return before;
        }
        let profile = self.updated(controls.robot.profile.clone());
        for index in 0..controls.cycles.len() {
            let cycle = &controls.cycles[index];
            // A cycle that is being changed gets its plan later.
            if !is_due(cycle) || !cycle.mailbox.is_idle() {
                continue;
            }
            // A plan that cannot be made could not have been made at the start either.
            if let Ok(mut prepared) = controls.prepare_plans([index], &profile)
                && controls.post(&mut prepared.take_commands()).is_ok()
            {
                before.extend(controls.note_prepared(prepared));
            }
            controls.cycles[index].next_lesson *= 10;
        }
        before
    }

    /// Replaces modules that have failed and are to be restarted; returns whether none is left.
    fn restart_failed(&self) -> bool {
        let failed = self.monitor().take_failed();
        let mut again = BTreeSet::new();
        for module in failed {
            // Another thread may be making a change by now.
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
        let is_done = again.is_empty();
        self.monitor().return_failed(again);
        is_done
    }
}
