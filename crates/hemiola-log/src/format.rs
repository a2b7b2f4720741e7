//! The MCAP format as its specification defines it (mcap.dev/spec): the eight bytes that a file
//! begins and ends with, and its records.
//!
//! A record is its kind (a byte), its length (eight bytes) and its body. [`parse`](parse::parse)
//! reads bodies, [`write`](write::write) writes records; names of fields are the specification's.

pub mod parse;
pub mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The bytes at both ends of a file.
pub const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];

/// The number of bytes before a record's body.
pub const HEAD: u64 = 9;

/// The kinds of records.
pub mod op {
    pub const HEADER: u8 = 0x01;
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const CHANNEL: u8 = 0x04;
    pub const MESSAGE: u8 = 0x05;
    pub const CHUNK: u8 = 0x06;
    pub const MESSAGE_INDEX: u8 = 0x07;
    pub const CHUNK_INDEX: u8 = 0x08;
    pub const ATTACHMENT: u8 = 0x09;
    pub const ATTACHMENT_INDEX: u8 = 0x0A;
    pub const STATISTICS: u8 = 0x0B;
    pub const METADATA: u8 = 0x0C;
    pub const METADATA_INDEX: u8 = 0x0D;
    pub const SUMMARY_OFFSET: u8 = 0x0E;
    pub const DATA_END: u8 = 0x0F;
}

/// Any record but an attachment, whose data may be larger than memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'b> {
    Header {
        profile: String,
        library: String,
    },
    Footer(Footer),
    Schema {
        header: SchemaHeader,
        data: Cow<'b, [u8]>,
    },
    Channel(ChannelRecord),
    Message {
        header: MessageHeader,
        data: Cow<'b, [u8]>,
    },
    /// A chunk's header without the records.
    Chunk(ChunkHeader),
    MessageIndex {
        channel_id: u16,
        entries: Vec<MessageIndexEntry>,
    },
    ChunkIndex(ChunkIndex),
    AttachmentIndex(AttachmentIndex),
    Statistics(Statistics),
    Metadata(MetadataRecord),
    MetadataIndex(MetadataIndex),
    SummaryOffset {
        group_opcode: u8,
        group_start: u64,
        group_length: u64,
    },
    DataEnd {
        data_section_crc: u32,
    },
    Unknown {
        opcode: u8,
        data: Cow<'b, [u8]>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    pub summary_start: u64,
    pub summary_offset_start: u64,
    pub summary_crc: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaHeader {
    pub id: u16,
    pub name: String,
    pub encoding: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelRecord {
    pub id: u16,
    pub schema_id: u16,
    pub topic: String,
    pub message_encoding: String,
    pub metadata: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageHeader {
    pub channel_id: u16,
    pub sequence: u32,
    pub log_time: u64,
    pub publish_time: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    pub message_start_time: u64,
    pub message_end_time: u64,
    pub uncompressed_size: u64,
    pub uncompressed_crc: u32,
    pub compression: String,
    pub compressed_size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageIndexEntry {
    pub log_time: u64,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentHeader {
    pub log_time: u64,
    pub create_time: u64,
    pub name: String,
    pub media_type: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataRecord {
    pub name: String,
    pub metadata: BTreeMap<String, String>,
}

/// The entry of a chunk in an index. Times are in nanoseconds, positions and lengths in bytes.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let chunks: &[hemiola_log::ChunkIndex] = log.summary().map_or(&[], |summary| &summary.chunks);
/// println!("{} bytes of messages", chunks.iter().map(|chunk| chunk.uncompressed_size).sum::<u64>());
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkIndex {
    /// The time at which the first of its messages was logged.
    pub message_start_time: u64,
    /// The time at which the last of its messages was logged.
    pub message_end_time: u64,
    /// The position of the chunk's record.
    pub chunk_start_offset: u64,
    /// The length of that record.
    pub chunk_length: u64,
    /// The position of the message index of each channel that has messages in the chunk.
    pub message_index_offsets: BTreeMap<u16, u64>,
    /// The length of all these indexes.
    pub message_index_length: u64,
    /// The compression: `zstd`, `lz4` or empty.
    pub compression: String,
    /// The size of the records in the file.
    pub compressed_size: u64,
    /// The size of the records before compression.
    pub uncompressed_size: u64,
}

/// The entry of an attachment in an index. Times are in nanoseconds, positions and lengths in
/// bytes.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let attachments: &[hemiola_log::AttachmentIndex] = log.summary().map_or(&[], |summary| &summary.attachments);
/// attachments.iter().for_each(|attachment| println!("{}, {}", attachment.name, attachment.media_type));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentIndex {
    /// The position of the attachment's record.
    pub offset: u64,
    /// The length of that record.
    pub length: u64,
    /// The time at which the file was logged.
    pub log_time: u64,
    /// The time at which the file was made.
    pub create_time: u64,
    /// The length of the file.
    pub data_size: u64,
    /// The name of the file.
    pub name: String,
    /// The media type: `application/json`, `image/png`, ...
    pub media_type: String,
}

/// The entry of metadata in an index. Positions and lengths are in bytes.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let metadata: &[hemiola_log::MetadataIndex] = log.summary().map_or(&[], |summary| &summary.metadata);
/// metadata.iter().for_each(|metadata| println!("{}", metadata.name));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataIndex {
    /// The position of the metadata's record.
    pub offset: u64,
    /// The length of that record.
    pub length: u64,
    /// The name of the metadata.
    pub name: String,
}

/// The counts in a file's summary. Times are in nanoseconds.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let statistics: Option<&hemiola_log::Statistics> = log.summary().and_then(|summary| summary.statistics.as_ref());
/// println!("{} messages", statistics.map_or(0, |statistics| statistics.message_count));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of messages.
    pub message_count: u64,
    /// The number of schemas.
    pub schema_count: u16,
    /// The number of channels.
    pub channel_count: u32,
    /// The number of attachments.
    pub attachment_count: u32,
    /// The number of metadata records.
    pub metadata_count: u32,
    /// The number of chunks.
    pub chunk_count: u32,
    /// The time at which the first message was logged; 0 without messages.
    pub message_start_time: u64,
    /// The time at which the last message was logged.
    pub message_end_time: u64,
    /// The number of messages of each channel.
    pub channel_message_counts: BTreeMap<u16, u64>,
}
