//! Logs in memory, message by message, and as files that consist of records only: fast to read,
//! change and write, for tests that do so very often.

use std::collections::BTreeMap;
use std::path::Path;

use hemiola::log::{Entry, LogReader};

/// A log in memory.
pub struct PlainLog {
    pub messages: Vec<PlainMessage>,
    /// The metadata about the log's robot.
    pub about: BTreeMap<String, String>,
}

#[derive(Clone)]
pub struct PlainMessage {
    pub topic: String,
    /// The name, the definition and the hash of the message's type.
    pub schema: (String, String, String),
    pub sequence: u32,
    pub logged: u64,
    pub published: u64,
    pub data: Vec<u8>,
}

impl PlainLog {
    /// Reads a complete log.
    pub fn read(path: &Path) -> Self {
        let mut log = LogReader::open(path).unwrap();
        let (mut messages, mut about) = (Vec::new(), BTreeMap::new());
        while let Some(entry) = log.next_entry() {
            match entry.unwrap() {
                Entry::Metadata(metadata) if metadata.name == ABOUT => about = metadata.entries,
                Entry::Message(message) => {
                    let schema = message.channel.schema.as_ref().unwrap();
                    let text = String::from_utf8(schema.data.clone()).unwrap();
                    messages.push(PlainMessage {
                        topic: message.channel.topic.clone(),
                        schema: (schema.name.clone(), text, message.channel.metadata["topic_type_hash"].clone()),
                        sequence: message.sequence,
                        logged: message.log_time.nanoseconds(),
                        published: message.publish_time.nanoseconds(),
                        data: message.data.to_vec(),
                    });
                }
                _ => {}
            }
        }
        Self { messages, about }
    }
}

/// The name of the metadata about a log's robot.
const ABOUT: &str = "hemiola";
const MAGIC: &[u8] = b"\x89MCAP0\r\n";

/// Writes a log without chunks, index and checksums, and without a thread that waits for the disk:
/// these tests need only the records.
pub fn write_plainly<'m>(
    path: &Path,
    about: &BTreeMap<String, String>,
    messages: impl IntoIterator<Item = &'m PlainMessage>,
) {
    let mut log = MAGIC.to_vec();
    record(&mut log, 1, &[&text("ros2")[..], &text("test")].concat());
    record(&mut log, 12, &[&text(ABOUT)[..], &texts(about)].concat());
    let mut channels: BTreeMap<&str, u16> = BTreeMap::new();
    for message in messages {
        let number = channels.len() as u16 + 1;
        let channel = *channels.entry(&message.topic).or_insert_with(|| {
            let (name, definition, type_hash) = &message.schema;
            let id = number.to_le_bytes();
            record(&mut log, 3, &[&id[..], &text(name), &text("ros2msg"), &text(definition)].concat());
            let metadata = texts(&[("topic_type_hash".to_owned(), type_hash.clone())].into());
            record(&mut log, 4, &[&id[..], &id, &text(&message.topic), &text("cdr"), &metadata].concat());
            number
        });
        let (logged, published) = (message.logged.to_le_bytes(), message.published.to_le_bytes());
        let head = [&channel.to_le_bytes()[..], &message.sequence.to_le_bytes(), &logged, &published];
        record(&mut log, 5, &[&head.concat()[..], &message.data].concat());
    }
    record(&mut log, 15, &[0; 4]);
    record(&mut log, 2, &[0; 20]);
    log.extend_from_slice(MAGIC);
    std::fs::write(path, log).unwrap();
}

fn record(log: &mut Vec<u8>, kind: u8, content: &[u8]) {
    log.push(kind);
    log.extend((content.len() as u64).to_le_bytes());
    log.extend_from_slice(content);
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
}

fn texts(entries: &BTreeMap<String, String>) -> Vec<u8> {
    let entries: Vec<u8> = entries.iter().flat_map(|(key, value)| [text(key), text(value)].concat()).collect();
    [&(entries.len() as u32).to_le_bytes()[..], &entries].concat()
}
