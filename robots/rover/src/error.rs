use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reason why a recording cannot be played.
///
/// ```
/// use rover::RoverError;
/// use rover::recordings::CarmenLog;
/// use hemiola::prelude::*;
///
/// let error = CarmenLog::open("drives/yesterday.clf".as_ref()).err().unwrap();
/// assert!(matches!(error, RoverError::Io { .. }));
/// assert!(error.to_string().starts_with("drives/yesterday.clf: "));
/// ```
#[derive(Debug, Error)]
pub enum RoverError {
    /// The operating system reports an error, or the file is damaged.
    #[error("{}: {error}; check the path (relative to the current directory) and the file", file.display())]
    Io {
        /// The file to be read.
        file: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A line is longer than any scan.
    #[error("{}:{line}: has more than {limit} bytes; this is no CARMEN log", file.display())]
    LongLine {
        /// The log.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The maximum length, in bytes.
        limit: usize,
    },
    /// A line does not match its first word.
    #[error("{}:{line}: {fault}; correct or remove the line", file.display())]
    Line {
        /// The log.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault of the line.
        fault: LineFault,
    },
}

impl RoverError {
    /// Returns a function for `map_err` of operations on `file`.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { file: file.to_owned(), error }
    }
}

/// A fault of a line of a CARMEN log.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// The line ends before its last field.
    #[error("the line ends where {0} should be")]
    Ends(&'static str),
    /// A field is no number.
    #[error("`{value}` is no number, as {field} should be")]
    Number {
        /// The name of the field.
        field: &'static str,
        /// The text of the field.
        value: String,
    },
    /// A scan without beams or with too many of them.
    #[error("a scan of {0} beams; 1 to 4096 can be read")]
    Beams(u64),
}
