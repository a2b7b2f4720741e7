//! Configuration that overrides what a program sets for its executor.

use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
use hemiola_realtime::{Affinity, CoreId, Niceness, Policy, Priority as ThreadPriority, ThreadSettings};

use super::{Executor, Priority};

impl Executor {
    /// Lets a configuration override what the program sets: the priorities with which callbacks are
    /// added, and the policy and cores of the thread that [`spawn`](Self::spawn) makes. Whatever
    /// the configuration leaves open stays as the program sets it.
    ///
    /// ```
    /// use hemiola_bus::{Executor, Priority, RobotClock};
    /// use hemiola_model::configuration::ExecutorConfiguration;
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// let callbacks = [("every 10ms".to_owned(), 30)].into();
    /// let configuration = ExecutorConfiguration { callbacks, ..ExecutorConfiguration::default() };
    /// let clock = Arc::new(RobotClock::stepped());
    /// let mut arm = Executor::new("arm", &clock).configured(configuration);
    /// arm.every(Duration::from_millis(10), Priority(20), |_| println!("balance"))?;
    /// assert_eq!(arm.handle().callbacks()[0].priority, Priority(30));
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the executor has callbacks already.
    #[must_use]
    pub fn configured(self, configuration: ExecutorConfiguration) -> Self {
        assert!(self.handle.callbacks().is_empty(), "an executor is configured before it gets callbacks");
        self.handle.configure(configuration);
        self
    }
}

/// Returns the priority of a callback that is configured, or else the one that the program sets.
pub(super) fn priority(configuration: &ExecutorConfiguration, callback: &str, said: Priority) -> Priority {
    configuration.priority_of(callback).map_or(said, Priority)
}

/// Returns the settings of the executor's thread: those of the program, overridden by those that
/// are configured.
pub(super) fn thread(configuration: &ExecutorConfiguration, said: ThreadSettings) -> ThreadSettings {
    let said = match configuration.scheduling {
        Some(Scheduling::Fifo(level)) => said.policy(Policy::Fifo(ThreadPriority::nearest(level))),
        Some(Scheduling::RoundRobin(level)) => said.policy(Policy::RoundRobin(ThreadPriority::nearest(level))),
        Some(Scheduling::Reservation { budget, period }) => said.policy(Policy::reservation(budget, period)),
        Some(Scheduling::TimeSharing) => said.policy(Policy::TimeSharing { nice: Niceness::default() }),
        None => said,
    };
    match configuration.cores.as_slice() {
        [] => said,
        cores => said.affinity(Affinity::of(cores.iter().map(|&core| CoreId(core)))),
    }
}
