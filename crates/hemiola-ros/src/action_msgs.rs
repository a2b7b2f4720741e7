//! What all actions have in common: `action_msgs`.

use hemiola::data::Data;

/// How a goal stands.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalStatus {
    /// Nobody knows of it: it was not accepted, or who pursued it is gone.
    #[default]
    Unknown,
    /// It was accepted.
    Accepted,
    /// It is pursued.
    Executing,
    /// It is still pursued, and shall not be.
    Canceling,
    /// It was reached.
    Succeeded,
    /// It was given up because somebody wished that.
    Canceled,
    /// It was given up by who pursued it.
    Aborted,
}
