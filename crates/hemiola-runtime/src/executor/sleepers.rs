//! Which workers sleep, and how they are woken.

use std::time::Duration;

use hemiola_realtime::{MonotonicTime, Reason, Wakeup, monotonic_now};
use hemiola_trace::Ticks;

use super::MAXIMUM_WORKERS;
use crate::sync::{AtomicU64, Ordering, look};

/// So long around the expected begin of a run, a helper that has set its alarm is taken to be on
/// its way.
const ON_ITS_WAY: Duration = Duration::from_micros(150);

/// The workers of one executor that have nothing to do.
pub struct Sleepers {
    /// Which workers sleep or are about to: a bit each.
    parked: AtomicU64,
    /// Which of them have set an alarm for the expected run.
    alarmed: AtomicU64,
    wakeups: [Wakeup; MAXIMUM_WORKERS],
    /// When each worker was woken the last time, in ticks; 0 when that has been noted.
    asked: [AtomicU64; MAXIMUM_WORKERS],
    /// When the next run is expected, in nanoseconds of the monotonic clock; 0 when nobody knows.
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

    /// The next run is expected then, if anybody knows.
    pub fn expect_run(&self, at: Option<MonotonicTime>) {
        self.expected.store(at.map_or(0, MonotonicTime::as_nanoseconds), Ordering::Relaxed);
    }

    /// When the next run is expected; in the past when nobody knows.
    pub fn expected_run(&self) -> MonotonicTime {
        MonotonicTime::from_nanoseconds(self.expected.load(Ordering::Relaxed))
    }

    /// When this worker was woken, if that has not been noted yet.
    #[inline]
    pub fn take_asked(&self, index: usize) -> Option<Ticks> {
        let asked = self.asked[index].load(Ordering::Relaxed);
        if asked == 0 {
            return None;
        }
        self.forget_asked(index);
        Some(Ticks(asked))
    }

    /// Whoever has woken this worker did so before what counts now.
    #[inline]
    pub fn forget_asked(&self, index: usize) {
        self.asked[index].store(0, Ordering::Relaxed);
    }

    /// Sleeps until woken or until `alarm`, unless there is `something_to_do` after everybody can
    /// see that this worker sleeps. Tells whether it was the alarm.
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
    /// whose alarm is about to: waking them takes longer than what they are late by.
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

    /// Wakes this worker if it sleeps; only one caller gets to.
    pub fn wake_one(&self, index: usize) -> bool {
        let bit = 1 << index;
        let slept = look(&self.parked) & bit != 0 && self.parked.fetch_and(!bit, Ordering::SeqCst) & bit != 0;
        if slept {
            // Relaxed: the notification carries it over.
            self.asked[index].store(Ticks::now().0, Ordering::Relaxed);
            self.wakeups[index].notify_one();
        }
        slept
    }

    /// Wakes all, for the last time.
    pub fn wake_all(&self) {
        self.wakeups.iter().for_each(Wakeup::notify_all);
    }

    fn alarm_is_near(&self) -> bool {
        let (expected, now) = (self.expected_run(), monotonic_now());
        now < expected + ON_ITS_WAY && expected < now + ON_ITS_WAY
    }
}
