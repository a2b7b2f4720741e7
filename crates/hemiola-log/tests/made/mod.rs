//! Logs made for a test.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::io::Cursor;

use hemiola_log::{Doubt, Entry, LogError, LogReader};
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions};

/// The way in which a log is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Chunks,
    Zstd,
    Lz4,
}

pub const KINDS: [Kind; 4] = [Kind::Plain, Kind::Chunks, Kind::Zstd, Kind::Lz4];

/// Makes a log of forty messages, four in a chunk; a message's bytes follow from its number.
pub fn log(kind: Kind) -> Vec<u8> {
    let options = WriteOptions::new()
        .profile("ros2")
        .compression_threads(0)
        .disable_seeking(true)
        .chunk_size(None)
        .use_chunks(kind != Kind::Plain)
        .compression(match kind {
            Kind::Zstd => Some(Compression::Zstd),
            Kind::Lz4 => Some(Compression::Lz4),
            Kind::Plain | Kind::Chunks => None,
        });
    let mut bytes = Vec::new();
    let mut writer = options.create(Cursor::new(&mut bytes)).expect("memory can be written");
    let schema = writer.add_schema("std_msgs/msg/UInt32", "ros2msg", b"uint32 data\n").expect("as before");
    let channel = writer.add_channel(schema, "/count", "cdr", &Default::default()).expect("as before");
    for number in 0..MESSAGES {
        let time = u64::from(number) * 1_000_000;
        let header = MessageHeader { channel_id: channel, sequence: number, log_time: time, publish_time: time };
        writer.write_to_known_channel(&header, &message(number)).expect("as before");
        if number % PER_CHUNK == PER_CHUNK - 1 {
            writer.flush().expect("as before");
        }
    }
    writer.finish().expect("as before");
    drop(writer);
    bytes
}

pub const MESSAGES: u32 = 40;
pub const PER_CHUNK: u32 = 4;

/// Makes a message of a number, and enough bytes to make compressing a chunk worthwhile.
pub fn message(number: u32) -> Vec<u8> {
    let mut bytes = vec![0, 1, 0, 0];
    bytes.extend(number.to_le_bytes());
    bytes.extend((0..24).map(|index| (number as u8).wrapping_mul(31).wrapping_add(index / 8)));
    bytes
}

/// The messages and errors that reading a log gives.
#[derive(Debug, Default)]
pub struct Readable {
    pub messages: Vec<(u32, Vec<u8>)>,
    pub errors: Vec<LogError>,
}

impl Readable {
    pub fn of(bytes: &[u8]) -> Self {
        Self::with(bytes, Doubt::Skip)
    }

    /// Reads a log. This ends: whatever the bytes are, there are not more steps than bytes.
    pub fn with(bytes: &[u8], doubt: Doubt) -> Self {
        let mut readable = Self::default();
        let mut log = match LogReader::with(Cursor::new(bytes), "made.mcap".into(), doubt, 1 << 20) {
            Ok(log) => log,
            Err(error) => {
                readable.errors.push(error);
                return readable;
            }
        };
        let mut steps = 0;
        while let Some(entry) = log.next_entry() {
            steps += 1;
            assert!(steps <= 10_000, "more than could be in {} bytes", bytes.len());
            match entry {
                Ok(Entry::Message(message)) => {
                    _ = message.decode();
                    readable.messages.push((message.sequence, message.data.to_vec()));
                }
                Ok(_) => {}
                Err(error) => readable.errors.push(error),
            }
        }
        readable
    }

    pub fn numbers(&self) -> Vec<u32> {
        self.messages.iter().map(|(number, _)| *number).collect()
    }

    /// Checks that every message is one that was written, and that every error contains its place.
    pub fn check(&self, length: usize) {
        for (number, data) in &self.messages {
            assert_eq!(*data, message(*number), "message {number}");
        }
        for error in &self.errors {
            let text = error.to_string();
            assert!(text.contains("made.mcap") && text.contains("byte "), "{text}");
            if let Some(damage) = error.damage() {
                assert!(damage.offset <= length as u64 && text.contains("log recover"), "{text}");
            }
        }
    }
}

/// Returns where chunks begin, or messages where there are none, with the first message's number.
pub fn beginnings(bytes: &[u8], kind: Kind) -> Vec<(usize, u32)> {
    let mut beginnings = Vec::new();
    let mut log = LogReader::new(Cursor::new(bytes), "made.mcap").expect("it is a log");
    let mut next = 0;
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.expect("it is whole") {
            if kind == Kind::Plain || next % PER_CHUNK == 0 {
                beginnings.push((message.offset as usize, next));
            }
            next += 1;
        }
    }
    assert_eq!(next, MESSAGES);
    beginnings
}
