//! The watchdog, which checks the cycles from outside: one that has stopped cannot help itself.
//!
//! It has a thread of its own, above all cycles: a module that never returns may occupy every core
//! at its cycle's priority. It never waits: a module that is in use at one check is tried again at
//! the next.
//!
//! A robot none of whose cycles has run for a while has no run that could be endless: then the
//! watchdog sleeps until one begins, unless it has something else to do.
//!
//! | part | when | what it does |
//! |---|---|---|
//! | `silence` | no run of a cycle has ended for as long as its `watchdog` allows | puts the robot into its safe state |
//! | `demotion` | one run of a cycle with real-time priority does not end | makes it share time until it ends, so that the cycles above it are not stopped with it |

mod demotion;
mod silence;

use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::exchange::QueueWriter;
use hemiola_realtime::{Containment, monotonic_now};
use hemiola_trace::{Catalog, TaskId};

pub use demotion::{Demotion, EndlessRun};
pub use silence::{Silence, SilentCycle};

use crate::ending::Ending;
use crate::record::Severity;
use crate::robot_state::RobotState;

/// The watchdog of a robot.
pub struct Watchdog {
    pub silences: Vec<Silence>,
    pub demotions: Vec<Demotion>,
    pub robot: Arc<RobotState>,
    pub reports: QueueWriter<WatchdogReport>,
    pub heartbeat: Option<Heartbeat>,
}

/// The heartbeat, which periodically shows somebody outside that the robot is alive.
pub struct Heartbeat {
    pub period: Duration,
    pub beat: Box<dyn FnMut() + Send>,
}

/// A report of the watchdog.
pub enum WatchdogReport {
    Silent(SilentCycle),
    Endless(EndlessRun),
}

impl WatchdogReport {
    /// Returns the severity of the report.
    pub fn severity(&self) -> Severity {
        match self {
            WatchdogReport::Silent(_) => Severity::Error,
            WatchdogReport::Endless(_) => Severity::Warning,
        }
    }

    /// Returns the message for people. It is the same for as long as the state lasts, so that it is
    /// one message.
    pub fn describe(&self, catalog: &Catalog) -> String {
        match self {
            WatchdogReport::Silent(silent) => silent.describe(catalog),
            WatchdogReport::Endless(endless) => endless.describe(catalog),
        }
    }
}

/// Names the tasks in words, in parentheses; empty if there are none.
fn describe_running(tasks: &[TaskId], catalog: &Catalog) -> String {
    let names: Vec<_> = tasks.iter().map(|&task| catalog.read().task_name(task)).collect();
    if names.is_empty() { String::new() } else { format!(" (it is running {})", names.join(", ")) }
}

/// The number of checks within the shortest limit.
const LOOKS: u32 = 4;
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);
const LONGEST_PERIOD: Duration = Duration::from_millis(100);

impl Watchdog {
    /// Returns whether there is nothing to check before the robot's end.
    pub fn is_idle(&self) -> bool {
        self.silences.is_empty() && self.demotions.is_empty() && self.heartbeat.is_none()
    }

    /// Checks the cycles until the robot stops, and oversees its end.
    pub fn run(mut self, ending: &Arc<Ending>) {
        let _containment = Containment::new();
        self.look_until_the_end();
        ending.oversee();
    }

    fn look_until_the_end(&mut self) {
        let limits = self.silences.iter().map(|silence| silence.limit);
        let shortest = limits.chain(self.demotions.iter().map(|_| demotion::LIMIT)).min().unwrap_or(LONGEST_PERIOD);
        let beat = self.heartbeat.as_ref().map_or(LONGEST_PERIOD, |heartbeat| heartbeat.period);
        let period = (shortest / LOOKS).min(beat).clamp(SHORTEST_PERIOD, LONGEST_PERIOD);
        if !self.robot.wait_for_beginning() {
            return;
        }
        let is_for_runs_only = self.silences.is_empty() && self.heartbeat.is_none();
        let mut active = self.robot.activity.generation();
        loop {
            // A run that begins after this look is noticed.
            let seen = self.robot.activity.generation();
            self.look();
            // Runs that follow each other closely wake nobody up.
            if is_for_runs_only && seen == active && !self.demotions.iter().any(Demotion::is_needed) {
                self.robot.activity.wait(seen, None);
            }
            active = seen;
            if self.robot.wait_for_stop(Some(monotonic_now() + period)) {
                return;
            }
        }
    }

    /// Checks once. Reports that do not fit are lost: then nobody reads them.
    fn look(&mut self) {
        if let Some(heartbeat) = &mut self.heartbeat {
            (heartbeat.beat)();
        }
        for demotion in &mut self.demotions {
            if let Some(endless) = demotion.look() {
                _ = self.reports.push(WatchdogReport::Endless(endless));
                self.robot.news().notify_all();
            }
        }
        for silence in &mut self.silences {
            if let Some(silent) = silence.look(&self.robot) {
                _ = self.reports.push(WatchdogReport::Silent(silent));
                self.robot.news().notify_all();
            }
        }
    }
}
