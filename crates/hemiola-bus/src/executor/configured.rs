//! What goes before what a program says of its executor.

use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
use hemiola_realtime::{Affinity, CoreId, Niceness, Policy, Priority as ThreadPriority, ThreadSettings};

use super::{Executor, Priority};

impl Executor {
    /// Lets a configuration go before what the program says: before the priorities with which
    /// callbacks are added, and before policy and cores of the thread that [`spawn`](Self::spawn)
    /// makes. What it does not speak of is as the program says.
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
    /// If it has callbacks already.
    #[must_use]
    pub fn configured(self, configuration: ExecutorConfiguration) -> Self {
        assert!(self.handle.callbacks().is_empty(), "an executor is configured before it gets callbacks");
        self.handle.configure(configuration);
        self
    }
}

/// The priority of a callback.
pub(super) fn priority(configuration: &ExecutorConfiguration, callback: &str, said: Priority) -> Priority {
    configuration.priority_of(callback).map_or(said, Priority)
}

/// The settings of its thread.
pub(super) fn thread(configuration: &ExecutorConfiguration, said: ThreadSettings) -> ThreadSettings {
    let said = match configuration.scheduling {
        Some(Scheduling::Fifo(level)) => said.policy(Policy::Fifo(ThreadPriority::nearest(level))),
        Some(Scheduling::RoundRobin(level)) => said.policy(Policy::RoundRobin(ThreadPriority::nearest(level))),
        Some(Scheduling::TimeSharing) => said.policy(Policy::TimeSharing { nice: Niceness::default() }),
        None => said,
    };
    match configuration.cores.as_slice() {
        [] => said,
        cores => said.affinity(Affinity::of(cores.iter().map(|&core| CoreId(core)))),
    }
}
