//! The messages that a robot sends without being asked.

use serde_json::Value;

use crate::protocol::JournalText;
use crate::protocol::binary::Frame;

/// A message that a robot sends without being asked.
///
/// ```
/// use hemiola_live::client::Incoming;
/// use hemiola_live::protocol::Happened;
///
/// fn says(message: &Incoming) -> Option<&str> {
///     match message {
///         Incoming::Journal(entry) => match &entry.happened {
///             Happened::Message { text, .. } => Some(text),
///             _ => None,
///         },
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Incoming {
    /// An entry of the robot's journal.
    Journal(JournalText),
    /// Another event.
    Event {
        /// The name of the event, such as `statistics` or `dropped`.
        name: String,
        /// The whole event, as it was sent.
        content: Value,
    },
    /// A binary message: a value, points, events or an image.
    Binary(Frame),
}
