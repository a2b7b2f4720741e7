use std::io;
use std::path::PathBuf;

use hemiola_model::module::Panicked;
use thiserror::Error;

/// The reason why a log cannot be read, decoded or written: the file, the byte, what is wrong, and
/// what to do.
///
/// ```
/// use std::path::Path;
/// use hemiola_log::{LogError, LogReader};
///
/// let error = LogReader::open(Path::new("gone.mcap")).err().unwrap();
/// assert!(matches!(error, LogError::Open { .. }));
/// assert!(error.to_string().starts_with("cannot open gone.mcap: "));
/// ```
#[derive(Debug, Error)]
pub enum LogError {
    /// The file does not exist, or may not be read.
    #[error("cannot open {}: {error} (check the path and the permissions)", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The reason of the system.
        error: io::Error,
    },
    /// The disk failed, or the file shrank while it was read.
    #[error("cannot read {} at byte {offset}: {error} (check the disk, and whether the file still exists)", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The position in the file.
        offset: u64,
        /// The reason of the system.
        error: io::Error,
    },
    /// The first bytes are not those of MCAP.
    #[error("{} is not an MCAP file: byte 0: {found}", path.display())]
    NotMcap {
        /// The file.
        path: PathBuf,
        /// The form that it seems to have, and what can be done with it.
        found: String,
    },
    /// A part of the file is not what was written. Reading continues behind it.
    #[error("{damage}")]
    Damaged {
        /// The damage: where it is, what it is, and how much is lost.
        damage: Box<Damage>,
    },
    /// The schema of a channel is not understood. Its messages can be read as bytes.
    #[error("{topic}: the schema `{schema}` cannot be used: {reason}")]
    Schema {
        /// The channel's topic.
        topic: String,
        /// The schema's name.
        schema: String,
        /// The reason, with the line.
        reason: NoDefinition,
    },
    /// A message does not fit its schema.
    #[error(
        "{topic}: the message at byte {offset} of the file is not a `{schema}`: {reason} (it may have been written with another version of the type)"
    )]
    Message {
        /// The channel's topic.
        topic: String,
        /// The byte of the file at which the message, or its chunk, begins.
        offset: u64,
        /// The schema's name.
        schema: String,
        /// The part that does not fit, and at which byte of the message.
        reason: String,
    },
    /// A text is not a unit of time.
    #[error("`{text}` is not a unit of time; write s, ms, us or ns")]
    UnknownUnit {
        /// The text.
        text: String,
    },
    /// A table or a folder of pictures cannot be imported, or not all of it.
    #[error("cannot import {}{}: {reason}", path.display(), line.map_or_else(String::new, |line| format!(", line {line}")))]
    Import {
        /// The file or folder.
        path: PathBuf,
        /// The line, if there is one.
        line: Option<u64>,
        /// The reason, and what to do.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {reason} (check that the folder exists, is writable, and has space; an existing file is never overwritten)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The code that writes a value panicked. The log continues without the value.
    #[error("a value is not in {}: writing it panicked: {panicked} (fix the code that writes its type)", path.display())]
    Panicked {
        /// The log.
        path: PathBuf,
        /// The message of the panic.
        panicked: Panicked,
    },
}

/// The reason why the form of a channel's messages is unknown.
///
/// See [`LogError::Schema`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoDefinition {
    /// The messages have an encoding that cannot be decoded here.
    #[error("messages are encoded in `{encoding}`; only `cdr` can be decoded")]
    OtherEncoding {
        /// The writer's name for the encoding.
        encoding: String,
    },
    /// The writer gave no schema.
    #[error("the log has no schema for this channel")]
    NoSchema,
    /// The schema cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// A definition that cannot be parsed.
///
/// ```
/// let error = hemiola_log::Definition::parse("a/msg/B", "uint8 x\nfloat y\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: there is no type `float`: neither a primitive of ROS 2 nor defined in the schema");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct SchemaError {
    /// The line of the schema's text, from 1.
    pub line: usize,
    /// The reason.
    pub message: String,
}

/// A part of a file that cannot be read.
///
/// ```
/// use hemiola_log::{Cause, Damage};
///
/// let damage = Damage { path: "run.mcap".into(), offset: 4096, inside: None, cause: Cause::Zeros, skipped: 512 };
/// assert_eq!(
///     damage.to_string(),
///     "run.mcap: byte 4096: zeros, which the file system leaves where data did not reach the disk; 512 bytes are skipped \
///      (`log recover run.mcap OUT` keeps everything that is undamaged)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The byte of the file at which the damaged record begins.
    pub offset: u64,
    /// The byte of the chunk's records at which it becomes unreadable, if it is in a chunk.
    pub inside: Option<u64>,
    /// The cause.
    pub cause: Cause,
    /// The number of bytes of the file that are skipped.
    pub skipped: u64,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, offset, inside, cause, skipped } = self;
        let path = path.display();
        write!(formatter, "{path}: byte {offset}")?;
        if let Some(inside) = inside {
            write!(formatter, " (byte {inside} of the chunk's records)")?;
        }
        write!(formatter, ": {cause}")?;
        if *skipped > 0 {
            write!(formatter, "; {skipped} bytes are skipped")?;
        }
        write!(formatter, " (`log recover {path} OUT` keeps everything that is undamaged)")
    }
}

/// The cause of damage of a part of a file.
///
/// See [`Damage`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The file stops inside a record.
    #[error("the file ends {missing} bytes before the end of a {record}")]
    CutOff {
        /// The kind of the record.
        record: &'static str,
        /// The number of bytes that are missing, as far as the record shows.
        missing: u64,
    },
    /// The file is intact as far as it goes, but has no end.
    #[error("the file ends without a footer: its writer was killed, or is still running")]
    Unfinished,
    /// The bytes are zeros, which fill files when the data did not reach the disk.
    #[error("zeros, which the file system leaves where data did not reach the disk")]
    Zeros,
    /// No record begins here.
    #[error("no record begins here: kind {opcode:#04x}, {length} bytes")]
    NoRecord {
        /// The byte in the place of the record's kind.
        opcode: u8,
        /// The number in the place of its length.
        length: u64,
    },
    /// The checksum that is stored is not the one that is computed.
    #[error("the {of}'s checksum is {stored:#010x}, that of its data {computed:#010x}")]
    Checksum {
        /// The part that was checked.
        of: &'static str,
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the data.
        computed: u32,
    },
    /// Compressed data is not what the compressor wrote.
    #[error("the chunk cannot be decompressed ({compression}): {reason}")]
    Compression {
        /// The compression: `zstd` or `lz4`.
        compression: String,
        /// The message of the decompressor.
        reason: String,
    },
    /// The compression is not supported.
    #[error("the chunk is compressed with `{compression}`; supported are zstd and lz4")]
    UnknownCompression {
        /// The name of the compression.
        compression: String,
    },
    /// The record exceeds what the reader may hold in memory.
    #[error("a {record} of more than {limit} bytes, the reader's limit")]
    TooLarge {
        /// The kind of the record.
        record: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
    /// The fields of a record do not fit it.
    #[error("an invalid {record}: {reason}")]
    Malformed {
        /// The kind of the record.
        record: &'static str,
        /// The part that does not fit.
        reason: String,
    },
    /// The channel of a message is not described. Reported once per channel.
    #[error("messages of channel {channel}, which is not described in the readable part of the file")]
    UnknownChannel {
        /// The channel's number.
        channel: u16,
    },
    /// A number stands for two things. Reported once per number.
    #[error("{of} {id} is described again, differently; the first description is kept")]
    Redefined {
        /// The kind of the things: `channel` or `schema`.
        of: &'static str,
        /// The number.
        id: u16,
    },
    /// Bytes follow behind the end of the log.
    #[error("{bytes} bytes follow the end of the log")]
    AfterEnd {
        /// The number of bytes.
        bytes: u64,
    },
}

impl From<Damage> for LogError {
    fn from(damage: Damage) -> Self {
        Self::Damaged { damage: Box::new(damage) }
    }
}

impl LogError {
    /// Returns the damage, if this is damage.
    pub fn damage(&self) -> Option<&Damage> {
        match self {
            Self::Damaged { damage } => Some(damage),
            _ => None,
        }
    }
}
