//! The scheduling policy and the priority of a thread.

use std::fmt;
use std::time::Duration;

use crate::error::RealtimeError;

/// The policy by which the kernel decides when a thread runs.
///
/// Real-time policies are not inherited by threads that such a thread starts without
/// [`spawn`](crate::spawn).
///
/// ```
/// use hemiola_realtime::{Policy, Priority};
///
/// let motion = Policy::Fifo(Priority::new(60)?);
/// let cognition = Policy::Fifo(Priority::new(40)?);
/// assert_eq!(motion.to_string(), "SCHED_FIFO with priority 60");
/// assert_ne!(motion, cognition);
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Runs until it blocks or a thread of higher priority is ready.
    Fifo(Priority),
    /// Runs like [`Policy::Fifo`], but threads of equal priority take turns.
    RoundRobin(Priority),
    /// Linux' constant bandwidth server over earliest deadline first: `runtime` of processor time
    /// within `deadline` of each start of a `period`. The kernel requires
    /// `runtime <= deadline <= period`, and no affinity.
    Deadline {
        /// The processor time per period.
        runtime: Duration,
        /// The time by which it is needed, from the start of the period.
        deadline: Duration,
        /// The time between two starts.
        period: Duration,
    },
    /// Shares the processor with all other threads. Timers of such a thread fire without slack.
    TimeSharing {
        /// The weight among the others.
        nice: Niceness,
    },
}

impl Policy {
    /// Returns [`Policy::Deadline`] with a budget in every period, which is given by its end.
    ///
    /// ```
    /// use hemiola_realtime::Policy;
    /// use std::time::Duration;
    ///
    /// let planner = Policy::reservation(Duration::from_millis(4), Duration::from_millis(20));
    /// assert_eq!(planner.to_string(), "SCHED_DEADLINE with 4ms within 20ms every 20ms");
    /// ```
    pub const fn reservation(budget: Duration, period: Duration) -> Self {
        Self::Deadline { runtime: budget, deadline: period, period }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Fifo(priority) => write!(formatter, "SCHED_FIFO with priority {}", priority.level()),
            Policy::RoundRobin(priority) => write!(formatter, "SCHED_RR with priority {}", priority.level()),
            Policy::Deadline { runtime, deadline, period } => {
                write!(formatter, "SCHED_DEADLINE with {runtime:?} within {deadline:?} every {period:?}")
            }
            Policy::TimeSharing { nice } => write!(formatter, "time sharing with nice value {}", nice.level()),
        }
    }
}

/// A real-time priority, 1 (lowest) to 99 (highest; as high as the kernel's own migration threads,
/// better left to them).
///
/// ```
/// use hemiola_realtime::Priority;
///
/// assert_eq!(Priority::new(60)?.level(), 60);
/// assert!(Priority::new(0).is_err());
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// The lowest real-time priority, still above everything that shares time.
    pub const LOWEST: Priority = Priority(1);
    /// The highest real-time priority.
    pub const HIGHEST: Priority = Priority(99);

    /// Returns the priority `level`.
    ///
    /// # Errors
    /// Returns [`RealtimeError::NoSuchPriority`] outside 1 to 99.
    pub fn new(level: u8) -> Result<Self, RealtimeError> {
        let priority = Priority(level);
        if (Self::LOWEST..=Self::HIGHEST).contains(&priority) {
            Ok(priority)
        } else {
            Err(RealtimeError::NoSuchPriority { level })
        }
    }

    /// Returns the priority `level`, or the one that is nearest to it.
    ///
    /// ```
    /// # use hemiola_realtime::Priority;
    /// assert_eq!((Priority::nearest(60).level(), Priority::nearest(0).level()), (60, 1));
    /// ```
    pub fn nearest(level: u8) -> Self {
        Priority(level).clamp(Self::LOWEST, Self::HIGHEST)
    }

    /// Returns the level, from 1 to 99.
    pub const fn level(self) -> u8 {
        self.0
    }
}

/// A nice value, -20 (most processor time) to 19 (least). The default is 0.
///
/// ```
/// use hemiola_realtime::Niceness;
///
/// assert_eq!(Niceness::default().level(), 0);
/// assert!(Niceness::new(20).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Niceness(i8);

impl Niceness {
    /// Returns the nice value `level`.
    ///
    /// # Errors
    /// Returns [`RealtimeError::NoSuchNiceness`] outside -20 to 19.
    pub fn new(level: i8) -> Result<Self, RealtimeError> {
        if (-20..=19).contains(&level) { Ok(Niceness(level)) } else { Err(RealtimeError::NoSuchNiceness { level }) }
    }

    /// Returns the level, from -20 to 19.
    pub const fn level(self) -> i8 {
        self.0
    }
}
