//! Bags of ROS 1, in version 2.0 of the format (wiki.ros.org/Bags/Format/2.0).
//!
//! Bags are read from front to back, and not by their index: so a bag without an index, whose
//! recorder was killed, is read in the same way.

mod header;
mod message;
mod records;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::cdr::MessageSchema;

use super::output::{Channel, Output, checked};
use super::{Imported, Stream};
use crate::definition::Definition;
use crate::error::{LogError, SchemaError};
use header::{Header, op};
use records::{Next, Records, Span};

/// The first bytes of a bag; the version follows.
pub const MAGIC: &[u8] = b"#ROSBAG V";

/// A bag that is being read.
pub struct Bag {
    path: PathBuf,
    /// The prefix of its topics.
    prefix: String,
    records: Records,
    /// The publishers, by the numbers that messages have.
    connections: HashMap<u32, Connection>,
    /// The indices of the channels: publishers of one topic, each a connection, share one.
    topics: BTreeMap<(String, MessageKind), usize>,
    channels: Vec<Channel>,
    /// The messages of the open chunk, by time.
    messages: Vec<Waiting>,
    next: usize,
    counted: u64,
}

/// A type and its definition: the same name may stand for two versions.
type MessageKind = (String, String);

/// A publisher of a topic.
struct Connection {
    topic: String,
    type_name: String,
    /// The definition of messages, and the index of the channel to which they go.
    target: Result<(Definition, usize), SchemaError>,
    messages: u64,
    left_out: u64,
    /// The position of the first message that was skipped, and the reason.
    reason: Option<(u64, String)>,
}

/// A message of the open chunk.
struct Waiting {
    time: u64,
    connection: u32,
    /// The bytes of the message, in the records that are open.
    data: Span,
}

impl Bag {
    pub fn open(path: &Path, prefix: String) -> Result<Self, LogError> {
        Ok(Self {
            path: path.to_owned(),
            prefix,
            records: Records::open(path)?,
            connections: HashMap::new(),
            topics: BTreeMap::new(),
            channels: Vec::new(),
            messages: Vec::new(),
            next: 0,
            counted: 0,
        })
    }

    fn problem(&self, reason: String) -> LogError {
        LogError::Import { path: self.path.clone(), line: None, reason }
    }

    /// Processes the records of a chunk, or those between chunks.
    fn take(&mut self, output: &mut Output<'_>) -> Result<(), LogError> {
        let mut position = 0;
        while let Some(found) = self.records.inside(&mut position) {
            let (at, header, data) = match found {
                Ok(found) => found,
                Err(reason) => {
                    output.imported.note(self.problem(reason));
                    break;
                }
            };
            match header.op {
                op::CONNECTION => self.connect(&header, data, output)?,
                op::MESSAGE => match (header.connection, header.time) {
                    (Some(connection), Some(time)) => self.messages.push(Waiting { time, connection, data }),
                    _ => {
                        let reason = format!("byte {at}: a message without `conn` or `time` is left out");
                        output.imported.note(self.problem(reason));
                    }
                },
                _ => {}
            }
        }
        self.messages.sort_by_key(|message| message.time);
        Ok(())
    }

    fn connect(&mut self, header: &Header, data: Span, output: &mut Output<'_>) -> Result<(), LogError> {
        let Some(number) = header.connection.filter(|number| !self.connections.contains_key(number)) else {
            return Ok(());
        };
        let fields = match header::fields(self.records.bytes(data)) {
            Ok(fields) => fields,
            Err(reason) => {
                output.imported.note(self.problem(format!("connection {number} has no description: {reason}")));
                return Ok(());
            }
        };
        let text = |name: &str| {
            let value = fields.iter().find(|(field, _)| *field == name.as_bytes()).map(|&(_, value)| value);
            value.map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let topic = header.topic.clone().or_else(|| text("topic")).unwrap_or_else(|| format!("connection_{number}"));
        let (type_name, definition) =
            (text("type").unwrap_or_default(), text("message_definition").unwrap_or_default());
        let target = self.target(&topic, &type_name, &definition, output)?;
        let connection = Connection { topic, type_name, target, messages: 0, left_out: 0, reason: None };
        self.connections.insert(number, connection);
        Ok(())
    }

    fn target(
        &mut self,
        topic: &str,
        type_name: &str,
        text: &str,
        output: &mut Output<'_>,
    ) -> Result<Result<(Definition, usize), SchemaError>, LogError> {
        if type_name.is_empty() {
            return Ok(Err(SchemaError { line: 1, message: "the bag has no name for it".to_owned() }));
        }
        let definition = match Definition::parse_ros1(type_name, text) {
            Ok(definition) => definition,
            Err(error) => return Ok(Err(error)),
        };
        let key = (topic.to_owned(), (type_name.to_owned(), text.to_owned()));
        if let Some(&channel) = self.topics.get(&key) {
            return Ok(Ok((definition, channel)));
        }
        let short = type_name.rsplit('/').next().unwrap_or_default();
        let schema =
            message::data_type(&definition).and_then(|data_type| checked(MessageSchema::of(short, &data_type)));
        let schema = match schema {
            Ok(schema) => schema,
            Err(error) => return Ok(Err(error)),
        };
        let channel = output.channel(&format!("{}/{}", self.prefix, topic.trim_start_matches('/')), &schema)?;
        self.channels.push(channel);
        self.topics.insert(key, self.channels.len() - 1);
        Ok(Ok((definition, self.channels.len() - 1)))
    }

    /// Reports once for each topic what was skipped.
    fn tell(&mut self, imported: &mut Imported) {
        let mut connections: Vec<_> = self.connections.drain().collect();
        connections.sort_by_key(|&(number, _)| number);
        for (_, connection) in connections {
            let Connection { topic, type_name, target, messages, left_out, reason } = connection;
            let reason = match (target, reason) {
                (Err(error), _) => format!(
                    "{topic}: the definition of `{type_name}` cannot be used: {error}; its {messages} messages are left out"
                ),
                (Ok(_), Some((at, reason))) => format!(
                    "{topic}: {left_out} of {messages} messages are not of the type `{type_name}` and are left out, the first in the record at byte {at}: {reason}"
                ),
                (Ok(_), None) => continue,
            };
            imported.note(LogError::Import { path: self.path.clone(), line: None, reason });
        }
    }

    fn count(&mut self, output: &mut Output<'_>) {
        let position = self.records.position();
        output.advanced(position.saturating_sub(self.counted));
        self.counted = self.counted.max(position);
    }
}

impl Stream for Bag {
    fn bytes(&self) -> u64 {
        self.records.length()
    }

    /// Does nothing: topics are known when their connections are found.
    fn describe(&mut self, _: &mut Output<'_>) -> Result<(), LogError> {
        Ok(())
    }

    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        self.next += 1;
        loop {
            while let Some(message) = self.messages.get(self.next.wrapping_sub(1)) {
                if let Some(connection) = self.connections.get_mut(&message.connection) {
                    connection.messages += 1;
                    if connection.target.is_ok() {
                        // Seconds and nanoseconds of 32 bits do not reach the end of the clock.
                        return Ok(Some(Time::from_nanoseconds(message.time as i64)));
                    }
                } else {
                    let missing = Connection {
                        topic: format!("connection {}", message.connection),
                        type_name: "unknown".to_owned(),
                        target: Err(SchemaError { line: 1, message: "the bag does not describe it".to_owned() }),
                        messages: 1,
                        left_out: 0,
                        reason: None,
                    };
                    self.connections.insert(message.connection, missing);
                }
                self.next += 1;
            }
            self.messages.clear();
            match self.records.next()? {
                Next::Records => self.take(output)?,
                Next::Skipped => {}
                Next::Damaged(reason) => output.imported.note(self.problem(reason)),
                Next::End => {
                    if let Some(reason) = self.records.unfinished() {
                        output.imported.note(self.problem(reason));
                    }
                    self.count(output);
                    self.tell(output.imported);
                    return Ok(None);
                }
            }
            self.count(output);
            self.next = 1;
        }
    }

    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
        let Some(message) = self.messages.get(self.next.wrapping_sub(1)) else { return Ok(()) };
        let Some(connection) = self.connections.get_mut(&message.connection) else { return Ok(()) };
        let Ok((definition, channel)) = &connection.target else { return Ok(()) };
        let bytes = self.records.bytes(message.data);
        let written =
            output.write(&mut self.channels[*channel], time, |writer| message::write(definition, bytes, writer))?;
        if let Err(reason) = written {
            connection.left_out += 1;
            connection.reason.get_or_insert((self.records.begin(), reason));
        }
        Ok(())
    }
}
