//! The limits at which a command that goes on until Ctrl-C ends by itself: `--count` and `--for`.

use std::time::{Duration, Instant};

/// The number of times, and the moment, after which a command ends.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    count: Option<u64>,
    end: Option<Instant>,
}

impl Limit {
    /// Returns the limit of a command that begins now.
    pub fn new(count: Option<u64>, duration: Option<Duration>) -> Self {
        let now = Instant::now();
        Self { count, end: duration.and_then(|duration| now.checked_add(duration)) }
    }

    /// Returns whether a command that has done it this number of times ends.
    pub fn is_reached(&self, done: u64) -> bool {
        self.count.is_some_and(|count| done >= count) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Returns how long a command may wait that would wait for `longest`.
    pub fn left(&self, longest: Duration) -> Duration {
        self.time_left().map_or(longest, |left| longest.min(left))
    }

    /// Returns the time until the command ends; `None` if it has no end.
    pub fn time_left(&self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_limit_comes_first_ends_it() {
        let hour = Duration::from_secs(3600);
        let limit = Limit::new(Some(3), Some(hour));
        assert!(!limit.is_reached(2) && limit.is_reached(3));
        assert!(limit.left(2 * hour) <= hour && limit.left(Duration::from_secs(1)) == Duration::from_secs(1));
        assert!(Limit::new(None, Some(Duration::ZERO)).is_reached(0));
        let none = Limit::new(None, None);
        assert!(!none.is_reached(u64::MAX) && none.left(hour) == hour);
        assert!(!Limit::new(None, Some(Duration::MAX)).is_reached(0), "a time that nobody lives to see");
    }
}
