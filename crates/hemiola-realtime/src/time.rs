//! Points in time on the monotonic clock, and sleeping until one of them.

use crate::os;
use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time on `CLOCK_MONOTONIC`, the clock of all triggers and deadlines. It has nanosecond
/// resolution, never steps back, and wraps after 584 years.
///
/// Unlike [`std::time::Instant`] it has a number, so that it fits an atomic, a trace and a
/// comparison with kernel timestamps.
///
/// ```
/// use hemiola_realtime::{MonotonicTime, monotonic_now};
/// use std::time::Duration;
///
/// let start = monotonic_now();
/// let due = start + Duration::from_millis(12);
/// assert_eq!(due - start, Duration::from_millis(12));
/// assert_eq!(start.since(due), Duration::ZERO); // saturates
/// assert_eq!(MonotonicTime::from_nanoseconds(due.as_nanoseconds()), due);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MonotonicTime(u64);

impl MonotonicTime {
    /// Returns the point in time `nanoseconds` after the clock's origin (usually the start of the
    /// machine).
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        MonotonicTime(nanoseconds)
    }

    /// Returns the nanoseconds since the clock's origin.
    pub const fn as_nanoseconds(self) -> u64 {
        self.0
    }

    /// Returns the time that passed since `earlier`; zero if `earlier` is later than this.
    pub const fn since(self, earlier: MonotonicTime) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for MonotonicTime {
    type Output = MonotonicTime;

    /// Adds a duration, and saturates at the maximum.
    fn add(self, duration: Duration) -> MonotonicTime {
        MonotonicTime(self.0.saturating_add(nanoseconds(duration)))
    }
}

impl Sub<Duration> for MonotonicTime {
    type Output = MonotonicTime;

    /// Subtracts a duration, and saturates at the clock's origin.
    fn sub(self, duration: Duration) -> MonotonicTime {
        MonotonicTime(self.0.saturating_sub(nanoseconds(duration)))
    }
}

impl Sub for MonotonicTime {
    type Output = Duration;

    /// Subtracts like [`MonotonicTime::since`]: zero if `earlier` is later.
    fn sub(self, earlier: MonotonicTime) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Debug for MonotonicTime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:09} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}

/// Returns the time between two ticks of the kernel's scheduler, at which it looks at how long
/// threads have run; `None` if the system does not show it.
///
/// ```
/// use std::time::Duration;
///
/// if let Some(tick) = hemiola_realtime::scheduler_tick() {
///     assert!(tick <= Duration::from_millis(10)); // from 100 to 1,000 in a second
/// }
/// ```
pub fn scheduler_tick() -> Option<Duration> {
    os::scheduler_tick()
}

/// Returns the present time. This takes some 20 ns where the kernel serves it without a system call
/// (clock source `tsc` or `arch_sys_counter`).
pub fn monotonic_now() -> MonotonicTime {
    MonotonicTime(os::monotonic_nanoseconds())
}

/// Sleeps until `due`, and returns at once if that is past. Signals do not end the sleep.
///
/// The thread runs some microseconds after `due` (26-67 µs under `SCHED_FIFO` on a small virtual
/// machine, more under time sharing); [`AdaptiveEarliness::meet`](crate::AdaptiveEarliness::meet)
/// compensates for that.
///
/// ```
/// use hemiola_realtime::{monotonic_now, sleep_until};
/// use std::time::Duration;
///
/// let due = monotonic_now() + Duration::from_millis(1);
/// sleep_until(due);
/// assert!(monotonic_now() >= due);
/// ```
pub fn sleep_until(due: MonotonicTime) {
    os::sleep_until(due.0);
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
