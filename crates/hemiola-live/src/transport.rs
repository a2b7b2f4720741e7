//! The common parts of the transports of logs and replays.

use serde_json::{Value, json};

/// The valid range of speeds.
const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Returns the requested speed if it is valid.
///
/// # Errors
/// Returns an error if it is not.
pub fn checked_speed(speed: f64) -> Result<f64, String> {
    if !SPEEDS.contains(&speed) {
        let (slowest, fastest) = (SPEEDS.start(), SPEEDS.end());
        return Err(format!("the speed must be {slowest} to {fastest} times as fast as the recording"));
    }
    Ok(speed)
}

/// The state of a transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// The time of the transport's clock, in nanoseconds.
    pub time: i64,
    /// The speed: the seconds that pass on its clock in one second of the viewer.
    pub speed: f64,
    /// Set while time passes.
    pub is_playing: bool,
    /// Set if it pauses after a step or a jump to another time.
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
