//! Lets a run that does not end share time with everything else.
//!
//! Real-time threads that leave a core no rest are stopped by the kernel, all of them, for 50 ms of
//! every second: a module of cognition that hangs would stop motion with it (see
//! [`Respite`](hemiola_realtime::Respite), which sees to cycles whose runs do end). Once they share
//! time, its threads get what is left, and nobody else notices. When the run ends after all, they
//! get back what they had.

use std::sync::Arc;
use std::time::Duration;

use hemiola_realtime::{KernelThread, Niceness, Policy};
use hemiola_trace::{Catalog, CycleId, TaskId, TickScale, Ticks};

use super::describe_running;
use crate::cycle::Health;
use crate::worker::RunningTask;

/// A cycle with real-time priority.
pub struct Demotion {
    pub cycle: CycleId,
    pub policy: Policy,
    pub health: Arc<Health>,
    /// The threads of workers 1 and up; worker 0 says itself who it is.
    pub helpers: Vec<KernelThread>,
    /// What its workers are running.
    pub running: Vec<Arc<RunningTask>>,
    pub scale: TickScale,
    /// Those that share time at present and had better.
    pub demoted: Vec<KernelThread>,
}

/// A run does not end, and shares time from now on.
pub struct EndlessRun {
    pub cycle: CycleId,
    /// What its workers were running.
    pub running: Vec<TaskId>,
}

/// A run that takes longer has no business among real-time threads. The kernel steps in when all of
/// them together have used 950 ms of a second, so it must be found long before.
pub const LIMIT: Duration = Duration::from_millis(250);

impl EndlessRun {
    pub fn describe(&self, catalog: &Catalog) -> String {
        let cycle = catalog.read().cycle_name(self.cycle);
        let running = describe_running(&self.running, catalog);
        let limit = LIMIT.as_millis();
        format!(
            "a run of cycle `{cycle}` has taken {limit} ms and goes on{running}; until it ends it shares time, for real-time threads that \
             leave no rest stop all others"
        )
    }
}

impl Demotion {
    /// Tells when a run has just been taken to be endless.
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

    /// Those that were refused a real-time policy when they started share time already.
    fn demote(&mut self) {
        let threads = self.helpers.iter().copied().chain(self.health.thread());
        let shared = Policy::TimeSharing { nice: Niceness::default() };
        self.demoted.extend(threads.filter(|thread| thread.is_real_time() && thread.set_policy(shared).is_ok()));
    }

    /// A thread that is refused now is asked for again at the next look.
    fn promote(&mut self) {
        let policy = self.policy;
        self.demoted.retain(|thread| thread.set_policy(policy).is_err());
    }
}
