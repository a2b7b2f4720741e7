//! The time until another core sees what this one has written.

use std::sync::Arc;
use std::time::Duration;

use super::measuring;
use crate::affinity::Affinity;
use crate::latency::LatencyDistribution;
use crate::sync::{AtomicBool, AtomicU32, Ordering};
use crate::thread::{ThreadSettings, spawn};
use crate::time::monotonic_now;

/// Measures how long one core takes to see what another one has written, both spinning: the least
/// that handing a task over can cost. It takes some milliseconds between the first and the last
/// core that this thread may use; `None` if there is only one, or if other load kept the two from
/// meeting within a fifth of a second.
///
/// ```
/// if let Some(cost) = hemiola_realtime::hand_over_cost() {
///     println!("a task shorter than {cost:?} is better not given away");
/// }
/// ```
pub fn hand_over_cost() -> Option<Duration> {
    one_way(50, 100, ThreadSettings::new).map(|batches| batches.median)
}

/// Measures single hand-overs for threads above all cycles: reading the clock is included.
pub(super) fn single(times: u32) -> Option<LatencyDistribution> {
    one_way(times, 1, measuring)
}

/// Measures the mean one-way time of a ball in each of `batches` batches of `round_trips` round
/// trips.
fn one_way(
    batches: u32,
    round_trips: u32,
    settings: impl Fn(&'static str) -> ThreadSettings,
) -> Option<LatencyDistribution> {
    let affinity = Affinity::of_this_thread();
    let [first, .., last] = affinity.cores() else { return None };
    let court = Arc::new(Court::default());
    let partner = {
        let court = Arc::clone(&court);
        spawn(settings("hand-over-2").affinity(Affinity::of([*last])), move || court.play(1, PATIENCE))
    };
    let player = {
        let court = Arc::clone(&court);
        spawn(settings("hand-over-1").affinity(Affinity::of([*first])), move || {
            let served = (0..batches).map(|batch| court.serve(batch * round_trips, round_trips));
            let mut served: Option<Vec<Duration>> =
                served.map(|time| time.map(|time| time / (2 * round_trips))).collect();
            court.over.store(true, Ordering::Relaxed);
            served.as_mut().map(|served| LatencyDistribution::of(served))
        })
    };
    // If one of the threads could not be started, the other one ends.
    if partner.is_err() || player.is_err() {
        court.over.store(true, Ordering::Relaxed);
    }
    let distribution = player.ok().and_then(|player| player.thread.join().ok()?);
    partner.ok().and_then(|partner| partner.thread.join().ok());
    distribution
}

/// The time after which a player leaves to whom no ball comes: the server may wait in the kernel
/// for a lock of a thread that gets no core because of this one.
const PATIENCE: Duration = Duration::from_secs(2);

/// A court on which a ball flies between two cores: even numbers belong to the server, odd ones to
/// the other core.
#[derive(Default)]
struct Court {
    ball: AtomicU32,
    over: AtomicBool,
}

impl Court {
    /// Sends the ball there and back; returns the time it took, or `None` if it does not come back.
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

    /// Returns every ball until the game is over, or none has come for too long. Between two balls
    /// it reads no clock, which would take as long as a ball flies.
    fn play(&self, mut expected: u32, patience: Duration) {
        let (mut looks, mut since) = (0u32, None);
        while !self.over.load(Ordering::Relaxed) {
            if self.ball.load(Ordering::Acquire) == expected {
                self.ball.store(expected + 1, Ordering::Release);
                expected += 2;
                (looks, since) = (0, None);
            }
            std::hint::spin_loop();
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(1024) {
                let now = monotonic_now();
                if now - *since.get_or_insert(now) > patience {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handing_over_between_two_cores_takes_nanoseconds_to_microseconds() {
        if let Some(cost) = hand_over_cost() {
            assert!(cost > Duration::from_nanos(1) && cost < Duration::from_millis(2), "{cost:?}");
        } else {
            eprintln!("not measured: fewer than two cores, or too busy");
        }
    }

    #[test]
    fn a_ball_that_nobody_returns_ends_the_measurement() {
        assert_eq!(Court::default().serve(0, 1), None);
    }

    #[test]
    fn a_player_to_whom_no_ball_comes_leaves() {
        let court = Court::default();
        court.ball.store(1, Ordering::Relaxed);
        court.play(1, Duration::from_millis(5));
        assert_eq!(court.ball.load(Ordering::Relaxed), 2);
    }
}
