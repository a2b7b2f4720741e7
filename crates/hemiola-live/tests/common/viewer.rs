//! A client of Foxglove's protocol.

use std::net::TcpStream;
use std::sync::Arc;

use hemiola_log::Definition;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

use super::{House, PATIENCE};

/// A client of Foxglove's protocol.
pub struct Viewer(pub WebSocket<TcpStream>);

impl Viewer {
    /// Connects with this query, which may have the token.
    pub fn come(house: &House, query: &str) -> Self {
        let address = house.address();
        let mut request = format!("ws://{address}/{query}").into_client_request().unwrap();
        request.headers_mut().insert("Sec-WebSocket-Protocol", "foxglove.sdk.v1".parse().unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(tungstenite::client(request, stream).unwrap().0)
    }

    /// Sends a request.
    pub fn say(&mut self, request: Value) {
        self.0.send(Message::text(request.to_string())).unwrap();
    }

    /// Returns the next text message with this `op`.
    pub fn hear(&mut self, op: &str) -> Value {
        loop {
            if let Message::Text(text) = self.0.read().unwrap() {
                let said: Value = serde_json::from_str(&text).unwrap();
                if said["op"] == op {
                    return said;
                }
            }
        }
    }

    /// Returns the channels with these topics and message types, once all of them have been
    /// advertised.
    pub fn channels<const COUNT: usize>(&mut self, wanted: [(&str, &str); COUNT]) -> [Value; COUNT] {
        let mut found = [const { Value::Null }; COUNT];
        while found.contains(&Value::Null) {
            for channel in self.hear("advertise")["channels"].as_array().unwrap() {
                let is_it =
                    |(topic, schema): &(&str, &str)| channel["topic"] == *topic && channel["schemaName"] == *schema;
                if let Some(index) = wanted.iter().position(is_it) {
                    found[index] = channel.clone();
                }
            }
        }
        found
    }

    /// Subscribes to a channel.
    pub fn subscribe(&mut self, id: u32, channel: &Value) {
        self.say(json!({"op": "subscribe", "subscriptions": [{"id": id, "channelId": channel["id"]}]}));
    }

    /// Ends a subscription.
    pub fn unsubscribe(&mut self, id: u32) {
        self.say(json!({"op": "unsubscribe", "subscriptionIds": [id]}));
    }

    /// Returns the next message of this subscription, decoded only by the schema of its channel.
    pub fn message(&mut self, id: u32, channel: &Value) -> Value {
        let [name, schema] = ["schemaName", "schema"].map(|key| channel[key].as_str().unwrap());
        let definition = Arc::new(Definition::parse(name, schema).unwrap());
        loop {
            let bytes = self.bytes(1);
            if bytes[1..5] == id.to_le_bytes() {
                let value = hemiola_log::Value::decode(&definition, &bytes[13..]).unwrap();
                return serde_json::to_value(value).unwrap();
            }
        }
    }

    /// Returns the next binary message with this opcode.
    pub fn bytes(&mut self, opcode: u8) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.0.read().unwrap()
                && bytes[0] == opcode
            {
                return bytes.to_vec();
            }
        }
    }
}
