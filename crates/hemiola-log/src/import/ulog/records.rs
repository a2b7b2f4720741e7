//! Reading of a ULog's records, in the order of the file, including those that were appended after
//! a crash, and those behind damage.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::error::LogError;

/// The kinds of records.
pub mod kind {
    pub const FLAGS: u8 = b'B';
    pub const FORMAT: u8 = b'F';
    pub const INFORMATION: u8 = b'I';
    pub const PARTS: u8 = b'M';
    pub const PARAMETER: u8 = b'P';
    pub const DEFAULT: u8 = b'Q';
    pub const SUBSCRIPTION: u8 = b'A';
    pub const UNSUBSCRIPTION: u8 = b'R';
    pub const DATA: u8 = b'D';
    pub const TEXT: u8 = b'L';
    pub const TAGGED_TEXT: u8 = b'C';
    pub const SYNC: u8 = b'S';
    pub const DROPOUT: u8 = b'O';
}

/// A record that occurs in a log from time to time, so that reading can continue there behind
/// damage.
const SYNC: [u8; 11] = [8, 0, kind::SYNC, 0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12];

/// The size beyond which bytes of an unknown kind are not a record.
const LARGEST_UNKNOWN: u64 = 10_000;

/// The bytes before a record's body: its length and its kind.
const HEAD: u64 = 3;

/// A ULog's records, read from front to back.
pub struct Records {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
    position: u64,
    /// The position at which the open record begins.
    begin: u64,
    body: Vec<u8>,
    /// The positions at which records were appended later; the record before may have been cut off
    /// there.
    appended: VecDeque<u64>,
}

/// The next part of a log.
pub enum Next {
    /// A record of this kind; [`Records::body`] returns its bytes.
    Record(u8),
    /// A part that cannot be read, with its position and how much is lost.
    Damaged(String),
    End,
}

impl Records {
    /// Opens a file. Also returns when the log begins, in microseconds.
    pub fn open(path: &Path) -> Result<(Self, u64), LogError> {
        let failed = |error| LogError::Open { path: path.to_owned(), error };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut records = Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 16, file),
            length,
            position: 0,
            begin: 0,
            body: Vec::new(),
            appended: VecDeque::new(),
        };
        records.read(16)?;
        match records.body.last_chunk::<8>() {
            Some(start) if records.body.len() == 16 => Ok((u64::from_le_bytes(*start), records)),
            _ => {
                let reason = format!("the file ends after {length} bytes, and the header of a ULog has 16");
                Err(LogError::Import { path: path.to_owned(), line: None, reason })
            }
        }
        .map(|(start, records)| (records, start))
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn begin(&self) -> u64 {
        self.begin
    }

    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// Moves to the next record.
    pub fn next(&mut self) -> Result<Next, LogError> {
        // Only positions ahead count: a file can claim anything.
        while self.appended.front().is_some_and(|&offset| offset <= self.position) {
            self.appended.pop_front();
        }
        let end = self.appended.front().copied().unwrap_or(self.length);
        self.begin = self.position;
        if self.position >= end {
            return Ok(Next::End);
        }
        self.read(HEAD.min(end - self.position))?;
        let Some(&[low, high, kind]) = self.body.first_chunk::<3>() else { return self.cut(end) };
        let length = u64::from(u16::from_le_bytes([low, high]));
        // A later version may have other kinds, and bytes that are not a record may look like them.
        let is_known = b"BFIMPQARDLCSO".contains(&kind);
        if length == 0 || !is_known && (!kind.is_ascii_alphabetic() || length > LARGEST_UNKNOWN) {
            return self.resynchronise();
        }
        if length > end - self.position {
            return self.cut(end);
        }
        self.read(length)?;
        Ok(Next::Record(kind))
    }

    /// Reports a record that is not whole: the log ends here, or continues where more was appended.
    fn cut(&mut self, end: u64) -> Result<Next, LogError> {
        let left = end - self.begin;
        let reason = match self.appended.pop_front() {
            Some(_) => "what stands before the data that was appended later ends in a record",
            None => "the file ends in a record",
        };
        self.seek(end)?;
        Ok(Next::Damaged(format!("byte {}: {reason}; {left} bytes are left out", self.begin)))
    }

    /// Moves to the next synchronisation record, which writers leave for this.
    fn resynchronise(&mut self) -> Result<Next, LogError> {
        let from = self.begin;
        self.seek(from + 1)?;
        let mut window = Vec::new();
        loop {
            let base = self.position - window.len() as u64;
            self.read(1 << 16)?;
            window.extend_from_slice(&self.body);
            if let Some(found) = window.windows(SYNC.len()).position(|bytes| bytes == SYNC) {
                let found = base + found as u64;
                self.seek(found)?;
                return Ok(Next::Damaged(format!(
                    "byte {from}: no record begins here; {} bytes are left out",
                    found - from
                )));
            }
            if self.position >= self.length {
                let left = self.length - from;
                return Ok(Next::Damaged(format!(
                    "byte {from}: no record begins here, and no synchronisation follows; {left} bytes are left out"
                )));
            }
            window.drain(..window.len().saturating_sub(SYNC.len() - 1));
        }
    }

    /// Skips everything that follows.
    pub fn stop(&mut self) {
        self.position = self.length;
        self.appended.clear();
    }

    /// Reads the flags in the open record, which describe the rest of the file.
    pub fn flags(&mut self) -> Result<(), String> {
        let Some(offsets) = self.body.get(16..40) else {
            return Err(format!("flags of {} bytes, but 40 are needed", self.body.len()));
        };
        let unknown: Vec<_> = self.body[8..16]
            .iter()
            .enumerate()
            .map(|(index, &flags)| if index == 0 { flags & !1 } else { flags })
            .collect();
        let has_appended = self.body[8] & 1 == 1;
        let offsets = offsets.as_chunks::<8>().0.iter().map(|offset| u64::from_le_bytes(*offset));
        if has_appended {
            self.appended = offsets.filter(|&offset| offset > self.position && offset < self.length).collect();
            self.appended.make_contiguous().sort_unstable();
        }
        match unknown.iter().any(|&flags| flags != 0) {
            true => Err("the log has flags of a later version, so that it may be misread".to_owned()),
            false => Ok(()),
        }
    }

    /// Reads the next bytes into the body, as many as there are up to `count`.
    fn read(&mut self, count: u64) -> Result<(), LogError> {
        self.body.clear();
        let read = self.file.by_ref().take(count).read_to_end(&mut self.body);
        self.position += read.map_err(|error| self.failed(error))? as u64;
        Ok(())
    }

    fn seek(&mut self, position: u64) -> Result<(), LogError> {
        self.file.seek(SeekFrom::Start(position)).map_err(|error| self.failed(error))?;
        self.position = position;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> LogError {
        LogError::Read { path: self.path.clone(), offset: self.position, error }
    }
}
