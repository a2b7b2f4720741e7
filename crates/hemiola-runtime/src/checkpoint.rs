//! Going on from a snapshot of all that later runs depend on; [`observe::parts`](crate::observe::parts) says what it is.

mod messages;
mod part;
mod resume;

pub use messages::publish_again;
pub use part::{CyclePart, Piece, PieceKind, Published, View};
