//! The helpers: workers of an executor with threads of their own.

use std::time::Duration;

use hemiola_realtime::{AdaptiveEarliness, Containment, Respite, monotonic_now, sleep_until};

use super::Tasks;
use super::pool::{Pool, pause};
use crate::sync::Ordering;

/// The maximum time by which a helper wakes early. That is worth less than the punctuality of
/// worker 0: a helper that is late takes over a bit less.
const HELPERS_EARLINESS: Duration = Duration::from_micros(100);
/// The continuous time awake after which a helper with real-time priority checks whether it must
/// rest.
const LONG_AWAKE: Duration = Duration::from_millis(5);

/// The behaviour of a helper while there is no work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    /// Set if it spins for a while, and is awake when the next run is expected, because it has a
    /// core of its own. Others sleep.
    pub spins: bool,
    /// Set if it has real-time priority, and must not use all of a core's time.
    pub rests: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self { spins: true, rests: false }
    }
}

impl<T: Tasks> Pool<T> {
    /// Runs a helper until the executor ends.
    pub fn help(&self, index: usize, habits: Habits, worker: &mut T::Worker) {
        // Loom runs all threads on one, and its own panics must be seen.
        let _containment = (!cfg!(loom)).then(Containment::new);
        let patience = if habits.spins { self.patience() } else { Duration::ZERO };
        let mut rest = habits.rests.then(Respite::default);
        let (mut spin_until, mut awake_since) = (monotonic_now(), monotonic_now());
        let mut earliness = AdaptiveEarliness::new(HELPERS_EARLINESS);
        while !self.stopping.load(Ordering::SeqCst) {
            let takes_part = index < self.workers.load(Ordering::Relaxed);
            let words = self.words.load(Ordering::Relaxed);
            if takes_part {
                if self.claim_and_work(words, index, worker) || self.board.help() {
                    spin_until = monotonic_now() + patience;
                    continue;
                }
                let now = monotonic_now();
                if let Some(rest) = &mut rest
                    && now.since(awake_since) >= LONG_AWAKE
                {
                    if let Some(end) = rest.after_work(awake_since, now) {
                        sleep_until(end);
                    }
                    awake_since = monotonic_now();
                    continue;
                }
                if now < spin_until {
                    pause();
                    continue;
                }
            }
            let (expected, now) = (self.sleepers.expected_run(), monotonic_now());
            let awaits_run = takes_part && habits.spins && now < expected;
            let sleep = if awaits_run { earliness.next_sleep(now, expected) } else { None };
            if awaits_run && sleep.is_none() {
                spin_until = expected + patience;
                continue;
            }
            let must_rest = rest.as_mut().and_then(|rest| rest.after_work(awake_since, now));
            must_rest.into_iter().for_each(sleep_until);
            let woken_by_alarm = self.sleepers.park(index, sleep.map(|sleep| sleep.until), || {
                let takes_part = index < self.workers.load(Ordering::Relaxed);
                let words = self.words.load(Ordering::Relaxed);
                self.stopping.load(Ordering::SeqCst)
                    || takes_part && (!self.ready.is_empty(words) || !self.board.is_empty())
            });
            let now = monotonic_now();
            awake_since = now;
            spin_until = match sleep {
                Some(sleep) if woken_by_alarm => {
                    earliness.note(sleep, now);
                    let sleeps_again = now < expected && earliness.next_sleep(now, expected).is_some();
                    if sleeps_again { now } else { now.max(expected) + patience }
                }
                _ => now + patience,
            };
        }
    }
}
