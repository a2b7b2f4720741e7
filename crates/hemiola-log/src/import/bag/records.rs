//! Reading of a bag's records, in the order of the file, and the search for the next one behind
//! damage.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bzip2::read::BzDecoder;
use lz4_flex::frame::FrameDecoder;

use super::header::{Header, op};
use crate::error::LogError;

/// The size that no recorder's chunk exceeds (their default is 768 KiB, or one message); each is in
/// memory as a whole.
const LARGEST_CHUNK: u64 = 1 << 30;
/// The largest size of a header, which holds a topic and a few numbers.
const LARGEST_HEADER: u32 = 1 << 16;
/// The number of bytes that are searched at first for a record behind damage; it doubles each time.
const FIRST_WINDOW: u64 = 1 << 12;
const LARGEST_WINDOW: u64 = 1 << 20;

/// A bag's records, read from front to back.
pub struct Records {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
    position: u64,
    /// The records of a chunk, or a record that is in no chunk.
    open: Vec<u8>,
    /// The position in the file at which they begin.
    begin: u64,
    /// The position at which the bag's index should begin; 0 if none was written.
    index: u64,
    was_cut: bool,
    /// A description of what is lost of the open chunk.
    lost: Option<String>,
}

/// A range of bytes of the records that are open.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    begin: usize,
    end: usize,
}

/// The next part of a bag.
pub enum Next {
    /// Records, which [`Records::inside`] returns.
    Records,
    /// A record that is not needed when the bag is read from front to back.
    Skipped,
    /// A part that cannot be read, with its position and how much is lost.
    Damaged(String),
    End,
}

impl Records {
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let failed = |error| LogError::Open { path: path.to_owned(), error };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut records = Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 16, file),
            length,
            position: 0,
            open: Vec::new(),
            begin: 0,
            index: 0,
            was_cut: false,
            lost: None,
        };
        let mut first = Vec::new();
        records.read(13, &mut first)?;
        if first != b"#ROSBAG V2.0\n" {
            let version = String::from_utf8_lossy(&first[super::MAGIC.len().min(first.len())..]).trim().to_owned();
            let reason = format!(
                "a bag of version {version}, but only 2.0 is supported; `rosbag fix IN.bag OUT.bag` of ROS 1 converts it"
            );
            return Err(LogError::Import { path: path.to_owned(), line: Some(1), reason });
        }
        Ok(records)
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the position in the file at which the open records begin.
    pub fn begin(&self) -> u64 {
        self.begin
    }

    pub fn bytes(&self, span: Span) -> &[u8] {
        &self.open[span.begin..span.end]
    }

    /// Returns the reason why the bag has no end, if it has none.
    pub fn unfinished(&self) -> Option<String> {
        match self.index {
            _ if self.was_cut => None,
            0 => Some("the bag has no index: its recorder was killed or is still running; all that it had written is imported".to_owned()),
            index if index > self.length => {
                Some(format!("the file ends {} bytes before the index of the bag; all that is there is imported", index - self.length))
            }
            _ => None,
        }
    }

    /// Moves to the next record of the file.
    pub fn next(&mut self) -> Result<Next, LogError> {
        if self.position >= self.length {
            return Ok(Next::End);
        }
        self.begin = self.position;
        let Some(header) = self.header()? else { return self.resynchronise("no record begins here") };
        let Some(length) = self.number()? else { return self.resynchronise("the file ends in a record") };
        let there = self.length - self.position;
        match header.op {
            op::CHUNK => self.chunk(&header, u64::from(length)),
            op::CONNECTION | op::MESSAGE if u64::from(length) <= there => {
                // The record is read with its header, as it would be in a chunk.
                let end = self.position + u64::from(length);
                self.seek(self.begin)?;
                self.open.clear();
                let mut open = std::mem::take(&mut self.open);
                let read = self.read(end - self.begin, &mut open);
                self.open = open;
                read.map(|()| Next::Records)
            }
            _ if u64::from(length) > there => self.resynchronise(&format!(
                "the file ends {} bytes before the end of a record",
                u64::from(length) - there
            )),
            _ => {
                if header.op == op::BAG {
                    self.index = header.index_position.unwrap_or_default();
                }
                self.seek(self.position + u64::from(length))?;
                Ok(Next::Skipped)
            }
        }
    }

    /// Opens a chunk, of which all that is whole can be read.
    fn chunk(&mut self, header: &Header, length: u64) -> Result<Next, LogError> {
        let there = length.min(self.length - self.position);
        let end = self.position + there;
        let compression = header.compression.as_deref().unwrap_or("none");
        let size = u64::from(header.size.unwrap_or_default());
        let missing = length - there;
        self.was_cut |= missing > 0;
        if size > LARGEST_CHUNK {
            self.seek(end)?;
            let begin = self.begin;
            return Ok(Next::Damaged(format!(
                "byte {begin}: a chunk of {size} bytes is left out, because at most {LARGEST_CHUNK} are allowed"
            )));
        }
        self.open.clear();
        let input = self.file.by_ref().take(there);
        let result = match compression {
            "none" => input.take(LARGEST_CHUNK).read_to_end(&mut self.open),
            "bz2" => BzDecoder::new(input).take(size + 1).read_to_end(&mut self.open),
            "lz4" => FrameDecoder::new(input).take(size + 1).read_to_end(&mut self.open),
            other => {
                let reason = format!(
                    "byte {}: a chunk compressed with `{other}` is left out; supported are none, bz2 and lz4",
                    self.begin
                );
                self.seek(end)?;
                return Ok(Next::Damaged(reason));
            }
        };
        // The decompressor leaves the file at some position.
        self.seek(end)?;
        let found = self.open.len() as u64;
        let lost = match result {
            _ if missing > 0 => format!("the file ends {missing} bytes before the end of a chunk"),
            Err(error) => format!("a chunk cannot be decompressed ({compression}): {error}"),
            Ok(_) if compression != "none" && found != size => {
                format!("a chunk has {found} bytes of records instead of {size}")
            }
            Ok(_) => return Ok(Next::Records),
        };
        // The bytes that were unpacked are read as far as they are valid, and what is lost is
        // reported there.
        if compression != "none" {
            self.open.truncate(size as usize);
        }
        self.lost = Some(format!("byte {}: {lost}", self.begin));
        Ok(Next::Records)
    }

    /// Returns the record at a position of those that are open, with its place in the file and its
    /// data; or the reason why there is none.
    pub fn inside(&mut self, position: &mut usize) -> Option<Result<(u64, Header, Span), String>> {
        let at = *position;
        if at >= self.open.len() {
            return self
                .lost
                .take()
                .map(|lost| Err(format!("{lost}; all {at} bytes that could be decompressed are imported")));
        }
        let record = record(&self.open, at);
        if let Some((header, span)) = record {
            *position = span.end;
            return Some(Ok((self.begin, header, span)));
        }
        let left = self.open.len() - at;
        *position = self.open.len();
        let what = self
            .lost
            .take()
            .unwrap_or_else(|| format!("byte {}: no record begins at byte {at} of a chunk's records", self.begin));
        Some(Err(format!("{what}; from there on {left} bytes are left out")))
    }

    /// Reads the header of the record at the position; `None` if there is none.
    fn header(&mut self) -> Result<Option<Header>, LogError> {
        let Some(length) = self.number()? else { return Ok(None) };
        if length > LARGEST_HEADER || u64::from(length) > self.length - self.position {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.read(u64::from(length), &mut bytes)?;
        Ok(Header::parse(&bytes))
    }

    fn number(&mut self) -> Result<Option<u32>, LogError> {
        let mut bytes = Vec::new();
        self.read(4, &mut bytes)?;
        Ok(bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)))
    }

    /// Searches for the next record, and moves there.
    fn resynchronise(&mut self, reason: &str) -> Result<Next, LogError> {
        let from = self.begin;
        let (mut window, mut size) = (Vec::new(), FIRST_WINDOW);
        self.seek(from + 1)?;
        loop {
            let base = self.position - window.len() as u64;
            self.read(size, &mut window)?;
            size = (2 * size).min(LARGEST_WINDOW);
            if let Some(found) = (0..window.len()).find(|&at| begins(&window[at..])) {
                let found = base + found as u64;
                self.seek(found)?;
                return Ok(Next::Damaged(format!("byte {from}: {reason}; {} bytes are left out", found - from)));
            }
            if self.position >= self.length {
                self.was_cut = true;
                return Ok(Next::Damaged(format!(
                    "byte {from}: {reason}, nor after it; {} bytes are left out",
                    self.length - from
                )));
            }
            // A header may continue in the bytes that are read next.
            window.drain(..window.len().saturating_sub(LARGEST_HEADER as usize + 4));
        }
    }

    /// Appends the next bytes, as many as there are up to `count`.
    fn read(&mut self, count: u64, into: &mut Vec<u8>) -> Result<(), LogError> {
        let read = self.file.by_ref().take(count).read_to_end(into);
        let read = read.map_err(|error| self.failed(error))?;
        self.position += read as u64;
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

/// Returns the header and the data of the record that begins at this position.
fn record(bytes: &[u8], at: usize) -> Option<(Header, Span)> {
    let number = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    let end = (at + 4).checked_add(number(at)?)?;
    let header = Header::parse(bytes.get(at + 4..end)?)?;
    let (begin, length) = (end + 4, number(end)?);
    let end = begin.checked_add(length).filter(|&end| end <= bytes.len())?;
    Some((header, Span { begin, end }))
}

/// Returns whether these are the first bytes of a record.
fn begins(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return false };
    let length = u32::from_le_bytes(*length);
    length <= LARGEST_HEADER && rest.get(..length as usize).is_some_and(|header| Header::parse(header).is_some())
}
