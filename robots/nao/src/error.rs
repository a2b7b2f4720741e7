use std::io;
use std::path::{Path, PathBuf};

use hemiola::bus::BusError;
use hemiola::realtime::RealtimeError;
use hemiola::runtime::RuntimeError;
use thiserror::Error;

/// Why something recorded could not be read or scored, or something beside the robot's modules
/// cannot start.
///
/// ```
/// use nao::NaoError;
/// use nao::recordings::read_bounded;
/// use std::path::Path;
///
/// let error = read_bounded(Path::new("walks/imu.csv")).unwrap_err();
/// assert!(matches!(error, NaoError::Io { .. }));
/// assert!(error.to_string().starts_with("walks/imu.csv: ") && error.to_string().ends_with("; check the path and its permissions"));
/// ```
#[derive(Debug, Error)]
pub enum NaoError {
    /// The operating system refused.
    #[error("{}: {error}; check the path and its permissions", file.display())]
    Io {
        /// What was to be read.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// More bytes than anything reasonable.
    #[error("{}: holds more than {limit} bytes (unpacked); split it", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// What would be accepted.
        limit: u64,
    },
    /// The directory holds nothing that is known here.
    #[error("{}: holds no {expected}; the name of a directory whose README describes that form is expected", directory.display())]
    NothingFound {
        /// The directory.
        directory: PathBuf,
        /// What was looked for.
        expected: &'static str,
    },
    /// A table has no such column.
    #[error("{}: has no column `{column}`, only {}; rename one of them", file.display(), present.join(", "))]
    MissingColumn {
        /// The table.
        file: PathBuf,
        /// What was looked for.
        column: String,
        /// What there is.
        present: Vec<String>,
    },
    /// A cell of a table does not hold what its column promises.
    #[error("{}:{line}: `{value}` in column `{column}` is not {expected}; correct or remove the row", file.display())]
    Cell {
        /// The table.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// What it says.
        value: String,
        /// What it should say.
        expected: &'static str,
    },
    /// A picture ends before its last row.
    #[error("{}: the picture ends early, after {length} bytes; its frame is left out, fetch the file again", file.display())]
    Truncated {
        /// The picture.
        file: PathBuf,
        /// Its length.
        length: usize,
    },
    /// A sound ends before the samples that it announces.
    #[error("{}: the sound ends early, after {length} samples; the rest is missing, fetch the file again", file.display())]
    EndsEarly {
        /// The sound.
        file: PathBuf,
        /// The number of samples that are there.
        length: usize,
    },
    /// A file is not of the format that its name promises.
    #[error("{}: is no {format} that can be read ({reason}); its samples are left out", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// The format.
        format: &'static str,
        /// What the decoder says.
        reason: String,
    },
    /// A result could not be written.
    #[error("the result cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A topic carries something else, or somebody else serves.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The robot has no place for another executor.
    #[error(transparent)]
    Robot(#[from] RuntimeError),
    /// There is no thread to be had.
    #[error(transparent)]
    Thread(#[from] RealtimeError),
    /// The system hands over no signals.
    #[error("the system hands over no signal USR1 ({0}): ask the service `SaveSnapshot` instead")]
    Signal(#[source] io::Error),
}

impl NaoError {
    /// For `map_err` of whatever touches `file`.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { file: file.to_owned(), error }
    }

    pub(crate) fn format(file: &Path, format: &'static str, reason: impl ToString) -> Self {
        Self::Format { file: file.to_owned(), format, reason: reason.to_string() }
    }
}
