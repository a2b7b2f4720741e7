use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::channel::{Channel, LogTime};
use crate::error::LogError;
use crate::value::Value;

/// A part of a log.
///
/// ```no_run
/// use hemiola_log::{Entry, LogReader};
///
/// let mut log = LogReader::open("run.mcap".as_ref())?;
/// let mut bytes = 0;
/// while let Some(entry) = log.next_entry() {
///     if let Entry::Message(message) = entry? {
///         bytes += message.data.len();
///     }
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Entry<'r> {
    /// A message.
    Message(Message<'r>),
    /// A file inside the log.
    Attachment(Attachment),
    /// Texts with names.
    Metadata(Metadata),
    /// The beginning of a chunk of messages.
    Chunk(ChunkHeader),
    /// A record of a kind that belongs to some program and not to MCAP.
    Private(PrivateRecord),
}

/// A message as it was recorded.
///
/// ```no_run
/// # fn show(message: hemiola_log::Message<'_>) -> Result<(), hemiola_log::LogError> {
/// let value = message.decode()?;
/// println!("{} {}: {value}", message.log_time, message.channel.topic);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Message<'r> {
    /// The channel of the message.
    pub channel: Arc<Channel>,
    /// The number that the sender gave it.
    pub sequence: u32,
    /// The time at which it was recorded.
    pub log_time: LogTime,
    /// The time at which it was sent.
    pub publish_time: LogTime,
    /// The bytes of the content.
    pub data: &'r [u8],
    /// The byte of the file at which the message, or its chunk, begins.
    pub offset: u64,
}

/// A file inside the log. Its data is read by
/// [`LogReader::read_attachment`](crate::LogReader::read_attachment).
///
/// ```
/// use hemiola_log::{Entry, LogCompression, LogReader, LogWriter};
/// use hemiola_model::Time;
/// # let path = std::env::temp_dir().join(format!("hemiola-log-attachment-{}.mcap", std::process::id()));
///
/// let mut log = LogWriter::create(&path, LogCompression::Lz4)?;
/// log.attach("robot.toml", "application/toml", Time::ZERO, b"[cycle.motion]\nrate = 100.0\n")?;
/// log.finish()?;
///
/// let mut log = LogReader::open(&path)?;
/// let attachment = loop {
///     match log.next_entry().expect("it is there")? {
///         Entry::Attachment(attachment) => break attachment,
///         _ => {}
///     }
/// };
/// let mut data = Vec::new();
/// log.read_attachment(&attachment, &mut data)?;
/// assert_eq!((attachment.name.as_str(), data.len()), ("robot.toml", 28));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The name of the file.
    pub name: String,
    /// The media type: `image/png`, `text/plain`, ...
    pub media_type: String,
    /// The time at which the file was recorded.
    pub log_time: LogTime,
    /// The time at which the file was made.
    pub create_time: LogTime,
    /// The position of its data in the log.
    pub data_offset: u64,
    /// The number of bytes of its data.
    pub data_length: u64,
}

/// Texts with names: configuration, versions, conditions.
///
/// See [`LogWriter::metadata`](crate::LogWriter::metadata).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The name of the whole.
    pub name: String,
    /// The texts by their names.
    pub entries: BTreeMap<String, String>,
}

/// The header of a chunk.
///
/// See [`Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkHeader {
    /// The compression: `zstd`, `lz4`, or nothing.
    pub compression: String,
    /// The number of bytes in the file.
    pub compressed: u64,
    /// The number of bytes in memory.
    pub uncompressed: u64,
}

/// A record that only the program that wrote it understands.
///
/// See [`Entry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateRecord {
    /// The kind of the record, 0x80 or more.
    pub opcode: u8,
    /// The bytes of the content.
    pub data: Vec<u8>,
}

impl Message<'_> {
    /// Decodes the message by the schema in the log.
    ///
    /// # Errors
    /// Fails if there is no schema that is understood, or if the bytes do not fit it.
    pub fn decode(&self) -> Result<Value, LogError> {
        let definition = self.channel.definition()?;
        Value::decode(definition, self.data).map_err(|error| LogError::Message {
            topic: self.channel.topic.clone(),
            offset: self.offset,
            schema: self.channel.type_name().to_owned(),
            reason: error.to_string(),
        })
    }
}

/// A message that is kept while its log is read on.
pub(crate) struct KeptMessage {
    pub channel: Arc<Channel>,
    pub log_time: LogTime,
    sequence: u32,
    publish_time: LogTime,
    pub data: Vec<u8>,
    offset: u64,
}

impl KeptMessage {
    pub fn of(message: &Message<'_>) -> Self {
        Self {
            channel: Arc::clone(&message.channel),
            log_time: message.log_time,
            sequence: message.sequence,
            publish_time: message.publish_time,
            data: message.data.to_vec(),
            offset: message.offset,
        }
    }

    /// Returns the message with times that are later by `by`.
    pub fn later(self, by: Duration) -> Self {
        let by = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        let later = |time: LogTime| LogTime::from_nanoseconds(time.nanoseconds().saturating_add(by));
        Self { log_time: later(self.log_time), publish_time: later(self.publish_time), ..self }
    }

    pub fn as_message(&self) -> Message<'_> {
        Message {
            channel: Arc::clone(&self.channel),
            sequence: self.sequence,
            log_time: self.log_time,
            publish_time: self.publish_time,
            data: &self.data,
            offset: self.offset,
        }
    }
}
