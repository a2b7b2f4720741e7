//! What the robot hears.

use hemiola::prelude::*;

/// Whether a referee's whistle is heard.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Whistle {
    /// A whistle is being heard in this block.
    pub heard: bool,
    /// When the last whistle began.
    pub last_heard: Option<Time>,
}
