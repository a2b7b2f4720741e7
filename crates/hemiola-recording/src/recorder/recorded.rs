//! The outcome of a log.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use hemiola_log::LogError;

use super::keeper::Kept;
use hemiola_words::{bytes, counted};

/// The outcome of a log, for the end of a run.
pub struct Recorded {
    /// The path of the file, or the pattern of all names.
    pub path: PathBuf,
    /// The outcome of the files.
    pub kept: Kept,
    /// The number of values that were dropped because the log was too slow.
    pub dropped: u64,
    /// The number of runs that were dropped because the log was too slow.
    pub dropped_runs: u64,
    /// The number of values that came after the log had ended, or that it cannot represent.
    pub unwritten: u64,
    /// The reason why the log ended before the run did.
    pub ending: Option<Ending>,
}

/// The reason why a log ended before the run did.
pub enum Ending {
    /// The log cannot be written.
    Failure(LogError),
    /// The disk has too little space left: this many bytes must stay free.
    Reserve(u64),
    /// The disk has made no progress for this time.
    Disk(Duration),
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(error) => error.fmt(formatter),
            Self::Reserve(reserve) => {
                write!(formatter, "less than {} is free on its disk, which `reserve` keeps free", bytes(*reserve))
            }
            Self::Disk(patience) => write!(formatter, "its disk has accepted no data for {patience:?}"),
        }
    }
}

impl Recorded {
    /// Returns whether the log is complete and all its files exist.
    pub fn is_whole(&self) -> bool {
        let Self { kept, dropped, dropped_runs, unwritten, ending, .. } = self;
        kept.failure.is_none() && ending.is_none() && (*dropped, *dropped_runs, *unwritten) == (0, 0, 0)
    }

    /// Returns the outcome of a log that was given up because its disk has made no progress for
    /// that time.
    pub fn without_end(path: PathBuf, patience: Duration) -> Self {
        let ending = Some(Ending::Disk(patience));
        Self { path, kept: Kept::default(), dropped: 0, dropped_runs: 0, unwritten: 0, ending }
    }

    /// Returns a line for the end of a run.
    pub fn line(&self) -> String {
        let Self { path, kept, dropped, dropped_runs, unwritten, ending } = self;
        let path = path.display();
        if let Some(ending @ Ending::Disk(_)) = ending {
            return format!("log      {path} has no end, because {ending}: `log recover {path}` can add it");
        }
        let failure = kept.failure.as_ref().map(ToString::to_string);
        if let Some(reason) = ending.as_ref().map(ToString::to_string).or(failure) {
            return format!("log      {path} ended early, {unwritten} values are not in it: {reason}");
        }
        let lost = match (dropped, unwritten) {
            (0, 0) => "nothing lost".to_owned(),
            (0, unwritten) => format!("{unwritten} could not be written"),
            (dropped, 0) => format!("{dropped} lost, because the log was too slow"),
            (dropped, unwritten) => {
                format!("{dropped} lost, because the log was too slow, {unwritten} could not be written")
            }
        };
        let lost = match dropped_runs {
            0 => lost,
            runs => format!("{lost}; it was too slow to record {runs} runs, and cannot be repeated beyond them"),
        };
        let files = match (kept.files, kept.removed) {
            (..=1, 0) => String::new(),
            (files, 0) => format!("{}, ", counted(files, "file")),
            (files, removed) => format!("{} ({removed} older ones removed), ", counted(files, "file")),
        };
        let (messages, size) = (kept.written.messages, bytes(kept.written.bytes));
        format!("log      {path}: {files}{messages} messages, {size}, {lost}: `log info {path}` shows more")
    }
}
