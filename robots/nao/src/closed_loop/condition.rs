//! The conditions under which games are played.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The cores, and who may use them when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scheduling {
    /// Every run preempts those of less important cycles: motion before audio before cognition.
    Preemptive,
    /// One loop runs one cycle after the other, each to its end; of several that are due, the most
    /// important one.
    Sequential,
    /// Motion has no real-time priority: it has the cores that audio and cognition leave, and
    /// shares them with that many other threads, which are always ready.
    MotionAmong(usize),
}

/// A condition of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The name in tables.
    pub name: String,
    /// The number of cores.
    pub cores: usize,
    /// The rule for who may use them when.
    pub scheduling: Scheduling,
    /// The rate of the cameras, in hertz.
    pub camera_rate: f64,
    /// The time from the taking of an image to its arrival.
    pub latency: Duration,
    /// The share of images that are lost, from 0 to 1.
    pub loss: f32,
}

impl Condition {
    /// Returns the condition with which all others are compared.
    #[must_use]
    pub fn base() -> Self {
        Self {
            name: "4 cores, 30 Hz".to_owned(),
            cores: 4,
            scheduling: Scheduling::Preemptive,
            camera_rate: 30.0,
            latency: Duration::ZERO,
            loss: 0.0,
        }
    }

    /// Returns all conditions, [`base`](Self::base) first. Each of the others differs from it in
    /// one respect.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let base = |name: &str| Self { name: name.to_owned(), ..Self::base() };
        vec![
            Self::base(),
            Self { cores: 2, ..base("2 cores") },
            Self { cores: 1, ..base("1 core") },
            Self { cores: 1, scheduling: Scheduling::Sequential, ..base("sequential loop") },
            Self { scheduling: Scheduling::MotionAmong(16), ..base("motion among load") },
            Self { camera_rate: 15.0, ..base("15 Hz") },
            Self { camera_rate: 60.0, ..base("60 Hz") },
            Self { latency: Duration::from_millis(50), ..base("50 ms later") },
            Self { loss: 0.3, ..base("30 % lost") },
        ]
    }
}
