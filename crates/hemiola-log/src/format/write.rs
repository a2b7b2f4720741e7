//! Writing of records, as [`parse`](super::parse::parse) reads them.

use std::collections::BTreeMap;

use super::{AttachmentHeader, ChunkHeader, HEAD, MessageHeader, MessageIndexEntry, Record, op};

/// Appends a record, with bytes behind its fields that readers skip.
pub fn write(record: &Record<'_>, padding: &[u8], to: &mut Vec<u8>) {
    let begin = match record {
        Record::Message { header, .. } => begin_message(header, to),
        _ => begin(opcode(record), to),
    };
    match record {
        Record::Header { profile, library } => {
            text(profile, to);
            text(library, to);
        }
        Record::Footer(footer) => {
            u64(footer.summary_start, to);
            u64(footer.summary_offset_start, to);
            u32(footer.summary_crc, to);
        }
        Record::Schema { header, data } => {
            u16(header.id, to);
            text(&header.name, to);
            text(&header.encoding, to);
            u32(length(data.len()), to);
            to.extend_from_slice(data);
        }
        Record::Channel(channel) => {
            u16(channel.id, to);
            u16(channel.schema_id, to);
            text(&channel.topic, to);
            text(&channel.message_encoding, to);
            texts(&channel.metadata, to);
        }
        Record::Message { data, .. } => to.extend_from_slice(data),
        Record::Chunk(header) => chunk_header(header, to),
        Record::MessageIndex { channel_id, entries } => {
            u16(*channel_id, to);
            u32(length(entries.len() * INDEX_ENTRY), to);
            index_entries(entries, to);
        }
        Record::ChunkIndex(index) => {
            u64(index.message_start_time, to);
            u64(index.message_end_time, to);
            u64(index.chunk_start_offset, to);
            u64(index.chunk_length, to);
            numbers(&index.message_index_offsets, to);
            u64(index.message_index_length, to);
            text(&index.compression, to);
            u64(index.compressed_size, to);
            u64(index.uncompressed_size, to);
        }
        Record::AttachmentIndex(index) => {
            u64(index.offset, to);
            u64(index.length, to);
            u64(index.log_time, to);
            u64(index.create_time, to);
            u64(index.data_size, to);
            text(&index.name, to);
            text(&index.media_type, to);
        }
        Record::Statistics(statistics) => {
            u64(statistics.message_count, to);
            u16(statistics.schema_count, to);
            u32(statistics.channel_count, to);
            u32(statistics.attachment_count, to);
            u32(statistics.metadata_count, to);
            u32(statistics.chunk_count, to);
            u64(statistics.message_start_time, to);
            u64(statistics.message_end_time, to);
            numbers(&statistics.channel_message_counts, to);
        }
        Record::Metadata(metadata) => {
            text(&metadata.name, to);
            texts(&metadata.metadata, to);
        }
        Record::MetadataIndex(index) => {
            u64(index.offset, to);
            u64(index.length, to);
            text(&index.name, to);
        }
        Record::SummaryOffset { group_opcode, group_start, group_length } => {
            to.push(*group_opcode);
            u64(*group_start, to);
            u64(*group_length, to);
        }
        Record::DataEnd { data_section_crc } => u32(*data_section_crc, to),
        Record::Unknown { data, .. } => to.extend_from_slice(data),
    }
    to.extend_from_slice(padding);
    end(begin, to);
}

fn opcode(record: &Record<'_>) -> u8 {
    match record {
        Record::Header { .. } => op::HEADER,
        Record::Footer(_) => op::FOOTER,
        Record::Schema { .. } => op::SCHEMA,
        Record::Channel(_) => op::CHANNEL,
        Record::Message { .. } => op::MESSAGE,
        Record::Chunk(_) => op::CHUNK,
        Record::MessageIndex { .. } => op::MESSAGE_INDEX,
        Record::ChunkIndex(_) => op::CHUNK_INDEX,
        Record::AttachmentIndex(_) => op::ATTACHMENT_INDEX,
        Record::Statistics(_) => op::STATISTICS,
        Record::Metadata(_) => op::METADATA,
        Record::MetadataIndex(_) => op::METADATA_INDEX,
        Record::SummaryOffset { .. } => op::SUMMARY_OFFSET,
        Record::DataEnd { .. } => op::DATA_END,
        Record::Unknown { opcode, .. } => *opcode,
    }
}

/// Begins a record whose length is not known yet. Returns the position that [`end`] needs.
pub fn begin(opcode: u8, to: &mut Vec<u8>) -> usize {
    let begin = to.len();
    to.push(opcode);
    u64(0, to);
    begin
}

/// Ends the record that began at this position: it reaches to the end of the bytes.
pub fn end(begin: usize, to: &mut [u8]) {
    set_length(begin, (to.len() - begin) as u64 - HEAD, to);
}

/// Sets the length of the body of the record that began at this position.
pub fn set_length(begin: usize, length: u64, bytes: &mut [u8]) {
    bytes[begin + 1..begin + HEAD as usize].copy_from_slice(&length.to_le_bytes());
}

/// The number of bytes of a message before its data.
const MESSAGE_HEAD: usize = HEAD as usize + 2 + 4 + 8 + 8;

/// Begins a message, up to its data, with one write: many messages are not much longer than that.
/// Returns the position that [`end`] needs.
#[inline]
pub fn begin_message(header: &MessageHeader, to: &mut Vec<u8>) -> usize {
    let begin = to.len();
    let mut head = [0; MESSAGE_HEAD];
    head[0] = op::MESSAGE;
    head[9..11].copy_from_slice(&header.channel_id.to_le_bytes());
    head[11..15].copy_from_slice(&header.sequence.to_le_bytes());
    head[15..23].copy_from_slice(&header.log_time.to_le_bytes());
    head[23..31].copy_from_slice(&header.publish_time.to_le_bytes());
    to.extend_from_slice(&head);
    begin
}

/// The number of bytes of an entry of an index of messages.
const INDEX_ENTRY: usize = 8 + 8;

fn index_entries(entries: &[MessageIndexEntry], to: &mut Vec<u8>) {
    let begin = to.len();
    to.resize(begin + entries.len() * INDEX_ENTRY, 0);
    for (place, entry) in to[begin..].as_chunks_mut::<INDEX_ENTRY>().0.iter_mut().zip(entries) {
        let (log_time, offset) = place.split_at_mut(8);
        log_time.copy_from_slice(&entry.log_time.to_le_bytes());
        offset.copy_from_slice(&entry.offset.to_le_bytes());
    }
}

/// Writes the body of a chunk, up to its records.
pub fn chunk_header(header: &ChunkHeader, to: &mut Vec<u8>) {
    u64(header.message_start_time, to);
    u64(header.message_end_time, to);
    u64(header.uncompressed_size, to);
    u32(header.uncompressed_crc, to);
    text(&header.compression, to);
    u64(header.compressed_size, to);
}

/// Writes the body of an attachment, up to its data.
pub fn attachment_header(header: &AttachmentHeader, data_length: u64, to: &mut Vec<u8>) {
    u64(header.log_time, to);
    u64(header.create_time, to);
    text(&header.name, to);
    text(&header.media_type, to);
    u64(data_length, to);
}

fn u16(value: u16, to: &mut Vec<u8>) {
    to.extend_from_slice(&value.to_le_bytes());
}

pub fn u32(value: u32, to: &mut Vec<u8>) {
    to.extend_from_slice(&value.to_le_bytes());
}

fn u64(value: u64, to: &mut Vec<u8>) {
    to.extend_from_slice(&value.to_le_bytes());
}

/// Returns a length as a number of 32 bits. No program writes four gigabytes of text or index
/// entries into one record; a longer record would state a length that is too small.
fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn text(value: &str, to: &mut Vec<u8>) {
    u32(length(value.len()), to);
    to.extend_from_slice(value.as_bytes());
}

/// Writes a list with its length in bytes before it.
fn list(to: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let begin = to.len();
    u32(0, to);
    write(to);
    let bytes = length(to.len() - begin - 4);
    to[begin..begin + 4].copy_from_slice(&bytes.to_le_bytes());
}

fn texts(values: &BTreeMap<String, String>, to: &mut Vec<u8>) {
    list(to, |to| {
        for (key, value) in values {
            text(key, to);
            text(value, to);
        }
    });
}

fn numbers(values: &BTreeMap<u16, u64>, to: &mut Vec<u8>) {
    list(to, |to| {
        for (key, value) in values {
            u16(*key, to);
            u64(*value, to);
        }
    });
}
