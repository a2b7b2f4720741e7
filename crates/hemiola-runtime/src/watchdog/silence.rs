//! Brings the robot into its safe state when a cycle has stopped.
//!
//! Cycles that run enter the safe state themselves, between two runs; for those that have stopped
//! it is done here.

use std::sync::Arc;
use std::time::Duration;

use hemiola_trace::{Catalog, CycleId, TaskId};

use super::describe_running;
use crate::actuators::Actuators;
use crate::cycle::Health;
use crate::robot_state::RobotState;
use crate::run::Trigger;
use crate::safe_state::Cause;
use crate::worker::RunningTask;

/// A cycle that must end a run from time to time.
pub struct Silence {
    pub cycle: CycleId,
    /// It must not be silent for longer.
    pub limit: Duration,
    pub health: Arc<Health>,
    /// What starts its runs, if that is a source.
    pub trigger: Option<Arc<Trigger>>,
    /// What its workers are running.
    pub running: Vec<Arc<RunningTask>>,
    pub actuators: Arc<Actuators>,
    /// While it is silent: which of its actuators were busy at the last look.
    pub busy: Option<Vec<&'static str>>,
}

/// A cycle has stopped.
pub struct SilentCycle {
    pub cycle: CycleId,
    /// Longer ago than this its last run ended.
    pub limit: Duration,
    /// What its workers were running.
    pub running: Vec<TaskId>,
    /// Modules whose safe state could not be entered, because they are what does not return.
    pub unreached: Vec<&'static str>,
}

impl SilentCycle {
    pub fn describe(&self, catalog: &Catalog) -> String {
        let cycle = catalog.read().cycle_name(self.cycle);
        let running = describe_running(&self.running, catalog);
        let unreached = match self.unreached.as_slice() {
            [] => String::new(),
            names => format!("; {} cannot be made safe, because it does not return", names.join(", ")),
        };
        let limit = self.limit.as_millis();
        format!(
            "cycle `{cycle}` has not ended a run within the {limit} ms of its watchdog{running}; the robot enters its safe \
             state{unreached}"
        )
    }
}

impl Silence {
    /// Tells when there is something new to tell.
    pub fn look(&mut self, robot: &RobotState) -> Option<SilentCycle> {
        let is_silent = robot.clock().now().since(self.health.last_end()) > self.limit;
        // No more samples will come: the cycle has done its work.
        let is_over = self.trigger.as_ref().is_some_and(|trigger| trigger.has_ended());
        if !is_silent || is_over {
            self.busy = None;
            return None;
        }
        robot.enter_safe_state(Cause::Silence(self.cycle));
        let unreached = self.respond()?;
        let running = self.running.iter().filter_map(|worker| worker.get()).collect();
        Some(SilentCycle { cycle: self.cycle, limit: self.limit, running, unreached })
    }

    /// Brings the actuators into their safe state. Tells which of them are busy, when there is
    /// something new to tell.
    fn respond(&mut self) -> Option<Vec<&'static str>> {
        if self.busy.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let busy = self.actuators.enter_safe_state()?;
        let is_news = self.busy.as_ref() != Some(&busy);
        self.busy = Some(busy.clone());
        is_news.then_some(busy)
    }
}
