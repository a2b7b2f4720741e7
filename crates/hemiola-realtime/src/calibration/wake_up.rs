//! The time that it takes to wake a thread.

use std::sync::Arc;
use std::time::Duration;

use super::measuring;
use crate::affinity::Affinity;
use crate::latency::LatencyDistribution;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::thread::{ThreadSettings, spawn};
use crate::time::{MonotonicTime, monotonic_now, sleep_until};
use crate::wakeup::Wakeup;

/// Measures how long it takes from waking a thread that sleeps on another core until it runs: the
/// cost of a hand-over where nobody spins. It takes some 50 milliseconds between the first and the
/// last core that this thread may use; `None` if there is only one.
///
/// ```
/// if let (Some(spinning), Some(asleep)) = (hemiola_realtime::hand_over_cost(), hemiola_realtime::wake_up_cost()) {
///     println!("who spins has a task after {spinning:?}, who sleeps after {asleep:?}");
/// }
/// ```
pub fn wake_up_cost() -> Option<Duration> {
    latencies(50, ThreadSettings::new).map(|latencies| latencies.median)
}

/// Measures wake-ups for threads above all cycles.
pub(super) fn latency(rounds: usize) -> Option<LatencyDistribution> {
    latencies(rounds, measuring)
}

fn latencies(rounds: usize, settings: impl Fn(&'static str) -> ThreadSettings) -> Option<LatencyDistribution> {
    const ASLEEP_BY_THEN: Duration = Duration::from_micros(500);
    let affinity = Affinity::of_this_thread();
    let [first, .., last] = affinity.cores() else { return None };
    let bed = Arc::new(Bed::default());
    let sleeper = {
        let bed = Arc::clone(&bed);
        spawn(settings("wake-up-2").affinity(Affinity::of([*last])), move || bed.sleep(rounds)).ok()?
    };
    let waker = {
        let bed = Arc::clone(&bed);
        spawn(settings("wake-up-1").affinity(Affinity::of([*first])), move || {
            while !bed.over.load(Ordering::Relaxed) {
                sleep_until(monotonic_now() + ASLEEP_BY_THEN);
                bed.called.store(monotonic_now().as_nanoseconds(), Ordering::Relaxed);
                bed.wakeup.notify_one();
            }
        })
    };
    if waker.is_err() {
        bed.over.store(true, Ordering::Relaxed);
        bed.wakeup.notify_all();
    }
    let mut latencies = sleeper.thread.join().ok()?;
    waker.ok()?.thread.join().ok()?;
    Some(LatencyDistribution::of(&mut latencies))
}

/// The state that a sleeping thread and its waker share.
#[derive(Default)]
struct Bed {
    wakeup: Wakeup,
    /// The time of the last wake-up request, in nanoseconds of the monotonic clock.
    called: AtomicU64,
    over: AtomicBool,
}

impl Bed {
    /// Sleeps repeatedly, and returns how long each wake-up took.
    fn sleep(&self, rounds: usize) -> Vec<Duration> {
        let mut latencies = Vec::with_capacity(rounds);
        while latencies.len() < rounds && !self.over.load(Ordering::Relaxed) {
            self.wakeup.wait(self.wakeup.generation(), None);
            let called = MonotonicTime::from_nanoseconds(self.called.load(Ordering::Relaxed));
            latencies.push(monotonic_now() - called);
        }
        self.over.store(true, Ordering::Relaxed);
        latencies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand_over_cost;

    #[test]
    fn waking_a_sleeper_takes_longer_than_reaching_one_who_spins() {
        if let (Some(spinning), Some(asleep)) = (hand_over_cost(), wake_up_cost()) {
            assert!(asleep > spinning, "{asleep:?} against {spinning:?}");
        } else {
            eprintln!("not measured: fewer than two cores, or too busy");
        }
    }
}
