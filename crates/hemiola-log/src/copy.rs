//! The copying of entries of logs into a new one.

use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use hemiola_model::configuration::LogCompression;

use crate::channel::Channel;
use crate::entry::{Attachment, Message, Metadata, PrivateRecord};
use crate::error::LogError;
use crate::format::{AttachmentHeader, ChannelRecord, MessageHeader, MetadataRecord};
use crate::mcap_writer::{Layout, McapWriter};
use crate::reader::LogReader;
use crate::storage::Storage;
use crate::writer::{LIBRARY, failed};

/// A new file with copied messages. It begins when it is known how the old one was compressed.
pub struct Copy {
    path: PathBuf,
    profile: String,
    storage: Option<Storage>,
    writer: Option<McapWriter<Storage>>,
    /// The channel of the new file for each log's number and channel.
    channels: BTreeMap<(usize, u16), u16>,
}

impl Copy {
    /// # Errors
    ///
    /// Fails if the file exists already, or cannot be written.
    pub fn create(path: &Path, profile: &str) -> Result<Self, LogError> {
        let storage = Storage::create(path).map_err(|error| failed(path, error))?;
        let (path, profile) = (path.to_owned(), profile.to_owned());
        Ok(Self { path, profile, storage: Some(storage), writer: None, channels: BTreeMap::new() })
    }

    pub fn choose_compression(&mut self, compression: &str) -> Result<(), LogError> {
        let Some(storage) = self.storage.take() else { return Ok(()) };
        let layout = Layout::full(match compression {
            "" => LogCompression::None,
            "lz4" => LogCompression::Lz4,
            _ => LogCompression::Zstd,
        });
        let writer = McapWriter::new(storage, layout, &self.profile, LIBRARY);
        self.writer = Some(writer.map_err(|error| failed(&self.path, error))?);
        Ok(())
    }

    fn writer(&mut self) -> Result<&mut McapWriter<Storage>, LogError> {
        // The old file has had no chunks so far.
        self.choose_compression("zstd")?;
        let path = &self.path;
        self.writer
            .as_mut()
            .ok_or_else(|| LogError::Write { path: path.clone(), reason: "it was not started".to_owned() })
    }

    /// Copies a message of the log with this number.
    pub fn message(&mut self, log: usize, message: &Message<'_>) -> Result<(), LogError> {
        let channel_id = match self.channels.get(&(log, message.channel.id)) {
            Some(id) => *id,
            None => self.channel(log, &message.channel)?,
        };
        let header = MessageHeader {
            channel_id,
            sequence: message.sequence,
            log_time: message.log_time.nanoseconds(),
            publish_time: message.publish_time.nanoseconds(),
        };
        let written = self.writer()?.message(&header, |log| {
            log.extend_from_slice(message.data);
            true
        });
        written.map_err(|error| failed(&self.path, error))
    }

    /// Returns the new file's channel for one of a log. The first log's numbers are kept, because
    /// something outside may know them; equal channels of other logs become one.
    fn channel(&mut self, log: usize, channel: &Channel) -> Result<u16, LogError> {
        let writer = self.writer()?;
        let (topic, metadata) = (&channel.topic, &channel.metadata);
        let described = (|| {
            let schema_id = match &channel.schema {
                // In a damaged file two schemas may have one number.
                Some(schema)
                    if log == 0
                        && writer.schema_with_id(schema.id, &schema.name, &schema.encoding, &schema.data)? =>
                {
                    schema.id
                }
                Some(schema) => writer.schema(&schema.name, &schema.encoding, &schema.data)?,
                None => 0,
            };
            let message_encoding = channel.encoding.clone();
            let (id, topic_name) = (channel.id, topic.clone());
            let same = ChannelRecord { id, schema_id, topic: topic_name, message_encoding, metadata: metadata.clone() };
            if log == 0 && writer.channel_with_id(same)? {
                return Ok(id);
            }
            writer.channel(schema_id, topic, &channel.encoding, metadata)
        })();
        let id = described.map_err(|error| failed(&self.path, error))?;
        self.channels.insert((log, channel.id), id);
        Ok(id)
    }

    pub fn metadata(&mut self, metadata: Metadata) -> Result<(), LogError> {
        let record = MetadataRecord { name: metadata.name, metadata: metadata.entries };
        let written = self.writer()?.metadata(record);
        written.map_err(|error| failed(&self.path, error))
    }

    pub fn private(&mut self, record: &PrivateRecord) -> Result<(), LogError> {
        let written = self.writer()?.private(record.opcode, &record.data);
        written.map_err(|error| failed(&self.path, error))
    }

    pub fn attachment<R: Read + Seek>(
        &mut self,
        log: &mut LogReader<R>,
        attachment: &Attachment,
    ) -> Result<(), LogError> {
        let path = self.path.clone();
        let header = AttachmentHeader {
            log_time: attachment.log_time.nanoseconds(),
            create_time: attachment.create_time.nanoseconds(),
            name: attachment.name.clone(),
            media_type: attachment.media_type.clone(),
        };
        let begun = self.writer()?.attachment(header, attachment.data_length);
        let mut copy = begun.map_err(|error| failed(&path, error))?;
        log.read_attachment(attachment, &mut copy)?;
        copy.finish().map_err(|error| failed(&path, error))
    }

    pub fn finish(mut self) -> Result<(), LogError> {
        self.writer()?;
        let Some(writer) = self.writer else { return Ok(()) };
        let finished = writer.finish().and_then(|mut storage| {
            storage.flush()?;
            storage.try_clone()?.sync_all()
        });
        finished.map_err(|error| failed(&self.path, error))
    }
}
