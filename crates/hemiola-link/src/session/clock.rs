//! The comparison of a peer's clock with the robot's, by the method of NTP: RFC 5905, sections 8
//! and 10.
//!
//! A ping leaves here at T1 and arrives at the peer at T2; the answer leaves there at T3 and
//! arrives here at T4. The peer's clock is then ahead by ((T2 - T1) + (T3 - T4)) / 2, with an error
//! of at most half the time that both frames were on their way, (T4 - T1) - (T3 - T2). Of the last
//! few exchanges, the one with the smallest error is used. Errors grow with time, as clocks drift.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The comparison of a peer's clock with the robot's. It reads no clock itself, so that any two
/// clocks can be compared.
///
/// ```
/// use std::time::Instant;
/// use hemiola_link::{ClockDifference, PeerClock};
///
/// let mut clock = PeerClock::default();
/// assert!(clock.is_due(Instant::now()));
/// clock.ask(Instant::now(), 1_000); // a ping leaves
/// clock.learn([1_000, 51_010, 51_020, 1_030]); // its answer arrives
/// assert_eq!(clock.ahead(1_030), Some(ClockDifference { by: 50_000, error: 10 }));
/// ```
#[derive(Debug, Default)]
pub struct PeerClock {
    exchanges: VecDeque<Exchange>,
    /// The time at which the last ping left, in nanoseconds of the robot's clock; `None` once it is
    /// answered.
    asked: Option<i64>,
    /// The time at which the next ping is due; `None` until the first one has been sent.
    due: Option<Instant>,
    /// The number of pings in quick succession that are left.
    quick: u32,
}

/// The difference by which one clock is ahead of another. See [`PeerClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockDifference {
    /// The difference in nanoseconds; negative if the clock is behind.
    pub by: i64,
    /// The largest possible error of the difference, in nanoseconds.
    pub error: i64,
}

#[derive(Clone, Copy, Debug)]
struct Exchange {
    ahead: ClockDifference,
    /// The time at which it ended on the robot's clock.
    at: i64,
}

/// The number of exchanges from which the best is chosen, the same as in NTP's clock filter.
const MOST_EXCHANGES: usize = 8;
const QUICK: Duration = Duration::from_millis(50);
const PERIOD: Duration = Duration::from_secs(1);
/// The drift that must be expected of a clock, in parts per million.
const DRIFT: i64 = 15;

impl PeerClock {
    /// Returns the time at which the next ping is due, if one has been sent before.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns whether a ping is due.
    pub fn is_due(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| due <= now)
    }

    /// Notes a ping that leaves at `time` on the robot's clock.
    pub fn ask(&mut self, now: Instant, time: i64) {
        if self.due.is_none() {
            self.quick = MOST_EXCHANGES as u32;
        }
        self.quick = self.quick.saturating_sub(1);
        self.due = Some(now + if self.quick > 0 { QUICK } else { PERIOD });
        self.asked = Some(time);
    }

    /// Notes an answer by four times: the ping left here, arrived there, the answer left there, and
    /// arrived here. Answers to other pings than the last one are ignored.
    pub fn learn(&mut self, [left, arrived, answered, back]: [i64; 4]) {
        if self.asked != Some(left) {
            return;
        }
        self.asked = None;
        // Before a robot begins, its clock stands at zero. It may begin while a ping is on its way.
        if left <= 0 || back <= left || arrived <= 0 {
            return;
        }
        let [left, arrived, answered, back] = [left, arrived, answered, back].map(i128::from);
        let way = (back - left) - (answered - arrived);
        let by = ((arrived - left) + (answered - back)) / 2;
        let (Ok(by), Ok(error), Ok(at)) = (i64::try_from(by), i64::try_from((way + 1) / 2), i64::try_from(back)) else {
            return;
        };
        // A negative time on the way is impossible.
        if error < 0 {
            return;
        }
        let ahead = ClockDifference { by, error };
        if self.ahead(at).is_some_and(|before| !before.agrees_with(ahead)) {
            // One of the clocks was set, so earlier exchanges are no longer valid.
            self.exchanges.clear();
            self.quick = MOST_EXCHANGES as u32;
        }
        if self.exchanges.len() == MOST_EXCHANGES {
            self.exchanges.pop_front();
        }
        self.exchanges.push_back(Exchange { ahead, at });
    }

    /// Returns the difference by which the peer's clock is ahead of the robot's, which shows `now`;
    /// `None` until an answer has arrived.
    pub fn ahead(&self, now: i64) -> Option<ClockDifference> {
        let grown = |exchange: &Exchange| {
            let age = now.saturating_sub(exchange.at).max(0);
            let error = exchange.ahead.error.saturating_add(age / 1_000_000 * DRIFT);
            ClockDifference { error, ..exchange.ahead }
        };
        self.exchanges.iter().map(grown).min_by_key(|ahead| ahead.error)
    }

    /// Converts the time stamp of a value that was committed at `committed` on the peer's clock and
    /// has arrived at `now` on the robot's. The result is never later than if the value had taken
    /// no time on its way, which is assumed as long as nothing is known about the peer's clock.
    pub fn convert(&self, stamp: i64, committed: i64, now: i64) -> i64 {
        let latest = now.saturating_sub(committed.saturating_sub(stamp).max(0));
        self.ahead(now).map_or(latest, |ahead| stamp.saturating_sub(ahead.by).min(latest))
    }
}

impl PeerClock {
    /// Returns the delay of something that left at `left` on the peer's clock and has arrived at
    /// `now` on the robot's, and the largest possible error of the delay; `None` until an answer
    /// has arrived.
    pub fn delay(&self, left: i64, now: i64) -> Option<(Duration, Duration)> {
        let ClockDifference { by, error } = self.ahead(now)?;
        let nanoseconds = |time: i64| Duration::from_nanos(u64::try_from(time).unwrap_or(0));
        Some((nanoseconds(now.saturating_sub(left.saturating_sub(by))), nanoseconds(error)))
    }
}

impl ClockDifference {
    /// Returns whether both differences can be true.
    fn agrees_with(self, other: Self) -> bool {
        let apart = self.by.saturating_sub(other.by).saturating_abs();
        apart <= self.error.saturating_add(other.error)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pings if a ping is due. Returns whether it was.
    fn asks(clock: &mut PeerClock, now: Instant, time: i64) -> bool {
        let is_due = clock.is_due(now);
        if is_due {
            clock.ask(now, time);
        }
        is_due
    }

    /// Pings a clock that is ahead, at `time`, with these times on the way there and back. Returns
    /// the time at which the answer arrives.
    fn exchange(clock: &mut PeerClock, now: Instant, time: i64, ahead: i64, [there, back]: [i64; 2]) -> i64 {
        assert!(asks(clock, now, time));
        let arrived = time + there;
        let answered = arrived + 10;
        clock.learn([time, arrived + ahead, answered + ahead, answered + back]);
        answered + back
    }

    proptest! {
        #[test]
        fn whatever_the_ways_take_the_error_is_no_larger_than_is_said(
            ahead in -1_000_000_000_000_i64..1_000_000_000_000,
            ways in prop::collection::vec([0_i64..50_000_000, 0_i64..50_000_000], 1..20),
        ) {
            let (mut clock, mut now, mut time) = (PeerClock::default(), Instant::now(), 2_000_000_000_000);
            for (number, way) in ways.iter().enumerate() {
                time = exchange(&mut clock, now, time, ahead, *way);
                let said = clock.ahead(time).unwrap();
                prop_assert!((said.by - ahead).abs() <= said.error);
                let shortest = ways[..=number].iter().rev().take(MOST_EXCHANGES).map(|way| way[0] + way[1]).min();
                // The difference drifts by 15 ns in each millisecond.
                prop_assert!(said.error <= shortest.unwrap() / 2 + 1 + 15 * 1000);
                now += PERIOD;
            }
        }

        #[test]
        fn no_answer_whatever_it_says_puts_a_stamp_into_the_future(
            said in prop::collection::vec([any::<i64>(), any::<i64>(), any::<i64>()], 0..10),
            (stamp, committed, now) in (any::<i64>(), any::<i64>(), any::<i64>()),
        ) {
            let mut clock = PeerClock::default();
            let begin = Instant::now();
            for (number, [arrived, answered, back]) in said.iter().enumerate() {
                asks(&mut clock, begin + PERIOD * number as u32, 7);
                clock.learn([7, *arrived, *answered, *back]);
            }
            prop_assert!(clock.convert(stamp, committed, now) <= now);
        }
    }

    #[test]
    fn until_a_clock_is_known_the_way_counts_as_no_time_and_then_the_age_is_right() {
        let mut clock = PeerClock::default();
        // The value was 30 ns old when it was committed, and was on its way for 5 ns.
        let (ahead, now) = (1_000_000, 500);
        let (committed, stamp) = (now - 5 + ahead, now - 35 + ahead);
        assert_eq!(clock.convert(stamp, committed, now), now - 30);
        assert_eq!(clock.delay(committed, now), None);
        exchange(&mut clock, Instant::now(), 100, ahead, [3, 3]);
        assert_eq!(clock.convert(stamp, committed, now), now - 35);
        assert_eq!(clock.delay(committed, now), Some((Duration::from_nanos(5), Duration::from_nanos(3))));
    }

    #[test]
    fn a_clock_that_was_set_is_believed_at_once() {
        let (mut clock, mut now) = (PeerClock::default(), Instant::now());
        let time = exchange(&mut clock, now, 1, 50, [1, 1]);
        now += QUICK;
        let time = exchange(&mut clock, now, time, 70, [40, 60]);
        assert_eq!(clock.ahead(time).unwrap().by, 50, "the second one is no better");
        now += QUICK;
        let time = exchange(&mut clock, now, time, 900_000, [40, 60]);
        assert!((clock.ahead(time).unwrap().by - 900_000).abs() <= 50);
    }

    #[test]
    fn a_clock_that_stands_is_none() {
        let (mut clock, mut now) = (PeerClock::default(), Instant::now());
        for answer in [[0, 7, 7, 0], [0, 7, 7, 9], [5, 0, 0, 9], [5, 7, 7, 5]] {
            assert!(asks(&mut clock, now, answer[0]));
            clock.learn(answer);
            assert_eq!(clock.ahead(9), None);
            now += PERIOD;
        }
    }

    #[test]
    fn pings_come_quickly_at_first_and_then_each_second_and_only_the_last_is_answered() {
        let (mut clock, begin) = (PeerClock::default(), Instant::now());
        assert_eq!(clock.due(), None);
        assert!(asks(&mut clock, begin, 0) && !asks(&mut clock, begin, 1));
        let mut now = begin;
        let pauses: Vec<_> = (0..9)
            .map(|number| {
                let pause = clock.due().unwrap() - now;
                now = clock.due().unwrap();
                assert!(asks(&mut clock, now, number));
                pause.as_millis()
            })
            .collect();
        assert_eq!(pauses, [50, 50, 50, 50, 50, 50, 50, 1000, 1000]);
        clock.learn([3, 4, 4, 5]);
        assert_eq!(clock.ahead(5), None);
        clock.learn([8, 10, 10, 10]);
        assert_eq!(clock.ahead(10), Some(ClockDifference { by: 1, error: 1 }));
    }
}
