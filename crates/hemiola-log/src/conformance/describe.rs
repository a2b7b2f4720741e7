//! Descriptions of records in the suite's form: fields by name, numbers as decimal texts.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::format::Record;
use serde_json::{Value, json};

use crate::error::LogError;
use crate::records::Content;

/// Describes all records of a file; chunks and message indexes are not described, but the records
/// in chunks are.
pub fn records(path: &Path) -> Result<Vec<Value>, LogError> {
    let mut framing = super::open(path)?;
    let mut described = Vec::new();
    while let Some(located) = framing.next_record() {
        match located?.content {
            Content::Record(record) => described.extend(describe(&record)),
            Content::Attachment { header, data_offset, data_length } => {
                let mut data = Vec::new();
                let copied = framing.source.aside(data_offset, |source| {
                    std::io::Read::by_ref(source).take(data_length).read_to_end(&mut data)
                });
                copied.map_err(|error| LogError::Read { path: path.to_owned(), offset: data_offset, error })?;
                described.push(json!({ "type": "Attachment", "fields": [
                    ["create_time", header.create_time.to_string()],
                    ["data", bytes(&data)],
                    ["log_time", header.log_time.to_string()],
                    ["media_type", header.media_type],
                    ["name", header.name],
                ]}));
            }
        }
    }
    Ok(described)
}

fn describe(record: &Record<'_>) -> Option<Value> {
    let (name, fields) = match record {
        Record::Header { profile, library } => ("Header", json!([["library", library], ["profile", profile]])),
        Record::Footer(footer) => (
            "Footer",
            json!([
                ["summary_crc", footer.summary_crc.to_string()],
                ["summary_offset_start", footer.summary_offset_start.to_string()],
                ["summary_start", footer.summary_start.to_string()],
            ]),
        ),
        Record::Schema { header, data } => (
            "Schema",
            json!([
                ["data", bytes(data)],
                ["encoding", header.encoding],
                ["id", header.id.to_string()],
                ["name", header.name],
            ]),
        ),
        Record::Channel(channel) => (
            "Channel",
            json!([
                ["id", channel.id.to_string()],
                ["message_encoding", channel.message_encoding],
                ["metadata", channel.metadata],
                ["schema_id", channel.schema_id.to_string()],
                ["topic", channel.topic],
            ]),
        ),
        Record::Message { header, data } => (
            "Message",
            json!([
                ["channel_id", header.channel_id.to_string()],
                ["data", bytes(data)],
                ["log_time", header.log_time.to_string()],
                ["publish_time", header.publish_time.to_string()],
                ["sequence", header.sequence.to_string()],
            ]),
        ),
        Record::ChunkIndex(index) => (
            "ChunkIndex",
            json!([
                ["chunk_length", index.chunk_length.to_string()],
                ["chunk_start_offset", index.chunk_start_offset.to_string()],
                ["compressed_size", index.compressed_size.to_string()],
                ["compression", index.compression],
                ["message_end_time", index.message_end_time.to_string()],
                ["message_index_length", index.message_index_length.to_string()],
                ["message_index_offsets", numbers(&index.message_index_offsets)],
                ["message_start_time", index.message_start_time.to_string()],
                ["uncompressed_size", index.uncompressed_size.to_string()],
            ]),
        ),
        Record::AttachmentIndex(index) => (
            "AttachmentIndex",
            json!([
                ["create_time", index.create_time.to_string()],
                ["data_size", index.data_size.to_string()],
                ["length", index.length.to_string()],
                ["log_time", index.log_time.to_string()],
                ["media_type", index.media_type],
                ["name", index.name],
                ["offset", index.offset.to_string()],
            ]),
        ),
        Record::Statistics(statistics) => (
            "Statistics",
            json!([
                ["attachment_count", statistics.attachment_count.to_string()],
                ["channel_count", statistics.channel_count.to_string()],
                ["channel_message_counts", numbers(&statistics.channel_message_counts)],
                ["chunk_count", statistics.chunk_count.to_string()],
                ["message_count", statistics.message_count.to_string()],
                ["message_end_time", statistics.message_end_time.to_string()],
                ["message_start_time", statistics.message_start_time.to_string()],
                ["metadata_count", statistics.metadata_count.to_string()],
                ["schema_count", statistics.schema_count.to_string()],
            ]),
        ),
        Record::Metadata(metadata) => ("Metadata", json!([["metadata", metadata.metadata], ["name", metadata.name]])),
        Record::MetadataIndex(index) => (
            "MetadataIndex",
            json!([["length", index.length.to_string()], ["name", index.name], ["offset", index.offset.to_string()],]),
        ),
        Record::SummaryOffset { group_opcode, group_start, group_length } => (
            "SummaryOffset",
            json!([
                ["group_length", group_length.to_string()],
                ["group_opcode", group_opcode.to_string()],
                ["group_start", group_start.to_string()],
            ]),
        ),
        Record::DataEnd { data_section_crc } => {
            ("DataEnd", json!([["data_section_crc", data_section_crc.to_string()]]))
        }
        Record::Chunk(_) | Record::MessageIndex { .. } | Record::Unknown { .. } => return None,
    };
    Some(json!({ "type": name, "fields": fields }))
}

fn bytes(bytes: &[u8]) -> Vec<String> {
    bytes.iter().map(u8::to_string).collect()
}

fn numbers(numbers: &BTreeMap<u16, u64>) -> BTreeMap<String, String> {
    numbers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}
