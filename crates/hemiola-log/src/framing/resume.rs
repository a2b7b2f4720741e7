//! The search for the next chunk where the chain of lengths is broken.

use std::io::{self, BufRead, Read, Seek};

use super::{Found, Framing, MOST_PADDING, Position, State};
use crate::chunk::{FIXED, u32_at, u64_at};
use crate::error::Cause;
use crate::format::{HEAD, op};

impl<R: Read + Seek> Framing<R> {
    /// Continues at the next chunk, if there is one, after the chain of lengths is broken.
    pub(super) fn lost(&mut self, offset: u64, cause: Cause) -> io::Result<Option<Found>> {
        let second_look = offset.saturating_sub(self.doubtful_from);
        let from = if second_look <= self.second_looks { self.doubtful_from.min(offset + 1) } else { offset + 1 };
        self.second_looks -= if from <= offset { second_look } else { 0 };
        self.source.seek(from)?;
        let resumed = self.find_chunk()?;
        let skipped = resumed.unwrap_or(self.source.length).saturating_sub(offset);
        self.pending = Some(self.damage(Position { offset, inside: None }, cause, skipped));
        match resumed {
            Some(resumed) => {
                self.source.seek(resumed)?;
                self.doubtful_from = resumed + 1;
            }
            None => self.state = State::Done,
        }
        Ok(None)
    }

    /// Returns the next position that looks like a chunk, from the present one on.
    fn find_chunk(&mut self) -> io::Result<Option<u64>> {
        let length = self.source.length;
        // The last few of the bytes that were searched may be the beginning of a chunk.
        let mut kept: Vec<u8> = Vec::new();
        loop {
            let there = self.source.fill_buf()?;
            let count = there.len();
            kept.extend_from_slice(there);
            self.source.consume(count);
            let first = self.source.position() - kept.len() as u64;
            let searched = if count == 0 { kept.len() } else { kept.len().saturating_sub(SIGNATURE) };
            for index in (0..searched).filter(|&index| kept[index] == op::CHUNK) {
                let offset = first + index as u64;
                if looks_like_chunk(&kept[index..], length - offset) {
                    return Ok(Some(offset));
                }
            }
            if count == 0 {
                return Ok(None);
            }
            kept.drain(..searched);
        }
    }

    /// Returns whether a record, or nothing at all, may begin at this position.
    pub(super) fn is_record(&mut self, offset: u64) -> io::Result<bool> {
        let left = self.source.length - offset;
        let mut head = Vec::new();
        self.source.aside(offset, |source| source.by_ref().take(HEAD).read_to_end(&mut head))?;
        let Some((opcode, length)) = head.split_first() else { return Ok(left == 0) };
        let fits = length.first_chunk().is_some_and(|length| u64::from_le_bytes(*length) <= left.saturating_sub(HEAD));
        Ok(fits && matches!(opcode, 1..=op::DATA_END | 0x80..))
    }
}

/// Returns whether a chunk may begin with these bytes of a file: its lengths agree with each other,
/// and its compression is known.
fn looks_like_chunk(bytes: &[u8], remaining: u64) -> bool {
    let Some((head, rest)) = bytes.split_at_checked(HEAD as usize + 32) else { return false };
    let length = u64_at(head, 1);
    let name_length = u32_at(head, HEAD as usize + 28) as usize;
    let Some((name, size)) = rest.split_at_checked(name_length) else { return false };
    let (Some(size), true) = (size.first_chunk(), matches!(name, b"" | b"zstd" | b"lz4")) else { return false };
    let (compressed, header) = (u64::from_le_bytes(*size), FIXED + name_length as u64);
    head[0] == op::CHUNK
        && length <= remaining.saturating_sub(HEAD)
        && length
            .checked_sub(header)
            .is_some_and(|records| compressed <= records && records - compressed < MOST_PADDING)
        && u64_at(head, HEAD as usize) <= u64_at(head, HEAD as usize + 8)
}

/// The number of bytes that `looks_like_chunk` needs.
const SIGNATURE: usize = (HEAD + FIXED) as usize + 4;
