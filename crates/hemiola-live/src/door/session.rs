//! What speaks with one client, once it was let in.

use std::time::Duration;

use serde_json::Value;

use super::errands::Outcome;
use super::outbox::Outbox;

/// What speaks with one client. Everything is called on the door's thread and must not wait.
pub trait Session: Send {
    /// The client has come.
    fn begin(&mut self, out: &mut Outbox);

    /// The client says something.
    fn text(&mut self, text: &str, out: &mut Outbox);

    /// The client says something in bytes.
    fn bytes(&mut self, bytes: &[u8], out: &mut Outbox);

    /// Something that takes its time was done.
    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox);

    /// Sends what has come since; after how long it wants to be polled again, `None`: not before
    /// the client says something.
    fn poll(&mut self, out: &mut Outbox) -> Option<Duration>;

    /// The door closes.
    fn end(&mut self, reason: &str, out: &mut Outbox);
}
