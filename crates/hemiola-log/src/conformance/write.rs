//! The writing of a file from its description.

use std::collections::BTreeMap;
use std::io::{self, Write};

use hemiola_model::configuration::LogCompression;
use serde_json::Value;

use crate::format::{AttachmentHeader, ChannelRecord, MessageHeader, MetadataRecord};
use crate::mcap_writer::{Layout, McapWriter, Part};

pub enum Refusal {
    /// The writer has no option for what is described.
    NotDefined(String),
    Failed(String),
}

/// Returns the bytes of the file that is described.
pub fn file(description: &Value) -> Result<Vec<u8>, Refusal> {
    let mut writer = McapWriter::new(Vec::new(), layout(description)?, "", "")?;
    for record in description["records"].as_array().ok_or_else(|| malformed("records"))? {
        let fields = Fields(record["fields"].as_array().ok_or_else(|| malformed("fields"))?);
        match record["type"].as_str() {
            Some("Schema") => {
                let (name, encoding) = (fields.text("name")?, fields.text("encoding")?);
                writer.schema_with_id(fields.number("id")?, name, encoding, &fields.bytes("data")?)?;
            }
            Some("Channel") => {
                writer.channel_with_id(ChannelRecord {
                    id: fields.number("id")?,
                    schema_id: fields.number("schema_id")?,
                    topic: fields.text("topic")?.to_owned(),
                    message_encoding: fields.text("message_encoding")?.to_owned(),
                    metadata: fields.texts("metadata")?,
                })?;
            }
            Some("Message") => {
                let header = MessageHeader {
                    channel_id: fields.number("channel_id")?,
                    sequence: fields.number("sequence")?,
                    log_time: fields.number("log_time")?,
                    publish_time: fields.number("publish_time")?,
                };
                let data = fields.bytes("data")?;
                writer.message(&header, |log| {
                    log.extend_from_slice(&data);
                    true
                })?;
            }
            Some("Attachment") => {
                let header = AttachmentHeader {
                    log_time: fields.number("log_time")?,
                    create_time: fields.number("create_time")?,
                    name: fields.text("name")?.to_owned(),
                    media_type: fields.text("media_type")?.to_owned(),
                };
                let data = fields.bytes("data")?;
                let mut attachment = writer.attachment(header, data.len() as u64)?;
                attachment.write_all(&data)?;
                attachment.finish()?;
            }
            Some("Metadata") => {
                let (name, metadata) = (fields.text("name")?.to_owned(), fields.texts("metadata")?);
                writer.metadata(MetadataRecord { name, metadata })?;
            }
            // The writer makes the other records by itself.
            _ => {}
        }
    }
    Ok(writer.finish()?)
}

/// Returns the records that the file is to have, by the suite's names.
fn layout(description: &Value) -> Result<Layout, Refusal> {
    let features = description["meta"]["variant"]["features"].as_array().ok_or_else(|| malformed("features"))?;
    let mut layout = Layout { parts: Vec::new(), compression: LogCompression::None, padding: &[] };
    for feature in features {
        layout.parts.push(match feature.as_str() {
            Some("ch") => Part::Chunks,
            Some("mx") => Part::MessageIndexes,
            Some("st") => Part::Statistics,
            Some("rsh") => Part::Schemas,
            Some("rch") => Part::Channels,
            Some("ax") => Part::AttachmentIndexes,
            Some("mdx") => Part::MetadataIndexes,
            Some("chx") => Part::ChunkIndexes,
            Some("sum") => Part::SummaryOffsets,
            Some("pad") => {
                layout.padding = &[0x01, 0xff, 0xff];
                continue;
            }
            _ => return Err(Refusal::NotDefined(format!("the writer has no option for the feature {feature}"))),
        });
    }
    Ok(layout)
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

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
