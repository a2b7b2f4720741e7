use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a recording cannot be played.
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
    /// The operating system refused, or the file is damaged.
    #[error("{}: {error}; check the path (seen from the present folder) and the file", file.display())]
    Io {
        /// What was to be read.
        file: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line is longer than any scanner's.
    #[error("{}:{line}: has more than {limit} bytes; this is no CARMEN log", file.display())]
    LongLine {
        /// The log.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What would be accepted.
        limit: usize,
    },
    /// A line does not hold what its first word promises.
    #[error("{}:{line}: {fault}; correct or remove the line", file.display())]
    Line {
        /// The log.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        fault: LineFault,
    },
}

impl RoverError {
    /// For `map_err` of whatever touches `file`.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { file: file.to_owned(), error }
    }
}

/// What can be wrong with a line of a CARMEN log.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// It ends before its last field.
    #[error("the line ends where {0} should be")]
    Ends(&'static str),
    /// A field is no number.
    #[error("`{value}` is no number, as {field} should be")]
    Number {
        /// What should be there.
        field: &'static str,
        /// What is there.
        value: String,
    },
    /// A scan of no or too many beams.
    #[error("a scan of {0} beams; 1 to 4096 can be read")]
    Beams(u64),
}
