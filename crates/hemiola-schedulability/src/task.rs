use serde::{Deserialize, Serialize};

use hemiola_analysis::{Arrivals, Time};

/// Something that runs for some time whenever it is asked to: what the analyses of one processor are about.
///
/// ```
/// use hemiola_analysis::{Arrivals, Time};
/// use hemiola_schedulability::Task;
/// let ns = Time::nanoseconds;
/// let task = Task::new(ns(3), Arrivals::periodic(ns(10)));
/// assert_eq!(task.deadline, ns(10));
/// assert_eq!(task.demand(ns(11)), ns(6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The longest that it runs, undisturbed.
    pub cost: Time,
    /// When it is asked to.
    pub arrivals: Arrivals,
    /// Until when it should be done, from its arrival.
    pub deadline: Time,
    /// The longest piece of it that nobody can interrupt; its last piece is as long.
    pub longest_piece: Time,
}

impl Task {
    /// A task that can be interrupted at any time, and should be done when it is asked to run again.
    pub const fn new(cost: Time, arrivals: Arrivals) -> Self {
        Self { cost, arrivals, deadline: arrivals.period, longest_piece: Time::TICK }
    }

    /// The most that arrives in any window of this length.
    pub fn demand(&self, window: Time) -> Time {
        self.cost * self.arrivals.within(window)
    }

    /// Its share of the time.
    pub(crate) fn share(&self) -> (Time, Time) {
        (self.cost, self.arrivals.period)
    }
}
