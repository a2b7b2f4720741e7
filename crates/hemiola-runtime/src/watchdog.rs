//! Sees from outside that a cycle has stopped, and brings the robot into its safe state.
//!
//! It has a thread of its own, above all cycles: a module that never returns may hold every core at its cycle's priority. Cycles
//! that run enter the safe state themselves, between two runs; for those that have stopped the watchdog does it. It never
//! waits: what is busy at one look is tried again at the next.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_realtime::{Containment, monotonic_now};
use hemiola_trace::{CycleId, TaskId};

use crate::controls::lock_if_free;
use crate::cycle::Health;
use crate::module_instance::{Entered, ModuleInstance};
use crate::robot_state::RobotState;
use crate::safe_state::Cause;
use crate::source::Trigger;
use crate::worker::RunningTask;
use hemiola_bus::exchange::QueueWriter;

/// See the module.
pub struct Watchdog {
    pub cycles: Vec<WatchedCycle>,
    pub robot: Arc<RobotState>,
    pub reports: QueueWriter<Silence>,
}

/// A cycle that must end a run from time to time.
pub struct WatchedCycle {
    pub id: CycleId,
    /// It must not be silent for longer.
    pub limit: Duration,
    pub health: Arc<Health>,
    /// What starts its runs, if that is a source.
    pub trigger: Option<Arc<Trigger>>,
    /// What its workers are running.
    pub running: Vec<Arc<RunningTask>>,
    pub actuators: Actuators,
    /// While it is silent: which of its actuators were busy at the last look.
    pub busy: Option<Vec<&'static str>>,
}

/// The modules of a cycle that have a safe state. Locked only for a moment, and by the watchdog only if nobody else does.
pub type Actuators = Arc<Mutex<Vec<Arc<ModuleInstance>>>>;

/// A cycle has stopped.
pub struct Silence {
    pub cycle: CycleId,
    /// Longer ago than this its last run ended.
    pub limit: Duration,
    /// What its workers were running.
    pub running: Vec<TaskId>,
    /// Modules whose safe state could not be entered, because they are what does not return.
    pub unreached: Vec<&'static str>,
}

/// So often within the shortest limit it looks.
const LOOKS: u32 = 4;
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);
/// A robot that stops waits no longer for it than this.
const LONGEST_PERIOD: Duration = Duration::from_millis(50);

impl Watchdog {
    /// Looks until the robot stops.
    pub fn run(mut self) {
        let _containment = Containment::new();
        let shortest = self.cycles.iter().map(|cycle| cycle.limit).min().unwrap_or(LONGEST_PERIOD);
        let period = (shortest / LOOKS).clamp(SHORTEST_PERIOD, LONGEST_PERIOD);
        while !self.robot.is_stopping() {
            self.look();
            let seen = self.robot.stopped.generation();
            self.robot.stopped.wait(seen, Some(monotonic_now() + period));
        }
    }

    fn look(&mut self) {
        let now = self.robot.clock().now();
        for cycle in &mut self.cycles {
            let is_silent = now.since(cycle.health.last_end()) > cycle.limit;
            // No more samples will come: the cycle has done its work.
            let is_over = cycle.trigger.as_ref().is_some_and(|trigger| trigger.has_ended());
            if !is_silent || is_over {
                cycle.busy = None;
                continue;
            }
            self.robot.enter_safe_state(Cause::Silence(cycle.id));
            if let Some(unreached) = cycle.respond() {
                let running = cycle.running.iter().filter_map(|worker| worker.get()).collect();
                // Full only if nobody reads, and then nobody misses it.
                _ = self.reports.push(Silence { cycle: cycle.id, limit: cycle.limit, running, unreached });
            }
        }
    }
}

impl WatchedCycle {
    /// Brings the actuators into their safe state. Tells which of them are busy, when there is something new to tell.
    fn respond(&mut self) -> Option<Vec<&'static str>> {
        if self.busy.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let actuators = lock_if_free(&self.actuators)?;
        let is_due = |name| self.busy.as_ref().is_none_or(|busy| busy.contains(&name));
        let due = actuators.iter().filter(|actuator| is_due(actuator.name()));
        let busy: Vec<_> = due
            .filter(|actuator| actuator.enter_safe_state() == Entered::Busy)
            .map(|actuator| actuator.name())
            .collect();
        let is_news = self.busy.as_ref() != Some(&busy);
        self.busy = Some(busy.clone());
        is_news.then_some(busy)
    }
}
