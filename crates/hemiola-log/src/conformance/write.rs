//! A file from its description.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;
use mcap::{Attachment, McapError, WriteOptions, records};
use serde_json::Value;

pub enum Refusal {
    /// The writer has no option for what is described.
    NotDefined(String),
    Failed(String),
}

/// The bytes of the file that is described.
pub fn file(description: &Value) -> Result<Vec<u8>, Refusal> {
    let features = description["meta"]["variant"]["features"].as_array().ok_or_else(|| malformed("features"))?;
    let mut options = WriteOptions::new()
        .compression(None)
        .compression_threads(0)
        .profile("")
        .library("")
        .disable_seeking(true)
        .emit_summary_records(false)
        .emit_summary_offsets(false)
        .use_chunks(false)
        .emit_message_indexes(false);
    for feature in features {
        options = match feature.as_str() {
            Some("ch") => options.use_chunks(true),
            Some("mx") => options.emit_message_indexes(true),
            Some("st") => options.emit_statistics(true),
            Some("rsh") => options.repeat_schemas(true),
            Some("rch") => options.repeat_channels(true),
            Some("ax") => options.emit_attachment_indexes(true),
            Some("mdx") => options.emit_metadata_indexes(true),
            Some("chx") => options.emit_chunk_indexes(true),
            Some("sum") => options.emit_summary_offsets(true),
            Some("pad") => {
                let reason = "records with bytes behind their fields: the writer has no option for them";
                return Err(Refusal::NotDefined(reason.to_owned()));
            }
            _ => return Err(Refusal::NotDefined(format!("the writer has no option for the feature {feature}"))),
        };
    }
    let mut bytes = Vec::new();
    let mut writer = options.create(Cursor::new(&mut bytes))?;
    for record in description["records"].as_array().ok_or_else(|| malformed("records"))? {
        let fields = Fields(record["fields"].as_array().ok_or_else(|| malformed("fields"))?);
        match record["type"].as_str() {
            Some("Schema") => {
                let id = fields.number("id")?;
                writer.add_schema_with_id(
                    id,
                    fields.text("name")?,
                    fields.text("encoding")?,
                    &fields.bytes("data")?,
                )?;
            }
            Some("Channel") => {
                let (topic, encoding) = (fields.text("topic")?, fields.text("message_encoding")?);
                let (id, schema) = (fields.number("id")?, fields.number("schema_id")?);
                writer.add_channel_with_id(id, schema, topic, encoding, &fields.texts("metadata")?)?;
            }
            Some("Message") => {
                let header = MessageHeader {
                    channel_id: fields.number("channel_id")?,
                    sequence: fields.number("sequence")?,
                    log_time: fields.number("log_time")?,
                    publish_time: fields.number("publish_time")?,
                };
                writer.write_to_known_channel(&header, &fields.bytes("data")?)?;
            }
            Some("Attachment") => writer.attach(&Attachment {
                log_time: fields.number("log_time")?,
                create_time: fields.number("create_time")?,
                name: fields.text("name")?.to_owned(),
                media_type: fields.text("media_type")?.to_owned(),
                data: Cow::Owned(fields.bytes("data")?),
            })?,
            Some("Metadata") => {
                let (name, metadata) = (fields.text("name")?.to_owned(), fields.texts("metadata")?);
                writer.write_metadata(&records::Metadata { name, metadata })?;
            }
            // The writer makes the others by itself.
            _ => {}
        }
    }
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

struct Fields<'d>(&'d [Value]);

impl<'d> Fields<'d> {
    fn get(&self, name: &str) -> Result<&'d Value, Refusal> {
        self.0.iter().find(|field| field[0] == name).map(|field| &field[1]).ok_or_else(|| malformed(name))
    }

    fn text(&self, name: &str) -> Result<&'d str, Refusal> {
        self.get(name)?.as_str().ok_or_else(|| malformed(name))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, Refusal> {
        self.text(name)?.parse().map_err(|_| malformed(name))
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let byte = |byte: &Value| byte.as_str()?.parse().ok();
        let bytes = self.get(name)?.as_array().and_then(|bytes| bytes.iter().map(byte).collect());
        bytes.ok_or_else(|| malformed(name))
    }

    fn texts(&self, name: &str) -> Result<BTreeMap<String, String>, Refusal> {
        let text = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        let texts = self.get(name)?.as_object().and_then(|texts| texts.iter().map(text).collect());
        texts.ok_or_else(|| malformed(name))
    }
}

fn malformed(what: &str) -> Refusal {
    Refusal::Failed(format!("the description's `{what}` is missing or not what it should be"))
}

impl From<McapError> for Refusal {
    fn from(error: McapError) -> Self {
        Self::Failed(error.to_string())
    }
}
