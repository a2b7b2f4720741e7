use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::format::{MAGIC, MessageHeader, Record, op};

use crate::channel::{Channel, LogTime, Schema};
use crate::entry::{Attachment, ChunkHeader, Entry, Message, Metadata, PrivateRecord};
use crate::error::{Cause, LogError};
use crate::framing::{Doubt, Framing, Position};
use crate::records::Content;
use crate::selection::Selection;
use crate::source::Source;
use crate::summary::{self, Summary};

/// The largest number of bytes of a chunk or record that are held in memory.
const MEMORY_LIMIT: u64 = 1 << 30;

/// Reads a log from front to back, or the chunks that a selection needs; however long it is, one
/// chunk is held in memory.
///
/// Where the file is damaged, the reader returns an error, once for each place, and continues
/// behind it.
///
/// ```no_run
/// use hemiola_log::{Entry, LogReader, Selection};
///
/// let mut log = LogReader::open("run.mcap".as_ref())?.select(Selection::all().topic("/imu/data"));
/// while let Some(entry) = log.next_entry() {
///     match entry {
///         Ok(Entry::Message(message)) => println!("{} {}", message.log_time, message.decode()?),
///         Ok(_) => {}
///         Err(damage) => eprintln!("{damage}"),
///     }
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct LogReader<R = File> {
    framing: Framing<R>,
    profile: String,
    library: String,
    summary: Option<Summary>,
    summary_error: Option<LogError>,
    schemas: BTreeMap<u16, Arc<Schema>>,
    channels: BTreeMap<u16, Arc<Channel>>,
    selection: Selection,
    /// The chunks still to be visited, where an index lists them.
    visits: Option<VecDeque<u64>>,
    /// The number of messages of each channel that is not described.
    orphans: BTreeMap<u16, u64>,
    redefined: BTreeSet<(u8, u16)>,
    /// Set once the summary has begun, which repeats what was read before.
    in_summary: bool,
}

/// An entry that borrows nothing, or a message, whose data is where it was found.
enum Step {
    Message { channel: Arc<Channel>, header: MessageHeader, length: usize, position: Position },
    Other(Entry<'static>),
}

impl LogReader {
    /// Opens a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not MCAP. A damaged file is not an error here.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = File::open(path).map_err(|error| LogError::Open { path: path.to_owned(), error })?;
        Self::new(file, path.to_owned())
    }
}

impl<R: Read + Seek> LogReader<R> {
    /// Creates a reader of any source of bytes; `name` appears in errors.
    ///
    /// # Errors
    /// Returns the errors of [`LogReader::open`].
    pub fn new(input: R, name: impl Into<PathBuf>) -> Result<Self, LogError> {
        Self::with(input, name.into(), Doubt::default(), MEMORY_LIMIT)
    }

    /// Creates a reader like [`LogReader::new`], with another policy for chunks whose checksum is
    /// wrong, and with a limit in bytes for what is held in memory.
    ///
    /// # Errors
    /// Returns the errors of [`LogReader::open`].
    pub fn with(input: R, name: PathBuf, doubt: Doubt, memory_limit: u64) -> Result<Self, LogError> {
        let opened = |error| LogError::Open { path: name.clone(), error };
        let source = Source::new(input, name.clone()).map_err(opened)?;
        let mut framing = Framing::new(source, doubt, memory_limit)?;
        let (summary, summary_error) = match summary::read(&mut framing) {
            Ok(summary) => (summary, None),
            Err(error) => (None, Some(error)),
        };
        framing.jump(MAGIC.len() as u64)?;
        let (mut profile, mut library) = Default::default();
        if let Some(Ok(first)) = framing.next_record()
            && let Content::Record(Record::Header { profile: of_file, library: by }) = first.content
        {
            (profile, library) = (of_file, by);
        }
        framing.restart()?;
        Ok(Self {
            framing,
            profile,
            library,
            summary,
            summary_error,
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
            selection: Selection::all(),
            visits: None,
            orphans: BTreeMap::new(),
            redefined: BTreeSet::new(),
            in_summary: false,
        })
    }

    /// Restricts the reader to selected messages, from the beginning. With an index, only the
    /// chunks with such messages are read.
    pub fn select(mut self, selection: Selection) -> Self {
        self.visits = None;
        if let (true, Some(summary)) = (selection.is_restricted(), &self.summary)
            && !summary.chunks.is_empty()
        {
            let wanted = |id: &u16| summary.channels.get(id).is_none_or(|channel| selection.has_topic(&channel.topic));
            let visits = summary.chunks.iter().filter(|chunk| {
                let [first, last] = [chunk.message_start_time, chunk.message_end_time].map(LogTime::from_nanoseconds);
                let indexed = &chunk.message_index_offsets;
                selection.overlaps(first, last) && (indexed.is_empty() || indexed.keys().any(wanted))
            });
            let mut visits: Vec<u64> = visits.map(|chunk| chunk.chunk_start_offset).collect();
            visits.sort_unstable();
            // An index may name a chunk twice; the file has it once.
            visits.dedup();
            self.visits = Some(visits.into());
        }
        self.selection = selection;
        self
    }

    /// Skips all messages but these, and keeps everything that is not a message: reads the whole
    /// file.
    pub fn keep(mut self, selection: Selection) -> Self {
        self.visits = None;
        self.selection = selection;
        self
    }

    /// Returns whether messages are skipped.
    pub(crate) fn is_restricted(&self) -> bool {
        self.selection.is_restricted()
    }

    /// Returns the file's name, as it appears in errors.
    pub fn path(&self) -> &Path {
        &self.framing.source.path
    }

    /// Returns how many bytes of the file have been passed, and how many it has.
    pub fn progress(&self) -> (u64, u64) {
        (self.framing.source.position(), self.framing.source.length)
    }

    /// Returns the conventions that the file follows, such as `ros2`.
    pub fn profile(&self) -> &str {
        &self.profile
    }

    /// Returns the name of the library that wrote the file.
    pub fn library(&self) -> &str {
        &self.library
    }

    /// Returns the summary at the end of the file, if there is one and it is whole.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Returns the reason why the summary cannot be used, if the file should have one.
    pub fn summary_error(&self) -> Option<&LogError> {
        self.summary_error.as_ref()
    }

    /// Returns the channels that were read so far, and those of the summary.
    pub fn channels(&self) -> impl Iterator<Item = &Arc<Channel>> {
        let of_summary = self.summary.iter().flat_map(|summary| summary.channels.values());
        self.channels.values().chain(of_summary.filter(|channel| !self.channels.contains_key(&channel.id)))
    }

    /// Returns how many messages of undescribed channels were skipped so far.
    pub fn orphans(&self) -> u64 {
        self.orphans.values().sum()
    }

    /// Returns the next entry, or the damage in its place; after an error reading continues behind
    /// it, until there is nothing more.
    pub fn next_entry(&mut self) -> Option<Result<Entry<'_>, LogError>> {
        match self.advance()? {
            Ok(Step::Other(entry)) => Some(Ok(entry)),
            Ok(Step::Message { channel, header, length, position }) => {
                // The data is the last field of the record.
                let data = match position.inside {
                    Some(_) => &self.framing.chunk.records[..self.framing.chunk.next],
                    None => &self.framing.body,
                };
                Some(Ok(Entry::Message(Message {
                    channel,
                    sequence: header.sequence,
                    log_time: LogTime::from_nanoseconds(header.log_time),
                    publish_time: LogTime::from_nanoseconds(header.publish_time),
                    data: &data[data.len() - length..],
                    offset: position.offset,
                })))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// Prepares to read the attachments, from the beginning. If the file has an index of them,
    /// nothing else is read; otherwise everything is.
    pub fn for_attachments(mut self) -> Self {
        let indexed = self.summary.as_ref().filter(|summary| !summary.attachments.is_empty());
        self.visits = indexed.map(|summary| summary.attachments.iter().map(|attachment| attachment.offset).collect());
        self
    }

    /// Copies the data of an attachment to `into`.
    ///
    /// # Errors
    /// Fails if the file or `into` fails.
    pub fn read_attachment(&mut self, attachment: &Attachment, into: &mut impl Write) -> Result<(), LogError> {
        let copied = self.framing.source.aside(attachment.data_offset, |source| {
            let copied = io::copy(&mut source.take(attachment.data_length), into)?;
            if copied == attachment.data_length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        });
        let (path, offset) = (self.path().to_owned(), attachment.data_offset);
        copied.map_err(|error| LogError::Read { path, offset, error })
    }

    /// Moves to the next entry, and keeps the schemas and channels on the way.
    fn advance(&mut self) -> Option<Result<Step, LogError>> {
        loop {
            if let Some(visits) = &mut self.visits
                && self.framing.is_between_chunks()
            {
                let next = visits.pop_front()?;
                if let Err(error) = self.framing.jump(next) {
                    return Some(Err(error));
                }
            }
            let located = match self.framing.next_record()? {
                Ok(located) => located,
                Err(error) => return Some(Err(error)),
            };
            let position = located.position;
            let record = match located.content {
                Content::Record(record) => record,
                Content::Attachment { header, data_offset, data_length } => {
                    let [log_time, create_time] = [header.log_time, header.create_time].map(LogTime::from_nanoseconds);
                    let (name, media_type) = (header.name, header.media_type);
                    let attachment = Attachment { name, media_type, log_time, create_time, data_offset, data_length };
                    return Some(Ok(Step::Other(Entry::Attachment(attachment))));
                }
            };
            match record {
                Record::Message { header, data } => {
                    let log_time = LogTime::from_nanoseconds(header.log_time);
                    if !self.selection.has_time(log_time) {
                        continue;
                    }
                    let length = data.len();
                    let of_summary = || self.summary.as_ref()?.channels.get(&header.channel_id);
                    let Some(channel) = self.channels.get(&header.channel_id).or_else(of_summary) else {
                        let known = self.orphans.entry(header.channel_id).or_default();
                        *known += 1;
                        if *known == 1 {
                            let cause = Cause::UnknownChannel { channel: header.channel_id };
                            return Some(Err(self.framing.damage(position, cause, 0)));
                        }
                        continue;
                    };
                    if self.selection.has_topic(&channel.topic) {
                        return Some(Ok(Step::Message { channel: Arc::clone(channel), header, length, position }));
                    }
                }
                Record::Schema { header, data } => {
                    let (id, name, encoding) = (header.id, header.name, header.encoding);
                    let schema = Schema { id, name, encoding, data: data.into_owned() };
                    let same = match self.schemas.get(&id) {
                        Some(known) => **known == schema,
                        None => self.schemas.insert(id, Arc::new(schema)).is_none(),
                    };
                    if !same && self.redefined.insert((op::SCHEMA, id)) {
                        let cause = Cause::Redefined { of: "schema", id };
                        return Some(Err(self.framing.damage(position, cause, 0)));
                    }
                }
                Record::Channel(channel) => {
                    let id = channel.id;
                    let of_summary = || self.summary.as_ref()?.schemas.get(&channel.schema_id);
                    let schema = self.schemas.get(&channel.schema_id).or_else(of_summary).cloned();
                    let channel = Channel::new(channel, schema);
                    let same = match self.channels.get(&id) {
                        Some(known) => known.is_same(&channel),
                        None => self.channels.insert(id, Arc::new(channel)).is_none(),
                    };
                    if !same && self.redefined.insert((op::CHANNEL, id)) {
                        let cause = Cause::Redefined { of: "channel", id };
                        return Some(Err(self.framing.damage(position, cause, 0)));
                    }
                }
                Record::Metadata(metadata) => {
                    let metadata = Metadata { name: metadata.name, entries: metadata.metadata };
                    return Some(Ok(Step::Other(Entry::Metadata(metadata))));
                }
                Record::Chunk(header) => {
                    let (compressed, uncompressed) = (header.compressed_size, header.uncompressed_size);
                    let chunk = ChunkHeader { compression: header.compression, compressed, uncompressed };
                    return Some(Ok(Step::Other(Entry::Chunk(chunk))));
                }
                Record::DataEnd { .. } => self.in_summary = true,
                Record::Unknown { opcode: opcode @ 0x80.., data } if !self.in_summary => {
                    let record = PrivateRecord { opcode, data: data.into_owned() };
                    return Some(Ok(Step::Other(Entry::Private(record))));
                }
                _ => {}
            }
        }
    }
}
