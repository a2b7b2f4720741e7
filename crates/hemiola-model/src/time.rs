use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point on the framework's clock: nanoseconds since the robot started, or since the first sample
/// of a recording.
///
/// There is no other clock: in simulation and replay it runs faster or slower than the world, and
/// the robot's software does not notice. As JSON, a time is the number of nanoseconds.
///
/// ```
/// use hemiola_model::Time;
/// use std::time::Duration;
///
/// let start = Time::from_seconds(1.5);
/// assert_eq!(start + Duration::from_millis(12), Time::from_nanoseconds(1_512_000_000));
/// assert_eq!(Time::ZERO.since(start), Duration::ZERO); // never negative
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(i64);

impl Time {
    /// The time at which the clock started.
    pub const ZERO: Self = Self(0);

    /// Creates a time from nanoseconds since the start; they are negative before it.
    pub const fn from_nanoseconds(nanoseconds: i64) -> Self {
        Self(nanoseconds)
    }

    /// Creates a time from seconds since the start.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1e9).round() as i64)
    }

    /// Returns the nanoseconds since the start.
    pub const fn nanoseconds(self) -> i64 {
        self.0
    }

    /// Returns the seconds since the start.
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Returns the time from `earlier` until this; zero if this is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0).max(0) as u64)
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)))
    }
}

impl Sub<Duration> for Time {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.6} s", self.seconds())
    }
}

/// The clock as an update sees it: an update receives it as a `&Clock` argument.
///
/// It stands still while a cycle runs, so that results depend on the inputs alone and a replay
/// yields the same bits.
///
/// ```
/// use hemiola_model::{Clock, Time};
/// use std::time::Duration;
///
/// let clock = Clock::new(Time::from_seconds(2.0), Duration::from_millis(12), 167);
/// assert_eq!(clock.now().seconds(), 2.0);
/// assert_eq!(clock.step_seconds(), 0.012);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    now: Time,
    step: Duration,
    run: u64,
}

impl Clock {
    /// Creates a clock that stands at `now`, `step` after the previous run of the cycle, in its run
    /// number `run`.
    pub const fn new(now: Time, step: Duration, run: u64) -> Self {
        Self { now, step, run }
    }

    /// Returns when this run of the cycle was triggered.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Returns the time since the previous run of this cycle; in the first run its nominal period
    /// (zero if it has none).
    pub const fn step(&self) -> Duration {
        self.step
    }

    /// Returns [`step`](Self::step) in seconds, for integration.
    pub fn step_seconds(&self) -> f32 {
        self.step.as_secs_f32()
    }

    /// Returns how many runs of this cycle came before this one.
    pub const fn run(&self) -> u64 {
        self.run
    }
}
