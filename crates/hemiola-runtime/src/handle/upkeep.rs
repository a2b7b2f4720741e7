//! What the service thread does for a running robot.

use std::collections::BTreeSet;

use hemiola_realtime::KernelThread;
use hemiola_trace::WorkerId;

use super::{CycleHealth, RobotHandle};
use crate::controls::{Controls, CycleControl, Posted};
use crate::error::RuntimeError;
use crate::lock::lock_if_free;
use crate::record::Change;

impl RobotHandle {
    /// Gathers events, replaces failed modules, plans with what was learnt. Never waits for somebody who is changing the robot, who
    /// may be waiting for a cycle himself: then the rings would overflow. The next call tries again.
    pub(crate) fn service(&self) {
        self.viewpoints.tidy();
        let mut monitor = self.monitor();
        monitor.poll();
        self.state.set_watched(monitor.is_watched());
        drop(monitor);
        if let Some(mut controls) = lock_if_free(&self.controls) {
            self.restart_failed(&mut controls);
            self.learn(&mut controls);
        }
    }

    /// Looks from now on, whenever it gathers events, at what the kernel counts of these threads.
    pub(crate) fn watch_threads(&self, threads: Vec<(WorkerId, KernelThread)>) -> Result<(), RuntimeError> {
        self.monitor().watch_threads(threads)
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
            if controls.restarted_by_recording.contains(module) {
                continue;
            }
            let mut number = None;
            for index in 0..controls.cycles.len() {
                if !controls.cycles[index].instances.contains_key(module) {
                    continue;
                }
                let number = *number.get_or_insert_with(|| controls.number_change());
                match controls.post_program(index, &profile, Some((module, number))) {
                    Ok(Posted::Now) => {}
                    Ok(Posted::Later) => _ = again.insert(module),
                    Err(error) => self.note(format!("{module} could not be replaced: {error}")),
                }
            }
            self.note_change(Change::Restart { module: module.to_owned() }, number);
        }
        self.monitor().return_failed(again);
    }
}
