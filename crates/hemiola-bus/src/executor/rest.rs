//! The wait of an executor while nothing is ready.

use std::time::Duration;

use hemiola_realtime::{AdaptiveEarliness, Reason, monotonic_now};

use super::Executor;

/// The time for which an executor polls before it sleeps, and how early it wakes for its timers.
#[derive(Default)]
pub(super) struct Patience {
    spinning: Duration,
    earliness: Option<AdaptiveEarliness>,
}

impl Patience {
    /// Returns for how long, at most, the executor polls before it sleeps, and before its timers
    /// are due.
    pub(super) fn most(&self) -> (Duration, Duration) {
        (self.spinning, self.earliness.as_ref().map_or(Duration::ZERO, AdaptiveEarliness::bound))
    }
}

impl Executor {
    /// Sets how long the executor polls for new messages before it sleeps: a message that comes
    /// within that time is received in a fraction of a microsecond instead of after a wake-up
    /// through the kernel. The price is a busy core; the default is zero.
    #[must_use]
    pub fn spin_before_sleep(mut self, patience: Duration) -> Self {
        self.patience.spinning = patience;
        self
    }

    /// Wakes a little before a timer is due, at most `bound`, and polls until it is: as cycles do,
    /// the executor learns from how late its sleeps end. A timer is then called within a
    /// microsecond or so of its time, instead of some tens. The price is two sleeps per tick, and a
    /// core that is busy for what remains.
    ///
    /// ```
    /// use hemiola_bus::{Executor, Priority, RobotClock};
    /// use hemiola_realtime::ThreadSettings;
    /// use std::sync::{Arc, mpsc};
    /// use std::time::Duration;
    ///
    /// let mut stepper = Executor::new("stepper motor", &Arc::new(RobotClock::running(1.0))).wake_early(Duration::from_micros(200));
    /// let (stepped, steps) = mpsc::channel();
    /// stepper.every(Duration::from_millis(2), Priority(1), move |tick| stepped.send(tick).unwrap())?;
    /// let running = stepper.spawn(ThreadSettings::new("stepper motor"))?;
    /// let tick = steps.recv()?;
    /// assert!(tick.now >= tick.due); // early awake, but never early
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn wake_early(mut self, bound: Duration) -> Self {
        self.patience.earliness = Some(AdaptiveEarliness::new(bound));
        self
    }

    /// Waits for something to do, possibly for only a part of the time until there is something.
    pub(super) fn rest(&mut self) {
        let clock = self.handle.clock();
        let seen = self.ready.generation();
        let due = self.timers.next_due();
        // This comes after the generation was read: if the clock is set from here on, the sleep
        // ends.
        if due.is_some_and(|due| clock.now() >= due) {
            return;
        }
        // A stepped clock has no such time, but wakes this thread when it is set.
        let deadline = due.and_then(|due| clock.due(due));
        let Patience { spinning, earliness } = &mut self.patience;
        if !spinning.is_zero() {
            let patient_until = monotonic_now() + *spinning;
            let spin_until = deadline.map_or(patient_until, |deadline| deadline.min(patient_until));
            if self.ready.spin(seen, spin_until) {
                return;
            }
        }
        let (Some(earliness), Some(deadline)) = (earliness, deadline) else {
            self.handle.count_sleep();
            self.ready.sleep(seen, deadline);
            return;
        };
        match earliness.next_sleep(monotonic_now(), deadline) {
            Some(sleep) => {
                self.handle.count_sleep();
                if self.ready.sleep(seen, Some(sleep.until)) == Reason::TimedOut {
                    earliness.note(sleep, monotonic_now());
                }
            }
            None => _ = self.ready.spin(seen, deadline),
        }
    }
}
