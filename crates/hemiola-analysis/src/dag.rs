//! One cycle's task graph on several workers: how long it can take, alone and beside others.

pub mod graham_1969;
mod graph;
pub mod han_2019;
pub mod he_2019;
pub mod he_2022;
pub mod list_schedule;
pub mod melani_2015;
pub mod nasri_2019;
pub mod pool;
pub mod serrano_2016;
pub mod topcuoglu_2002;
pub mod zhao_2020;

pub use graph::{Dag, DagError};

use serde::{Deserialize, Serialize};

use crate::Time;

/// A time on several workers, exactly: work is divided by their number, which need not leave whole nanoseconds.
///
/// ```
/// use hemiola_analysis::{Time, dag::Exact};
/// let exact = Exact { parts: Time::nanoseconds(25), workers: 2 };
/// assert_eq!((exact.as_f64(), exact.rounded_up()), (12.5, Time::nanoseconds(13)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exact {
    /// The time in parts of a nanosecond, of which there are as many as workers.
    pub parts: Time,
    /// The number of workers.
    pub workers: u64,
}

impl Exact {
    /// The next whole nanosecond.
    pub fn rounded_up(self) -> Time {
        self.parts.shared_by(self.workers as usize)
    }

    /// In nanoseconds.
    pub fn as_f64(self) -> f64 {
        self.parts.as_nanoseconds() as f64 / self.workers.max(1) as f64
    }
}

/// A graph that runs again and again, at the latest when it is due.
///
/// ```
/// use hemiola_analysis::{Time, dag::{Dag, DagTask}};
/// let ns = Time::nanoseconds;
/// let task = DagTask { graph: Dag::new([ns(2), ns(3)], [(0, 1)]).unwrap(), period: ns(20), deadline: ns(15) };
/// assert_eq!(task.graph.volume(), ns(5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DagTask {
    /// What runs.
    pub graph: Dag,
    /// The shortest distance of two begins.
    pub period: Time,
    /// Until when it should be done, from its begin; at most the period.
    pub deadline: Time,
}
