use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::copy::Copy;
use crate::entry::Entry;
use crate::error::{Cause, LogError};
use crate::reader::LogReader;

/// The result of a recovery: what was kept of a log, and what was lost.
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
    /// The number of messages that were kept.
    pub messages: u64,
    /// The number of attachments that were kept.
    pub attachments: u64,
    /// The number of metadata records that were kept.
    pub metadata: u64,
    /// The number of messages that the log's own statistics count beyond those kept, if it has any.
    pub missing: Option<u64>,
    /// The number of messages whose channels were not described.
    pub orphans: u64,
    /// The problems, in the order of the file; of very many, the first.
    pub problems: Vec<LogError>,
    /// The number of all problems.
    pub problem_count: u64,
    /// Set if something besides the end of the file is lost.
    lost: bool,
}

/// The number of problems that are kept.
const MOST_PROBLEMS: usize = 1000;

impl Recovery {
    /// Returns whether something that was once in the file is not in the new one. A file that
    /// merely lacks its end has no known losses.
    pub fn has_losses(&self) -> bool {
        self.lost || self.missing.is_some_and(|missing| missing > 0)
    }

    fn note(&mut self, error: LogError) {
        // A recorder that is killed leaves a log without an end.
        self.lost |= !matches!(error.damage().map(|damage| &damage.cause), Some(Cause::Unfinished));
        self.problem_count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(error);
        }
    }
}

/// Writes everything that can be read into a new file that is complete: with an index, statistics
/// and checksums, and with the old one's profile.
///
/// If the log [keeps](LogReader::keep) some messages only, those are written. `progress` is called
/// with the number of bytes that have been read, and the number of all.
///
/// # Errors
/// Fails if the new file exists already or cannot be written, or if the disk fails. Damage of the
/// old file is not an error.
pub fn recover<R: Read + Seek>(
    log: &mut LogReader<R>,
    output: &Path,
    mut progress: impl FnMut(u64, u64),
) -> Result<Recovery, LogError> {
    let mut copy = Copy::create(output, log.profile())?;
    let result = fill(log, &mut copy, &mut progress).and_then(|recovery| copy.finish().map(|()| recovery));
    match result {
        Ok(mut recovery) => {
            recovery.orphans = log.orphans();
            let counted =
                log.summary().and_then(|summary| summary.statistics.as_ref()).filter(|_| !log.is_restricted());
            recovery.missing = counted.map(|counted| counted.message_count.saturating_sub(recovery.messages));
            Ok(recovery)
        }
        Err(error) => {
            // Half a file would be mistaken for a whole one. If it cannot be removed, the error
            // remains the one that made the recovery fail.
            _ = fs::remove_file(output);
            Err(error)
        }
    }
}

/// Replaces a log by everything that can be read of it, and returns its path: for a log that has
/// several files, the one that was written last. The old file exists until the new one is complete.
///
/// # Errors
/// Returns the errors of [`recover`]; the old file stays as it is.
pub fn recover_in_place(path: &Path) -> Result<(PathBuf, Recovery), LogError> {
    let path = last_part(path);
    let whole = path.with_extension("recovering");
    let write_error = |error: io::Error| LogError::Write { path: whole.clone(), reason: error.to_string() };
    _ = fs::remove_file(&whole);
    let recovery = recover(&mut LogReader::open(&path)?, &whole, |_, _| {})?;
    File::open(&whole).and_then(|file| file.sync_all()).map_err(write_error)?;
    fs::rename(&whole, &path).map_err(write_error)?;
    Ok((path, recovery))
}

/// Returns the file that was written last of a log that may have several.
fn last_part(path: &Path) -> PathBuf {
    let (Some(stem), false) = (path.file_stem(), path.is_file()) else { return path.to_owned() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_part = |other: &PathBuf| {
        let name = other.file_stem().unwrap_or_default().to_string_lossy();
        other.extension() == path.extension() && name.starts_with(&*stem.to_string_lossy())
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let parts = files.filter(|entry| is_part(&entry.path()));
    let last = parts.max_by_key(|entry| entry.metadata().and_then(|file| file.modified()).ok());
    last.map_or_else(|| path.to_owned(), |entry| entry.path())
}

/// Copies everything but the end.
fn fill<R: Read + Seek>(
    log: &mut LogReader<R>,
    copy: &mut Copy,
    progress: &mut impl FnMut(u64, u64),
) -> Result<Recovery, LogError> {
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
                copy.message(0, &message)?;
                recovery.messages += 1;
                continue;
            }
            Some(Ok(Entry::Metadata(metadata))) => {
                copy.metadata(metadata)?;
                recovery.metadata += 1;
                continue;
            }
            Some(Ok(Entry::Private(record))) => {
                copy.private(&record)?;
                continue;
            }
            Some(Ok(Entry::Attachment(attachment))) => attachment,
        };
        copy.attachment(log, &attachment)?;
        recovery.attachments += 1;
    }
    Ok(recovery)
}
