//! What waits for one client.

use serde_json::Value;
use tungstenite::{Bytes, Message};

/// Messages on their way to one client, and how much of them it has not taken.
#[derive(Debug, Default)]
pub struct Outbox {
    messages: Vec<Message>,
    /// Bytes of them.
    added: usize,
    /// Bytes of earlier ones that the client has not taken.
    waiting: usize,
}

/// While so much waits for a client, it gets no more values: it is behind, and newer ones will
/// come.
const CONGESTED: usize = 1 << 20;
/// As much can wait for a client: a large value, and what is behind it.
pub const MOST_WAITING: usize = 32 << 20;

impl Outbox {
    /// For a client that has not taken so many bytes yet.
    pub fn behind(waiting: usize) -> Self {
        Self { waiting, ..Self::default() }
    }

    /// Sends an answer or an event.
    pub fn send(&mut self, message: &Value) {
        self.send_text(message.to_string());
    }

    /// Sends a text.
    pub fn send_text(&mut self, text: String) {
        self.added += text.len();
        self.messages.push(Message::text(text));
    }

    /// Sends bytes.
    pub fn send_bytes(&mut self, bytes: Vec<u8>) {
        self.added += bytes.len();
        self.messages.push(Message::Binary(Bytes::from(bytes)));
    }

    /// Whether the client takes less than it is sent, so that values had better be dropped.
    pub fn is_congested(&self) -> bool {
        self.waiting + self.added > CONGESTED
    }

    /// What is to be sent now.
    pub fn take(&mut self) -> Vec<Message> {
        self.added = 0;
        std::mem::take(&mut self.messages)
    }
}
