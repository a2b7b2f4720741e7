//! Values and messages read by the schema that came with them.

use std::sync::Arc;

use hemiola_live::protocol::binary::ValueMessage;
use hemiola_log::{Definition, Value};
use serde_json::Value as Json;

use crate::error::CommandError;

/// Reads messages of one type.
pub struct Decoder(Arc<Definition>);

impl Decoder {
    /// Creates a decoder from the schema in the answer to a subscription.
    pub fn of(answer: &Json) -> Result<Self, CommandError> {
        let text = |key: &str| answer[key].as_str().unwrap_or_default();
        let definition = Definition::parse(text("schema_name"), text("schema"));
        let wrong = |error| CommandError::Usage(format!("the robot's schema cannot be read: {error}"));
        Ok(Self(Arc::new(definition.map_err(wrong)?)))
    }

    /// Decodes a whole message, as JSON.
    pub fn decode(&self, message: &ValueMessage) -> Result<Json, CommandError> {
        self.decode_part(message, "")
    }

    /// Decodes a part of a message, such as `pose.position.x`; an empty path stands for the whole.
    pub fn decode_part(&self, message: &ValueMessage, path: &str) -> Result<Json, CommandError> {
        let wrong = |error: String| CommandError::Usage(format!("the message does not match its schema: {error}"));
        let value = Value::decode(&self.0, &message.data).map_err(|error| wrong(error.to_string()))?;
        let part = value.get(path).ok_or_else(|| {
            let fields = self.0.fields.iter().map(|field| field.name.as_ref()).collect::<Vec<_>>();
            CommandError::Usage(format!("there is no `{path}` in it; it has: {}", fields.join(", ")))
        })?;
        serde_json::to_value(part).map_err(|error| wrong(error.to_string()))
    }
}
