//! Repeating the runs of a recording: what is followed, what makes its changes again, and how a
//! robot resumes from a checkpoint.

mod changes;
mod follower;
mod messages;
mod resume;

pub use follower::Follower;
