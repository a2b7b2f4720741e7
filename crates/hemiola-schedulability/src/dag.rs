//! Bounds on the time that one cycle's task graph takes on several workers. The bounds on which a
//! [`System`](hemiola_analysis::System) rests, and the graph itself, are in
//! [`hemiola_analysis::dag`].

pub mod han_2019;
pub mod list_schedule;
pub mod melani_2015;
pub mod serrano_2016;
pub mod topcuoglu_2002;
pub mod zhao_2020;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::Dag;

/// A graph that runs repeatedly, each time with a deadline.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::DagTask;
/// let ns = TimeSpan::nanoseconds;
/// let task = DagTask { graph: Dag::new([ns(2), ns(3)], [(0, 1)]).unwrap(), period: ns(20), deadline: ns(15) };
/// assert_eq!(task.graph.volume(), ns(5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DagTask {
    /// The graph.
    pub graph: Dag,
    /// The shortest distance of the beginnings of two runs.
    pub period: TimeSpan,
    /// The deadline, counted from its begin; at most the period.
    pub deadline: TimeSpan,
}
