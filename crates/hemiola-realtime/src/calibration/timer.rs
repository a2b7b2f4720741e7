//! The lateness of timers.

use std::time::Duration;

use super::{PolicyInForce, measuring};
use crate::earliness::AdaptiveEarliness;
use crate::latency::LatencyDistribution;
use crate::policy::Policy;
use crate::thread::{ThreadSettings, spawn};
use crate::time::{monotonic_now, sleep_until};

/// Measures the lateness of a thread that waits for its times as cycles do: it wakes early and
/// spins.
pub(super) fn lateness(times: usize) -> Option<(LatencyDistribution, PolicyInForce)> {
    /// The number of sleeps from which the earliness is first estimated.
    const BEFORE: usize = 64;
    const PERIOD: Duration = Duration::from_millis(1);
    let waiter = spawn(measuring("timer"), move || {
        let mut earliness = AdaptiveEarliness::default();
        let mut due = monotonic_now();
        let mut latencies = Vec::with_capacity(BEFORE + times);
        for _ in 0..BEFORE + times {
            due = due + PERIOD;
            let there = earliness.meet(due);
            latencies.push(there - due);
            // A wait that ended more than a period late must not make the next ones look late, too.
            due = due.max(there - PERIOD);
        }
        LatencyDistribution::of(&mut latencies[BEFORE..])
    })
    .ok()?;
    let in_force = PolicyInForce::of(&waiter);
    Some((waiter.thread.join().ok()?, in_force))
}

/// Lets a thread of that policy sleep `sleeps` times until the next multiple of `period`, and
/// measures how late it wakes. A policy that is refused is replaced by the present one;
/// [`PolicyInForce`] shows which one it was. `None` if no thread can be started.
///
/// ```
/// use hemiola_realtime::{Niceness, Policy, wakeup_latency};
/// use std::time::Duration;
///
/// let policy = Policy::TimeSharing { nice: Niceness::default() };
/// let (latency, _) = wakeup_latency(policy, Duration::from_micros(500), 10).expect("a thread starts");
/// assert!(latency.minimum <= latency.maximum);
/// ```
pub fn wakeup_latency(policy: Policy, period: Duration, sleeps: usize) -> Option<(LatencyDistribution, PolicyInForce)> {
    let settings = ThreadSettings::new("latency").policy(policy);
    let sleeper = spawn(settings, move || {
        let mut latencies = Vec::with_capacity(sleeps);
        let mut due = monotonic_now();
        for _ in 0..sleeps {
            due = due + period;
            sleep_until(due);
            let woken = monotonic_now();
            latencies.push(woken - due);
            // A sleep that ended more than a period late must not make the next ones look late,
            // too.
            due = due.max(woken - period);
        }
        LatencyDistribution::of(&mut latencies)
    })
    .ok()?;
    let in_force = PolicyInForce::of(&sleeper);
    Some((sleeper.thread.join().ok()?, in_force))
}
