//! The time stamps of a source that gives its own: which of them count as a different time, what is
//! reported about them, and how fast a source may deliver that has no known rate.
//!
//! A stamp that is not after the previous one does not pace the source: without a limit it would
//! take a core for itself, at the priority of the cycle that it triggers. So after a few of them in
//! a row there is a pause before each, as long as the last distance of two increasing stamps.

use std::time::Duration;

use hemiola_model::Time;
use hemiola_realtime::MonotonicTime;

/// The stamps of one source.
#[derive(Default)]
pub struct Stamps {
    /// The number of stamps in a row that were not after the previous one.
    standing: u32,
    /// The distance of the last two increasing stamps.
    distance: Option<Duration>,
    told_of_standing: bool,
    told_of_future: bool,
    /// The time at which the last sample was delivered.
    delivered: Option<MonotonicTime>,
}

/// The number of samples with the same time that are delivered at once.
const BURST: u32 = 16;
/// The pause of a source whose stamps never increased.
const PAUSE: Duration = Duration::from_millis(10);
/// The limits of the pauses of all other sources. A driver of 1 kHz whose clock was set back is not
/// held up.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));
/// The longest gap that is not reported: recordings have gaps.
const FAR: Duration = Duration::from_secs(600);
/// The number of stamps that stand still after which a source counts as ended in simulated time,
/// which it would prevent from advancing.
const MOST_STANDING: u32 = 10_000;

impl Stamps {
    /// Returns the time at which a sample with this stamp counts, and what is to be reported about
    /// it: once for each kind.
    pub fn admit(&mut self, stamp: Time, last: Option<Time>, now: Time) -> (Time, Option<String>) {
        let Some(before) = last else { return (stamp, self.look_ahead(stamp, now)) };
        if stamp > before {
            self.standing = 0;
            self.distance = Some(stamp.since(before));
            return (stamp, self.look_ahead(stamp, now));
        }
        self.standing = self.standing.saturating_add(1);
        let is_new = !std::mem::replace(&mut self.told_of_standing, true);
        (before, is_new.then(|| self.describe(stamp, before)))
    }

    fn describe(&self, stamp: Time, before: Time) -> String {
        format!(
            "its time stamps do not increase: after a sample of {before} came one of {stamp}, which counts as of the same time as the one before \
             (a number of seconds that is not a number is 0 s). {BURST} such samples come at once, others every {:?}. Let `sample` return \
             times that grow, or give it a rate: `#[sample(rate = 100.0)]`",
            self.pause()
        )
    }

    fn look_ahead(&mut self, stamp: Time, now: Time) -> Option<String> {
        let ahead = stamp.since(now);
        if ahead <= FAR || std::mem::replace(&mut self.told_of_future, true) {
            return None;
        }
        Some(format!(
            "a sample is of {stamp}, which is {:.0} s ahead of the robot's clock; it is delivered then, and nothing comes before it. The clock \
             shows 0 when the robot starts: time stamps of another clock must be converted",
            ahead.as_secs_f64()
        ))
    }

    fn pause(&self) -> Duration {
        self.distance.map_or(PAUSE, |distance| distance.clamp(PAUSES.0, PAUSES.1))
    }

    /// Returns the earliest time at which the sample that was admitted last may be delivered, if
    /// not at once.
    pub fn not_before(&self) -> Option<MonotonicTime> {
        self.delivered.filter(|_| self.standing > BURST).map(|delivered| delivered + self.pause())
    }

    /// Notes the time at which a sample was delivered.
    pub fn delivered(&mut self, at: MonotonicTime) {
        self.delivered = Some(at);
    }

    /// Returns whether a later stamp should not be waited for any longer.
    pub fn stand_still(&self) -> bool {
        self.standing >= MOST_STANDING
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn at(milliseconds: i64) -> Time {
        Time::from_nanoseconds(milliseconds * 1_000_000)
    }

    #[test]
    fn stamps_that_stand_still_go_back_or_are_no_numbers_are_told_once_and_count_as_the_one_before() {
        let mut stamps = Stamps::default();
        let mut last = None;
        let mut told = 0;
        for stamp in [at(10), at(30), at(30), at(5), Time::from_seconds(f64::NAN), Time::from_seconds(-1e18)] {
            let (admitted, text) = stamps.admit(stamp, last, Time::ZERO);
            assert_eq!(admitted, stamp.max(last.unwrap_or(stamp)));
            told += usize::from(text.is_some_and(|text| text.contains("do not increase")));
            last = Some(admitted);
        }
        assert_eq!(told, 1);
    }

    #[test]
    fn a_few_samples_of_one_time_come_at_once_and_all_others_are_paced() {
        let mut stamps = Stamps::default();
        let begin = MonotonicTime::from_nanoseconds(1_000_000_000);
        stamps.admit(at(0), None, Time::ZERO);
        stamps.admit(at(20), Some(at(0)), Time::ZERO);
        for _ in 0..BURST {
            stamps.admit(at(20), Some(at(20)), Time::ZERO);
            assert_eq!(stamps.not_before(), None);
            stamps.delivered(begin);
        }
        stamps.admit(at(20), Some(at(20)), Time::ZERO);
        assert_eq!(stamps.not_before(), Some(begin + Duration::from_millis(20)));
        stamps.admit(at(21), Some(at(20)), Time::ZERO);
        assert_eq!(stamps.not_before(), None, "it goes on");
    }

    #[test]
    fn a_stamp_far_in_the_future_is_told_once() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.admit(at(0), None, Time::ZERO).1, None);
        assert_eq!(stamps.admit(at(60_000), Some(at(0)), Time::ZERO).1, None, "recordings have gaps");
        let far = Time::from_seconds(1e18);
        let text = stamps.admit(far, Some(at(60_000)), Time::ZERO).1.unwrap();
        assert!(text.contains("ahead of the robot's clock"), "{text}");
        assert_eq!(stamps.admit(far, None, Time::ZERO).1, None);
    }
}
