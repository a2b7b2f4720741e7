//! Several calls of one callback in a row, where the executor would choose it again each time.
//!
//! Between two calls the executor looks what has become ready, and chooses. In a pass it only asks
//! whether there is anything to look at: another callback's bit, a change that somebody wants made
//! (which is a bit, too), a timer that is due. If there is, the pass ends; if there is nothing, and
//! nobody of the same priority was ready when the pass began, then the choice would be the same
//! callback again. So calls come in the same order with passes as without, and whoever is more
//! important waits for one call at most.
//!
//! There are no passes in the orders of ROS 2, in which everybody is called once per look, nor
//! under a trace, which wants each call.

use hemiola_model::Time;

use crate::clock::RobotClock;
use crate::ready::ReadySet;

/// Who would end a pass.
pub(super) struct Rivals<'a> {
    pub(super) ready: &'a ReadySet,
    /// Whose pass it is.
    pub(super) callback: usize,
    pub(super) clock: &'a RobotClock,
    /// When the next timer is due.
    pub(super) next_due: Option<Time>,
}

impl Rivals<'_> {
    /// Whether there is anything for the executor to look at.
    #[inline]
    pub(super) fn are_ready(&self) -> bool {
        self.ready.has_others_than(self.callback) || self.next_due.is_some_and(|due| self.clock.now() >= due)
    }
}

/// What an executor lets a callback do before it looks again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Turn {
    /// One call.
    One,
    /// A pass of so many messages at most.
    Pass(usize),
}
