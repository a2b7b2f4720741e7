use std::io;
use std::path::PathBuf;

use hemiola_model::module::Panicked;
use thiserror::Error;

/// Why a log cannot be read, decoded or written: which file, at which byte, what is wrong, and what
/// to do.
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
    /// The file is not there, or not for us.
    #[error("cannot open {}: {error} (is the path right, and the file readable?)", path.display())]
    Open {
        /// Which file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The disk failed, or the file shrank while it was read.
    #[error("cannot read {} at byte {offset}: {error} (is the disk sound and the file still there?)", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// Why.
        error: io::Error,
    },
    /// The first bytes are not those of MCAP.
    #[error("{} is no MCAP file: byte 0: {found}", path.display())]
    NotMcap {
        /// Which file.
        path: PathBuf,
        /// What it seems to be, and what can be done with it.
        found: String,
    },
    /// A part of the file is not as it was written. Reading goes on behind it.
    #[error("{damage}")]
    Damaged {
        /// Where, what, and how much is lost.
        damage: Box<Damage>,
    },
    /// The schema of a channel is not understood. Its messages are there, as bytes.
    #[error("{topic}: the schema `{schema}` cannot be used: {reason}")]
    Schema {
        /// The channel's topic.
        topic: String,
        /// The schema's name.
        schema: String,
        /// What is wrong, and in which line.
        reason: NoDefinition,
    },
    /// A message is not what its schema says.
    #[error(
        "{topic}: the message at byte {offset} of the file is no `{schema}`: {reason} (was it written with another version of the type?)"
    )]
    Message {
        /// The channel's topic.
        topic: String,
        /// The byte of the file at which the message, or its chunk, begins.
        offset: u64,
        /// The schema's name.
        schema: String,
        /// What is wrong, and at which byte of the message.
        reason: String,
    },
    /// A text is no unit of time.
    #[error("`{text}` is no unit of time; write s, ms, us or ns")]
    UnknownUnit {
        /// The text.
        text: String,
    },
    /// A table or a folder of pictures that does not become a log, or not all of it.
    #[error("cannot import {}{}: {reason}", path.display(), line.map_or_else(String::new, |line| format!(", line {line}")))]
    Import {
        /// Which file or folder.
        path: PathBuf,
        /// The line, where it is one.
        line: Option<u64>,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A file that was to be written.
    #[error("cannot write {}: {reason} (is the folder there, writable, and not full? An existing file is never overwritten)", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The code that writes a value panicked. The log goes on without the value.
    #[error("a value is not in {}: writing it panicked: {panicked} (mend how its type is written)", path.display())]
    Panicked {
        /// Which log.
        path: PathBuf,
        /// What the panic said.
        panicked: Panicked,
    },
}

/// Why nobody knows what the messages of a channel look like.
///
/// ```
/// use hemiola_log::NoDefinition;
///
/// let json = NoDefinition::OtherEncoding { encoding: "json".into() };
/// assert_eq!(json.to_string(), "messages are in `json`; those in `cdr` are decoded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoDefinition {
    /// They are encoded as nothing here reads them.
    #[error("messages are in `{encoding}`; those in `cdr` are decoded")]
    OtherEncoding {
        /// What the writer calls it.
        encoding: String,
    },
    /// The writer said nothing of what they look like.
    #[error("the log has no schema for this channel")]
    NoSchema,
    /// The schema cannot be read.
    #[error(transparent)]
    Schema(#[from] SchemaError),
}

/// A definition that is none.
///
/// ```
/// let error = hemiola_log::Definition::parse("a/msg/B", "uint8 x\nfloat y\n").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: there is no type `float`: neither a primitive of ROS 2 nor defined in the schema");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct SchemaError {
    /// Of the schema's text, from 1.
    pub line: usize,
    /// What is wrong.
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
///      (`log recover run.mcap OUT` keeps all that is whole)"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which file.
    pub path: PathBuf,
    /// The byte of the file at which the damaged record begins.
    pub offset: u64,
    /// The byte of the chunk's records at which it becomes unreadable, where it is in a chunk.
    pub inside: Option<u64>,
    /// What is wrong.
    pub cause: Cause,
    /// The bytes of the file that are skipped.
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
        write!(formatter, " (`log recover {path} OUT` keeps all that is whole)")
    }
}

/// What is wrong with a part of a file.
///
/// ```
/// use hemiola_log::Cause;
///
/// let cause = Cause::Checksum { of: "chunk", stored: 1, computed: 2 };
/// assert_eq!(cause.to_string(), "the chunk's checksum is 0x00000001, that of its data 0x00000002");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The file stops inside a record.
    #[error("the file ends {missing} bytes before the end of a {record}")]
    CutOff {
        /// Which kind.
        record: &'static str,
        /// How many bytes the record goes on, as far as it tells.
        missing: u64,
    },
    /// All that is there is whole, but the end is not there.
    #[error("the file ends without a footer: its writer was killed, or is still at work")]
    Unfinished,
    /// The bytes that files are filled with when the data did not reach the disk.
    #[error("zeros, which the file system leaves where data did not reach the disk")]
    Zeros,
    /// What stands here is not the beginning of a record.
    #[error("no record begins here: kind {opcode:#04x}, {length} bytes")]
    NoRecord {
        /// The byte in the place of the record's kind.
        opcode: u8,
        /// The number in the place of its length.
        length: u64,
    },
    /// What is stored and what is computed differ.
    #[error("the {of}'s checksum is {stored:#010x}, that of its data {computed:#010x}")]
    Checksum {
        /// Of what.
        of: &'static str,
        /// As it stands in the file.
        stored: u32,
        /// As it should be.
        computed: u32,
    },
    /// Compressed data is not what the compressor wrote.
    #[error("the chunk cannot be decompressed ({compression}): {reason}")]
    Compression {
        /// `zstd` or `lz4`.
        compression: String,
        /// What the decompressor says.
        reason: String,
    },
    /// A compression that no reader here knows.
    #[error("the chunk is compressed by `{compression}`; known are zstd and lz4")]
    UnknownCompression {
        /// Its name.
        compression: String,
    },
    /// More than what the reader may hold in memory.
    #[error("a {record} of more than {limit} bytes, the reader's limit")]
    TooLarge {
        /// Which kind.
        record: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The fields of a record do not fit it.
    #[error("a {record} that is none: {reason}")]
    Malformed {
        /// Which kind.
        record: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// Nobody said what the message belongs to. Told once per channel.
    #[error("messages of channel {channel}, which is not described in what can be read of the file")]
    UnknownChannel {
        /// The channel's number.
        channel: u16,
    },
    /// One number stands for two things. Told once per number.
    #[error("{of} {id} is described a second time, and differently; the first description is kept")]
    Redefined {
        /// `channel` or `schema`.
        of: &'static str,
        /// The number.
        id: u16,
    },
    /// Something behind the end.
    #[error("{bytes} bytes follow the end of the log")]
    AfterEnd {
        /// How many.
        bytes: u64,
    },
}

impl From<Damage> for LogError {
    fn from(damage: Damage) -> Self {
        Self::Damaged { damage: Box::new(damage) }
    }
}

impl LogError {
    /// What is damaged, where this is damage.
    pub fn damage(&self) -> Option<&Damage> {
        match self {
            Self::Damaged { damage } => Some(damage),
            _ => None,
        }
    }
}
