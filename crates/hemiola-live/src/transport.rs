//! The common parts of the transports of logs and replays.

use serde_json::{Value, json};

/// The range of speeds.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Returns the speed that a client requests, if it is valid.
///
/// # Errors
/// Returns an error if it is not.
pub fn checked_speed(speed: f64) -> Result<f64, String> {
    if !SPEEDS.contains(&speed) {
        let (slowest, fastest) = (SPEEDS.start(), SPEEDS.end());
        return Err(format!("this plays {slowest} to {fastest} times as fast as it was recorded"));
    }
    Ok(speed)
}

/// The state of a transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// The time of its clock, in nanoseconds.
    pub time: i64,
    /// The seconds of its clock in a second of the viewer.
    pub speed: f64,
    /// Whether time passes.
    pub is_playing: bool,
    /// Whether it pauses when a step, or the jump to another time, is done.
    pub is_stepping: bool,
}

impl Playing {
    /// Returns the event for clients.
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
