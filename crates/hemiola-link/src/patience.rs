//! The pauses between attempts to connect.

use std::time::{Duration, Instant};

/// The delay before the next attempt to reach a peer, which grows with each attempt.
///
/// ```
/// use hemiola_link::Patience;
/// use std::time::{Duration, Instant};
///
/// let (mut patience, now) = (Patience::up_to(Duration::from_secs(5)), Instant::now());
/// assert_eq!(patience.after(now) - now, Duration::from_millis(100));
/// assert_eq!(patience.after(now) - now, Duration::from_millis(200));
/// ```
#[derive(Debug)]
pub struct Patience {
    next: Duration,
    longest: Duration,
}

const SHORTEST: Duration = Duration::from_millis(100);

impl Patience {
    /// Returns delays of 100 ms, 200 ms and so on, up to `longest`.
    pub fn up_to(longest: Duration) -> Self {
        Self { next: SHORTEST, longest }
    }

    /// Returns delays that always equal `period`.
    pub fn at(period: Duration) -> Self {
        Self { next: period, longest: period }
    }

    /// Returns the time of the next attempt after one at `now`.
    pub fn after(&mut self, now: Instant) -> Instant {
        let delay = self.next;
        self.next = (2 * delay).min(self.longest);
        now + delay
    }

    /// Starts again with the shortest delay, because the peer has been reached.
    pub fn reset(&mut self) {
        self.next = SHORTEST;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_its_limit_and_begins_anew() {
        let (mut patience, now) = (Patience::up_to(Duration::from_secs(1)), Instant::now());
        let mut delays = || (patience.after(now) - now).as_millis();
        assert_eq!([(); 6].map(|()| delays()), [100, 200, 400, 800, 1000, 1000]);
        patience.reset();
        assert_eq!(patience.after(now), now + SHORTEST);
    }
}
