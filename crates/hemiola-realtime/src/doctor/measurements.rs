//! What the machine's settings amount to: how late sleeps end, and what a hand-over between cores costs.

use super::Finding;
use crate::thread::{Affinity, Policy, Priority, ThreadSettings, spawn};
use crate::time::{MonotonicTime, monotonic_now, sleep_until};
use crate::wakeup::Wakeup;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// How late the sleeps of a thread ended.
///
/// ```
/// use hemiola_realtime::LatencyDistribution;
/// use std::time::Duration;
///
/// let mut latencies = [4, 2, 90, 3, 5].map(Duration::from_micros);
/// let distribution = LatencyDistribution::of(&mut latencies);
/// assert_eq!(distribution.median, Duration::from_micros(4));
/// assert_eq!(distribution.maximum, Duration::from_micros(90)); // which the mean would hide
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyDistribution {
    /// The most punctual one.
    pub minimum: Duration,
    /// Half of them were more punctual.
    pub median: Duration,
    /// 99 % of them were more punctual.
    pub p99: Duration,
    /// The latest one.
    pub maximum: Duration,
}

impl LatencyDistribution {
    /// Summarises what was measured; all zeros if nothing was. Reorders `latencies`.
    ///
    /// ```
    /// use hemiola_realtime::LatencyDistribution;
    /// use std::time::Duration;
    ///
    /// let mut latencies: Vec<Duration> = (1..=100).map(Duration::from_micros).collect();
    /// let distribution = LatencyDistribution::of(&mut latencies);
    /// assert_eq!(distribution.median, Duration::from_micros(50));
    /// assert_eq!(distribution.p99, Duration::from_micros(99));
    /// ```
    pub fn of(latencies: &mut [Duration]) -> Self {
        latencies.sort_unstable();
        // The nearest rank: the smallest value that at least this share does not exceed.
        let at = |percent: usize| {
            let rank = (latencies.len() * percent).div_ceil(100).max(1);
            latencies.get(rank - 1).copied().unwrap_or_default()
        };
        LatencyDistribution { minimum: at(0), median: at(50), p99: at(99), maximum: at(100) }
    }
}

/// Lets a thread of that policy sleep `sleeps` times until the next multiple of `period`, and measures how late it wakes. A policy
/// that is refused is replaced by the present one; the flag says whether it was granted. `None` if no thread can be started.
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
            // A sleep that ended more than a period late must not make the next ones look late, too.
            due = due.max(woken - period);
        }
        LatencyDistribution::of(&mut latencies)
    })
    .ok()?;
    let in_force = if sleeper.report.policy.is_granted() { PolicyInForce::Requested } else { PolicyInForce::Inherited };
    Some((sleeper.thread.join().ok()?, in_force))
}

/// Which policy a measurement ran under.
///
/// ```
/// use hemiola_realtime::{Policy, PolicyInForce, Priority, wakeup_latency};
/// use std::time::Duration;
///
/// let policy = Policy::Fifo(Priority::new(60)?);
/// if let Some((latency, PolicyInForce::Requested)) = wakeup_latency(policy, Duration::from_micros(500), 10) {
///     println!("real-time threads wake {:?} late at the most", latency.maximum);
/// }
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyInForce {
    /// The one that was asked for.
    Requested,
    /// It was refused, so the one of the thread that asked.
    Inherited,
}

/// How long one core takes to see what another one has written, both spinning: the least that handing a task over can cost. Measured
/// in some milliseconds between the first and the last core that this thread may use; `None` if there is only one, or if other
/// load kept the two from meeting within a fifth of a second.
///
/// ```
/// if let Some(cost) = hemiola_realtime::hand_over_cost() {
///     println!("a task shorter than {cost:?} is better not given away");
/// }
/// ```
pub fn hand_over_cost() -> Option<Duration> {
    const BATCHES: u32 = 50;
    const ROUND_TRIPS_PER_BATCH: u32 = 100;
    let affinity = Affinity::of_this_thread();
    let [first, .., last] = affinity.cores() else { return None };
    let court = Arc::new(Court::default());
    let partner = {
        let court = Arc::clone(&court);
        spawn(ThreadSettings::new("hand-over-2").affinity(Affinity::of([*last])), move || court.play(1))
    };
    let player = {
        let court = Arc::clone(&court);
        spawn(ThreadSettings::new("hand-over-1").affinity(Affinity::of([*first])), move || {
            let batches = (0..BATCHES).map(|batch| court.serve(batch * ROUND_TRIPS_PER_BATCH, ROUND_TRIPS_PER_BATCH));
            let mut batches: Option<Vec<Duration>> = batches.collect();
            court.over.store(true, Ordering::Relaxed);
            batches.as_mut().map(|batches| LatencyDistribution::of(batches).median)
        })
    };
    // Whatever went wrong with one of them, the other one ends.
    if partner.is_err() || player.is_err() {
        court.over.store(true, Ordering::Relaxed);
    }
    let median = player.ok().and_then(|player| player.thread.join().ok()?);
    partner.ok().and_then(|partner| partner.thread.join().ok());
    median.map(|batch| batch / (2 * ROUND_TRIPS_PER_BATCH))
}

/// How long it takes from waking a thread that sleeps on another core until it runs: what a hand-over costs where nobody spins. Measured in some
/// 50 milliseconds between the first and the last core that this thread may use; `None` if there is only one.
///
/// ```
/// if let (Some(spinning), Some(asleep)) = (hemiola_realtime::hand_over_cost(), hemiola_realtime::wake_up_cost()) {
///     println!("who spins has a task after {spinning:?}, who sleeps after {asleep:?}");
/// }
/// ```
pub fn wake_up_cost() -> Option<Duration> {
    const ROUNDS: usize = 50;
    const ASLEEP_BY_THEN: Duration = Duration::from_micros(500);
    let affinity = Affinity::of_this_thread();
    let [first, .., last] = affinity.cores() else { return None };
    let bed = Arc::new(Bed::default());
    let sleeper = {
        let bed = Arc::clone(&bed);
        spawn(ThreadSettings::new("wake-up-2").affinity(Affinity::of([*last])), move || bed.sleep(ROUNDS)).ok()?
    };
    let waker = {
        let bed = Arc::clone(&bed);
        spawn(ThreadSettings::new("wake-up-1").affinity(Affinity::of([*first])), move || {
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
    Some(LatencyDistribution::of(&mut latencies).median)
}

/// Where a thread sleeps until it is called.
#[derive(Default)]
struct Bed {
    wakeup: Wakeup,
    /// When, in nanoseconds of the monotonic clock.
    called: AtomicU64,
    over: AtomicBool,
}

impl Bed {
    /// How long each call took to arrive.
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

/// Where a ball flies between two cores: even numbers belong to the one who serves, odd ones to the other.
#[derive(Default)]
struct Court {
    ball: AtomicU32,
    over: AtomicBool,
}

impl Court {
    /// Sends the ball there and back; the time it took, or `None` if it does not come back.
    fn serve(&self, played: u32, round_trips: u32) -> Option<Duration> {
        const PATIENCE: Duration = Duration::from_millis(200);
        let start = monotonic_now();
        for round in played..played + round_trips {
            self.ball.store(2 * round + 1, Ordering::Release);
            let mut looks = 0u32;
            while self.ball.load(Ordering::Acquire) != 2 * round + 2 {
                std::hint::spin_loop();
                looks = looks.wrapping_add(1);
                if looks.is_multiple_of(1024) && monotonic_now() - start > PATIENCE {
                    return None;
                }
            }
        }
        Some(monotonic_now() - start)
    }

    /// Returns every ball until it is over.
    fn play(&self, mut expected: u32) {
        while !self.over.load(Ordering::Relaxed) {
            if self.ball.load(Ordering::Acquire) == expected {
                self.ball.store(expected + 1, Ordering::Release);
                expected += 2;
            }
            std::hint::spin_loop();
        }
    }
}

pub(super) fn findings() -> Vec<Finding> {
    [measured_latency(), measured_hand_over()].into_iter().flatten().collect()
}

fn measured_latency() -> Option<Finding> {
    let policy = Policy::Fifo(Priority::new(80).ok()?);
    let (latency, in_force) = wakeup_latency(policy, Duration::from_millis(1), 200)?;
    Some(judge_latency(latency, in_force))
}

fn judge_latency(latency: LatencyDistribution, in_force: PolicyInForce) -> Finding {
    const TOPIC: &str = "wake-up latency, measured";
    const WHY: &str = "this is how late a cycle starts if its thread does not wake early; what exceeds 200 µs cannot be made up for by that";
    let LatencyDistribution { median, p99, maximum, .. } = latency;
    let policy = match in_force {
        PolicyInForce::Requested => "SCHED_FIFO",
        PolicyInForce::Inherited => "time sharing",
    };
    let found = format!("median {median:.1?}, 99 % {p99:.1?}, worst {maximum:.1?} of 200 sleeps of 1 ms ({policy})");
    let remedy = "follow the advice above, then measure under load; what remains comes from drivers, firmware or a hypervisor \
                  (`sudo hwlatdetect` tells)";
    if p99 > Duration::from_millis(1) {
        Finding::problem(TOPIC, WHY, found, remedy)
    } else if maximum > Duration::from_micros(200) {
        Finding::advice(TOPIC, WHY, found, remedy)
    } else {
        Finding::good(TOPIC, WHY, found)
    }
}

fn measured_hand_over() -> Option<Finding> {
    const TOPIC: &str = "hand-over between cores, measured";
    const WHY: &str = "tasks shorter than this are better run where they became ready than on another core";
    let cost = hand_over_cost()?;
    let found = format!("{cost:.1?}");
    Some(if cost > Duration::from_micros(1) {
        Finding::advice(TOPIC, WHY, found, "use cores of one socket (affinity), or run when nothing else does")
    } else {
        Finding::good(TOPIC, WHY, found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    fn microseconds(values: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        values.into_iter().map(Duration::from_micros).collect()
    }

    #[test]
    fn percentiles_are_nearest_ranks_whatever_the_order_and_number() {
        let of = |values: Vec<u64>| LatencyDistribution::of(&mut microseconds(values));
        let [minimum, median, p99, maximum] = [1, 100, 198, 200].map(Duration::from_micros);
        assert_eq!(of((1..=200).rev().collect()), LatencyDistribution { minimum, median, p99, maximum });
        let seven = Duration::from_micros(7);
        assert_eq!(of(vec![7]), LatencyDistribution { minimum: seven, median: seven, p99: seven, maximum: seven });
        assert_eq!(of(vec![]).maximum, Duration::ZERO);
    }

    #[test]
    fn late_wake_ups_are_a_problem_when_usual_and_advice_when_rare() {
        let state = |values: Vec<u64>| {
            judge_latency(LatencyDistribution::of(&mut microseconds(values)), PolicyInForce::Requested).state
        };
        assert_eq!(state(vec![20; 200]), State::Good);
        assert_eq!(state((0..200).map(|index| if index == 7 { 500 } else { 20 }).collect()), State::Advice);
        assert_eq!(state((0..200).map(|index| if index < 3 { 5000 } else { 20 }).collect()), State::Problem);
    }

    #[test]
    fn handing_over_between_two_cores_takes_nanoseconds_to_microseconds() {
        if let Some(cost) = hand_over_cost() {
            assert!(cost > Duration::from_nanos(1) && cost < Duration::from_millis(2), "{cost:?}");
        } else {
            eprintln!("not measured: fewer than two cores, or too busy");
        }
    }

    #[test]
    fn waking_a_sleeper_takes_longer_than_reaching_one_who_spins() {
        if let (Some(spinning), Some(asleep)) = (hand_over_cost(), wake_up_cost()) {
            assert!(asleep > spinning, "{asleep:?} against {spinning:?}");
        } else {
            eprintln!("not measured: fewer than two cores, or too busy");
        }
    }

    #[test]
    fn a_ball_that_nobody_returns_ends_the_measurement() {
        assert_eq!(Court::default().serve(0, 1), None);
    }
}
