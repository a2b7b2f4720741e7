//! The wait for a due time: two sleeps, which end as little early as the machine allows, then
//! spinning.

use crate::time::{MonotonicTime, monotonic_now, sleep_until};
use std::time::Duration;

/// A tracker that decides how early to wake before a due time, so that the thread is on time
/// although sleeps end late.
///
/// A long sleep ends late by more than a short one, because the core sleeps more deeply. So the
/// wait for a due time has a long sleep that ends 100 µs early, then a short one, and the rest is
/// spun.
///
/// The largest lateness of the first 64 short sleeps is the first estimate. From then on it tracks
/// the 99.5th percentile of the oversleep (the lateness that all but one of 200 short sleeps do not
/// exceed) and wakes that much early, at most `bound`. Each sleep that ended later than estimated
/// raises the estimate by 20 %, each other one lowers it by 0.1 %: both balance when 199 of 200 are
/// earlier (the multiplicative form of stochastic quantile approximation, Robbins and Monro 1951).
/// A single outlier therefore costs little, and a change by a factor of ten is followed within 13
/// sleeps upwards and 2,300 downwards.
///
/// The price is the time spent spinning, which [`AdaptiveEarliness::cost`] counts. There is no
/// allocation and no lock; the only system calls are the sleeps.
///
/// ```
/// use hemiola_realtime::{AdaptiveEarliness, monotonic_now};
/// use std::time::Duration;
///
/// let mut earliness = AdaptiveEarliness::new(Duration::from_micros(200));
/// let mut due = monotonic_now();
/// for _ in 0..3 {
///     due = due + Duration::from_millis(1);
///     assert!(earliness.meet(due) >= due);
/// }
/// assert_eq!(earliness.cost().waits, 3);
/// ```
#[derive(Debug, Clone)]
pub struct AdaptiveEarliness {
    bound_ns: f64,
    estimate_ns: f64,
    /// The number of sleeps so far, up to [`FIRST_SLEEPS`], and how late the latest of them ended.
    first_sleeps: u32,
    longest_ns: f64,
    woken: MonotonicTime,
    cost: EarlinessCost,
}

/// One of the sleeps before a due time.
///
/// ```
/// use hemiola_realtime::{AdaptiveEarliness, monotonic_now, sleep_until};
/// use std::time::Duration;
///
/// let mut earliness = AdaptiveEarliness::default();
/// let due = monotonic_now() + Duration::from_millis(2);
/// while let Some(sleep) = earliness.next_sleep(monotonic_now(), due) {
///     sleep_until(sleep.until); // or wait for something else as well
///     earliness.note(sleep, monotonic_now());
/// }
/// assert!(due - monotonic_now() < Duration::from_millis(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EarlySleep {
    /// The time at which it is to end.
    pub until: MonotonicTime,
    is_short: bool,
}

/// The cost and the effect of waking early so far.
///
/// ```
/// use hemiola_realtime::{AdaptiveEarliness, monotonic_now};
/// use std::time::Duration;
///
/// let mut earliness = AdaptiveEarliness::default();
/// earliness.meet(monotonic_now() + Duration::from_millis(1));
/// let cost = earliness.cost();
/// assert!(cost.late <= cost.waits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EarlinessCost {
    /// The number of due times that were waited for.
    pub waits: u64,
    /// The number of due times that were missed because a sleep ended after them.
    pub late: u64,
    /// The processor time spent spinning.
    pub spinning: Duration,
}

/// The time between the ends of the long and the short sleep: enough for the lateness of the long
/// one, short enough for the core to sleep lightly.
const LEAD: Duration = Duration::from_micros(100);
/// The tracked quantile of the oversleep: a deadline that counts in one of a thousand runs is not
/// met with one in twenty.
const QUANTILE: f64 = 0.995;
/// The share of the estimate by which one observation may move it.
const GAIN: f64 = 0.2;
/// The smallest estimate, so that it can grow again: no sleep ends more precisely.
const FLOOR_NS: f64 = 1_000.0;
/// The number of sleeps that make the first estimate.
const FIRST_SLEEPS: u32 = 64;
/// The estimate until then: the usual lateness of sleeps on an unprivileged thread.
const START_NS: f64 = 50_000.0;

impl AdaptiveEarliness {
    /// The default bound on how early a thread wakes: on machines whose sleeps end even later, the
    /// thread is late instead.
    pub const MOST: Duration = Duration::from_micros(200);

    /// Creates a tracker that wakes at most `bound` before the due time.
    pub fn new(bound: Duration) -> Self {
        let bound_ns = bound.as_nanos() as f64;
        AdaptiveEarliness {
            bound_ns,
            estimate_ns: START_NS.min(bound_ns),
            first_sleeps: 0,
            longest_ns: 0.0,
            woken: MonotonicTime::default(),
            cost: EarlinessCost::default(),
        }
    }

    /// Returns how long before the due time the thread wakes at most.
    pub fn bound(&self) -> Duration {
        Duration::from_nanos(self.bound_ns as u64)
    }

    /// Returns how early the thread would wake now.
    pub fn earliness(&self) -> Duration {
        Duration::from_nanos(self.estimate_ns as u64)
    }

    /// Returns the next sleep before `due`; `None` when it is time to spin, or past it.
    pub fn next_sleep(&self, now: MonotonicTime, due: MonotonicTime) -> Option<EarlySleep> {
        let wake_at = due - self.earliness();
        if now + LEAD < wake_at {
            return Some(EarlySleep { until: wake_at - LEAD, is_short: false });
        }
        (now < wake_at).then_some(EarlySleep { until: wake_at, is_short: true })
    }

    /// Learns from when a sleep has really ended. Do not call this for a sleep that something else
    /// has ended.
    pub fn note(&mut self, sleep: EarlySleep, woken: MonotonicTime) {
        if sleep.is_short {
            self.observe(woken.since(sleep.until));
        }
    }

    fn observe(&mut self, oversleep: Duration) {
        if self.first_sleeps < FIRST_SLEEPS {
            self.first_sleeps += 1;
            self.longest_ns = self.longest_ns.max(oversleep.as_nanos() as f64);
            if self.first_sleeps == FIRST_SLEEPS {
                self.estimate_ns = self.longest_ns.max(FLOOR_NS).min(self.bound_ns);
            }
            return;
        }
        let exceeded = oversleep.as_nanos() as f64 > self.estimate_ns;
        let step = if exceeded { QUANTILE } else { QUANTILE - 1.0 };
        self.estimate_ns = (self.estimate_ns * (1.0 + GAIN * step)).max(FLOOR_NS).min(self.bound_ns);
    }

    /// Waits for `due`: sleeps, learns from how the sleeps went, spins for the rest. Returns the
    /// time at which the wait ended, which is `due` or later. Due times in the past count as late.
    pub fn meet(&mut self, due: MonotonicTime) -> MonotonicTime {
        self.meet_prepared(due, || ())
    }

    /// Waits like [`Self::meet`], and runs `prepare` when the sleeps have ended and `due` is still
    /// to come: it can bring into the caches what will be needed at once, instead of only spinning.
    pub fn meet_prepared(&mut self, due: MonotonicTime, prepare: impl FnOnce()) -> MonotonicTime {
        let mut woken = monotonic_now();
        while let Some(sleep) = self.next_sleep(woken, due) {
            sleep_until(sleep.until);
            woken = monotonic_now();
            self.note(sleep, woken);
        }
        self.woken = woken;
        let mut now = woken;
        if now < due {
            prepare();
        }
        while now < due {
            std::hint::spin_loop();
            now = monotonic_now();
        }
        self.cost.waits += 1;
        self.cost.late += u64::from(woken > due);
        self.cost.spinning += now - woken;
        now
    }

    /// Returns when the last sleep ended before the due time that was [met](Self::meet) last: since
    /// then the thread has had a core, which [`Respite`](crate::Respite) must know.
    ///
    /// ```
    /// use hemiola_realtime::{AdaptiveEarliness, monotonic_now};
    /// use std::time::Duration;
    ///
    /// let mut earliness = AdaptiveEarliness::default();
    /// let met = earliness.meet(monotonic_now() + Duration::from_millis(1));
    /// assert!(earliness.awake_since() <= met);
    /// assert!(met.since(earliness.awake_since()) >= earliness.cost().spinning);
    /// ```
    pub fn awake_since(&self) -> MonotonicTime {
        self.woken
    }

    /// Returns the cost and the effect so far.
    pub fn cost(&self) -> EarlinessCost {
        self.cost
    }
}

impl Default for AdaptiveEarliness {
    /// Returns a tracker with the bound [`AdaptiveEarliness::MOST`].
    fn default() -> Self {
        Self::new(Self::MOST)
    }
}

#[cfg(test)]
mod tests;
