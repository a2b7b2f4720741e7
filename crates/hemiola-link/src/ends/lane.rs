use std::collections::VecDeque;
use std::time::{Duration, Instant};

use hemiola_model::configuration::{Keep, Sent};

use super::Cdr;
use crate::statistics::SentStatistics;

/// The queue of one topic or representation for one peer. Its length and rate are bounded by
/// robot.toml.
///
/// ```
/// use hemiola_link::SentStatistics;
/// use hemiola_link::ends::{Lane, Waiting};
/// use hemiola_model::configuration::{Keep, Sent};
/// use std::time::Instant;
///
/// let mut lane = Lane::new(&Sent { keep: Keep::Newest, ..Sent::topic("Odometry") });
/// let (mut held, mut count) = (0, SentStatistics::default());
/// for byte in [1, 2] {
///     let message = Waiting { time: 0, stamp: None, cdr: vec![byte].into() };
///     lane.push(message, Instant::now(), (&mut held, 100), &mut count);
/// }
/// let (number, newest) = lane.pop(Instant::now(), &mut held).expect("one waits");
/// assert_eq!((number, &newest.cdr[..], count.skipped), (1, &[2][..], 1));
/// ```
#[derive(Debug)]
pub struct Lane {
    keep: Keep,
    /// The least time between two messages.
    period: Option<Duration>,
    /// The time from which on the next message may be sent or, if more than the newest one is kept,
    /// queued.
    due: Option<Instant>,
    waiting: VecDeque<Waiting>,
    /// The latest news, which is sent when no message waits.
    news: Option<Waiting>,
    /// The time at which the first of the values was handed over that were dropped or skipped since
    /// the last one was sent.
    missed: Option<i64>,
    /// The number of messages that have been sent.
    sequence: u64,
}

/// A message or value that waits to be sent, or news about messages. See [`Lane`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The time at which it was published or handed over, in nanoseconds of the robot's clock. For
    /// a value that replaced others, this is the time of the first of these.
    pub time: i64,
    /// The time of the sample that a value derives from, in nanoseconds of the robot's clock.
    pub stamp: Option<i64>,
    /// The message in CDR.
    pub cdr: Cdr,
}

impl Waiting {
    /// Returns whether this is news about a topic: the messages until now, and the absence of
    /// others, derive from samples up to `stamp`. It has no contents, not even the header that each
    /// message has.
    pub fn is_news(&self) -> bool {
        self.stamp.is_some() && self.cdr.is_empty()
    }
}

impl Lane {
    /// Creates the empty queue of a topic or representation.
    pub fn new(topic: &Sent) -> Self {
        let period = topic.rate.and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok());
        Self { keep: topic.keep, period, due: None, waiting: VecDeque::new(), news: None, missed: None, sequence: 0 }
    }

    /// Queues a message, and counts the messages that are dropped or skipped. The lanes of a peer
    /// hold `held` bytes together, and may hold at most `most`.
    pub fn push(
        &mut self,
        message: Waiting,
        now: Instant,
        (held, most): (&mut usize, usize),
        count: &mut SentStatistics,
    ) {
        if message.is_news() {
            let since = self.news.as_ref().map_or(message.time, |earlier| earlier.time);
            self.news = Some(Waiting { time: since, ..message });
            return;
        }
        match self.keep {
            Keep::Newest => {
                while let Some(older) = self.waiting.pop_front() {
                    *held -= older.cdr.len();
                    count.skipped += 1;
                    self.miss(&older);
                }
            }
            Keep::Last(_) if !self.is_due(now) => {
                self.miss(&message);
                return count.skipped += 1;
            }
            Keep::Last(_) => self.note_due(now),
        }
        let limit = match self.keep {
            Keep::Newest => 1,
            Keep::Last(limit) => limit.max(1),
        };
        while self.waiting.len() >= limit || *held + message.cdr.len() > most {
            count.dropped += 1;
            match self.waiting.pop_front() {
                Some(oldest) => {
                    *held -= oldest.cdr.len();
                    self.miss(&oldest);
                }
                // The other lanes leave no room for the message.
                None => return self.miss(&message),
            }
        }
        *held += message.cdr.len();
        self.waiting.push_back(message);
    }

    /// Returns the next message that may be sent now, with its number.
    pub fn pop(&mut self, now: Instant, held: &mut usize) -> Option<(u64, Waiting)> {
        if self.waiting.is_empty() {
            let news = self.news.take()?;
            self.sequence += 1;
            return Some((self.sequence, news));
        }
        if self.keep == Keep::Newest {
            if !self.is_due(now) {
                return None;
            }
            self.note_due(now);
        }
        let mut message = self.waiting.pop_front()?;
        if let Some(missed) = self.missed.take() {
            message.time = message.time.min(missed);
        }
        *held -= message.cdr.len();
        self.sequence += 1;
        Some((self.sequence, message))
    }

    /// Returns whether more than the newest message is kept.
    pub(crate) fn keeps_several(&self) -> bool {
        self.keep != Keep::Newest
    }

    /// Returns the number of a message that would be sent now without waiting here; `None` if
    /// others wait, or it is not let through.
    pub(crate) fn number_at_once(&self, now: Instant) -> Option<u64> {
        (self.is_empty() && self.is_due(now)).then_some(self.sequence + 1)
    }

    /// Notes that a message, or news, was sent [at once](Self::number_at_once).
    pub(crate) fn note_sent_at_once(&mut self, is_news: bool, now: Instant) {
        if !is_news {
            self.note_due(now);
        }
        self.sequence += 1;
    }

    /// Returns the time before which a message is not let through; `None` if messages are let
    /// through now. A message that is published earlier is skipped, or replaced by a newer one.
    pub fn closed_until(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the time at which a message that is held back now may be sent.
    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| self.keep == Keep::Newest && !self.waiting.is_empty())
    }

    /// Returns the message that is sent next, as soon as it may be.
    pub fn front(&self) -> Option<&Waiting> {
        self.waiting.front()
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.news.is_none()
    }

    /// Removes all messages, which are skipped, and returns the number of the message that is sent
    /// in their place.
    pub fn replace(&mut self, held: &mut usize, count: &mut SentStatistics) -> u64 {
        count.skipped += self.waiting.len() as u64;
        self.clear(held);
        self.sequence += 1;
        self.sequence
    }

    /// Removes all messages.
    pub fn clear(&mut self, held: &mut usize) {
        *held -= self.waiting.drain(..).map(|message| message.cdr.len()).sum::<usize>();
        (self.news, self.missed) = (None, None);
    }

    /// Notes that a value is not sent. The next value takes its place, and inherits its time.
    /// Messages of topics do not replace each other.
    fn miss(&mut self, unsent: &Waiting) {
        if unsent.stamp.is_some() {
            self.missed.get_or_insert(unsent.time);
        }
    }

    fn is_due(&self, now: Instant) -> bool {
        self.due.is_none_or(|due| due <= now)
    }

    /// Notes that a message was let through. The next one is due one period after this one was due,
    /// so that small delays do not add up.
    fn note_due(&mut self, now: Instant) {
        let Some(period) = self.period else { return };
        let next = self.due.map(|due| due + period).filter(|next| *next > now);
        self.due = Some(next.unwrap_or(now + period));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u8) -> Waiting {
        Waiting { time: i64::from(number), stamp: None, cdr: vec![number; 10].into() }
    }

    struct Try {
        lane: Lane,
        begin: Instant,
        held: usize,
        count: SentStatistics,
    }

    impl Try {
        fn of(rate: Option<f64>, keep: Keep) -> Self {
            let lane = Lane::new(&Sent { rate, keep, ..Sent::topic("x") });
            Self { lane, begin: Instant::now(), held: 0, count: SentStatistics::default() }
        }

        fn push(&mut self, milliseconds: u64, number: u8) {
            let now = self.begin + Duration::from_millis(milliseconds);
            self.lane.push(message(number), now, (&mut self.held, 45), &mut self.count);
        }

        fn pop(&mut self, milliseconds: u64) -> Option<u8> {
            let now = self.begin + Duration::from_millis(milliseconds);
            self.lane.pop(now, &mut self.held).map(|(_, message)| message.cdr[0])
        }
    }

    #[test]
    fn the_oldest_go_when_there_is_no_room() {
        let mut lane = Try::of(None, Keep::Last(3));
        (1..=5).for_each(|number| lane.push(0, number));
        assert_eq!([(); 4].map(|()| lane.pop(0)), [Some(3), Some(4), Some(5), None]);
        assert_eq!((lane.count.dropped, lane.held), (2, 0));
    }

    #[test]
    fn a_message_that_is_sent_in_place_of_others_has_the_next_number() {
        let mut lane = Try::of(Some(100.0), Keep::Newest);
        lane.push(0, 1);
        assert_eq!(lane.pop(0), Some(1));
        lane.push(1, 2);
        assert_eq!(lane.lane.replace(&mut lane.held, &mut lane.count), 2);
        assert_eq!((lane.count.skipped, lane.held, lane.pop(20)), (1, 0, None));
        lane.push(30, 3);
        assert_eq!(lane.lane.pop(lane.begin + Duration::from_millis(30), &mut lane.held).unwrap().0, 3);
    }

    #[test]
    fn no_more_bytes_are_held_than_may_be() {
        let mut lane = Try::of(None, Keep::Last(100));
        (1..=6).for_each(|number| lane.push(0, number));
        assert_eq!((lane.held, lane.count.dropped), (40, 2));
        assert_eq!(lane.pop(0), Some(3));
        // Other lanes hold so many bytes that no message fits.
        lane.held += 40;
        (7..=9).for_each(|number| lane.push(0, number));
        assert_eq!((lane.held, lane.pop(0)), (40, None));
    }

    #[test]
    fn the_newest_waits_until_it_may_be_sent() {
        let mut lane = Try::of(Some(100.0), Keep::Newest);
        lane.push(0, 1);
        assert_eq!(lane.pop(0), Some(1));
        lane.push(1, 2);
        lane.push(2, 3);
        assert_eq!((lane.pop(9), lane.lane.due()), (None, Some(lane.begin + Duration::from_millis(10))));
        // A message is sent slightly late, and the next one is due as if it had been on time.
        assert_eq!(lane.pop(12), Some(3));
        lane.push(13, 4);
        assert_eq!((lane.pop(19), lane.pop(20)), (None, Some(4)));
        assert_eq!((lane.count.skipped, lane.count.dropped), (1, 0));
    }

    #[test]
    fn a_value_counts_from_the_first_that_it_stands_for_and_a_message_from_itself() {
        for (keep, stamp, times) in [
            (Keep::Newest, Some(0), vec![1, 4]),
            (Keep::Newest, None, vec![3, 4]),
            (Keep::Last(2), Some(0), vec![1, 3]),
            (Keep::Last(2), None, vec![2, 3]),
        ] {
            let mut lane = Try::of(None, keep);
            let push = |lane: &mut Try, number| {
                let waiting = Waiting { stamp, ..message(number) };
                lane.lane.push(waiting, lane.begin, (&mut lane.held, 45), &mut lane.count);
            };
            (1..=3).for_each(|number| push(&mut lane, number));
            let mut seen: Vec<i64> =
                lane.lane.pop(lane.begin, &mut lane.held).map(|(_, sent)| sent.time).into_iter().collect();
            push(&mut lane, 4);
            seen.extend(lane.lane.pop(lane.begin, &mut lane.held).map(|(_, sent)| sent.time));
            assert_eq!(seen, times, "{keep:?}, {stamp:?}");
        }
    }

    #[test]
    fn news_comes_after_all_messages_once_and_counts_from_the_first_that_it_stands_for() {
        let mut lane = Try::of(None, Keep::Last(2));
        let tell = |lane: &mut Try, time: i64| {
            let news = Waiting { time, stamp: Some(10 * time), cdr: Cdr::default() };
            lane.lane.push(news, lane.begin, (&mut lane.held, 45), &mut lane.count);
        };
        lane.push(0, 1);
        tell(&mut lane, 5);
        (2..=3).for_each(|number| lane.push(0, number));
        tell(&mut lane, 6);
        assert_eq!([lane.pop(0), lane.pop(0)], [Some(2), Some(3)], "news takes no room");
        let (number, news) = lane.lane.pop(lane.begin, &mut lane.held).unwrap();
        assert_eq!((number, news.time, news.stamp, news.is_news()), (3, 5, Some(60), true));
        assert!(lane.lane.is_empty());
        tell(&mut lane, 7);
        assert!(!lane.lane.is_empty());
        lane.lane.clear(&mut lane.held);
        assert!(lane.lane.is_empty());
    }

    #[test]
    fn what_is_sent_at_once_counts_as_if_it_had_waited() {
        let mut lane = Try::of(Some(100.0), Keep::Newest);
        assert_eq!(lane.lane.number_at_once(lane.begin), Some(1));
        lane.lane.note_sent_at_once(true, lane.begin);
        assert_eq!(lane.lane.number_at_once(lane.begin), Some(2), "news takes no time");
        lane.lane.note_sent_at_once(false, lane.begin);
        let due = lane.begin + Duration::from_millis(10);
        assert_eq!((lane.lane.number_at_once(lane.begin), lane.lane.number_at_once(due)), (None, Some(3)));
        lane.push(5, 1);
        assert_eq!((lane.lane.number_at_once(due), lane.pop(10)), (None, Some(1)), "the one that waits goes first");
    }

    #[test]
    fn of_those_of_which_more_are_kept_the_early_ones_are_skipped() {
        let mut lane = Try::of(Some(100.0), Keep::Last(10));
        (0..40).for_each(|millisecond| lane.push(millisecond, millisecond as u8));
        assert_eq!([(); 5].map(|()| lane.pop(40)), [Some(0), Some(10), Some(20), Some(30), None]);
        assert_eq!((lane.count.skipped, lane.lane.due()), (36, None));
    }
}
