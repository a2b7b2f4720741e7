//! The log to which streams write.

use std::collections::BTreeMap;

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};

use super::{Imported, ImportedChannel};
use crate::definition::Definition;
use crate::error::{LogError, SchemaError};
use crate::writer::{ChannelId, LogWriter, Origin};

/// The log that is written, and the report about it.
pub struct Output<'a> {
    log: &'a mut LogWriter,
    pub imported: &'a mut Imported,
    message: CdrWriter,
    bytes: u64,
}

/// A channel of the log, with its place in the report.
#[derive(Debug)]
pub struct Channel {
    id: ChannelId,
    number: usize,
    sequence: u32,
}

impl<'a> Output<'a> {
    pub fn new(log: &'a mut LogWriter, imported: &'a mut Imported) -> Self {
        Self { log, imported, message: CdrWriter::default(), bytes: 0 }
    }

    /// Returns how many bytes have been read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts bytes that have been read.
    pub fn advanced(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Adds facts about the whole recording.
    pub fn metadata(&mut self, name: &str, entries: BTreeMap<String, String>) -> Result<(), LogError> {
        self.log.metadata(name, entries)
    }

    /// Adds a channel.
    pub fn channel(&mut self, topic: &str, schema: &MessageSchema) -> Result<Channel, LogError> {
        let id = self.log.channel(topic, schema)?;
        self.imported.channels.push(ImportedChannel { topic: topic.to_owned(), messages: 0 });
        Ok(Channel { id, number: self.imported.channels.len() - 1, sequence: 0 })
    }

    /// Writes a message that `fill` writes into a buffer. If it fails, nothing is written to the
    /// log and its error is returned.
    pub fn write<E>(
        &mut self,
        channel: &mut Channel,
        time: Time,
        fill: impl FnOnce(&mut CdrWriter) -> Result<(), E>,
    ) -> Result<Result<(), E>, LogError> {
        self.message.clear();
        if let Err(error) = fill(&mut self.message) {
            return Ok(Err(error));
        }
        let origin = Origin { sequence: channel.sequence, logged: time, published: time };
        self.log.write(channel.id, origin, self.message.bytes())?;
        channel.sequence = channel.sequence.wrapping_add(1);
        self.imported.channels[channel.number].messages += 1;
        Ok(Ok(()))
    }

    /// Writes a message that can always be written.
    pub fn put(
        &mut self,
        channel: &mut Channel,
        time: Time,
        fill: impl FnOnce(&mut CdrWriter),
    ) -> Result<(), LogError> {
        let filled = self.write(channel, time, |writer| {
            fill(writer);
            Ok::<_, std::convert::Infallible>(())
        })?;
        match filled {
            Ok(()) => Ok(()),
        }
    }
}

/// Checks that a schema made of foreign names can be parsed again: two of them may have become the
/// same.
pub fn checked(schema: MessageSchema) -> Result<MessageSchema, SchemaError> {
    Definition::parse(&schema.name, &schema.text)?;
    Ok(schema)
}
