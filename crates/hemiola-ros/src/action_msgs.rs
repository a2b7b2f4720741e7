//! The messages that all actions share: `action_msgs`.

use hemiola::data::Data;

/// The state of a goal.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoalStatus {
    /// The goal is unknown: it was not accepted, or its server is gone.
    #[default]
    Unknown,
    /// The goal was accepted.
    Accepted,
    /// The goal is being executed.
    Executing,
    /// The goal is still being executed, and its cancellation was requested.
    Canceling,
    /// The goal was reached.
    Succeeded,
    /// The goal was canceled on request.
    Canceled,
    /// The goal was aborted by its server.
    Aborted,
}
