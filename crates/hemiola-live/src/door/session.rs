//! The interface of sessions, which serve one client each.

use std::time::Duration;

use serde_json::Value;

use super::errands::Outcome;
use super::outbox::Outbox;

/// Serves one client that was admitted. All methods are called on the door's thread and must not
/// wait.
pub trait Session: Send {
    /// Handles the beginning of the connection.
    fn begin(&mut self, out: &mut Outbox);

    /// Handles a text message of the client.
    fn text(&mut self, text: &str, out: &mut Outbox);

    /// Handles a binary message of the client.
    fn bytes(&mut self, bytes: &[u8], out: &mut Outbox);

    /// Handles the outcome of an errand that was done for the client.
    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox);

    /// Sends what has arrived since the last call. Returns after how long to poll again; with
    /// `None`, not before the client sends a message.
    fn poll(&mut self, out: &mut Outbox) -> Option<Duration>;

    /// Handles that the door closes.
    fn end(&mut self, reason: &str, out: &mut Outbox);
}
