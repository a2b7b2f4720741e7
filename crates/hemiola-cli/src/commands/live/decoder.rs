//! Values and messages in the form in which they come.

use std::sync::Arc;

use hemiola_live::protocol::binary::ValueMessage;
use hemiola_live::protocol::part;
use hemiola_log::{Definition, Value};
use serde_json::Value as Json;

use crate::error::CommandError;

/// Reads messages of one type.
pub enum Decoder {
    /// Messages of a robot are in the form in which values are typed: enums by the names of their
    /// variants, times in nanoseconds.
    Json,
    /// Messages of a log are read by the schema that came with them.
    Cdr(Arc<Definition>),
}

impl Decoder {
    /// Creates a decoder from the answer to a subscription.
    pub fn of(answer: &Json) -> Result<Self, CommandError> {
        let text = |key: &str| answer[key].as_str().unwrap_or_default();
        if text("encoding") == "json" {
            return Ok(Self::Json);
        }
        let definition = Definition::parse(text("schema_name"), text("schema"));
        let wrong = |error| CommandError::Usage(format!("the robot's schema cannot be read: {error}"));
        Ok(Self::Cdr(Arc::new(definition.map_err(wrong)?)))
    }

    /// Decodes a whole message, as JSON.
    pub fn decode(&self, message: &ValueMessage) -> Result<Json, CommandError> {
        self.decode_part(message, "")
    }

    /// Decodes a part of a message, such as `pose.position.x`; an empty path stands for the whole.
    pub fn decode_part(&self, message: &ValueMessage, path: &str) -> Result<Json, CommandError> {
        let wrong = |error: String| CommandError::Usage(format!("the message does not match its schema: {error}"));
        let whole = match self {
            Self::Json => serde_json::from_slice(&message.data),
            Self::Cdr(definition) => {
                let value = Value::decode(definition, &message.data).map_err(|error| wrong(error.to_string()))?;
                serde_json::to_value(value)
            }
        };
        let whole = whole.map_err(|error| wrong(error.to_string()))?;
        part(&whole, path).cloned().map_err(CommandError::Usage)
    }
}
