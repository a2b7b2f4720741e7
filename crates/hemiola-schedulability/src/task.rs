use serde::{Deserialize, Serialize};

use hemiola_analysis::{Arrivals, TimeSpan};

/// A task that runs for some time whenever it is released, as in the analyses of one processor.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::Task;
/// let ns = TimeSpan::nanoseconds;
/// let task = Task::new(ns(3), Arrivals::periodic(ns(10)));
/// assert_eq!(task.deadline, ns(10));
/// assert_eq!(task.demand(ns(11)), ns(6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The longest undisturbed time.
    pub cost: TimeSpan,
    /// The releases.
    pub arrivals: Arrivals,
    /// The deadline, counted from its arrival.
    pub deadline: TimeSpan,
    /// The longest piece of it that cannot be interrupted; its last piece is as long.
    pub longest_piece: TimeSpan,
}

impl Task {
    /// Returns a task that can be interrupted at any time, and must be done when it is released
    /// again.
    pub const fn new(cost: TimeSpan, arrivals: Arrivals) -> Self {
        Self { cost, arrivals, deadline: arrivals.period, longest_piece: TimeSpan::TICK }
    }

    /// Returns the most work that arrives in any window of this length.
    pub fn demand(&self, window: TimeSpan) -> TimeSpan {
        self.cost * self.arrivals.within(window)
    }

    /// Returns the task's share of the time, as (cost, period).
    pub(crate) fn share(&self) -> (TimeSpan, TimeSpan) {
        (self.cost, self.arrivals.period)
    }
}
