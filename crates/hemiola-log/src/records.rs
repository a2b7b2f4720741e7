//! Iteration over all records of a file, including those of chunks, in the order of the file.

use std::io::{Read, Seek};

use crate::format::{AttachmentHeader, HEAD, Record};

use crate::error::{Cause, LogError};
use crate::format::parse::parse;
use crate::framing::{Body, Framing, Position, damage, kind};

/// A record and its position. An attachment comes without its data, which stays in the file.
pub struct Located<'r> {
    pub position: Position,
    pub content: Content<'r>,
}

pub enum Content<'r> {
    /// Any record but an attachment; of a chunk the header, and then its records.
    Record(Record<'r>),
    Attachment {
        header: AttachmentHeader,
        data_offset: u64,
        data_length: u64,
    },
}

impl<R: Read + Seek> Framing<R> {
    /// Returns the next record, or the damage in its place; reading continues behind that.
    pub fn next_record(&mut self) -> Option<Result<Located<'_>, LogError>> {
        let found = match self.next()? {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        let (position, opcode) = (found.position, found.opcode);
        let body = match found.body {
            Body::ChunkHeader(header) => {
                let content = Content::Record(Record::Chunk(header));
                return Some(Ok(Located { position, content }));
            }
            Body::Attachment { header, data_offset, data_length } => {
                let content = Content::Attachment { header, data_offset, data_length };
                return Some(Ok(Located { position, content }));
            }
            Body::File => 0..self.body.len(),
            Body::Chunk { begin, end } => begin..end,
        };
        let skipped = if position.inside.is_some() { 0 } else { HEAD + body.len() as u64 };
        let bytes = if position.inside.is_some() { &self.chunk.records[body] } else { &self.body[body] };
        match parse(opcode, bytes) {
            Ok(record) => Some(Ok(Located { position, content: Content::Record(record) })),
            Err(misfit) => {
                self.damaged = true;
                let cause = Cause::Malformed { record: kind(opcode), reason: misfit.to_string() };
                Some(Err(damage(&self.source.path, position, cause, skipped)))
            }
        }
    }
}
