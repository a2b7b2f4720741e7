//! Bounds for ROS 2's default executor, which runs what is ready in the order in which it was
//! registered.

pub mod blass_2021;
pub mod casini_2019;
pub mod end_to_end;

use serde::{Deserialize, Serialize};

use crate::Task;
use hemiola_analysis::{Arrivals, TimeSpan};

/// A callback of a default executor.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::ros2::{Callback, Kind};
/// let ns = TimeSpan::nanoseconds;
/// let callback = Callback { kind: Kind::Timer, cost: ns(3), arrivals: Arrivals::periodic(ns(10)) };
/// assert_eq!(callback.demand(ns(11)), ns(6));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// The event for which it waits.
    pub kind: Kind,
    /// The longest undisturbed time.
    pub cost: TimeSpan,
    /// The events that make it ready.
    pub arrivals: Arrivals,
}

/// The event for which a callback of a default executor waits.
///
/// See [`Callback`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The expiry of a timer.
    Timer,
    /// The arrival of a message, request or answer, which is seen only when everything that had
    /// been seen before has run.
    Subscription,
}

impl Callback {
    /// Returns the most work that arrives in any window of this length.
    pub fn demand(&self, window: TimeSpan) -> TimeSpan {
        self.cost * self.arrivals.within(window)
    }

    pub(crate) fn share(&self) -> (TimeSpan, TimeSpan) {
        Task::new(self.cost, self.arrivals).share()
    }
}
