//! Repeats the runs of a recording: the course that is followed, the changes that are made again,
//! and the resumption from a checkpoint.

mod changes;
mod follower;
mod messages;
mod resume;

pub use follower::Follower;
