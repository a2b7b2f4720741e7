//! A log in one file, or in several of which each is whole by itself: `game-001.mcap`,
//! `game-002.mcap`.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hemiola_log::{Channel, Entry, LogError, LogReader, LogTime, Message, Selection};

use crate::error::RecordingError;
use crate::names::ABOUT;

/// The files of a log, in order.
pub struct SplitLog {
    files: Vec<PathBuf>,
}

/// What all files of a log say, and those of no other one.
type Identity = Option<BTreeMap<String, String>>;

impl SplitLog {
    /// What a path means: a file, which may be the first of several; or a folder with the files of
    /// one log.
    ///
    /// # Errors
    /// There is nothing of that name, or the folder has no log or several.
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
            // Runs have numbers in their names, too: what belongs together says the same of itself.
            let own = identity(path)?.filter(|about| !about.is_empty());
            let mut is_first = true;
            for other in parts_in(folder, |other| is_same_name(path, other)) {
                let Some(of_other) = name_and_number(&other).1.filter(|other| *other != number) else { continue };
                if own.is_some() && identity(&other)? == own {
                    is_first &= of_other > number;
                    files.push(other);
                }
            }
            // One from the middle is meant by itself.
            files.truncate(if is_first { files.len() } else { 1 });
        }
        Ok(Self { files })
    }

    /// All of its files, in order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Where it begins.
    pub fn first(&self) -> &Path {
        &self.files[0]
    }

    /// The messages of all files that are selected.
    ///
    /// # Errors
    /// The first file cannot be read.
    pub fn messages(&self, selection: Selection) -> Result<Messages, LogError> {
        let current = LogReader::open(self.first())?.select(selection.clone());
        let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let all = self.files.iter().map(size).sum();
        Ok(Messages { files: self.files[1..].iter().cloned().collect(), selection, current, passed: 0, all })
    }
}

/// Messages, file after file.
pub struct Messages {
    files: VecDeque<PathBuf>,
    selection: Selection,
    current: LogReader,
    /// Bytes of the files before.
    passed: u64,
    all: u64,
}

/// A message that outlives its place in the file.
pub struct Kept {
    /// Its channel.
    pub channel: Arc<Channel>,
    /// Its number within the channel.
    pub sequence: u32,
    /// When it was recorded.
    pub log_time: LogTime,
    /// When it was published.
    pub publish_time: LogTime,
    /// Its bytes, encoded as the channel says.
    pub data: Vec<u8>,
    offset: u64,
}

impl Messages {
    /// The next one, or what cannot be read; reading goes on behind it, unless the file itself
    /// failed.
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

    /// How many bytes have been passed, and how many there are.
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

    /// The message as readers of logs have it.
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

/// What a log says of its robot, its clock and its machine, which stands before all messages.
fn identity(path: &Path) -> Result<Identity, LogError> {
    let mut log = LogReader::open(path)?;
    while let Some(entry) = log.next_entry() {
        match entry {
            // Providers are those of the time at which a file began.
            Ok(Entry::Metadata(mut metadata)) if metadata.name == ABOUT => {
                metadata.entries.retain(|key, _| !key.starts_with("provider/"));
                return Ok(Some(metadata.entries));
            }
            // What is damaged is said when it is replayed.
            Ok(Entry::Message(_)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    Ok(None)
}

/// The logs of a folder that fit, by name and number.
fn parts_in(folder: &Path, fits: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let files = folder.read_dir().into_iter().flatten().flatten().map(|file| file.path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "mcap");
    let mut files: Vec<_> = files.filter(is_log).filter(|path| fits(path)).collect();
    files.sort_by_key(|path| name_and_number(path));
    files
}

/// `game-012.mcap` is `game` and 12; so is `game_12.mcap`.
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
