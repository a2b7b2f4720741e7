use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use crate::channel::LogTime;
use crate::copy::Copy;
use crate::entry::{Attachment, Entry, KeptMessage, Metadata};
use crate::error::LogError;
use crate::reader::LogReader;

/// The result of merging several logs.
///
/// ```no_run
/// use hemiola_log::{LogReader, merge};
///
/// let mut logs = [LogReader::open("head.mcap".as_ref())?, LogReader::open("body.mcap".as_ref())?];
/// println!("{} messages", merge(&mut logs, "robot.mcap".as_ref(), |_, _| {})?.messages);
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Merged {
    /// The number of messages of all logs.
    pub messages: u64,
    /// The problems with what could not be read; of very many, the first.
    pub problems: Vec<LogError>,
}

/// The number of problems that are kept.
const MOST_PROBLEMS: usize = 1000;

/// Writes several logs into a new one, messages by the time at which they were recorded; those of
/// one log keep their order. Channels that are the same in several logs become one, as do metadata
/// and attachments. The profile is that of the first log. `progress` is called with the number of
/// bytes that have been read, and the number of all.
///
/// # Errors
/// Fails if the new file exists already or cannot be written, or if a disk fails. Damage of a log
/// is not an error.
pub fn merge<R: Read + Seek>(
    logs: &mut [LogReader<R>],
    output: &Path,
    progress: impl FnMut(u64, u64),
) -> Result<Merged, LogError> {
    merge_joined(logs, &AsTheyAre, output, progress)
}

/// Decides how the contents of several logs are merged into one.
///
/// ```
/// use std::time::Duration;
/// use hemiola_log::{Joining, Metadata};
///
/// /// Two cameras, of which the second one's recorder was started three seconds after the first.
/// struct Cameras;
///
/// impl Joining for Cameras {
///     fn later(&self, log: usize) -> Duration {
///         Duration::from_secs(if log == 1 { 3 } else { 0 })
///     }
///     fn has(&self, log: usize, topic: &str) -> bool {
///         log == 0 || topic != "/clock"
///     }
///     fn metadata(&self, _: usize, metadata: Metadata) -> Option<Metadata> {
///         Some(metadata)
///     }
/// }
/// ```
pub trait Joining {
    /// Returns the duration that is added to the times of a log, so that all are on one clock.
    fn later(&self, log: usize) -> Duration;

    /// Returns whether the messages of this topic come from that log.
    fn has(&self, log: usize, topic: &str) -> bool;

    /// Returns the metadata that replaces this metadata of that log; `None` to drop it.
    fn metadata(&self, log: usize, metadata: Metadata) -> Option<Metadata>;
}

/// Merges everything of all logs, which have one clock.
struct AsTheyAre;

impl Joining for AsTheyAre {
    fn later(&self, _: usize) -> Duration {
        Duration::ZERO
    }

    fn has(&self, _: usize, _: &str) -> bool {
        true
    }

    fn metadata(&self, _: usize, metadata: Metadata) -> Option<Metadata> {
        Some(metadata)
    }
}

/// Writes several logs into a new one, as [`merge`] does, with the content and on the clock that
/// `joining` chooses.
///
/// # Errors
/// Returns the errors of [`merge`].
pub fn merge_joined<R: Read + Seek>(
    logs: &mut [LogReader<R>],
    joining: &dyn Joining,
    output: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Merged, LogError> {
    let profile = logs.first().map_or_else(String::new, |log| log.profile().to_owned());
    let mut copy = Copy::create(output, &profile)?;
    let result = fill(logs, joining, &mut copy, &mut progress).and_then(|merged| copy.finish().map(|()| merged));
    if result.is_err() {
        // Half a file would be mistaken for a whole one. If it cannot be removed, the error remains
        // the one that made the merge fail.
        _ = fs::remove_file(output);
    }
    result
}

fn fill<R: Read + Seek>(
    logs: &mut [LogReader<R>],
    joining: &dyn Joining,
    copy: &mut Copy,
    progress: &mut impl FnMut(u64, u64),
) -> Result<Merged, LogError> {
    let (mut merged, mut seen) = (Merged::default(), Seen::default());
    let mut next = Vec::new();
    for (index, log) in logs.iter_mut().enumerate() {
        next.push(advance(index, log, joining, copy, &mut seen, &mut merged)?);
    }
    loop {
        // Of two messages at the same time, that of the log that was named first comes first.
        let earliest = next.iter().enumerate().filter_map(|(index, next)| Some((next.as_ref()?.log_time, index))).min();
        let Some((_, index)) = earliest else { return Ok(merged) };
        if let Some(message) = next[index].take() {
            copy.message(index, &message.as_message())?;
            merged.messages += 1;
        }
        next[index] = advance(index, &mut logs[index], joining, copy, &mut seen, &mut merged)?;
        let (read, length) =
            logs.iter().map(LogReader::progress).fold((0, 0), |all, log| (all.0 + log.0, all.1 + log.1));
        progress(read, length);
    }
}

/// Returns the next message of a log; entries that are no messages are copied on the way.
fn advance<R: Read + Seek>(
    index: usize,
    log: &mut LogReader<R>,
    joining: &dyn Joining,
    copy: &mut Copy,
    seen: &mut Seen,
    merged: &mut Merged,
) -> Result<Option<KeptMessage>, LogError> {
    loop {
        let attachment: Attachment = match log.next_entry() {
            None => return Ok(None),
            Some(Ok(Entry::Message(message))) if joining.has(index, &message.channel.topic) => {
                return Ok(Some(KeptMessage::of(&message).later(joining.later(index))));
            }
            Some(Ok(Entry::Message(_))) => continue,
            Some(Ok(Entry::Attachment(attachment))) => attachment,
            Some(Ok(Entry::Metadata(metadata))) => {
                let Some(metadata) = joining.metadata(index, metadata) else { continue };
                if seen.metadata.insert((metadata.name.clone(), metadata.entries.clone())) {
                    copy.metadata(metadata)?;
                }
                continue;
            }
            Some(Ok(Entry::Private(record))) => {
                copy.private(&record)?;
                continue;
            }
            Some(Ok(Entry::Chunk(chunk))) => {
                if index == 0 {
                    copy.choose_compression(&chunk.compression)?;
                }
                continue;
            }
            Some(Err(error @ LogError::Read { .. })) => return Err(error),
            Some(Err(error)) => {
                if merged.problems.len() < MOST_PROBLEMS {
                    merged.problems.push(error);
                }
                continue;
            }
        };
        let mut checksum = Checksum::default();
        log.read_attachment(&attachment, &mut checksum)?;
        let Attachment { name, media_type, create_time, data_length, .. } = attachment.clone();
        if seen.attachments.insert((name, media_type, create_time, data_length, checksum.0.finalize())) {
            copy.attachment(log, &attachment)?;
        }
    }
}

/// The metadata and attachments that have been copied: the files of a log that was split have the
/// same ones.
#[derive(Default)]
struct Seen {
    metadata: BTreeSet<(String, BTreeMap<String, String>)>,
    /// The attachments by name, media type, time, length, checksum.
    attachments: BTreeSet<(String, String, LogTime, u64, u32)>,
}

#[derive(Default)]
struct Checksum(crc32fast::Hasher);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
