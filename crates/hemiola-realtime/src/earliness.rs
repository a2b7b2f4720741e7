//! Meeting a due time: wake early by as little as the machine allows, then spin.

use crate::time::{MonotonicTime, monotonic_now, sleep_until};
use crate::wakeup::{Generation, Reason, Wakeup};
use std::time::Duration;

/// Decides how early to wake before a due time, so that the thread is there on time although sleeps end late.
///
/// It tracks how late all but one of 200 sleeps end at most (the 99.5th percentile of the oversleep) and wakes that much early, at
/// most `bound`. Each sleep that ended later than estimated raises the estimate by 20 %, each other one lowers it by 0.1 %: both
/// balance when 199 of 200 are earlier (the multiplicative form of stochastic quantile approximation, Robbins and Monro 1951). A
/// single outlier therefore costs little, and a change by a factor of ten is followed within 13 sleeps upwards and 2,300 downwards.
///
/// The price is the time spent spinning; [`AdaptiveEarliness::cost`] says how much. No allocation, no lock; the only system call is
/// the sleep.
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
    cost: EarlinessCost,
}

/// What waking early has cost and brought so far.
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
    /// How many due times were waited for; not those whose signal came during the sleep.
    pub waits: u64,
    /// How many of them were missed because the sleep ended after them.
    pub late: u64,
    /// Processor time spent spinning.
    pub spinning: Duration,
}

/// The tracked quantile of the oversleep: a deadline that counts in one of a thousand runs is not met with one in twenty.
const QUANTILE: f64 = 0.995;
/// By which share of the estimate one observation may move it.
const GAIN: f64 = 0.2;
/// Below this the estimate stays, so that it can grow again: no sleep ends more punctually.
const FLOOR_NS: f64 = 1_000.0;
/// Where the estimate starts: what a sleep on an unprivileged thread usually costs.
const START_NS: f64 = 50_000.0;

impl AdaptiveEarliness {
    /// Wakes at most `bound` before the due time.
    pub fn new(bound: Duration) -> Self {
        let bound_ns = bound.as_nanos() as f64;
        AdaptiveEarliness { bound_ns, estimate_ns: START_NS.min(bound_ns), cost: EarlinessCost::default() }
    }

    /// How early it would wake now.
    pub fn earliness(&self) -> Duration {
        Duration::from_nanos(self.estimate_ns as u64)
    }

    /// When to end the sleep to be there at `due`.
    pub fn wake_at(&self, due: MonotonicTime) -> MonotonicTime {
        due - self.earliness()
    }

    /// Learns that a sleep ended `oversleep` after the time it was meant to end.
    pub fn observe(&mut self, oversleep: Duration) {
        let exceeded = oversleep.as_nanos() as f64 > self.estimate_ns;
        let step = if exceeded { QUANTILE } else { QUANTILE - 1.0 };
        self.estimate_ns = (self.estimate_ns * (1.0 + GAIN * step)).max(FLOOR_NS).min(self.bound_ns);
    }

    /// Waits for `due`: sleeps, learns from how the sleep went, spins for the rest. Returns the time at which it is there, which
    /// is `due` or later. Due times in the past count as late.
    pub fn meet(&mut self, due: MonotonicTime) -> MonotonicTime {
        self.meet_prepared(due, || ())
    }

    /// The same, and calls `prepare` when the sleep has ended and `due` is still to come: the place for bringing into the caches what
    /// will be needed at once, instead of only spinning.
    pub fn meet_prepared(&mut self, due: MonotonicTime, prepare: impl FnOnce()) -> MonotonicTime {
        let wake_at = self.wake_at(due);
        let mut woken = monotonic_now();
        if woken < wake_at {
            sleep_until(wake_at);
            woken = monotonic_now();
            self.observe(woken - wake_at);
        }
        let mut now = woken;
        if now < due {
            prepare();
        }
        while now < due {
            std::hint::spin_loop();
            now = monotonic_now();
        }
        self.account(due, woken, now);
        now
    }

    /// Waits for a signal that is expected at `due`: sleeps until shortly before, spins until `due + patience`, and then sleeps
    /// until `deadline`. Ends as soon as `wakeup` is signalled after `seen`.
    ///
    /// A notifier that comes while this thread spins makes no system call, and the thread sees the signal within a core-to-core
    /// transfer instead of a wake-up through the kernel. One that comes earlier or later than expected wakes it as usual.
    pub fn meet_signal(
        &mut self,
        wakeup: &Wakeup,
        seen: Generation,
        due: MonotonicTime,
        patience: Duration,
        deadline: Option<MonotonicTime>,
    ) -> Reason {
        let wake_at = self.wake_at(due);
        if deadline.is_some_and(|deadline| deadline <= wake_at) {
            return wakeup.wait(seen, deadline);
        }
        let mut woken = monotonic_now();
        if woken < wake_at {
            // A sleep that a signal has cut short teaches nothing about sleeping.
            if wakeup.wait(seen, Some(wake_at)) == Reason::Signalled {
                return Reason::Signalled;
            }
            woken = monotonic_now();
            self.observe(woken - wake_at);
        }
        let patient_until = due + patience;
        let spin_until = deadline.map_or(patient_until, |deadline| patient_until.min(deadline));
        let reason = wakeup.spin(seen, spin_until);
        self.account(due, woken, monotonic_now());
        match reason {
            Reason::Signalled => Reason::Signalled,
            Reason::TimedOut => wakeup.wait(seen, deadline),
        }
    }

    /// What it has cost and brought so far.
    pub fn cost(&self) -> EarlinessCost {
        self.cost
    }

    fn account(&mut self, due: MonotonicTime, woken: MonotonicTime, arrived: MonotonicTime) {
        self.cost.waits += 1;
        self.cost.late += u64::from(woken > due);
        self.cost.spinning += arrived - woken;
    }
}

impl Default for AdaptiveEarliness {
    /// At most 200 µs early.
    fn default() -> Self {
        Self::new(Duration::from_micros(200))
    }
}

#[cfg(test)]
mod tests;
