//! What the transports of logs and replays have in common.

use serde_json::{Value, json};

/// How slowly, and how fast, something can be played.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// A speed that a client asks for.
///
/// # Errors
/// It is none.
pub fn checked_speed(speed: f64) -> Result<f64, String> {
    if !SPEEDS.contains(&speed) {
        let (slowest, fastest) = (SPEEDS.start(), SPEEDS.end());
        return Err(format!("this plays {slowest} to {fastest} times as fast as it was recorded"));
    }
    Ok(speed)
}

/// How something is played now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// What its clock shows, in nanoseconds.
    pub time: i64,
    /// Its seconds in one.
    pub speed: f64,
    /// Whether time goes on.
    pub is_playing: bool,
    /// Whether it stands still when it has done what it is at: a step, or to go to another time.
    pub is_stepping: bool,
}

impl Playing {
    /// What clients are told.
    pub fn event(&self) -> Value {
        let Self { time, speed, is_playing, is_stepping } = self;
        json!({
            "event": "transport",
            "time": time,
            "speed": speed,
            "is_playing": is_playing,
            "is_stepping": is_stepping,
        })
    }
}
