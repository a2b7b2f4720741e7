//! Makes a run that does not end share time with everything else.
//!
//! Real-time threads that leave a core no rest are stopped by the kernel, all of them, for 50 ms of
//! every second: a module of cognition that hangs would stop motion with it (see
//! [`Respite`](hemiola_realtime::Respite), which is for cycles whose runs do end). Once they share
//! time, its threads get what is left, and the others run on undisturbed. If the run ends after
//! all, they get back their policy.

use std::sync::Arc;
use std::time::Duration;

use hemiola_realtime::{KernelThread, Niceness, Policy};
use hemiola_trace::{Catalog, CycleId, TaskId, TickScale, Ticks};

use super::describe_running;
use crate::cycle::Health;
use crate::worker::RunningTask;

/// The demotion of a cycle with real-time priority.
pub struct Demotion {
    pub cycle: CycleId,
    pub policy: Policy,
    pub health: Arc<Health>,
    /// The threads of workers 1 and up; worker 0 notes its own thread.
    pub helpers: Vec<KernelThread>,
    /// The tasks that its workers are running.
    pub running: Vec<Arc<RunningTask>>,
    pub scale: TickScale,
    /// The threads that share time at present, and will get their policy back.
    pub demoted: Vec<KernelThread>,
}

/// The report of a run that does not end, and shares time from now on.
pub struct EndlessRun {
    pub cycle: CycleId,
    /// The tasks that its workers were running.
    pub running: Vec<TaskId>,
}

/// The time after which a run counts as endless: it does not belong among real-time threads. The
/// kernel steps in when all of them together have used 950 ms of a second, so such a run must be
/// found long before.
pub const LIMIT: Duration = Duration::from_millis(250);

impl EndlessRun {
    pub fn describe(&self, catalog: &Catalog) -> String {
        let cycle = catalog.read().cycle_name(self.cycle);
        let running = describe_running(&self.running, catalog);
        let limit = LIMIT.as_millis();
        format!(
            "a run of cycle `{cycle}` has taken {limit} ms and has not ended{running}; until it ends it shares time, because real-time threads that \
             leave no rest stop all others"
        )
    }
}

impl Demotion {
    /// Checks the cycle; returns a report if a run has just been found endless.
    pub fn look(&mut self) -> Option<EndlessRun> {
        let age = self.health.run_since().map(|since| self.scale.nanoseconds_between(since, Ticks::now()));
        if age.is_none_or(|age| u128::from(age) < LIMIT.as_nanos()) {
            self.promote();
            return None;
        }
        if !self.demoted.is_empty() {
            return None;
        }
        self.demote();
        let running = self.running.iter().filter_map(|worker| worker.get()).collect();
        (!self.demoted.is_empty()).then_some(EndlessRun { cycle: self.cycle, running })
    }

    /// Returns whether a run is in progress, or threads share time that are to get their policy
    /// back.
    pub fn is_needed(&self) -> bool {
        self.health.run_since().is_some() || !self.demoted.is_empty()
    }

    /// Makes the threads share time. Those that were refused a real-time policy when they started
    /// do so already.
    fn demote(&mut self) {
        let threads = self.helpers.iter().copied().chain(self.health.thread());
        let shared = Policy::TimeSharing { nice: Niceness::default() };
        self.demoted.extend(threads.filter(|thread| thread.is_real_time() && thread.set_policy(shared).is_ok()));
    }

    /// Gives the threads their policy back. A refused one is tried again at the next check.
    fn promote(&mut self) {
        let policy = self.policy;
        self.demoted.retain(|thread| thread.set_policy(policy).is_err());
    }
}
