//! Several calls of one callback in a row, where the executor would choose it again each time.
//!
//! Between two calls the executor checks what has become ready, and chooses. In a pass it only asks
//! whether there is anything to check: another callback's bit, a requested change (which is a bit,
//! too), a timer that is due. If there is, the pass ends; if there is nothing, and no callback of
//! the same priority was ready when the pass began, then the choice would be the same callback
//! again. So calls come in the same order with passes as without, and whatever is more important
//! waits for one call at most.
//!
//! There are no passes in the orders of ROS 2, which call every callback once per look, nor under a
//! trace, which records each call.

use hemiola_model::Time;

use crate::clock::RobotClock;
use crate::ready::ReadySet;

/// The callbacks and timers that would end a pass.
pub(super) struct Rivals<'a> {
    pub(super) ready: &'a ReadySet,
    /// The callback whose pass it is.
    pub(super) callback: usize,
    pub(super) clock: &'a RobotClock,
    /// The time at which the next timer is due.
    pub(super) next_due: Option<Time>,
}

impl Rivals<'_> {
    /// Returns whether there is anything for the executor to check.
    #[inline]
    pub(super) fn are_ready(&self) -> bool {
        self.ready.has_others_than(self.callback) || self.next_due.is_some_and(|due| self.clock.now() >= due)
    }
}

/// The number of calls that an executor allows a callback before it checks what else is ready.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// One call.
    One,
    /// A pass of so many messages at most.
    Pass(usize),
}
