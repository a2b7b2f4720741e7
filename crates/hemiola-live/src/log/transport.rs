//! The transport of a client: it plays, pauses, and jumps to other times.

use std::time::Instant;

use serde_json::Value;

use crate::transport::{Playing, checked_speed};

/// The transport of a client. Times are nanoseconds of the log.
#[derive(Clone, Debug)]
pub struct Transport {
    begin: i64,
    end: i64,
    /// The time of the log at `since`.
    at: i64,
    since: Instant,
    /// The speed: seconds of the log per second of the viewer.
    speed: f64,
    is_playing: bool,
}

impl Transport {
    /// Creates a transport that is paused at the beginning.
    pub fn new(begin: i64, end: i64, now: Instant) -> Self {
        Self { begin, end, at: begin, since: now, speed: 1.0, is_playing: false }
    }

    /// Returns the current time of the log.
    pub fn time(&self, now: Instant) -> i64 {
        if !self.is_playing {
            return self.at;
        }
        let passed = now.saturating_duration_since(self.since).as_nanos() as f64 * self.speed;
        self.at.saturating_add(passed as i64).min(self.end)
    }

    /// Returns whether time passes.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Pauses if the end is reached. Returns whether this call has paused it.
    pub fn ends(&mut self, now: Instant) -> bool {
        let ends = self.is_playing && self.time(now) == self.end;
        if ends {
            self.pause(now);
        }
        ends
    }

    /// Returns the speed at which time passes while it plays.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Resumes playing, from the beginning if the end had been reached.
    ///
    /// # Errors
    /// Returns an error if the speed is not valid.
    pub fn play(&mut self, speed: Option<f64>, now: Instant) -> Result<(), String> {
        let speed = checked_speed(speed.unwrap_or(self.speed))?;
        let time = self.time(now);
        self.at = if time == self.end { self.begin } else { time };
        (self.since, self.speed, self.is_playing) = (now, speed, true);
        Ok(())
    }

    /// Pauses.
    pub fn pause(&mut self, now: Instant) {
        (self.at, self.is_playing) = (self.time(now), false);
    }

    /// Jumps to a time within the log; earlier and later times are clamped.
    pub fn seek(&mut self, time: i64, now: Instant) {
        (self.at, self.since) = (time.clamp(self.begin, self.end), now);
    }

    /// Returns the event for clients.
    pub fn event(&self, now: Instant) -> Value {
        let Self { speed, is_playing, .. } = *self;
        Playing { time: self.time(now), speed, is_playing, is_stepping: false }.event()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn time_goes_on_as_fast_as_asked_for_and_ends_with_the_log() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut transport = Transport::new(5_000_000, 1_005_000_000, start);
        assert_eq!((transport.time(after(700)), transport.is_playing()), (5_000_000, false));
        transport.play(Some(2.0), after(1000)).unwrap();
        assert_eq!(transport.time(after(1100)), 205_000_000);
        transport.pause(after(1200));
        assert_eq!(transport.time(after(9000)), 405_000_000);
        transport.play(None, after(9000)).unwrap();
        assert!(!transport.ends(after(9299)) && transport.ends(after(9300)) && !transport.is_playing());
        assert_eq!(transport.time(after(99_000)), 1_005_000_000);
        transport.play(None, after(99_000)).unwrap();
        assert_eq!(transport.time(after(99_000)), 5_000_000);
    }

    #[test]
    fn nothing_leads_out_of_the_log() {
        let start = Instant::now();
        let mut transport = Transport::new(10, 20, start);
        for (asked, set) in [(i64::MIN, 10), (15, 15), (i64::MAX, 20)] {
            transport.seek(asked, start);
            assert_eq!(transport.time(start), set);
        }
        for speed in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(transport.play(Some(speed), start).is_err(), "{speed}");
        }
    }
}
