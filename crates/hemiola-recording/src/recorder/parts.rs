//! A log in several files, each complete by itself: `game-001.mcap`, `game-002.mcap`.

use std::path::{Path, PathBuf};

use hemiola_model::Time;
use hemiola_model::configuration::LogExtent;

use crate::error::RecordingError;

/// The names of a log's files, and when the next one begins.
pub struct Parts {
    /// The requested path: the only file, or the beginning of the names of all files.
    path: PathBuf,
    length: Option<LogExtent>,
    /// The number of the present file, from 1.
    number: u32,
    begin: Option<Time>,
    newest: Time,
}

impl Parts {
    /// Creates the names for a log that is split into files of this length.
    ///
    /// # Errors
    /// Returns an error if there is a log of this name already.
    pub fn new(path: PathBuf, length: Option<LogExtent>) -> Result<Self, RecordingError> {
        let parts = Self { path, length, number: 1, begin: None, newest: Time::ZERO };
        if parts.are_there() {
            return Err(RecordingError::Exists { path: parts.name() });
        }
        Ok(parts)
    }

    /// Returns the pattern of all names, or the only name.
    pub fn name(&self) -> PathBuf {
        match self.length {
            Some(_) => self.path.with_file_name(format!("{}*.mcap", self.stem())),
            None => self.path.clone(),
        }
    }

    /// Returns the path of the present file.
    pub fn path(&self) -> PathBuf {
        match self.length {
            Some(_) => self.path.with_file_name(format!("{}{:03}.mcap", self.stem(), self.number)),
            None => self.path.clone(),
        }
    }

    /// Returns the newest time in the present file.
    pub fn newest(&self) -> Time {
        self.newest
    }

    /// Records that a value of this time was written. Values of different cycles come out of order.
    pub fn note(&mut self, time: Time) {
        self.newest = self.newest.max(time);
        self.begin.get_or_insert(time);
    }

    /// Returns whether the present file, which has `bytes` bytes, is full.
    pub fn is_full(&self, bytes: u64) -> bool {
        match self.length {
            Some(LogExtent::Time(length)) => self.begin.is_some_and(|begin| self.newest.since(begin) >= length),
            Some(LogExtent::Size(length)) => bytes >= length,
            None => false,
        }
    }

    /// Advances to the next file.
    pub fn advance(&mut self) {
        self.number += 1;
        self.begin = Some(self.newest);
    }

    fn stem(&self) -> String {
        format!("{}-", self.path.file_stem().unwrap_or_default().to_string_lossy())
    }

    fn are_there(&self) -> bool {
        if self.length.is_none() {
            return self.path.exists();
        }
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let stem = self.stem();
        folder.read_dir().into_iter().flatten().flatten().any(|file| {
            let name = file.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(&stem)?.strip_suffix(".mcap"));
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_file_is_full_after_its_time_or_size() {
        let at = Time::from_seconds;
        let mut timed = Parts::new("logs/game.mcap".into(), Some(LogExtent::Time(Duration::from_secs(10)))).unwrap();
        assert_eq!(timed.path(), Path::new("logs/game-001.mcap"));
        timed.note(at(5.0));
        timed.note(at(4.9));
        assert!(!timed.is_full(1 << 40));
        timed.note(at(15.0));
        assert!(timed.is_full(0));
        timed.advance();
        assert_eq!(timed.path(), Path::new("logs/game-002.mcap"));
        timed.note(at(14.99));
        assert!(!timed.is_full(0));
        timed.note(at(25.0));
        assert!(timed.is_full(0));

        let sized = Parts::new("game.mcap".into(), Some(LogExtent::Size(1000))).unwrap();
        assert!(!sized.is_full(999) && sized.is_full(1000));
        let whole = Parts::new("game.mcap".into(), None).unwrap();
        assert!(!whole.is_full(u64::MAX));
        assert_eq!(whole.path(), Path::new("game.mcap"));
    }

    #[test]
    fn the_files_of_another_run_are_left_alone() {
        let folder = std::env::temp_dir().join(format!("hemiola-parts-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let parts = || Parts::new(folder.join("game.mcap"), Some(LogExtent::Size(1000)));
        for other in ["game.mcap", "game-1-001.mcap", "game-.mcap", "game-old.mcap"] {
            std::fs::write(folder.join(other), "").unwrap();
        }
        assert!(parts().is_ok());
        std::fs::write(folder.join("game-004.mcap"), "").unwrap();
        let there = parts().err().expect("a file of another run is there").to_string();
        assert!(
            there.ends_with("game-*.mcap exists already, and a log overwrites nothing: choose another name"),
            "{there}"
        );
        let single = Parts::new(folder.join("game.mcap"), None).err().expect("it is there").to_string();
        assert!(
            single.ends_with("game.mcap exists already, and a log overwrites nothing: choose another name"),
            "{single}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
