//! What stands in for a source or for a provider in a replay.

mod feed;
mod taken;

pub use feed::Feed;
pub use taken::{Taken, TakenRepresentation, TakenValues};
