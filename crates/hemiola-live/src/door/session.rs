//! The interface of sessions, each of which serves one client.

use std::time::Duration;

use serde_json::Value;

use super::errands::Outcome;
use super::outbox::Outbox;

/// Serves one client that was admitted. All methods are called on the door's thread and must not
/// block.
pub trait Session: Send {
    /// Handles the beginning of the connection.
    fn begin(&mut self, out: &mut Outbox);

    /// Handles a text message of the client.
    fn text(&mut self, text: &str, out: &mut Outbox);

    /// Handles a binary message of the client.
    fn bytes(&mut self, bytes: &[u8], out: &mut Outbox);

    /// Handles the outcome of an errand that was executed for the client.
    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox);

    /// Sends what has arrived since the last call. Returns the time until the next poll; `None` if
    /// it is enough to poll when the client sends a message.
    fn poll(&mut self, out: &mut Outbox) -> Option<Duration>;

    /// Handles the closing of the door.
    fn end(&mut self, reason: &str, out: &mut Outbox);
}
