//! What became of a log.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use hemiola_log::LogError;

use super::keeper::Kept;
use hemiola_words::{bytes, counted};

/// What became of a log, for the end of a run.
pub struct Recorded {
    /// The file, or what all of them are called.
    pub path: PathBuf,
    /// What became of its files.
    pub kept: Kept,
    /// Values that the log was too slow for.
    pub dropped: u64,
    /// Runs that it was too slow for.
    pub dropped_runs: u64,
    /// Values that came after the log had ended, or that could not be said in it.
    pub unwritten: u64,
    /// Why it ended before the run did.
    pub ending: Option<Ending>,
}

/// Why a log ended before the run did.
pub enum Ending {
    /// It cannot be written.
    Failure(LogError),
    /// Something has to stay free: so many bytes.
    Reserve(u64),
    /// The disk has taken nothing for so long.
    Disk(Duration),
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(error) => error.fmt(formatter),
            Self::Reserve(reserve) => {
                write!(formatter, "less than {} is free on its disk, and `reserve` keeps as much free", bytes(*reserve))
            }
            Self::Disk(patience) => write!(formatter, "its disk has taken nothing for {patience:?}"),
        }
    }
}

impl Recorded {
    /// Whether all that was to be recorded is in it, and it is there.
    pub fn is_whole(&self) -> bool {
        let Self { kept, dropped, dropped_runs, unwritten, ending, .. } = self;
        kept.failure.is_none() && ending.is_none() && (*dropped, *dropped_runs, *unwritten) == (0, 0, 0)
    }

    /// Of one whose disk has taken nothing for so long, and is left alone.
    pub fn without_end(path: PathBuf, patience: Duration) -> Self {
        let ending = Some(Ending::Disk(patience));
        Self { path, kept: Kept::default(), dropped: 0, dropped_runs: 0, unwritten: 0, ending }
    }

    /// For the end of a run.
    pub fn line(&self) -> String {
        let Self { path, kept, dropped, dropped_runs, unwritten, ending } = self;
        let path = path.display();
        if let Some(ending @ Ending::Disk(_)) = ending {
            return format!("log      {path} has no end, for {ending}: `log recover {path}` can give it one");
        }
        let failure = kept.failure.as_ref().map(ToString::to_string);
        if let Some(reason) = ending.as_ref().map(ToString::to_string).or(failure) {
            return format!("log      {path} ended early, {unwritten} values are not in it: {reason}");
        }
        let lost = match (dropped, unwritten) {
            (0, 0) => "nothing lost".to_owned(),
            (0, unwritten) => format!("{unwritten} could not be written"),
            (dropped, 0) => format!("{dropped} lost, for the log was too slow"),
            (dropped, unwritten) => {
                format!("{dropped} lost, for the log was too slow, {unwritten} could not be written")
            }
        };
        let lost = match dropped_runs {
            0 => lost,
            runs => format!("{lost}; it was too slow to write down {runs} runs, and cannot be repeated beyond"),
        };
        let files = match (kept.files, kept.removed) {
            (..=1, 0) => String::new(),
            (files, 0) => format!("{}, ", counted(files, "file")),
            (files, removed) => format!("{} ({removed} older ones removed), ", counted(files, "file")),
        };
        let (messages, size) = (kept.written.messages, bytes(kept.written.bytes));
        format!("log      {path}: {files}{messages} messages, {size}, {lost}: `log info {path}` tells more")
    }
}
