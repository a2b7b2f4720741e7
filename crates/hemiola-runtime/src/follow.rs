//! Repeats the runs of a recording: the course that is followed, the changes that are made again,
//! the messages that are published again, and the resumption from a checkpoint.

mod changes;
mod follower;
mod messages;
mod resume;
mod stand_ins;

pub use follower::Follower;
pub use stand_ins::StandIns;
