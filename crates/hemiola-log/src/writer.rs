use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::configuration::LogCompression;
use hemiola_model::data::Writer;
use hemiola_model::module::contain;

use crate::error::LogError;
use crate::format::{AttachmentHeader, MessageHeader, MetadataRecord};
use crate::mcap_writer::{Layout, McapWriter, Output};
use crate::storage::Storage;

/// Writes a log: MCAP with CDR and ROS 2's schemas, for Hemiola, ROS 2, Foxglove, PlotJuggler and
/// similar tools.
///
/// The file only ever grows. After [`flush`](Self::flush), everything that was written can be read
/// again, even if the process is killed at once (after [`LogSynchroniser::wait`], even if the
/// machine loses its power); what follows is lost then. `log recover` gives such a file its end.
///
/// ```
/// use hemiola_log::{LogCompression, LogReader, LogWriter, Origin};
/// use hemiola_model::cdr::{self, MessageSchema};
/// use hemiola_model::{Data, Time};
/// # let path = std::env::temp_dir().join(format!("hemiola-log-writer-{}.mcap", std::process::id()));
///
/// let mut log = LogWriter::create(&path, LogCompression::Lz4)?;
/// let height = log.channel("/motion/Height", &MessageSchema::of("Height", &f64::data_type()))?;
/// for sequence in 0..3 {
///     let now = Time::from_seconds(0.01 * f64::from(sequence));
///     log.write(height, Origin { sequence, logged: now, published: now }, &cdr::encode(&0.5_f64))?;
/// }
/// assert_eq!(log.finish()?.messages, 3);
/// let log = LogReader::open(&path)?;
/// let statistics = log.summary().and_then(|summary| summary.statistics.as_ref());
/// assert_eq!(statistics.map(|statistics| statistics.message_count), Some(3));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct LogWriter {
    path: PathBuf,
    writer: McapWriter<Storage>,
    /// Another handle of the file, to be synchronised.
    file: File,
    messages: u64,
}

/// An identifier of a channel of the log that is being written, as [`LogWriter::channel`] returns
/// it.
///
/// ```no_run
/// # fn f(log: &mut hemiola_log::LogWriter, schema: &hemiola_model::cdr::MessageSchema) -> Result<(), hemiola_log::LogError> {
/// let imu: hemiola_log::ChannelId = log.channel("/imu", schema)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelId(u16);

/// The number and the times of a message. Times before the origin of the clock are written as the
/// origin: MCAP has none.
///
/// See [`LogWriter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The number of the message within the channel; one that is missing was lost before it was
    /// written.
    pub sequence: u32,
    /// The time at which it could be logged.
    pub logged: Time,
    /// The time at which its newest input was taken.
    pub published: Time,
}

/// The size of a log that was written.
///
/// See [`LogWriter::finish`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes of the file.
    pub bytes: u64,
}

/// The name of the library in the logs that it writes.
pub(crate) const LIBRARY: &str = concat!("hemiola-log ", env!("CARGO_PKG_VERSION"));

impl LogWriter {
    /// Creates a file and begins a log.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file exists already, or cannot be made.
    pub fn create(path: &Path, compression: LogCompression) -> Result<Self, LogError> {
        let failed = |error| failed(path, error);
        let storage = Storage::create(path).map_err(failed)?;
        let file = storage.try_clone().map_err(failed)?;
        // Readers of ROS 2's logs require its name.
        let writer = McapWriter::new(storage, Layout::full(compression), "ros2", LIBRARY).map_err(failed)?;
        Ok(Self { path: path.to_owned(), writer, file, messages: 0 })
    }

    /// Adds a channel for messages of a type. Topics are named as in ROS 2: `/motion/JointAngles`.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written, or has 65,535 channels.
    pub fn channel(&mut self, topic: &str, schema: &MessageSchema) -> Result<ChannelId, LogError> {
        let failed = |error| failed(&self.path, error);
        let schema_id = self.writer.schema(&schema.name, "ros2msg", schema.text.as_bytes()).map_err(failed)?;
        let metadata = BTreeMap::from([
            ("offered_qos_profiles".to_owned(), String::new()),
            ("topic_type_hash".to_owned(), schema.type_hash.clone()),
        ]);
        self.writer.channel(schema_id, topic, "cdr", &metadata).map(ChannelId).map_err(failed)
    }

    /// Writes a message, CDR with its header. It reaches the file with the next flush, or when its
    /// chunk is full.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written.
    pub fn write(&mut self, channel: ChannelId, origin: Origin, message: &[u8]) -> Result<(), LogError> {
        let written = self.writer.message(&origin.header(channel), |log| {
            log.extend_from_slice(message);
            true
        });
        self.messages += 1;
        written.map_err(|error| failed(&self.path, error))
    }

    /// Writes a value as a message, without a copy of its bytes on the way. Returns whether it was
    /// written: a value that CDR cannot represent is skipped ([`CdrWriter::is_exact`]).
    ///
    /// ```
    /// use hemiola_log::{LogCompression, LogWriter, Origin};
    /// use hemiola_model::cdr::MessageSchema;
    /// use hemiola_model::{Data, Time};
    /// # let path = std::env::temp_dir().join(format!("hemiola-log-encode-{}.mcap", std::process::id()));
    ///
    /// let mut log = LogWriter::create(&path, LogCompression::None)?;
    /// let pixels = log.channel("/pixels", &MessageSchema::of("Pixels", &<Vec<u8>>::data_type()))?;
    /// let now = Origin { sequence: 0, logged: Time::ZERO, published: Time::ZERO };
    /// assert!(log.encode(pixels, now, |bytes| vec![7_u8; 640 * 480].write(bytes))?);
    /// # log.finish()?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), hemiola_log::LogError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written, or [`LogError::Panicked`] if
    /// `value` panicked; the log continues without the message.
    pub fn encode(
        &mut self,
        channel: ChannelId,
        origin: Origin,
        value: impl FnOnce(&mut dyn Writer),
    ) -> Result<bool, LogError> {
        let mut encoded = Ok(false);
        let written = self.writer.message(&origin.header(channel), |log| {
            let mut message = CdrWriter::append_to(log);
            // The type may be written by the user's code: the records before the message survive
            // its panics.
            let panicked = contain(|| value(&mut message)).err();
            encoded = panicked.map_or(Ok(message.is_exact()), Err);
            encoded == Ok(true)
        });
        written.map_err(|error| failed(&self.path, error))?;
        let is_exact = encoded.map_err(|panicked| LogError::Panicked { path: self.path.clone(), panicked })?;
        self.messages += u64::from(is_exact);
        Ok(is_exact)
    }

    /// Adds facts about the whole log, as texts.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written.
    pub fn metadata(&mut self, name: &str, entries: BTreeMap<String, String>) -> Result<(), LogError> {
        let record = MetadataRecord { name: name.to_owned(), metadata: entries };
        self.writer.metadata(record).map_err(|error| failed(&self.path, error))
    }

    /// Attaches a file: a configuration, a trace.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written.
    pub fn attach(&mut self, name: &str, media_type: &str, now: Time, data: &[u8]) -> Result<(), LogError> {
        let (log_time, create_time) = (unsigned(now), unsigned(now));
        let header =
            AttachmentHeader { log_time, create_time, name: name.to_owned(), media_type: media_type.to_owned() };
        let attached = (|| {
            let mut attachment = self.writer.attachment(header, data.len() as u64)?;
            attachment.write_all(data)?;
            attachment.finish()
        })();
        attached.map_err(|error| failed(&self.path, error))
    }

    /// Passes everything that was written to the operating system: it outlives this process.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written.
    pub fn flush(&mut self) -> Result<(), LogError> {
        let flushed = self.writer.end_chunk().and_then(|()| self.writer.output().flush());
        flushed.map_err(|error| failed(&self.path, error))
    }

    /// Returns a handle to wait, on another thread, until the disk has what was flushed.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the system has no more files to open.
    pub fn synchroniser(&self) -> Result<LogSynchroniser, LogError> {
        let file = self.file.try_clone().map_err(|error| failed(&self.path, error))?;
        Ok(LogSynchroniser { path: self.path.clone(), file })
    }

    /// Returns the size so far, not counting the bytes of a chunk that will be compressed.
    pub fn written(&self) -> Written {
        Written { messages: self.messages, bytes: self.writer.position() }
    }

    /// Ends the log with its index, and waits until the disk has it.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the file cannot be written.
    pub fn finish(self) -> Result<Written, LogError> {
        let Self { path, writer, file, messages } = self;
        let finished = (|| {
            let mut storage = writer.finish()?;
            storage.flush()?;
            file.sync_all()?;
            Ok(Written { messages, bytes: storage.position() })
        })();
        finished.map_err(|error| failed(&path, error))
    }
}

impl Origin {
    fn header(self, channel: ChannelId) -> MessageHeader {
        let Self { sequence, logged, published } = self;
        MessageHeader { channel_id: channel.0, sequence, log_time: unsigned(logged), publish_time: unsigned(published) }
    }
}

/// Waits for the disk, so that the thread that writes need not wait: see
/// [`LogWriter::synchroniser`].
///
/// ```
/// use hemiola_log::{LogCompression, LogWriter};
/// # let path = std::env::temp_dir().join(format!("hemiola-log-synchroniser-{}.mcap", std::process::id()));
///
/// let mut log = LogWriter::create(&path, LogCompression::None)?;
/// let synchroniser = log.synchroniser()?;
/// log.flush()?;
/// std::thread::spawn(move || synchroniser.wait()).join().unwrap()?;
/// # drop(log);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct LogSynchroniser {
    path: PathBuf,
    file: File,
}

impl LogSynchroniser {
    /// Waits until the disk has what had been flushed before: it survives a loss of the machine's
    /// power.
    ///
    /// # Errors
    /// Returns [`LogError::Write`] if the disk failed.
    pub fn wait(&self) -> Result<(), LogError> {
        self.file.sync_data().map_err(|error| failed(&self.path, error))
    }
}

fn unsigned(time: Time) -> u64 {
    u64::try_from(time.nanoseconds()).unwrap_or(0)
}

pub(crate) fn failed(path: &Path, error: io::Error) -> LogError {
    LogError::Write { path: path.to_owned(), reason: error.to_string() }
}
