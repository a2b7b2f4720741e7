//! The search for the records of a file that may be damaged.
//!
//! A record is its kind (a byte), its length (eight bytes) and its body. Where that chain of
//! lengths breaks, reading goes on at the next chunk: its header has lengths that agree with each
//! other, so it can be distinguished from noise.

mod beginning;
mod chunks;
mod resume;

use std::io::{self, Read, Seek};
use std::path::Path;

use self::beginning::{Beginning, read_beginning};
use crate::attachment;
use crate::chunk::Chunk;
use crate::error::{Cause, Damage, LogError};
use crate::format::{AttachmentHeader, ChunkHeader, HEAD, MAGIC, op};
use crate::source::Source;

/// The largest number of bytes behind the data of a chunk: the format allows any number, writers
/// use none.
pub const MOST_PADDING: u64 = 256;

/// The policy for a chunk whose checksum is wrong.
///
/// See [`LogReader::with`](crate::LogReader::with).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Doubt {
    /// Skips the chunk: it is unknown which of its messages are right.
    #[default]
    Skip,
    /// Delivers whatever can be decoded, and then reports the damage.
    Deliver,
}

/// The position of a record: in the file, or in the records of the chunk that begins there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub offset: u64,
    pub inside: Option<u64>,
}

/// A record that was found.
pub struct Found {
    pub position: Position,
    pub opcode: u8,
    pub body: Body,
}

pub enum Body {
    /// The body is in [`Framing::body`].
    File,
    /// The body is these bytes of the chunk.
    Chunk { begin: usize, end: usize },
    /// The record is a chunk; its records follow.
    ChunkHeader(ChunkHeader),
    /// The record is an attachment, whose data stays in the file.
    Attachment { header: AttachmentHeader, data_offset: u64, data_length: u64 },
}

/// The records of a file, one after the other.
pub struct Framing<R> {
    pub source: Source<R>,
    pub body: Vec<u8>,
    pub chunk: Chunk,
    doubt: Doubt,
    memory_limit: u64,
    state: State,
    /// Set if the first bytes are as they should be.
    has_magic: bool,
    /// An error to be returned before anything else.
    pending: Option<LogError>,
    /// Set after damage has been reported: no checksum over the whole file can be right then.
    pub damaged: bool,
    /// The position from which to search for chunks when the next record is not one: the length of
    /// the last one may be wrong.
    doubtful_from: u64,
    /// The number of bytes that may still be read twice, so that a hostile file takes no more than
    /// linear time.
    second_looks: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    InFile,
    InChunk,
    Done,
}

impl<R: Read + Seek> Framing<R> {
    /// # Errors
    ///
    /// Fails if the file is not MCAP.
    pub fn new(mut source: Source<R>, doubt: Doubt, memory_limit: u64) -> Result<Self, LogError> {
        let beginning = match read_beginning(&mut source) {
            Ok(beginning) => beginning,
            Err(error) => return Err(LogError::Read { path: source.path, offset: 0, error }),
        };
        if let Beginning::Foreign(found) = beginning {
            return Err(LogError::NotMcap { found, path: source.path });
        }
        Ok(Self {
            doubtful_from: 0,
            has_magic: beginning == Beginning::Whole,
            second_looks: source.length,
            source,
            body: Vec::new(),
            chunk: Chunk::default(),
            doubt,
            memory_limit,
            state: State::InFile,
            pending: None,
            damaged: false,
        })
    }

    /// Continues at the first record.
    pub fn restart(&mut self) -> Result<(), LogError> {
        let first = MAGIC.len() as u64;
        let back = self.source.restart().and_then(|()| self.source.read_to(first.min(self.source.length)));
        back.map_err(|error| self.read_error(error))?;
        self.damaged = false;
        self.jump(first)?;
        if !self.has_magic {
            let reason =
                "its eight bytes are not those of MCAP, but those at the end of the file are, or most are correct";
            let cause = Cause::Malformed { record: "beginning", reason: reason.to_owned() };
            self.pending = Some(self.damage(Position { offset: 0, inside: None }, cause, 0));
        }
        Ok(())
    }

    /// Continues at the record at this position.
    pub fn jump(&mut self, offset: u64) -> Result<(), LogError> {
        self.state = State::InFile;
        self.pending = None;
        self.doubtful_from = offset;
        self.source.seek(offset).map_err(|error| self.read_error(error))
    }

    /// Returns whether the position is between two records of the file, and not in a chunk.
    pub fn is_between_chunks(&self) -> bool {
        self.pending.is_none() && (self.state != State::InChunk || self.chunk.next >= self.chunk.records.len())
    }

    /// Returns the next record, or the damage in its place; reading continues behind that.
    pub fn next(&mut self) -> Option<Result<Found, LogError>> {
        loop {
            if self.state == State::InChunk {
                if let Some(found) = self.next_in_chunk() {
                    return Some(Ok(found));
                }
                self.state = State::InFile;
            }
            if let Some(error) = self.pending.take() {
                return Some(Err(error));
            }
            if self.state == State::Done {
                return None;
            }
            match self.next_in_file() {
                Ok(Some(found)) => return Some(Ok(found)),
                // The error that stopped it is pending.
                Ok(None) => {}
                Err(error) => {
                    self.state = State::Done;
                    return Some(Err(self.read_error(error)));
                }
            }
        }
    }

    /// Reports damage of a record that was found.
    pub fn damage(&mut self, position: Position, cause: Cause, skipped: u64) -> LogError {
        self.damaged = true;
        damage(&self.source.path, position, cause, skipped)
    }

    fn read_error(&self, error: io::Error) -> LogError {
        LogError::Read { path: self.source.path.clone(), offset: self.source.position(), error }
    }

    fn next_in_chunk(&mut self) -> Option<Found> {
        let begin = self.chunk.next;
        let rest = &self.chunk.records[begin..];
        if rest.is_empty() {
            return None;
        }
        let position = Position { offset: self.chunk.offset, inside: Some(begin as u64) };
        let length = rest.get(1..HEAD as usize).and_then(|length| length.first_chunk()).map(|l| u64::from_le_bytes(*l));
        let fits = length.filter(|&length| length <= (rest.len() as u64).saturating_sub(HEAD));
        let Some(length) = fits else {
            self.chunk.next = self.chunk.records.len();
            // If the chunk is known to be damaged, that is reported already.
            if self.pending.is_none() {
                let reason = "its last record is longer than what is left of it".to_owned();
                self.pending = Some(self.damage(position, Cause::Malformed { record: "chunk", reason }, 0));
            }
            return None;
        };
        let opcode = rest[0];
        let begin = begin + HEAD as usize;
        let end = begin + length as usize;
        self.chunk.next = end;
        Some(Found { position, opcode, body: Body::Chunk { begin, end } })
    }

    fn next_in_file(&mut self) -> io::Result<Option<Found>> {
        let offset = self.source.position();
        let remaining = self.source.remaining();
        if remaining == 0 {
            return self.stop(offset, Cause::Unfinished);
        }
        if remaining < HEAD {
            return self.lost(offset, Cause::CutOff { record: "record", missing: HEAD - remaining });
        }
        // The checksum of all bytes before this record is needed if it is the end of the data.
        let checksum = self.source.checksum();
        let mut head = [0; HEAD as usize];
        self.source.read_exact(&mut head)?;
        let [opcode, length @ ..] = head;
        let length = u64::from_le_bytes(length);
        let available = remaining - HEAD;
        match opcode {
            0 if length == 0 => return self.lost(offset, Cause::Zeros),
            0 => return self.lost(offset, Cause::NoRecord { opcode, length }),
            op::CHUNK => return self.chunk(offset, length, available),
            _ if length > available => {
                // An implausible length rather indicates that this is not a record.
                let cause = match length >> 40 {
                    0 => Cause::CutOff { record: kind(opcode), missing: length - available },
                    _ => Cause::NoRecord { opcode, length },
                };
                return self.lost(offset, cause);
            }
            op::ATTACHMENT => return self.attachment(offset, length),
            _ => {}
        }
        self.doubtful_from = offset + 1;
        let position = Position { offset, inside: None };
        if length > self.memory_limit {
            self.source.read_to(offset + HEAD + length)?;
            let cause = Cause::TooLarge { record: kind(opcode), limit: self.memory_limit };
            self.pending = Some(self.damage(position, cause, HEAD + length));
            return Ok(None);
        }
        self.body.clear();
        self.source.by_ref().take(length).read_to_end(&mut self.body)?;
        if self.body.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match opcode {
            op::DATA_END => self.check_data(position, checksum),
            op::FOOTER if !self.end(offset)? => {
                let reason = "the end of the file does not follow it".to_owned();
                return self.lost(offset, Cause::Malformed { record: "footer", reason });
            }
            _ => {}
        }
        Ok(Some(Found { position, opcode, body: Body::File }))
    }

    fn attachment(&mut self, offset: u64, length: u64) -> io::Result<Option<Found>> {
        let position = Position { offset, inside: None };
        self.doubtful_from = offset + 1;
        let end = offset + HEAD + length;
        match attachment::read(&mut self.source, end)? {
            Ok((header, data_offset, data_length)) => {
                let body = Body::Attachment { header, data_offset, data_length };
                Ok(Some(Found { position, opcode: op::ATTACHMENT, body }))
            }
            Err(cause) => {
                self.source.read_to(end)?;
                self.pending = Some(self.damage(position, cause, HEAD + length));
                Ok(None)
            }
        }
    }

    /// Checks the checksum of the whole data section, unless there was worse damage.
    fn check_data(&mut self, position: Position, computed: Option<u32>) {
        let stored = self.body.first_chunk().map_or(0, |stored| u32::from_le_bytes(*stored));
        if let (Some(computed), false) = (computed, self.damaged)
            && stored != 0
            && stored != computed
        {
            self.pending = Some(self.damage(position, Cause::Checksum { of: "data section", stored, computed }, 0));
        }
    }

    /// Returns whether this is the end, and not something that a flipped bit turned into a footer.
    fn end(&mut self, offset: u64) -> io::Result<bool> {
        let mut magic = Vec::new();
        self.source.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic)?;
        let missing = (MAGIC.len() - magic.len()) as u64;
        if missing > 0 {
            self.pending =
                Some(self.damage(Position { offset, inside: None }, Cause::CutOff { record: "footer", missing }, 0));
        } else if magic != MAGIC {
            return Ok(false);
        } else if self.source.remaining() > 0 {
            let (offset, bytes) = (self.source.position(), self.source.remaining());
            self.pending = Some(self.damage(Position { offset, inside: None }, Cause::AfterEnd { bytes }, bytes));
        }
        self.state = State::Done;
        Ok(true)
    }

    fn stop(&mut self, offset: u64, cause: Cause) -> io::Result<Option<Found>> {
        self.state = State::Done;
        self.pending = Some(self.damage(Position { offset, inside: None }, cause, 0));
        Ok(None)
    }
}

pub fn damage(path: &Path, Position { offset, inside }: Position, cause: Cause, skipped: u64) -> LogError {
    Damage { path: path.to_owned(), offset, inside, cause, skipped }.into()
}

/// Returns the name of a record of this kind.
pub fn kind(opcode: u8) -> &'static str {
    match opcode {
        op::HEADER => "header",
        op::FOOTER => "footer",
        op::SCHEMA => "schema",
        op::CHANNEL => "channel",
        op::MESSAGE => "message",
        op::CHUNK => "chunk",
        op::MESSAGE_INDEX => "message index",
        op::CHUNK_INDEX => "chunk index",
        op::ATTACHMENT => "attachment",
        op::ATTACHMENT_INDEX => "attachment index",
        op::STATISTICS => "statistics record",
        op::METADATA => "metadata record",
        op::METADATA_INDEX => "metadata index",
        op::SUMMARY_OFFSET => "summary offset",
        op::DATA_END => "end of data",
        0x80.. => "private record",
        _ => "record of an unknown kind",
    }
}
