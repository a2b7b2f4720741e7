//! A viewer that speaks `foxglove.sdk.v1`: it subscribes to all channels of a server.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use tungstenite::{Message, WebSocket};

use super::socket;
use crate::error::{BenchError, EntryError};

/// A viewer that is connected.
pub struct Viewer {
    label: &'static str,
    socket: WebSocket<TcpStream>,
    /// The channels that the server has advertised.
    pub channels: Vec<Channel>,
}

/// A channel of a server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Channel {
    pub id: u32,
    pub topic: String,
    pub encoding: String,
    pub schema_name: String,
    pub schema: String,
    pub schema_encoding: Option<String>,
}

impl Channel {
    /// Returns whether both are equal but for their numbers.
    pub fn describes_the_same_as(&self, other: &Self) -> bool {
        let Self { id: _, topic, encoding, schema_name, schema, schema_encoding } = self;
        (topic, encoding, schema_name, schema, schema_encoding)
            == (&other.topic, &other.encoding, &other.schema_name, &other.schema, &other.schema_encoding)
    }
}

/// A message of a server in text, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum Said {
    Advertise {
        channels: Vec<Channel>,
    },
    #[serde(other)]
    Other,
}

/// A message of a channel.
pub struct ChannelMessage<'m> {
    /// The subscription, which has the number of its channel here.
    pub channel: u32,
    pub time: u64,
    pub bytes: &'m [u8],
}

/// The length of a message's head: opcode, subscription, time.
const HEAD: usize = 13;
const MESSAGE_DATA: u8 = 1;
/// The time within which the channels of values and messages are advertised. Those of what modules
/// show come later, and are not compared.
const ADVERTISING: Duration = Duration::from_millis(700);

impl Viewer {
    /// Connects, and waits for the channels. Errors name `label`.
    pub fn open(label: &'static str, address: &str) -> Result<Self, BenchError> {
        let socket = socket::connect(label, address, "foxglove.sdk.v1")?;
        let mut viewer = Self { label, socket, channels: Vec::new() };
        let end = Instant::now() + ADVERTISING;
        while let Some(message) = viewer.read(end)? {
            let Message::Text(text) = message else { continue };
            if let Ok(Said::Advertise { channels }) = serde_json::from_str(&text) {
                viewer.channels.extend(channels);
            }
        }
        Ok(viewer)
    }

    /// Subscribes to everything that was advertised.
    pub fn subscribe_to_all(&mut self) -> Result<(), BenchError> {
        let all = self.channels.iter().map(|channel| json!({"id": channel.id, "channelId": channel.id}));
        let request = json!({"op": "subscribe", "subscriptions": all.collect::<Vec<_>>()});
        self.socket.send(Message::text(request.to_string())).map_err(|error| self.failed(error))
    }

    /// Receives all messages that come before `end`.
    pub fn take(&mut self, end: Instant, mut put: impl FnMut(ChannelMessage<'_>)) -> Result<(), BenchError> {
        while let Some(message) = self.read(end)? {
            let Message::Binary(bytes) = message else { continue };
            let Some((head, rest)) = bytes.split_at_checked(HEAD) else { continue };
            let (Some(channel), Some(time)) = (head[1..].first_chunk(), head[5..].first_chunk()) else { continue };
            if head[0] == MESSAGE_DATA {
                let (channel, time) = (u32::from_le_bytes(*channel), u64::from_le_bytes(*time));
                put(ChannelMessage { channel, time, bytes: rest });
            }
        }
        Ok(())
    }

    /// Receives the next message, if one comes before `end`.
    fn read(&mut self, end: Instant) -> Result<Option<Message>, BenchError> {
        socket::next(&mut self.socket, end).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: tungstenite::Error) -> BenchError {
        EntryError::Failed { label: self.label, message: error.to_string() }.into()
    }
}
