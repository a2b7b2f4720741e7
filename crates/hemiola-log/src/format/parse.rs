//! Parsing of records' bodies. Lengths are checked against the bytes that are there before memory
//! is allocated for them.
//!
//! A file that was left by a crash has lengths that contradict each other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use thiserror::Error;

use super::{
    AttachmentIndex, ChannelRecord, ChunkIndex, Footer, MessageHeader, MessageIndexEntry, MetadataIndex,
    MetadataRecord, Record, SchemaHeader, Statistics, op,
};

/// Parses a record. Bytes after its fields are padding.
pub fn parse(opcode: u8, body: &[u8]) -> Result<Record<'_>, Misfit> {
    let mut fields = Fields { rest: body, length: body.len() };
    let f = &mut fields;
    Ok(match opcode {
        op::HEADER => Record::Header { profile: f.text("profile")?, library: f.text("library")? },
        op::FOOTER => Record::Footer(Footer {
            summary_start: f.u64("summary start")?,
            summary_offset_start: f.u64("summary offset start")?,
            summary_crc: f.u32("checksum")?,
        }),
        op::SCHEMA => {
            let header = SchemaHeader { id: f.u16("id")?, name: f.text("name")?, encoding: f.text("encoding")? };
            let length = f.u32("length")?;
            Record::Schema { header, data: Cow::Borrowed(f.take("data", length as usize)?) }
        }
        op::CHANNEL => Record::Channel(ChannelRecord {
            id: f.u16("id")?,
            schema_id: f.u16("schema id")?,
            topic: f.text("topic")?,
            message_encoding: f.text("message encoding")?,
            metadata: f.texts("metadata")?,
        }),
        op::MESSAGE => {
            let header = MessageHeader {
                channel_id: f.u16("channel id")?,
                sequence: f.u32("sequence")?,
                log_time: f.u64("log time")?,
                publish_time: f.u64("publish time")?,
            };
            Record::Message { header, data: Cow::Borrowed(f.rest) }
        }
        op::MESSAGE_INDEX => {
            let channel_id = f.u16("channel id")?;
            let mut entries = f.list("entries")?;
            let mut index = Vec::new();
            while !entries.rest.is_empty() {
                let (log_time, offset) = (entries.u64("time")?, entries.u64("offset")?);
                index.push(MessageIndexEntry { log_time, offset });
            }
            Record::MessageIndex { channel_id, entries: index }
        }
        op::CHUNK_INDEX => Record::ChunkIndex(ChunkIndex {
            message_start_time: f.u64("start time")?,
            message_end_time: f.u64("end time")?,
            chunk_start_offset: f.u64("offset")?,
            chunk_length: f.u64("length")?,
            message_index_offsets: f.numbers("message index offsets")?,
            message_index_length: f.u64("message index length")?,
            compression: f.text("compression")?,
            compressed_size: f.u64("compressed size")?,
            uncompressed_size: f.u64("uncompressed size")?,
        }),
        op::ATTACHMENT_INDEX => Record::AttachmentIndex(AttachmentIndex {
            offset: f.u64("offset")?,
            length: f.u64("length")?,
            log_time: f.u64("log time")?,
            create_time: f.u64("create time")?,
            data_size: f.u64("size")?,
            name: f.text("name")?,
            media_type: f.text("media type")?,
        }),
        op::STATISTICS => Record::Statistics(Statistics {
            message_count: f.u64("message count")?,
            schema_count: f.u16("schema count")?,
            channel_count: f.u32("channel count")?,
            attachment_count: f.u32("attachment count")?,
            metadata_count: f.u32("metadata count")?,
            chunk_count: f.u32("chunk count")?,
            message_start_time: f.u64("start time")?,
            message_end_time: f.u64("end time")?,
            channel_message_counts: f.numbers("counts")?,
        }),
        op::METADATA => Record::Metadata(MetadataRecord { name: f.text("name")?, metadata: f.texts("entries")? }),
        op::METADATA_INDEX => Record::MetadataIndex(MetadataIndex {
            offset: f.u64("offset")?,
            length: f.u64("length")?,
            name: f.text("name")?,
        }),
        op::SUMMARY_OFFSET => Record::SummaryOffset {
            group_opcode: f.take("kind", 1)?[0],
            group_start: f.u64("start")?,
            group_length: f.u64("length")?,
        },
        op::DATA_END => Record::DataEnd { data_section_crc: f.u32("checksum")? },
        opcode => Record::Unknown { opcode, data: Cow::Borrowed(body) },
    })
}

/// The reason why bytes are not a record of their kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Misfit {
    #[error("its {field} takes {needed} bytes, and {left} of {length} are left")]
    CutShort { field: &'static str, needed: usize, left: usize, length: usize },
    #[error("its {field} is not UTF-8")]
    NotText { field: &'static str },
}

struct Fields<'b> {
    rest: &'b [u8],
    length: usize,
}

impl<'b> Fields<'b> {
    fn take(&mut self, field: &'static str, count: usize) -> Result<&'b [u8], Misfit> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(Misfit::CutShort { field, needed: count, left: self.rest.len(), length: self.length });
        };
        self.rest = rest;
        Ok(taken)
    }

    fn number<const SIZE: usize>(&mut self, field: &'static str) -> Result<[u8; SIZE], Misfit> {
        let mut number = [0; SIZE];
        number.copy_from_slice(self.take(field, SIZE)?);
        Ok(number)
    }

    fn u16(&mut self, field: &'static str) -> Result<u16, Misfit> {
        self.number(field).map(u16::from_le_bytes)
    }

    fn u32(&mut self, field: &'static str) -> Result<u32, Misfit> {
        self.number(field).map(u32::from_le_bytes)
    }

    fn u64(&mut self, field: &'static str) -> Result<u64, Misfit> {
        self.number(field).map(u64::from_le_bytes)
    }

    fn text(&mut self, field: &'static str) -> Result<String, Misfit> {
        let length = self.u32(field)?;
        let text = self.take(field, length as usize)?;
        std::str::from_utf8(text).map(str::to_owned).map_err(|_| Misfit::NotText { field })
    }

    /// Reads a list with its length in bytes before it.
    fn list(&mut self, field: &'static str) -> Result<Fields<'b>, Misfit> {
        let length = self.u32(field)? as usize;
        Ok(Fields { rest: self.take(field, length)?, length })
    }

    fn texts(&mut self, field: &'static str) -> Result<BTreeMap<String, String>, Misfit> {
        let (mut entries, mut texts) = (self.list(field)?, BTreeMap::new());
        while !entries.rest.is_empty() {
            let key = entries.text(field)?;
            texts.insert(key, entries.text(field)?);
        }
        Ok(texts)
    }

    fn numbers(&mut self, field: &'static str) -> Result<BTreeMap<u16, u64>, Misfit> {
        let (mut entries, mut numbers) = (self.list(field)?, BTreeMap::new());
        while !entries.rest.is_empty() {
            let key = entries.u16(field)?;
            numbers.insert(key, entries.u64(field)?);
        }
        Ok(numbers)
    }
}
