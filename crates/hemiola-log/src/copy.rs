//! A new log from entries of others.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use mcap::write::NoSeek;
use mcap::{Compression, WriteOptions, records};

use crate::channel::Channel;
use crate::entry::{Attachment, Message, Metadata, PrivateRecord};
use crate::error::LogError;
use crate::reader::LogReader;
use crate::writer::failed;

type Output = NoSeek<BufWriter<File>>;

/// The new file. It begins when it is known how the old one was compressed.
pub struct Copy {
    path: PathBuf,
    profile: String,
    file: Option<File>,
    writer: Option<mcap::Writer<Output>>,
    /// Of the log with this number, the channel with this one.
    channels: BTreeMap<(usize, u16), u16>,
}

impl Copy {
    /// # Errors
    /// The file exists already, or cannot be written.
    pub fn create(path: &Path, profile: &str) -> Result<Self, LogError> {
        let file = File::create_new(path)
            .map_err(|error| LogError::Write { path: path.to_owned(), reason: error.to_string() })?;
        let (path, profile) = (path.to_owned(), profile.to_owned());
        Ok(Self { path, profile, file: Some(file), writer: None, channels: BTreeMap::new() })
    }

    pub fn choose_compression(&mut self, compression: &str) -> Result<(), LogError> {
        let compression = match compression {
            "" => None,
            "lz4" => Some(Compression::Lz4),
            _ => Some(Compression::Zstd),
        };
        let Some(file) = self.file.take() else { return Ok(()) };
        let options = WriteOptions::new()
            .profile(self.profile.as_str())
            .library(concat!("hemiola-log ", env!("CARGO_PKG_VERSION")))
            .compression(compression)
            // Nobody asked for threads.
            .compression_threads(0)
            // What is written is never gone back to: a copy that is killed is a log that can be recovered.
            .disable_seeking(true);
        let writer = options.create(NoSeek::new(BufWriter::with_capacity(1 << 20, file)));
        self.writer = Some(writer.map_err(|error| failed(&self.path, error))?);
        Ok(())
    }

    fn writer(&mut self) -> Result<&mut mcap::Writer<Output>, LogError> {
        // The old file had no chunks so far.
        self.choose_compression("zstd")?;
        let path = &self.path;
        self.writer
            .as_mut()
            .ok_or_else(|| LogError::Write { path: path.clone(), reason: "it was not begun".to_owned() })
    }

    /// A message of the log with this number.
    pub fn message(&mut self, log: usize, message: &Message<'_>) -> Result<(), LogError> {
        let channel_id = match self.channels.get(&(log, message.channel.id)) {
            Some(id) => *id,
            None => self.channel(log, &message.channel)?,
        };
        let header = records::MessageHeader {
            channel_id,
            sequence: message.sequence,
            log_time: message.log_time.nanoseconds(),
            publish_time: message.publish_time.nanoseconds(),
        };
        let written = self.writer()?.write_to_known_channel(&header, message.data);
        written.map_err(|error| failed(&self.path, error))
    }

    /// The first log's numbers stay, for something outside may know them; equal channels of other logs become one.
    fn channel(&mut self, log: usize, channel: &Channel) -> Result<u16, LogError> {
        let writer = self.writer()?;
        let (topic, encoding, metadata) = (&channel.topic, &channel.encoding, &channel.metadata);
        let described = (|| {
            let schema = match &channel.schema {
                Some(schema) => {
                    let (name, encoding, data) = (&schema.name, &schema.encoding, &schema.data);
                    let same =
                        if log == 0 { writer.add_schema_with_id(schema.id, name, encoding, data).ok() } else { None };
                    // In a damaged file two schemas may have one number.
                    same.map_or_else(|| writer.add_schema(name, encoding, data), Ok)?
                }
                None => 0,
            };
            match log {
                0 => writer.add_channel_with_id(channel.id, schema, topic, encoding, metadata),
                _ => writer.add_channel(schema, topic, encoding, metadata),
            }
        })();
        let id = described.map_err(|error| failed(&self.path, error))?;
        self.channels.insert((log, channel.id), id);
        Ok(id)
    }

    pub fn metadata(&mut self, metadata: Metadata) -> Result<(), LogError> {
        let metadata = records::Metadata { name: metadata.name, metadata: metadata.entries };
        let written = self.writer()?.write_metadata(&metadata);
        written.map_err(|error| failed(&self.path, error))
    }

    pub fn private(&mut self, record: &PrivateRecord) -> Result<(), LogError> {
        let written = self.writer()?.write_private_record(record.opcode, &record.data, Default::default());
        written.map_err(|error| failed(&self.path, error))
    }

    pub fn attachment<R: Read + Seek>(
        &mut self,
        log: &mut LogReader<R>,
        attachment: &Attachment,
    ) -> Result<(), LogError> {
        let path = self.path.clone();
        let header = records::AttachmentHeader {
            log_time: attachment.log_time.nanoseconds(),
            create_time: attachment.create_time.nanoseconds(),
            name: attachment.name.clone(),
            media_type: attachment.media_type.clone(),
        };
        let writer = self.writer()?;
        writer.start_attachment(attachment.data_length, header).map_err(|error| failed(&path, error))?;
        log.read_attachment(attachment, &mut AttachmentData(writer))?;
        writer.finish_attachment().map_err(|error| failed(&path, error))
    }

    pub fn finish(mut self) -> Result<(), LogError> {
        let finished = self.writer()?.finish().map(|_| ());
        finished.map_err(|error| failed(&self.path, error))?;
        let Some(writer) = self.writer else { return Ok(()) };
        let mut output = writer.into_inner().into_inner();
        let synced = output.flush().and_then(|()| output.get_ref().sync_all());
        synced.map_err(|error| LogError::Write { path: self.path, reason: error.to_string() })
    }
}

struct AttachmentData<'w>(&'w mut mcap::Writer<Output>);

impl Write for AttachmentData<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.put_attachment_bytes(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
