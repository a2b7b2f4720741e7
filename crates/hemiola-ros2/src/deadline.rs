//! Deadlines of topics: the longest time between two messages.

use std::time::{Duration, Instant};

/// The supervision of a topic's deadline, which begins with the topic's first message. Without a
/// deadline, none is missed.
pub struct Deadline {
    period: Option<Duration>,
    /// The time until which the next message must come.
    due: Option<Instant>,
}

impl Deadline {
    pub fn new(period: Option<Duration>) -> Self {
        Self { period, due: None }
    }

    /// Notes a message. Returns the number of deadlines that were missed before it.
    pub fn note(&mut self, at: Instant) -> u64 {
        let missed = self.missed(at);
        self.due = self.period.map(|period| at + period);
        missed
    }

    /// Pauses the supervision until the next message.
    pub fn pause(&mut self) {
        self.due = None;
    }

    /// Returns the number of deadlines that were missed since the last call. While no message
    /// comes, each period is a missed deadline.
    pub fn missed(&mut self, now: Instant) -> u64 {
        let Some((period, due)) = self.period.zip(self.due).filter(|(_, due)| *due <= now) else { return 0 };
        let missed = (now - due).as_nanos() / period.as_nanos().max(1) + 1;
        let missed = u64::try_from(missed).unwrap_or(u64::MAX);
        // The supervision keeps its rhythm, and begins anew where that cannot be represented.
        let passed = u32::try_from(missed).ok().and_then(|missed| period.checked_mul(missed));
        self.due = passed.and_then(|passed| due.checked_add(passed)).or(Some(now + period));
        missed
    }

    /// Returns the time at which the deadline is missed unless a message comes.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the longest time between two messages.
    pub fn period(&self) -> Option<Duration> {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(100);

    struct Try {
        deadline: Deadline,
        begin: Instant,
    }

    impl Try {
        fn of(period: Option<Duration>) -> Self {
            Self { deadline: Deadline::new(period), begin: Instant::now() }
        }

        fn note(&mut self, milliseconds: u64) -> u64 {
            self.deadline.note(self.begin + Duration::from_millis(milliseconds))
        }

        fn missed(&mut self, milliseconds: u64) -> u64 {
            self.deadline.missed(self.begin + Duration::from_millis(milliseconds))
        }
    }

    #[test]
    fn each_period_without_a_message_is_missed_once() {
        let mut deadline = Try::of(Some(PERIOD));
        // Nothing is missed before the first message.
        assert_eq!((deadline.missed(5000), deadline.note(5000)), (0, 0));
        assert_eq!([deadline.note(5099), deadline.missed(5198), deadline.missed(5199)], [0, 0, 1]);
        assert_eq!([deadline.missed(5298), deadline.missed(5299), deadline.missed(5700)], [0, 1, 4]);
        // The next message begins a new period.
        assert_eq!([deadline.note(5750), deadline.missed(5849), deadline.note(5851)], [0, 0, 1]);
    }

    #[test]
    fn nothing_is_missed_without_a_deadline_or_during_a_pause() {
        let mut none = Try::of(None);
        assert_eq!((none.note(0), none.missed(9000), none.deadline.due()), (0, 0, None));
        let mut paused = Try::of(Some(PERIOD));
        paused.note(0);
        paused.deadline.pause();
        assert_eq!((paused.missed(9000), paused.note(9000), paused.missed(9100)), (0, 0, 1));
    }

    #[test]
    fn the_shortest_deadline_can_be_missed_for_years() {
        let mut deadline = Try::of(Some(Duration::from_nanos(1)));
        deadline.note(0);
        assert_eq!(deadline.missed(10_000_000_000), 10_000_000_000_000_000);
        assert!(deadline.deadline.due() > Some(deadline.begin));
    }
}
