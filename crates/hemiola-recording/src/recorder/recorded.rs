//! What became of a log.

use std::fmt;
use std::path::PathBuf;

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
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failure(error) => error.fmt(formatter),
            Self::Reserve(reserve) => {
                write!(formatter, "less than {} is free on its disk, and `reserve` keeps as much free", bytes(*reserve))
            }
        }
    }
}

impl Recorded {
    /// Whether all that was to be recorded is in it, and it is there.
    pub fn is_whole(&self) -> bool {
        let Self { kept, dropped, dropped_runs, unwritten, ending, .. } = self;
        kept.failure.is_none() && ending.is_none() && (*dropped, *dropped_runs, *unwritten) == (0, 0, 0)
    }

    /// For the end of a run.
    pub fn line(&self) -> String {
        let Self { path, kept, dropped, dropped_runs, unwritten, ending } = self;
        let path = path.display();
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
