//! Loading of chunks, and the checks of their length and content.

use std::io::{self, Read, Seek};

use super::{Body, Doubt, Found, Framing, MOST_PADDING, Position, State};
use crate::chunk::{self, Content};
use crate::error::Cause;
use crate::format::{HEAD, op};

impl<R: Read + Seek> Framing<R> {
    pub(super) fn chunk(&mut self, offset: u64, length: u64, available: u64) -> io::Result<Option<Found>> {
        let position = Position { offset, inside: None };
        let Some((header, header_length)) = chunk::read_header(&mut self.source)? else {
            let cause = match length.checked_sub(available) {
                Some(missing @ 1..) => Cause::CutOff { record: "chunk", missing },
                _ => Cause::Malformed { record: "chunk", reason: "its header does not match it".to_owned() },
            };
            return self.lost(offset, cause);
        };
        let in_file = available - header_length;
        let claimed = header.compressed_size;
        let data_begin = offset + HEAD + header_length;
        let by_length = (header_length..=available).contains(&length).then(|| offset + HEAD + length);
        let by_data = (claimed <= in_file).then(|| data_begin + claimed);
        let agree = by_data.zip(by_length).is_some_and(|(data, record)| (data..data + MOST_PADDING).contains(&record));
        // If the two do not agree, one of them is wrong, and a record follows at the other.
        let end = match (by_length, by_data) {
            (Some(end), _) if agree || self.is_record(end)? => end,
            (_, Some(end)) if self.is_record(end)? => end,
            (None, None) => self.source.length,
            _ => {
                let reason = format!("{claimed} bytes of data in a record of {length}");
                return self.lost(offset, Cause::Malformed { record: "chunk", reason });
            }
        };
        let is_cut = by_length.or(by_data).is_none();
        self.chunk.offset = offset;
        let there = claimed.min(end.saturating_sub(data_begin));
        let content = self.chunk.load(&mut self.source, &header, there, is_cut, self.memory_limit)?;
        self.source.read_to(end)?;
        self.doubtful_from =
            if matches!(content, Content::Whole) && header.uncompressed_crc != 0 { end } else { offset + 1 };
        match content {
            Content::Whole if !agree => {
                let reason = "one of its lengths is wrong; its data is correct and delivered".to_owned();
                self.pending = Some(self.damage(position, Cause::Malformed { record: "chunk", reason }, 0));
            }
            Content::Whole => {}
            Content::Cut => {
                let missing = claimed.min(length).saturating_sub(in_file);
                self.pending = Some(self.damage(position, Cause::CutOff { record: "chunk", missing }, 0));
            }
            Content::Doubtful(cause) => {
                let mut skipped = 0;
                if self.doubt == Doubt::Skip {
                    self.chunk.records.clear();
                    skipped = end - offset;
                }
                self.pending = Some(self.damage(position, cause, skipped));
            }
        }
        self.state = State::InChunk;
        Ok(Some(Found { position, opcode: op::CHUNK, body: Body::ChunkHeader(header) }))
    }
}
