//! MCAP, as its specification has it (mcap.dev/spec): the eight bytes that a file begins and ends
//! with, and its records.
//!
//! A record is its kind (a byte), its length (eight bytes) and its body. [`parse`](parse::parse)
//! reads bodies, [`write`](write::write) makes records; names of fields are the specification's.

pub mod parse;
pub mod write;

use std::borrow::Cow;
use std::collections::BTreeMap;

/// At both ends of a file.
pub const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];

/// The bytes before a record's body.
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

/// Everything but attachments, whose data may be larger than memory.
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
    /// Without what is in it.
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

/// What an index says of a chunk. Times are in nanoseconds, positions and lengths in bytes.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let chunks: &[hemiola_log::ChunkIndex] = log.summary().map_or(&[], |summary| &summary.chunks);
/// println!("{} bytes of messages", chunks.iter().map(|chunk| chunk.uncompressed_size).sum::<u64>());
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkIndex {
    /// Of the messages in it, when the first was logged.
    pub message_start_time: u64,
    /// When the last was.
    pub message_end_time: u64,
    /// Where the chunk's record begins.
    pub chunk_start_offset: u64,
    /// How long that record is.
    pub chunk_length: u64,
    /// For each channel that has messages in it, where their index is.
    pub message_index_offsets: BTreeMap<u16, u64>,
    /// How long all these indexes are.
    pub message_index_length: u64,
    /// `zstd`, `lz4` or empty.
    pub compression: String,
    /// Of what is in it, as it lies in the file.
    pub compressed_size: u64,
    /// And as it was.
    pub uncompressed_size: u64,
}

/// What an index says of a file in the file. Times are in nanoseconds, positions and lengths in
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
    /// Where its record begins.
    pub offset: u64,
    /// How long that record is.
    pub length: u64,
    /// When it came into the log.
    pub log_time: u64,
    /// When it was made.
    pub create_time: u64,
    /// How long the file is.
    pub data_size: u64,
    /// Its name.
    pub name: String,
    /// `application/json`, `image/png`, ...
    pub media_type: String,
}

/// What an index says of named texts. Positions and lengths are in bytes.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let metadata: &[hemiola_log::MetadataIndex] = log.summary().map_or(&[], |summary| &summary.metadata);
/// metadata.iter().for_each(|metadata| println!("{}", metadata.name));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetadataIndex {
    /// Where its record begins.
    pub offset: u64,
    /// How long that record is.
    pub length: u64,
    /// Its name.
    pub name: String,
}

/// What a file counts of itself. Times are in nanoseconds.
///
/// ```no_run
/// let log = hemiola_log::LogReader::open("run.mcap".as_ref())?;
/// let statistics: Option<&hemiola_log::Statistics> = log.summary().and_then(|summary| summary.statistics.as_ref());
/// println!("{} messages", statistics.map_or(0, |statistics| statistics.message_count));
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Messages.
    pub message_count: u64,
    /// Schemas.
    pub schema_count: u16,
    /// Channels.
    pub channel_count: u32,
    /// Files in the file.
    pub attachment_count: u32,
    /// Named texts.
    pub metadata_count: u32,
    /// Chunks.
    pub chunk_count: u32,
    /// When the first message was logged; 0 without messages.
    pub message_start_time: u64,
    /// When the last one was.
    pub message_end_time: u64,
    /// How many messages each channel has.
    pub channel_message_counts: BTreeMap<u16, u64>,
}
