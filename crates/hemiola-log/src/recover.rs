use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use mcap::write::NoSeek;
use mcap::{Compression, McapError, WriteOptions, records};

use crate::channel::Channel;
use crate::entry::{Attachment, Entry, Message};
use crate::error::{Cause, LogError};
use crate::reader::LogReader;

/// What was kept of a log, and what was lost.
///
/// ```no_run
/// use hemiola_log::{LogReader, recover};
///
/// let mut log = LogReader::open("crashed.mcap".as_ref())?;
/// let recovery = recover(&mut log, "whole.mcap".as_ref(), |_, _| {})?;
/// println!("{} messages kept; lost: {}", recovery.messages, recovery.has_losses());
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Recovery {
    /// How many were kept.
    pub messages: u64,
    /// How many were kept.
    pub attachments: u64,
    /// How many were kept.
    pub metadata: u64,
    /// How many messages the log's own statistics count beyond those kept, where it has any.
    pub missing: Option<u64>,
    /// Messages that nobody described.
    pub orphans: u64,
    /// What was wrong, in the order of the file; of very many, the first.
    pub problems: Vec<LogError>,
    /// How many there were.
    pub problem_count: u64,
    /// Something besides the end of the file is gone.
    lost: bool,
}

/// As many problems are kept.
const MOST_PROBLEMS: usize = 1000;

impl Recovery {
    /// Whether something that was once in the file is not in the new one. A file that merely lacks its end has lost nothing that anybody
    /// could know of.
    pub fn has_losses(&self) -> bool {
        self.lost || self.missing.is_some_and(|missing| missing > 0)
    }

    fn note(&mut self, error: LogError) {
        // A log without an end is what a killed recorder leaves.
        self.lost |= !matches!(error.damage().map(|damage| &damage.cause), Some(Cause::Unfinished));
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(error);
        }
    }
}

/// Writes all that can be read into a new file that is whole: with an index, statistics and checksums, and with the old one's profile.
///
/// Of a log that [keeps](LogReader::keep) some messages only, those. `progress` is told how many bytes of how many have been read.
///
/// # Errors
/// The new file exists already or cannot be written; the disk fails. Damage of the old file is no error.
pub fn recover<R: Read + Seek>(
    log: &mut LogReader<R>,
    output: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Recovery, LogError> {
    let file = File::create_new(output)
        .map_err(|error| LogError::Write { path: output.to_owned(), reason: error.to_string() })?;
    let result = copy(log, file, output, &mut progress);
    if result.is_err() {
        // Half a file would be taken for a whole one. That it cannot be removed changes nothing about what failed.
        _ = fs::remove_file(output);
    }
    result
}

fn copy<R: Read + Seek>(
    log: &mut LogReader<R>,
    file: File,
    path: &Path,
    progress: &mut impl FnMut(u64, u64),
) -> Result<Recovery, LogError> {
    let mut copy = Copy::new(file, path, log.profile());
    let mut recovery = Recovery::default();
    loop {
        let attachment = match log.next_entry() {
            None => break,
            Some(Err(error @ LogError::Read { .. })) => return Err(error),
            Some(Err(error)) => {
                recovery.note(error);
                continue;
            }
            Some(Ok(Entry::Chunk(chunk))) => {
                copy.choose_compression(&chunk.compression)?;
                let (read, length) = log.progress();
                progress(read, length);
                continue;
            }
            Some(Ok(Entry::Message(message))) => {
                copy.message(&message)?;
                recovery.messages += 1;
                continue;
            }
            Some(Ok(Entry::Metadata(metadata))) => {
                let metadata = records::Metadata { name: metadata.name, metadata: metadata.entries };
                copy.writer()?.write_metadata(&metadata).map_err(|error| failed(path, error))?;
                recovery.metadata += 1;
                continue;
            }
            Some(Ok(Entry::Private(record))) => {
                let options = Default::default();
                let written = copy.writer()?.write_private_record(record.opcode, &record.data, options);
                written.map_err(|error| failed(path, error))?;
                continue;
            }
            Some(Ok(Entry::Attachment(attachment))) => attachment,
        };
        copy.attachment(log, &attachment)?;
        recovery.attachments += 1;
    }
    copy.finish()?;
    recovery.orphans = log.orphans();
    let counted = log.summary().and_then(|summary| summary.statistics.as_ref());
    let counted = counted.filter(|_| !log.is_restricted());
    recovery.missing = counted.map(|counted| counted.message_count.saturating_sub(recovery.messages));
    Ok(recovery)
}

type Output = NoSeek<BufWriter<File>>;

/// The new file. It begins when it is known how the old one was compressed.
struct Copy {
    path: PathBuf,
    profile: String,
    file: Option<File>,
    writer: Option<mcap::Writer<Output>>,
    channels: BTreeSet<u16>,
}

impl Copy {
    fn new(file: File, path: &Path, profile: &str) -> Self {
        let (path, profile) = (path.to_owned(), profile.to_owned());
        Self { path, profile, file: Some(file), writer: None, channels: BTreeSet::new() }
    }

    fn choose_compression(&mut self, compression: &str) -> Result<(), LogError> {
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

    fn message(&mut self, message: &Message<'_>) -> Result<(), LogError> {
        if self.channels.insert(message.channel.id) {
            self.channel(&message.channel)?;
        }
        let header = records::MessageHeader {
            channel_id: message.channel.id,
            sequence: message.sequence,
            log_time: message.log_time.nanoseconds(),
            publish_time: message.publish_time.nanoseconds(),
        };
        let written = self.writer()?.write_to_known_channel(&header, message.data);
        written.map_err(|error| failed(&self.path, error))
    }

    /// Numbers stay: something outside may know them.
    fn channel(&mut self, channel: &Channel) -> Result<(), LogError> {
        let writer = self.writer()?;
        let described = (|| {
            let schema = match &channel.schema {
                Some(schema) => {
                    let (name, encoding, data) = (&schema.name, &schema.encoding, &schema.data);
                    // In a damaged file two schemas may have one number.
                    writer
                        .add_schema_with_id(schema.id, name, encoding, data)
                        .or_else(|_| writer.add_schema(name, encoding, data))?
                }
                None => 0,
            };
            writer.add_channel_with_id(channel.id, schema, &channel.topic, &channel.encoding, &channel.metadata)
        })();
        described.map(|_| ()).map_err(|error| failed(&self.path, error))
    }

    fn attachment<R: Read + Seek>(&mut self, log: &mut LogReader<R>, attachment: &Attachment) -> Result<(), LogError> {
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

    fn finish(mut self) -> Result<(), LogError> {
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

fn failed(path: &Path, error: McapError) -> LogError {
    let reason = match error {
        McapError::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    LogError::Write { path: path.to_owned(), reason }
}
