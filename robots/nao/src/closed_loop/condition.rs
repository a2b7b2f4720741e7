//! The conditions under which games are played.

use std::time::Duration;

/// The cores, and who may use them when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// The name in tables.
    pub name: &'static str,
    /// The number of cores.
    pub cores: usize,
    /// Who may use them when.
    pub scheduling: Scheduling,
    /// The rate of the cameras, in hertz.
    pub camera_rate: f64,
    /// The time from the taking of an image to its arrival.
    pub latency: Duration,
    /// The share of images that are lost, from 0 to 1.
    pub loss: f32,
}

impl Condition {
    /// The condition with which all others are compared.
    pub const BASE: Self = Self {
        name: "4 cores, 30 Hz",
        cores: 4,
        scheduling: Scheduling::Preemptive,
        camera_rate: 30.0,
        latency: Duration::ZERO,
        loss: 0.0,
    };

    /// Returns all conditions, [`BASE`](Self::BASE) first. Each of the others differs from it in one
    /// respect.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let base = Self::BASE;
        vec![
            base.clone(),
            Self { name: "2 cores", cores: 2, ..base.clone() },
            Self { name: "1 core", cores: 1, ..base.clone() },
            Self { name: "sequential loop", cores: 1, scheduling: Scheduling::Sequential, ..base.clone() },
            Self { name: "motion among load", scheduling: Scheduling::MotionAmong(8), ..base.clone() },
            Self { name: "15 Hz", camera_rate: 15.0, ..base.clone() },
            Self { name: "60 Hz", camera_rate: 60.0, ..base.clone() },
            Self { name: "50 ms later", latency: Duration::from_millis(50), ..base.clone() },
            Self { name: "30 % lost", loss: 0.3, ..base },
        ]
    }
}
