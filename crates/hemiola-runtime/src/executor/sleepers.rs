//! The workers that sleep, and how they are woken.

use std::time::Duration;

use hemiola_realtime::{MonotonicTime, Reason, Wakeup, monotonic_now};
use hemiola_trace::Ticks;

use super::MAXIMUM_WORKERS;
use crate::sync::{AtomicU64, Ordering, look};

/// The time around the expected begin of a run in which a helper that has set its alarm counts as
/// being on its way.
const ON_ITS_WAY: Duration = Duration::from_micros(150);

/// The workers of one executor that have nothing to do.
pub struct Sleepers {
    /// The workers that sleep or are about to, a bit each.
    parked: AtomicU64,
    /// The workers among these that have set an alarm for the expected run.
    alarmed: AtomicU64,
    wakeups: [Wakeup; MAXIMUM_WORKERS],
    /// The time at which each worker was last woken, in ticks; 0 once that has been noted.
    asked: [AtomicU64; MAXIMUM_WORKERS],
    /// The time at which the next run is expected, in nanoseconds of the monotonic clock; 0 if it
    /// is not known.
    expected: AtomicU64,
}

impl Sleepers {
    pub fn new() -> Self {
        Self {
            parked: AtomicU64::new(0),
            alarmed: AtomicU64::new(0),
            wakeups: std::array::from_fn(|_| Wakeup::new()),
            asked: std::array::from_fn(|_| AtomicU64::new(0)),
            expected: AtomicU64::new(0),
        }
    }

    /// Notes when the next run is expected, if that is known.
    pub fn expect_run(&self, at: Option<MonotonicTime>) {
        self.expected.store(at.map_or(0, MonotonicTime::as_nanoseconds), Ordering::Relaxed);
    }

    /// Returns the time at which the next run is expected; it is in the past if that is not known.
    pub fn expected_run(&self) -> MonotonicTime {
        MonotonicTime::from_nanoseconds(self.expected.load(Ordering::Relaxed))
    }

    /// Returns the time at which this worker was woken, if that has not been noted yet.
    #[inline]
    pub fn take_asked(&self, index: usize) -> Option<Ticks> {
        let asked = self.asked[index].load(Ordering::Relaxed);
        if asked == 0 {
            return None;
        }
        self.forget_asked(index);
        Some(Ticks(asked))
    }

    /// Forgets when this worker was woken: that was before the time that counts now.
    #[inline]
    pub fn forget_asked(&self, index: usize) {
        self.asked[index].store(0, Ordering::Relaxed);
    }

    /// Sleeps until woken or until `alarm`, unless there is `something_to_do` after all others can
    /// see that this worker sleeps. Returns whether the alarm woke it.
    pub fn park(&self, index: usize, alarm: Option<MonotonicTime>, something_to_do: impl Fn() -> bool) -> bool {
        let seen = self.wakeups[index].generation();
        self.forget_asked(index);
        if alarm.is_some() {
            self.alarmed.fetch_or(1 << index, Ordering::SeqCst);
        }
        self.parked.fetch_or(1 << index, Ordering::SeqCst);
        let mut alarmed = false;
        if !something_to_do() {
            alarmed = self.wakeups[index].wait(seen, alarm) == Reason::TimedOut;
        }
        self.parked.fetch_and(!(1 << index), Ordering::SeqCst);
        if alarm.is_some() {
            self.alarmed.fetch_and(!(1 << index), Ordering::SeqCst);
        }
        alarmed
    }

    /// Wakes up to `count` sleeping workers among the first `workers`, but not `except`, and none
    /// whose alarm is about to go off: waking it takes longer than waiting for the alarm.
    pub fn wake(&self, mut count: u32, except: usize, workers: usize) {
        let taking_part = if workers == MAXIMUM_WORKERS { u64::MAX } else { (1 << workers) - 1 };
        let mut sleeping = look(&self.parked) & taking_part & !(1 << except);
        if sleeping != 0 && self.alarm_is_near() {
            sleeping &= !self.alarmed.load(Ordering::SeqCst);
        }
        while sleeping != 0 && count > 0 {
            let index = sleeping.trailing_zeros() as usize;
            sleeping &= sleeping - 1;
            count -= u32::from(self.wake_one(index));
        }
    }

    /// Wakes this worker if it sleeps, and returns whether it did; only one caller wakes it.
    pub fn wake_one(&self, index: usize) -> bool {
        let bit = 1 << index;
        let slept = look(&self.parked) & bit != 0 && self.parked.fetch_and(!bit, Ordering::SeqCst) & bit != 0;
        if slept {
            // Relaxed: the notification makes this visible to the worker.
            self.asked[index].store(Ticks::now().0, Ordering::Relaxed);
            self.wakeups[index].notify_one();
        }
        slept
    }

    /// Wakes all workers, for the last time.
    pub fn wake_all(&self) {
        self.wakeups.iter().for_each(Wakeup::notify_all);
    }

    fn alarm_is_near(&self) -> bool {
        let (expected, now) = (self.expected_run(), monotonic_now());
        now < expected + ON_ITS_WAY && expected < now + ON_ITS_WAY
    }
}
