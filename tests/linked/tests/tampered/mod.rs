//! Logs in which one message is not as it was.

use std::collections::BTreeMap;
use std::path::Path;

use hemiola::Time;
use hemiola::cdr::MessageSchema;
use hemiola::log::{Entry, LogCompression, LogReader, LogWriter, Origin};

/// Copies a log, in which one message of a topic has another last byte.
pub fn tampered(from: &Path, to: &Path, topic: &str, number: u32) {
    let mut log = LogReader::open(from).unwrap();
    let mut copy = LogWriter::create(to, LogCompression::None).unwrap();
    let mut channels = BTreeMap::new();
    while let Some(entry) = log.next_entry() {
        match entry.unwrap() {
            Entry::Metadata(metadata) => copy.metadata(&metadata.name, metadata.entries).unwrap(),
            Entry::Message(message) => {
                let channel = *channels.entry(message.channel.topic.clone()).or_insert_with(|| {
                    let schema = message.channel.schema.as_ref().unwrap();
                    let (name, text) = (schema.name.clone(), String::from_utf8(schema.data.clone()).unwrap());
                    let type_hash = message.channel.metadata["topic_type_hash"].clone();
                    copy.channel(&message.channel.topic, &MessageSchema { name, text, type_hash }).unwrap()
                });
                let time = |nanoseconds: u64| Time::from_nanoseconds(nanoseconds as i64);
                let (logged, published) =
                    (time(message.log_time.nanoseconds()), time(message.publish_time.nanoseconds()));
                let mut data = message.data.to_vec();
                if (message.channel.topic.as_str(), message.sequence) == (topic, number) {
                    *data.last_mut().unwrap() ^= 0x10;
                }
                copy.write(channel, Origin { sequence: message.sequence, logged, published }, &data).unwrap();
            }
            _ => {}
        }
    }
    copy.finish().unwrap();
}
