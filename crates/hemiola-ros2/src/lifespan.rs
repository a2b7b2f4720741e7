//! Lifespans: the time after which a message expires.

use std::time::{Duration, Instant};

/// The expiry of the messages that a publisher keeps for subscribers that join later.
#[derive(Debug, Default)]
pub struct Kept {
    lifespan: Option<Duration>,
    /// The time at which the newest message expires; `None` if none is kept, or none expires.
    until: Option<Instant>,
}

impl Kept {
    pub fn new(lifespan: Option<Duration>) -> Self {
        Self { lifespan, until: None }
    }

    /// Notes a message of that age, which is kept.
    pub fn note(&mut self, now: Instant, age: Duration) {
        self.until = self.lifespan.and_then(|lifespan| now.checked_add(lifespan.saturating_sub(age)));
    }

    /// Returns whether all messages have expired; once, until the next message.
    pub fn have_expired(&mut self, now: Instant) -> bool {
        let is_over = self.until.is_some_and(|until| until <= now);
        if is_over {
            self.until = None;
        }
        is_over
    }

    /// Returns when all messages have expired.
    pub fn due(&self) -> Option<Instant> {
        self.until
    }
}

/// Returns whether a message of this age has expired by one of the lifespans: that of its
/// publisher, and that of its subscriber.
pub fn has_expired(age_ns: i64, lifespans: [Option<Duration>; 2]) -> bool {
    // Nothing was published in the future, whatever the publisher's clock says.
    let age = Duration::from_nanos(u64::try_from(age_ns).unwrap_or(0));
    // Zero stands for the default, which is unlimited (`RMW_QOS_LIFESPAN_DEFAULT`).
    lifespans.into_iter().flatten().any(|lifespan| !lifespan.is_zero() && age > lifespan)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_message_expires_by_the_shorter_lifespan() {
        let long = Some(10 * SECOND);
        for (age_ns, lifespans, expected) in [
            (1_000_000_001, [Some(SECOND), None], true),
            (1_000_000_001, [None, Some(SECOND)], true),
            (1_000_000_001, [long, Some(SECOND)], true),
            (1_000_000_000, [Some(SECOND), long], false),
            (i64::MAX, [None, Some(Duration::ZERO)], false),
            (i64::MIN, [Some(Duration::from_nanos(1)), None], false),
        ] {
            assert_eq!(has_expired(age_ns, lifespans), expected, "{age_ns}, {lifespans:?}");
        }
    }

    #[test]
    fn what_is_kept_expires_with_the_newest_message_and_once() {
        let begin = Instant::now();
        let mut kept = Kept::new(Some(SECOND));
        assert!(kept.due().is_none() && !kept.have_expired(begin));
        kept.note(begin, Duration::ZERO);
        kept.note(begin + SECOND / 2, SECOND / 4);
        assert!(!kept.have_expired(begin + SECOND));
        assert_eq!(kept.due(), Some(begin + 5 * SECOND / 4));
        assert!(kept.have_expired(begin + 5 * SECOND / 4) && !kept.have_expired(begin + 9 * SECOND));
        // What was published late has expired at once.
        kept.note(begin, 7 * SECOND);
        assert!(kept.have_expired(begin));
        let mut endless = Kept::new(None);
        endless.note(begin, Duration::ZERO);
        assert!(endless.due().is_none());
    }
}
