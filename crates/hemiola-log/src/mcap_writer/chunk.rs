//! A chunk that is being filled: in the output, or in the memory from which it is compressed.

use std::io::{self, Write};

use hemiola_model::configuration::LogCompression;
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};

use super::Output;
use crate::format::{ChunkHeader, ChunkIndex, HEAD, op, write};

/// The size at which a chunk ends, unless a flush ends it before.
const FULL: usize = 1 << 20;
/// The number of bytes whose checksum is computed at once, while they are still in the cache.
const CHECKED_AT_ONCE: usize = 128 << 10;

pub struct OpenChunk {
    /// The position at which its first record begins, in the memory to which it is written.
    begin: usize,
    /// The position up to which the checksum has been computed.
    checked: usize,
    checksum: crc32fast::Hasher,
    /// The times at which its first and its last message were logged.
    times: Option<(u64, u64)>,
}

/// The records of a chunk, which is compressed as a whole.
pub struct Compressor {
    pub records: Vec<u8>,
    codec: Codec,
}

enum Codec {
    Lz4,
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    pub fn new(compression: LogCompression) -> io::Result<Option<Self>> {
        let codec = match compression {
            LogCompression::None => return Ok(None),
            LogCompression::Lz4 => Codec::Lz4,
            LogCompression::Zstd => Codec::Zstd(zstd::bulk::Compressor::new(zstd::DEFAULT_COMPRESSION_LEVEL)?),
        };
        Ok(Some(Self { records: Vec::new(), codec }))
    }

    fn name(&self) -> &'static str {
        match self.codec {
            Codec::Lz4 => "lz4",
            Codec::Zstd(_) => "zstd",
        }
    }

    fn compress(&mut self, to: &mut Vec<u8>) -> io::Result<()> {
        match &mut self.codec {
            Codec::Lz4 => {
                // The blocks are small, so that at most one of them is lost of a chunk that is cut
                // off; each may refer to those before.
                let blocks = FrameInfo::new().block_size(BlockSize::Max64KB).block_mode(BlockMode::Linked);
                let mut encoder = FrameEncoder::with_frame_info(blocks, to);
                encoder.write_all(&self.records)?;
                encoder.finish()?;
                Ok(())
            }
            Codec::Zstd(compressor) => {
                let begin = to.len();
                to.resize(begin + zstd::zstd_safe::compress_bound(self.records.len()), 0);
                let length = compressor.compress_to_buffer(&self.records, &mut to[begin..])?;
                to.truncate(begin + length);
                Ok(())
            }
        }
    }
}

impl OpenChunk {
    pub fn begin(output: &mut impl Output, compressor: Option<&mut Compressor>) -> Self {
        let begin = match compressor {
            Some(compressor) => {
                compressor.records.clear();
                0
            }
            // The header is filled in when the chunk ends.
            None => begin_record(&empty(""), output.pending()).1,
        };
        Self { begin, checked: begin, checksum: crc32fast::Hasher::new(), times: None }
    }

    /// Counts a message that begins at this position, and returns its position in the chunk.
    #[inline]
    pub fn count(&mut self, time: u64, begin: usize) -> u64 {
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
        (begin - self.begin) as u64
    }

    /// Adds what was written to the checksum, and returns whether the chunk is large enough.
    #[inline]
    pub fn is_full(&mut self, records: &[u8]) -> bool {
        if records.len() - self.checked >= CHECKED_AT_ONCE {
            self.checksum.update(&records[self.checked..]);
            self.checked = records.len();
        }
        records.len() - self.begin >= FULL
    }

    /// Completes the chunk's record. The caller writes the indexes of its messages.
    pub fn end(mut self, output: &mut impl Output, compressor: Option<&mut Compressor>) -> io::Result<ChunkIndex> {
        let pending = output.pending();
        let records = compressor.as_ref().map_or(&*pending, |compressor| &compressor.records);
        self.checksum.update(&records[self.checked..]);
        let uncompressed_size = (records.len() - self.begin) as u64;
        let (message_start_time, message_end_time) = self.times.unwrap_or_default();
        let mut header = ChunkHeader {
            message_start_time,
            message_end_time,
            uncompressed_size,
            uncompressed_crc: self.checksum.finalize(),
            ..empty(compressor.as_ref().map_or("", |compressor| compressor.name()))
        };
        let (begin, data) = match compressor {
            Some(compressor) => {
                let places = begin_record(&header, pending);
                compressor.compress(pending)?;
                places
            }
            None => (self.begin - header_length(""), self.begin),
        };
        header.compressed_size = (pending.len() - data) as u64;
        let mut bytes = Vec::with_capacity(header_length(&header.compression));
        write::chunk_header(&header, &mut bytes);
        pending[data - bytes.len()..data].copy_from_slice(&bytes);
        write::end(begin, pending);
        let chunk_length = (pending.len() - begin) as u64;
        Ok(ChunkIndex {
            message_start_time,
            message_end_time,
            chunk_start_offset: output.position() - chunk_length,
            chunk_length,
            message_index_offsets: Default::default(),
            message_index_length: 0,
            compression: header.compression,
            compressed_size: header.compressed_size,
            uncompressed_size,
        })
    }
}

fn empty(compression: &str) -> ChunkHeader {
    ChunkHeader {
        message_start_time: 0,
        message_end_time: 0,
        uncompressed_size: 0,
        uncompressed_crc: 0,
        compression: compression.to_owned(),
        compressed_size: 0,
    }
}

/// Begins the record. Returns the positions of the record and of the chunk's content.
fn begin_record(header: &ChunkHeader, to: &mut Vec<u8>) -> (usize, usize) {
    let begin = write::begin(op::CHUNK, to);
    write::chunk_header(header, to);
    (begin, to.len())
}

/// Returns the length of a chunk's record without its content.
fn header_length(compression: &str) -> usize {
    HEAD as usize + crate::chunk::FIXED as usize + compression.len()
}
