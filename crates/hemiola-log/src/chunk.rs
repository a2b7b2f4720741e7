//! Chunks: runs of records, usually compressed, with a checksum.

use std::io::{self, BufRead, Read, Seek};

use lz4_flex::frame::FrameDecoder;

use crate::format::ChunkHeader;

use crate::error::Cause;
use crate::source::Source;

/// The number of bytes of a chunk's header around its compression's name.
pub const FIXED: u64 = 8 + 8 + 8 + 4 + 4 + 8;
/// The length that no compression's name exceeds.
const LONGEST_NAME: u32 = 32;

/// The chunk that is in memory. There is one at a time.
#[derive(Default)]
pub struct Chunk {
    /// The records, as far as they could be decompressed.
    pub records: Vec<u8>,
    /// The position of the next record in them.
    pub next: usize,
    /// The position in the file at which the chunk begins.
    pub offset: u64,
}

/// The degree to which a chunk can be trusted.
pub enum Content {
    /// The chunk is what was written; or it has no checksum, and nothing indicates damage.
    Whole,
    /// The chunk is what was written, as far as it goes.
    Cut,
    /// Some bytes are wrong, and it is unknown which.
    Doubtful(Cause),
}

/// Reads the header of a chunk at the source's position. Returns it, and how many bytes it takes.
pub fn read_header<R: Read + Seek>(source: &mut Source<R>) -> io::Result<Option<(ChunkHeader, u64)>> {
    let mut fixed = [0; FIXED as usize - 8];
    if source.remaining() < FIXED {
        return Ok(None);
    }
    source.read_exact(&mut fixed)?;
    let name_length = u32_at(&fixed, 28);
    if name_length > LONGEST_NAME || u64::from(name_length) + 8 > source.remaining() {
        return Ok(None);
    }
    let mut name = vec![0; name_length as usize];
    source.read_exact(&mut name)?;
    let Ok(compression) = String::from_utf8(name) else { return Ok(None) };
    let mut compressed_size = [0; 8];
    source.read_exact(&mut compressed_size)?;
    let header = ChunkHeader {
        message_start_time: u64_at(&fixed, 0),
        message_end_time: u64_at(&fixed, 8),
        uncompressed_size: u64_at(&fixed, 16),
        uncompressed_crc: u32_at(&fixed, 24),
        compression,
        compressed_size: u64::from_le_bytes(compressed_size),
    };
    Ok(Some((header, FIXED + u64::from(name_length))))
}

impl Chunk {
    /// Loads the next `available` bytes of the source; where the file is cut off, there were
    /// originally more.
    pub fn load<R: Read + Seek>(
        &mut self,
        source: &mut Source<R>,
        header: &ChunkHeader,
        available: u64,
        is_cut: bool,
        limit: u64,
    ) -> io::Result<Content> {
        self.records.clear();
        self.next = 0;
        let end = source.position() + available;
        let decompressed = self.decompress(source.by_ref().take(available), &header.compression, limit);
        // This fails if the disk fails, which is not a failure of the data.
        source.read_to(end)?;
        Ok(match decompressed {
            Err(cause @ (Cause::TooLarge { .. } | Cause::UnknownCompression { .. })) => Content::Doubtful(cause),
            _ if is_cut => Content::Cut,
            Err(cause) => Content::Doubtful(cause),
            Ok(()) => self.check(header),
        })
    }

    /// Decompresses the records, and keeps those from before an error.
    fn decompress(&mut self, input: impl BufRead, compression: &str, limit: u64) -> Result<(), Cause> {
        let result = match compression {
            "" => input.take(limit + 1).read_to_end(&mut self.records),
            "zstd" => zstd::Decoder::with_buffer(input)
                .and_then(|decoder| decoder.take(limit + 1).read_to_end(&mut self.records)),
            "lz4" => FrameDecoder::new(input).take(limit + 1).read_to_end(&mut self.records),
            other => return Err(Cause::UnknownCompression { compression: other.to_owned() }),
        };
        match result {
            _ if self.records.len() as u64 > limit => Err(Cause::TooLarge { record: "chunk", limit }),
            Err(error) => Err(Cause::Compression { compression: compression.to_owned(), reason: error.to_string() }),
            Ok(_) => Ok(()),
        }
    }

    fn check(&self, header: &ChunkHeader) -> Content {
        let found = self.records.len() as u64;
        if found != header.uncompressed_size {
            let reason = format!("it has {found} bytes of records instead of {}", header.uncompressed_size);
            return Content::Doubtful(Cause::Malformed { record: "chunk", reason });
        }
        let (stored, computed) = (header.uncompressed_crc, crc32fast::hash(&self.records));
        match stored {
            // The chunk has no checksum.
            0 => Content::Whole,
            _ if stored == computed => Content::Whole,
            _ => Content::Doubtful(Cause::Checksum { of: "chunk", stored, computed }),
        }
    }
}

pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
