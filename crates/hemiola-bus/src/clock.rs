//! The framework's clock: it runs at a factor, or is stepped by whoever drives a simulation or a
//! replay.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hemiola_model::Time;
use hemiola_realtime::{MonotonicTime, Wakeup, monotonic_now};

use crate::sync::{AtomicI64, AtomicU64, Ordering};

/// The time for everything that a robot does: cycles, timers, sources.
///
/// A stepped clock wakes the threads that sleep until one of its times
/// ([`RobotClock::wake_when_set`]); on a running one they sleep until the machine's clock shows
/// [`RobotClock::due`].
///
/// ```
/// use hemiola_bus::RobotClock;
/// use hemiola_model::Time;
/// use hemiola_realtime::monotonic_now;
/// use std::time::Duration;
///
/// let simulation = RobotClock::stepped();
/// simulation.set(Time::from_seconds(3.5));
/// assert_eq!(simulation.now(), Time::from_seconds(3.5));
///
/// let twice_as_fast = RobotClock::running(2.0);
/// let due = twice_as_fast.due(Time::from_seconds(10.0)).expect("a running clock gets there by itself");
/// assert!(due - monotonic_now() <= Duration::from_secs(5));
/// ```
#[derive(Debug)]
pub struct RobotClock {
    pace: Pace,
    /// The threads that sleep until a time of this clock, which may come earlier or later than the
    /// machine's clock alone would suggest.
    sleepers: Mutex<Vec<Weak<Wakeup>>>,
}

#[derive(Debug)]
enum Pace {
    /// Runs `factor` times as fast as the machine's monotonic clock, which showed `start`
    /// nanoseconds when this one showed zero.
    Running { start: AtomicU64, factor: f64 },
    /// Stands still until it is set, in nanoseconds: as fast as possible, or step by step.
    Stepped(AtomicI64),
}

impl RobotClock {
    /// Creates a clock that starts now, and on which `factor` seconds pass per second.
    pub fn running(factor: f64) -> Self {
        Self::at(Pace::Running { start: AtomicU64::new(monotonic_now().as_nanoseconds()), factor })
    }

    /// Creates a clock that stands at zero until it is [set](Self::set).
    pub fn stepped() -> Self {
        Self::at(Pace::Stepped(AtomicI64::new(0)))
    }

    fn at(pace: Pace) -> Self {
        Self { pace, sleepers: Mutex::new(Vec::new()) }
    }

    /// Returns whether a second on this clock takes a second: it runs at the machine's speed.
    ///
    /// ```
    /// use hemiola_bus::RobotClock;
    ///
    /// assert!(RobotClock::running(1.0).is_real_time());
    /// assert!(!RobotClock::running(0.5).is_real_time() && !RobotClock::stepped().is_real_time());
    /// ```
    pub fn is_real_time(&self) -> bool {
        matches!(self.pace, Pace::Running { factor: 1.0, .. })
    }

    /// Returns the time that the clock shows: 25 ns on a running clock, the read of a word on a
    /// stepped one.
    pub fn now(&self) -> Time {
        match &self.pace {
            Pace::Running { .. } => self.time_at(monotonic_now()),
            Pace::Stepped(now) => Time::from_nanoseconds(now.load(Ordering::Relaxed)),
        }
    }

    /// Returns the time that this clock shows when the machine's clock shows `at`; on a stepped
    /// clock, the time that it shows now.
    #[inline]
    pub fn time_at(&self, at: MonotonicTime) -> Time {
        match &self.pace {
            Pace::Running { start, factor } => {
                let elapsed = at.as_nanoseconds().saturating_sub(start.load(Ordering::Relaxed)) as f64;
                Time::from_nanoseconds((elapsed * factor) as i64)
            }
            Pace::Stepped(now) => Time::from_nanoseconds(now.load(Ordering::Relaxed)),
        }
    }

    /// Returns when the machine's clock will show what this clock calls `time`; `None` for a
    /// stepped clock, which reaches no time by itself.
    pub fn due(&self, time: Time) -> Option<MonotonicTime> {
        match &self.pace {
            Pace::Running { start, factor } => {
                let start = MonotonicTime::from_nanoseconds(start.load(Ordering::Relaxed));
                Some(start + Duration::from_nanos((time.nanoseconds().max(0) as f64 / factor) as u64))
            }
            Pace::Stepped(_) => None,
        }
    }

    /// Sets a stepped clock and wakes the threads that sleep until one of its times; has no effect
    /// on a running one.
    ///
    /// Takes a lock: for the thread that drives the simulation.
    pub fn set(&self, time: Time) {
        if let Pace::Stepped(now) = &self.pace {
            now.store(time.nanoseconds(), Ordering::Relaxed);
            self.wake_sleepers();
        }
    }

    /// Holds a running clock at zero until it is [restarted](Self::restart); has no effect on a
    /// stepped one. Takes a lock.
    ///
    /// ```
    /// use hemiola_bus::RobotClock;
    /// use hemiola_model::Time;
    /// use hemiola_realtime::monotonic_now;
    /// use std::time::Duration;
    ///
    /// let clock = RobotClock::running(1.0);
    /// clock.hold(); // the robot is being made
    /// assert_eq!(clock.now(), Time::ZERO);
    /// clock.restart(Duration::ZERO);
    /// assert!(clock.due(Time::ZERO).is_some_and(|zero| zero <= monotonic_now()));
    /// ```
    pub fn hold(&self) {
        // No machine reaches that time, and the restart wakes the threads that sleep until then.
        self.restart(Duration::MAX);
    }

    /// Restarts a running clock, which will show zero in `from_now`: nothing is late at the start
    /// because making a robot takes time. Takes a lock.
    pub fn restart(&self, from_now: Duration) {
        if let Pace::Running { start, .. } = &self.pace {
            start.store((monotonic_now() + from_now).as_nanoseconds(), Ordering::Relaxed);
            self.wake_sleepers();
        }
    }

    /// Notifies `sleeper`, as long as it lives, whenever the clock is set or restarted. Takes a
    /// lock and allocates.
    ///
    /// ```
    /// use hemiola_bus::RobotClock;
    /// use hemiola_model::Time;
    /// use hemiola_realtime::{Reason, Wakeup};
    /// use std::sync::Arc;
    ///
    /// let (clock, wakeup) = (RobotClock::stepped(), Arc::new(Wakeup::new()));
    /// clock.wake_when_set(&wakeup);
    /// let seen = wakeup.generation();
    /// clock.set(Time::from_seconds(1.0));
    /// assert_eq!(wakeup.wait(seen, None), Reason::Signalled);
    /// ```
    pub fn wake_when_set(&self, sleeper: &Arc<Wakeup>) {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(sleeper));
    }

    fn wake_sleepers(&self) {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner).retain(|sleeper| match sleeper.upgrade() {
            Some(wakeup) => {
                wakeup.notify_all();
                true
            }
            None => false,
        });
    }
}
