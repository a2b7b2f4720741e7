//! Puts the robot into its safe state if a cycle has stopped.
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

/// The watch over a cycle that must end a run from time to time.
pub struct Silence {
    pub cycle: CycleId,
    /// The maximum duration of a silence.
    pub limit: Duration,
    pub health: Arc<Health>,
    /// The trigger of its runs, if that is a source.
    pub trigger: Option<Arc<Trigger>>,
    /// The tasks that its workers are running.
    pub running: Vec<Arc<RunningTask>>,
    pub actuators: Arc<Actuators>,
    /// The actuators that were in use at the last check, while the cycle is silent.
    pub busy: Option<Vec<&'static str>>,
}

/// The report of a cycle that has stopped.
pub struct SilentCycle {
    pub cycle: CycleId,
    /// The limit within which no run ended.
    pub limit: Duration,
    /// The tasks that its workers were running.
    pub running: Vec<TaskId>,
    /// The modules whose safe state could not be entered, because they are what does not return.
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
    /// Checks the cycle; returns a report if there is something new.
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

    /// Puts the actuators into their safe state. Returns those that are in use, if that is new.
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
