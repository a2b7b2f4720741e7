//! The messages that wait for one client.

use serde_json::Value;
use tungstenite::{Bytes, Message};

/// Messages for one client, and the number of bytes that it has not received yet.
#[derive(Debug, Default)]
pub struct Outbox {
    messages: Vec<Message>,
    /// The number of bytes of these messages.
    added: usize,
    /// The number of bytes of earlier messages that the client has not received.
    waiting: usize,
    /// Set if the connection is closed after these messages.
    is_closed: bool,
}

/// The number of waiting bytes above which no more values are sent to a client: it is behind, and
/// newer values will follow.
const CONGESTED: usize = 1 << 20;
/// The most bytes that can wait for a client: a large value, and what follows it.
pub const MOST_WAITING: usize = 32 << 20;

impl Outbox {
    /// Creates the outbox of a client that has not received this many bytes yet.
    pub fn behind(waiting: usize) -> Self {
        Self { waiting, ..Self::default() }
    }

    /// Creates an outbox for messages to the same client that follow these.
    pub fn following(&self) -> Self {
        Self::behind(self.waiting + self.added)
    }

    /// Sends an answer or an event.
    pub fn send(&mut self, message: &Value) {
        self.send_text(message.to_string());
    }

    /// Sends a text message.
    pub fn send_text(&mut self, text: String) {
        self.added += text.len();
        self.messages.push(Message::text(text));
    }

    /// Sends a binary message.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) {
        self.added += bytes.len();
        self.messages.push(Message::Binary(Bytes::from(bytes)));
    }

    /// Closes the connection after these messages.
    pub fn close(&mut self) {
        self.is_closed = true;
    }

    /// Returns whether the connection is closed after these messages.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns whether the client receives less than it is sent, so that values should be dropped.
    pub fn is_congested(&self) -> bool {
        self.waiting + self.added > CONGESTED
    }

    /// Removes and returns the messages to send now.
    pub fn take(&mut self) -> Vec<Message> {
        self.added = 0;
        std::mem::take(&mut self.messages)
    }
}
