use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::copy::Copy;
use crate::entry::Entry;
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
    /// Whether something that was once in the file is not in the new one. A file that merely lacks
    /// its end has lost nothing that anybody could know of.
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

/// Writes all that can be read into a new file that is whole: with an index, statistics and
/// checksums, and with the old one's profile.
///
/// Of a log that [keeps](LogReader::keep) some messages only, those. `progress` is told how many
/// bytes of how many have been read.
///
/// # Errors
/// The new file exists already or cannot be written; the disk fails. Damage of the old file is no
/// error.
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
            // Half a file would be taken for a whole one. That it cannot be removed changes nothing
            // about what failed.
            _ = fs::remove_file(output);
            Err(error)
        }
    }
}

/// Puts all that can be read of a log in the log's place, and tells where that is: for one that has
/// several files, the one that was written last. The old file is there until the new one is whole.
///
/// # Errors
/// As [`recover`]; the old file stays as it is.
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

/// The file that was written last of a log that may have several.
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

/// All but the end.
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
