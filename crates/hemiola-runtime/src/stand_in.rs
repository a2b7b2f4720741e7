//! The course that a robot follows in a replay instead of deciding by itself: runs, and the
//! stand-ins for sources, providers, and publishers that are no cycles.

mod course;
mod feed;
mod messages;
mod taken;

pub use course::Course;
pub use feed::Feed;
pub use messages::RecordedMessages;
pub use taken::{Taken, TakenRepresentation, TakenValues};
