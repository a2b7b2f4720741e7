//! A log in one file, or in several of which each is complete by itself: `game-001.mcap`,
//! `game-002.mcap`.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hemiola_log::{Channel, Entry, LogError, LogReader, LogTime, Message, Selection};

use crate::error::RecordingError;
use crate::names::ABOUT;

/// The files of a log, in order.
#[derive(Clone)]
pub struct SplitLog {
    files: Vec<PathBuf>,
}

/// The metadata that all files of a log share, and those of no other log have.
type Identity = Option<BTreeMap<String, String>>;

impl SplitLog {
    /// Finds the log of a path: a file, which may be the first of several, or a folder with the
    /// files of one log.
    ///
    /// # Errors
    /// Returns an error if the path does not exist, or the folder has no log or several.
    pub fn find(path: &Path) -> Result<Self, RecordingError> {
        if path.is_dir() { Self::in_folder(path) } else { Self::from_first(path) }
    }

    fn in_folder(folder: &Path) -> Result<Self, RecordingError> {
        let mut logs: Vec<(Identity, Vec<PathBuf>)> = Vec::new();
        for file in parts_in(folder, |_| true) {
            let identity = identity(&file)?;
            match logs.iter_mut().find(|(known, files)| *known == identity && is_same_name(&files[0], &file)) {
                Some((_, files)) => files.push(file),
                None => logs.push((identity, vec![file])),
            }
        }
        match logs.len() {
            0 => Err(RecordingError::NoLog { folder: folder.to_owned() }),
            1 => Ok(Self { files: logs.remove(0).1 }),
            _ => {
                let firsts = logs.iter().map(|(_, files)| files[0].clone()).collect();
                Err(RecordingError::SeveralLogs { folder: folder.to_owned(), firsts })
            }
        }
    }

    fn from_first(path: &Path) -> Result<Self, RecordingError> {
        let mut files = vec![path.to_owned()];
        if let Some(number) = name_and_number(path).1 {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // Logs of different runs have numbers in their names, too: files of one log have the
            // same metadata.
            let own = identity(path)?.filter(|about| !about.is_empty());
            let mut is_first = true;
            // What was recorded in a process that was killed at its start is empty, and no part.
            let has_something = |other: &Path| fs::metadata(other).is_ok_and(|file| file.len() > 0);
            for other in parts_in(folder, |other| is_same_name(path, other) && has_something(other)) {
                let Some(of_other) = name_and_number(&other).1.filter(|other| *other != number) else { continue };
                if own.is_some() && identity(&other)? == own {
                    is_first &= of_other > number;
                    files.push(other);
                }
            }
            // A file from the middle stands for itself.
            files.truncate(if is_first { files.len() } else { 1 });
        }
        Ok(Self { files })
    }

    /// Returns all files, in order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the first file.
    pub fn first(&self) -> &Path {
        &self.files[0]
    }

    /// Returns the selected messages of all files.
    ///
    /// # Errors
    /// Returns an error if the first file cannot be read.
    pub fn messages(&self, selection: Selection) -> Result<Messages, LogError> {
        let current = LogReader::open(self.first())?.select(selection.clone());
        let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let all = self.files.iter().map(size).sum();
        Ok(Messages { files: self.files[1..].iter().cloned().collect(), selection, current, passed: 0, all })
    }
}

/// The messages of all files, one file after the other.
pub struct Messages {
    files: VecDeque<PathBuf>,
    selection: Selection,
    current: LogReader,
    /// The bytes of the files that were read.
    passed: u64,
    all: u64,
}

/// A message that owns its content.
pub struct Kept {
    /// The channel of the message.
    pub channel: Arc<Channel>,
    /// The number of the message within the channel.
    pub sequence: u32,
    /// The time at which the message was recorded.
    pub log_time: LogTime,
    /// The time at which the message was published.
    pub publish_time: LogTime,
    /// The content of the message, in the channel's encoding.
    pub data: Vec<u8>,
    offset: u64,
}

impl Messages {
    /// Returns the next message, or the error of what cannot be read. Reading continues behind an
    /// error, unless the file itself cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an iterator may be asked again after an error; this may not")]
    pub fn next(&mut self) -> Option<Result<Kept, LogError>> {
        loop {
            match self.current.next_entry() {
                Some(Ok(Entry::Message(message))) => return Some(Ok(Kept::of(&message))),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Some(Err(error)),
                None => {
                    let next = self.files.pop_front()?;
                    self.passed += self.current.progress().1;
                    match LogReader::open(&next) {
                        Ok(log) => self.current = log.select(self.selection.clone()),
                        Err(error) => return Some(Err(error)),
                    }
                }
            }
        }
    }

    /// Returns how many bytes were read, and how many there are.
    pub fn progress(&self) -> (u64, u64) {
        (self.passed + self.current.progress().0, self.all)
    }
}

impl Kept {
    fn of(message: &Message<'_>) -> Self {
        Self {
            channel: message.channel.clone(),
            sequence: message.sequence,
            log_time: message.log_time,
            publish_time: message.publish_time,
            data: message.data.to_vec(),
            offset: message.offset,
        }
    }

    /// Returns the message in the form of log readers.
    pub fn as_message(&self) -> Message<'_> {
        Message {
            channel: self.channel.clone(),
            sequence: self.sequence,
            log_time: self.log_time,
            publish_time: self.publish_time,
            data: &self.data,
            offset: self.offset,
        }
    }
}

/// Returns the metadata about the robot, its clock and its machine, which comes before all
/// messages.
fn identity(path: &Path) -> Result<Identity, LogError> {
    let mut log = LogReader::open(path)?;
    while let Some(entry) = log.next_entry() {
        match entry {
            // The providers are those at the time at which a file began.
            Ok(Entry::Metadata(mut metadata)) if metadata.name == ABOUT => {
                metadata.entries.retain(|key, _| !key.starts_with("provider/"));
                return Ok(Some(metadata.entries));
            }
            // Damage is reported when the log is replayed.
            Ok(Entry::Message(_)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(None)
}

/// Returns the logs of a folder that `fits` accepts, by name and number.
fn parts_in(folder: &Path, fits: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let files = folder.read_dir().into_iter().flatten().flatten().map(|file| file.path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "mcap");
    let mut files: Vec<_> = files.filter(is_log).filter(|path| fits(path)).collect();
    files.sort_by_key(|path| name_and_number(path));
    files
}

/// Splits `game-012.mcap`, or `game_012.mcap`, into `game` and 12.
fn name_and_number(path: &Path) -> (Option<String>, Option<u64>) {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let parted = stem.as_deref().and_then(|stem| stem.rsplit_once(['-', '_']));
    match parted.and_then(|(name, digits)| Some((name.to_owned(), digits.parse().ok()?))) {
        Some((name, number)) => (Some(name), Some(number)),
        None => (stem, None),
    }
}

fn is_same_name(one: &Path, other: &Path) -> bool {
    name_and_number(one).0 == name_and_number(other).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_behind_their_name() {
        let parted = |name: &str| {
            let (name, number) = name_and_number(Path::new(name));
            (name.unwrap_or_default(), number)
        };
        assert_eq!(parted("logs/game-012.mcap"), ("game".to_owned(), Some(12)));
        assert_eq!(parted("bag/rosbag2_0.mcap"), ("rosbag2".to_owned(), Some(0)));
        assert_eq!(parted("nao-1-1000.mcap"), ("nao-1".to_owned(), Some(1000)));
        assert_eq!(parted("game.mcap"), ("game".to_owned(), None));
        assert_eq!(parted("game-old.mcap"), ("game-old".to_owned(), None));
    }
}
