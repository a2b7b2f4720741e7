//! Repeats the runs of a recording: what is followed, what makes its changes again, and how a robot
//! goes on from a checkpoint.

mod changes;
mod messages;
mod resume;
mod script;
mod steps;

pub use script::{BreakOff, BreakOffReason, Transcript};
pub use steps::Script;
