//! Bounds on the time that the task graph of a cycle takes on several workers, alone and beside
//! others.

pub mod graham_1969;
mod graph;
pub mod he_2019;
pub mod he_2022;
pub mod nasri_2019;
pub mod pool;

pub use graph::{Dag, DagError};

use serde::{Deserialize, Serialize};

use crate::TimeSpan;

/// An exact time on several workers: dividing work by their number need not give whole nanoseconds.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Exact};
/// let exact = Exact { parts: TimeSpan::nanoseconds(25), workers: 2 };
/// assert_eq!((exact.as_f64(), exact.rounded_up()), (12.5, TimeSpan::nanoseconds(13)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exact {
    /// The time in parts of a nanosecond, as many per nanosecond as there are workers.
    pub parts: TimeSpan,
    /// The number of workers.
    pub workers: u64,
}

impl Exact {
    /// Returns the time rounded up to a whole nanosecond.
    pub fn rounded_up(self) -> TimeSpan {
        self.parts.shared_by(self.workers as usize)
    }

    /// Returns the time in nanoseconds.
    pub fn as_f64(self) -> f64 {
        self.parts.as_nanoseconds() as f64 / self.workers.max(1) as f64
    }
}
