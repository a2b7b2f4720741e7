use serde::{Deserialize, Serialize};

use hemiola_analysis::{Arrivals, TimeSpan};

/// Something that runs for some time whenever it is asked to: what the analyses of one processor
/// are about.
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
    /// The longest that it runs, undisturbed.
    pub cost: TimeSpan,
    /// When it is asked to.
    pub arrivals: Arrivals,
    /// Until when it should be done, from its arrival.
    pub deadline: TimeSpan,
    /// The longest piece of it that nobody can interrupt; its last piece is as long.
    pub longest_piece: TimeSpan,
}

impl Task {
    /// A task that can be interrupted at any time, and should be done when it is asked to run
    /// again.
    pub const fn new(cost: TimeSpan, arrivals: Arrivals) -> Self {
        Self { cost, arrivals, deadline: arrivals.period, longest_piece: TimeSpan::TICK }
    }

    /// The most that arrives in any window of this length.
    pub fn demand(&self, window: TimeSpan) -> TimeSpan {
        self.cost * self.arrivals.within(window)
    }

    /// Its share of the time.
    pub(crate) fn share(&self) -> (TimeSpan, TimeSpan) {
        (self.cost, self.arrivals.period)
    }
}
