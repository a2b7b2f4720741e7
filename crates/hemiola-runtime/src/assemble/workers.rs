//! The workers of a cycle: their threads, and the rings and queues that they write.

use std::num::NonZeroUsize;
use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::configuration::Scheduling;
use hemiola_plan::TaskGraph;
use hemiola_realtime::{Affinity, CoreId, KernelThread, Policy, Priority, ThreadSettings};

use super::assembly::Assembly;
use super::periods::period_of;
use crate::error::RuntimeError;
use crate::executor::{Executor, Habits, MAXIMUM_WORKERS};
use crate::program::Program;
use crate::worker::{RunningTask, WorkerState, events_kept};

/// Worker 0, which is the cycle's own thread, and the executor with the threads of all others.
pub(super) struct Workers {
    pub executor: Executor<Program>,
    pub first: WorkerState,
    /// The threads of workers 1 and up.
    pub helpers: Vec<KernelThread>,
    /// The tasks that the workers are running, for the watchdog; worker 0 last.
    pub running: Vec<Arc<RunningTask>>,
    /// The number of workers.
    pub count: usize,
}

impl Assembly<'_> {
    /// Starts the workers of the cycle with that number, which then wait; worker 0 is the cycle's
    /// own thread.
    pub(super) fn workers(&mut self, index: usize) -> Result<Workers, RuntimeError> {
        let (cycle, plan) = (self.cycle_ids[index], &self.plans[index]);
        let configuration = &self.robot.configuration.cycles[index];
        let count = pool_size(plan.workers(), configuration.workers, self.available);
        let events =
            events_kept(events_per_run(plan.graph(), self.robot.sources.len()), period_of(self.robot, configuration));
        let mut executor = Executor::new();
        let (state, name) = (self.state.clone(), configuration.name.clone());
        executor.tell_of_ends(move |worker, reason| state.note_end_of(&format!("{name} {worker}"), reason));
        let is_stepped = self.state.clock().due(Time::ZERO).is_none();
        let cores = self.available.get();
        let (mut running, mut helpers) = (Vec::new(), Vec::new());
        for worker in 1..count {
            let (worker_state, outputs) = WorkerState::new(events);
            running.push(outputs.running.clone());
            let name = format!("{} {worker}", configuration.name);
            // The thread that steps a robot shares time with all others, so no helper may have a
            // priority above it.
            let scheduling = if is_stepped { Scheduling::TimeSharing } else { configuration.scheduling };
            let settings = thread_settings(&name, scheduling, &configuration.cores);
            let habits = Habits { spins: worker < cores, rests: real_time_policy(scheduling).is_some() };
            let report = executor.add_worker_that(habits, settings, worker_state)?;
            self.monitor.note_denials(report.denials());
            let id = self.catalog.worker(cycle, worker, worker as u32 + 1)?;
            helpers.extend(report.thread);
            self.helpers.extend(report.thread.map(|thread| (id, thread)));
            self.monitor.add_worker(id, outputs);
        }
        let (first, outputs) = WorkerState::new(events);
        running.push(outputs.running.clone());
        self.monitor.add_worker(self.catalog.worker(cycle, 0, 0)?, outputs);
        Ok(Workers { executor, first, helpers, running, count })
    }
}

/// Returns the number of events that one worker records in a run of this graph if it runs all of
/// it.
fn events_per_run(graph: &TaskGraph, sources: usize) -> usize {
    /// The events of the run itself: begin and end, exchanges, overruns and wake-ups.
    const OF_THE_RUN: usize = 16;
    let outputs = graph.tasks().iter().filter(|task| task.is_output).count();
    // Tasks may also fail or publish, and at outputs samples of every source may arrive.
    2 * graph.tasks().len() + outputs * sources + OF_THE_RUN
}

fn pool_size(planned: usize, fixed: Option<usize>, available: NonZeroUsize) -> usize {
    fixed.unwrap_or(available.get()).max(planned).clamp(1, MAXIMUM_WORKERS)
}

/// Returns the settings of a thread with that name.
pub fn thread_settings(name: &str, scheduling: Scheduling, cores: &[usize]) -> ThreadSettings {
    let settings = ThreadSettings::new(name).prefaulted_stack(256 * 1024);
    let settings = match real_time_policy(scheduling) {
        Some(policy) => settings.policy(policy),
        None => settings,
    };
    if cores.is_empty() { settings } else { settings.affinity(Affinity::of(cores.iter().map(|&core| CoreId(core)))) }
}

/// Returns the real-time policy, or `None` for threads that share time.
pub fn real_time_policy(scheduling: Scheduling) -> Option<Policy> {
    match scheduling {
        Scheduling::Fifo(level) => Some(Policy::Fifo(Priority::nearest(level))),
        Scheduling::RoundRobin(level) => Some(Policy::RoundRobin(Priority::nearest(level))),
        Scheduling::Reservation { budget, period } => Some(Policy::reservation(budget, period)),
        Scheduling::TimeSharing => None,
    }
}
