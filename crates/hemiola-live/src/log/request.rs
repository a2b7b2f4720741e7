//! What a client can ask of a log, and how that reads.

use serde::Deserialize;

use crate::robot::request::{Form, Watched};

/// A request, without its number.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum LogRequest {
    Describe {},
    Subscribe {
        subscription: u32,
        value: Option<String>,
        topic: Option<String>,
        rate: Option<f64>,
        #[serde(rename = "as", default)]
        form: Form,
    },
    Unsubscribe {
        subscription: u32,
    },
    Plot {
        subscription: u32,
        fields: Vec<String>,
        /// All points come at once.
        #[serde(rename = "rate")]
        _rate: Option<f64>,
    },
    Watch {
        what: Watched,
        #[serde(rename = "period")]
        _period: Option<u64>,
        names: Option<Vec<String>>,
    },
    Unwatch {
        what: Watched,
    },
    Read {
        value: String,
    },
    Fields {
        value: Option<String>,
        topic: Option<String>,
    },
    Play {
        speed: Option<f64>,
    },
    Pause {},
    Seek {
        time: i64,
    },
}

/// What only a robot can do.
const OF_ROBOTS: &[&str] = &[
    "events",
    "change",
    "parameters",
    "save",
    "publish",
    "call",
    "record",
    "mark",
    "capture",
    "why",
    "bounds",
    "layouts",
    "recorded",
    "step",
    "stop",
];

impl LogRequest {
    /// Reads it.
    ///
    /// # Errors
    /// It is none, or one that only a robot can answer; the text says so.
    pub fn read(said: serde_json::Value) -> Result<Self, String> {
        if let Some(verb) = said["do"].as_str().filter(|verb| OF_ROBOTS.contains(verb)) {
            return Err(only_robots(verb));
        }
        serde_json::from_value(said).map_err(|error| format!("{error}; docs/door.md has all requests"))
    }
}

/// Why it is refused.
pub fn only_robots(what: &str) -> String {
    format!("`{what}` is for robots that run: this is a log, which can be looked at and played")
}
