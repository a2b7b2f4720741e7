//! The bytes of a file, with a position and a running checksum.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The number of bytes that are read from the file at once.
const BUFFER: usize = 256 * 1024;

/// Reads a file from front to back, and elsewhere on request.
pub struct Source<R> {
    input: BufReader<R>,
    pub path: PathBuf,
    /// The length of the file when it was opened; what is appended later is not read.
    pub length: u64,
    position: u64,
    /// The checksum of all bytes from the beginning to the position, unless some were skipped.
    checksum: Option<crc32fast::Hasher>,
}

impl<R: Read + Seek> Source<R> {
    pub fn new(mut input: R, path: PathBuf) -> io::Result<Self> {
        let length = input.seek(SeekFrom::End(0))?;
        input.seek(SeekFrom::Start(0))?;
        let checksum = Some(crc32fast::Hasher::new());
        Ok(Self { input: BufReader::with_capacity(BUFFER, input), path, length, position: 0, checksum })
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn remaining(&self) -> u64 {
        self.length.saturating_sub(self.position)
    }

    /// Returns the checksum of all bytes so far, if all were read.
    pub fn checksum(&self) -> Option<u32> {
        self.checksum.as_ref().map(|checksum| checksum.clone().finalize())
    }

    pub fn seek(&mut self, position: u64) -> io::Result<()> {
        if position != self.position {
            // Positions are those of files, which do not exceed `i64`.
            self.input.seek_relative(position.wrapping_sub(self.position) as i64)?;
            self.position = position;
            self.checksum = None;
        }
        Ok(())
    }

    /// Moves to the first byte.
    pub fn restart(&mut self) -> io::Result<()> {
        self.seek(0)?;
        self.checksum = Some(crc32fast::Hasher::new());
        Ok(())
    }

    /// Calls `act` at another position of the file and moves back.
    pub fn aside<T>(&mut self, position: u64, act: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<T> {
        let (back, checksum) = (self.position, self.checksum.take());
        let result = self.seek(position).and_then(|()| act(self));
        self.seek(back)?;
        self.checksum = checksum;
        result
    }

    /// Continues reading to this position, which is not behind the end.
    pub fn read_to(&mut self, position: u64) -> io::Result<()> {
        while self.position < position {
            let wanted = position - self.position;
            let there = self.fill_buf()?.len();
            if there == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.consume(there.min(usize::try_from(wanted).unwrap_or(usize::MAX)));
        }
        Ok(())
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(into.len());
        into[..count].copy_from_slice(&there[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Source<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let remaining = self.length.saturating_sub(self.position);
        if remaining == 0 {
            return Ok(&[]);
        }
        let there = self.input.fill_buf()?;
        Ok(&there[..there.len().min(usize::try_from(remaining).unwrap_or(usize::MAX))])
    }

    fn consume(&mut self, count: usize) {
        if let Some(checksum) = &mut self.checksum {
            checksum.update(&self.input.buffer()[..count]);
        }
        self.input.consume(count);
        self.position += count as u64;
    }
}
