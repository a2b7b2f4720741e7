//! The course that a robot follows in a replay instead of deciding by itself: runs, and the
//! stand-ins for sources and providers.

mod course;
mod feed;
mod taken;

pub use course::Course;
pub use feed::Feed;
pub use taken::{Taken, TakenRepresentation, TakenValues};
