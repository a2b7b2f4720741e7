//! The rest that a real-time thread which cannot keep up leaves to others.
//!
//! Linux keeps a part of each second for threads that share time: 5 % unless
//! `kernel.sched_rt_runtime_us` is set otherwise. If real-time threads leave less than that on a
//! core, *all* of them stand still there, for up to 50 ms: also the important one whose work takes
//! half a millisecond. So a thread that has no rest of its own must rest deliberately, or it stops
//! the threads above it, whatever their priority.

use crate::time::MonotonicTime;
use std::time::Duration;

/// An account that ensures that a real-time thread rests, however much work there is.
///
/// Nothing is demanded of a thread that from time to time rests a twelfth as long as it works. One
/// that does not must rest what it owes in pieces of 10 ms, so that a burst is not disturbed. A
/// twelfth is half as much again as the kernel requires, because threads above work as well while
/// this one rests.
///
/// ```
/// use hemiola_realtime::{Respite, monotonic_now, sleep_until};
///
/// let mut respite = Respite::default();
/// for _ in 0..3 {
///     let begin = monotonic_now();
///     // ... the work, with no pause before the next ...
///     if let Some(end) = respite.after_work(begin, monotonic_now()) {
///         sleep_until(end);
///     }
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Respite {
    owed: Duration,
    rests_since: Option<MonotonicTime>,
}

/// The divisor of a thread's work that gives the rest that it owes.
const SHARE: u32 = 12;
/// The debt from which on a rest is demanded.
const PIECE: Duration = Duration::from_millis(10);

impl Respite {
    /// Records that the thread worked from `begin` to `end`, and had rested since the last time.
    /// Returns until when it must rest now, if it must. Makes no system call.
    pub fn after_work(&mut self, begin: MonotonicTime, end: MonotonicTime) -> Option<MonotonicTime> {
        let rested = self.rests_since.map_or(Duration::MAX, |since| begin.since(since));
        self.owed = self.owed.saturating_sub(rested) + end.since(begin) / SHARE;
        self.rests_since = Some(end);
        (self.owed >= PIECE).then(|| end + self.owed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Works and rests for these times in turn, in microseconds; returns how long it worked, and
    /// how long all of it took.
    fn live(days: &[(u64, u64)]) -> (Duration, Duration) {
        let (mut respite, mut now, mut worked) = (Respite::default(), MonotonicTime::default(), Duration::ZERO);
        for &(work, rest) in days {
            let (work, rest) = (Duration::from_micros(work), Duration::from_micros(rest));
            let end = now + work;
            worked += work;
            now = respite.after_work(now, end).map_or(end + rest, |rested| rested.max(end + rest));
        }
        (worked, now.since(MonotonicTime::default()))
    }

    proptest! {
        #[test]
        fn whatever_there_is_to_do_the_kernel_never_has_to_step_in(
            days in prop::collection::vec((0..200_000u64, 0..3_000u64), 1..200)
        ) {
            let (worked, all) = live(&days);
            let allowed = Duration::from_millis(120) + all * SHARE / (SHARE + 1);
            prop_assert!(worked <= allowed, "worked {worked:?} of {all:?}");
        }

        #[test]
        fn who_rests_a_twelfth_of_its_work_is_left_alone(work in 1..100_000u64, count in 1..200usize) {
            let rest = work / 12 + 1;
            let (_, all) = live(&vec![(work, rest); count]);
            prop_assert_eq!(all, Duration::from_micros((work + rest) * count as u64));
        }
    }

    #[test]
    fn a_burst_goes_through_undisturbed() {
        let (worked, all) = live(&[(8_000, 0); 14]);
        assert_eq!(worked, all);
    }

    #[test]
    fn a_long_rest_is_no_credit() {
        let (worked, all) = live(&[(1_000, 10_000_000), (60_000, 0), (59_000, 0), (1_000, 0), (1_000, 0)]);
        assert!(all - worked > Duration::from_secs(10) + PIECE, "{worked:?} of {all:?}");
    }
}
