use std::io;
use std::path::{Path, PathBuf};

use hemiola::bus::BusError;
use hemiola::configuration::ConfigError;
use hemiola::realtime::RealtimeError;
use hemiola::runtime::RuntimeError;
use thiserror::Error;

/// The reason why a recording cannot be read or scored, or why something beside the robot's modules
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
    /// The operating system reports an error.
    #[error("{}: {error}; check the path and its permissions", file.display())]
    Io {
        /// The file to be read.
        file: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// A file is larger than anything reasonable.
    #[error("{}: holds more than {limit} bytes (unpacked); split it", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The maximum size, in bytes.
        limit: u64,
    },
    /// The directory has no known contents.
    #[error("{}: holds no {expected}; the name of a directory whose README describes that form is expected", directory.display())]
    NothingFound {
        /// The directory.
        directory: PathBuf,
        /// The contents that were expected.
        expected: &'static str,
    },
    /// A table lacks a column.
    #[error("{}: has no column `{column}`, only {}; rename one of them", file.display(), present.join(", "))]
    MissingColumn {
        /// The table.
        file: PathBuf,
        /// The name of the column.
        column: String,
        /// The names of the columns that exist.
        present: Vec<String>,
    },
    /// A cell of a table does not match its column.
    #[error("{}:{line}: `{value}` in column `{column}` is not {expected}; correct or remove the row", file.display())]
    Cell {
        /// The table.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column.
        column: String,
        /// The text of the cell.
        value: String,
        /// The expected kind of value.
        expected: &'static str,
    },
    /// A picture ends before its last row.
    #[error("{}: the picture ends early, after {length} bytes; its frame is skipped, fetch the file again", file.display())]
    Truncated {
        /// The picture.
        file: PathBuf,
        /// The length of the file, in bytes.
        length: usize,
    },
    /// A sound ends before the samples that it announces.
    #[error("{}: the sound ends early, after {length} samples; the rest is missing, fetch the file again", file.display())]
    EndsEarly {
        /// The sound.
        file: PathBuf,
        /// The number of samples that exist.
        length: usize,
    },
    /// A file does not have the format of its name.
    #[error("{}: is not a readable {format} ({reason}); its samples are skipped", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// The format.
        format: &'static str,
        /// The error of the decoder.
        reason: String,
    },
    /// A picture cannot be written.
    #[error("{}: the picture cannot be written ({error}); check the path and its permissions", file.display())]
    Picture {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The durations of the tasks of a cycle are not known.
    #[error(
        "nothing is known of how long the tasks of {cycle} take; measure longer (--measure), or give a profile of this robot (--profile)"
    )]
    NoDurations {
        /// The cycle.
        cycle: String,
    },
    /// A file that is to keep games has something else.
    #[error("{}: does not keep games of `nao closed-loop` ({reason}); give --keep another file, or remove this one", file.display())]
    NotKept {
        /// The file.
        file: PathBuf,
        /// The error of the decoder.
        reason: String,
    },
    /// A file keeps games that were played with something else.
    #[error(
        "{}: keeps games with another length, profile, setting, factor or condition; repeat those options, or give --keep another file",
        file.display()
    )]
    OtherGames {
        /// The file.
        file: PathBuf,
    },
    /// A game that was kept comes out differently.
    #[error(
        "the kept game of seed {seed} under `{condition}` comes out differently with this program; give --keep another file"
    )]
    GameDiffers {
        /// The condition of the game.
        condition: String,
        /// The seed of the game.
        seed: u64,
    },
    /// The robots of a game cannot be configured.
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    /// A result cannot be written.
    #[error("the result cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A topic carries messages of another type, or a service exists already.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// The robot cannot have another executor.
    #[error(transparent)]
    Robot(#[from] RuntimeError),
    /// A thread cannot be started.
    #[error(transparent)]
    Thread(#[from] RealtimeError),
    /// A socket of the referee cannot be used.
    #[error(
        "the referee cannot use {address}: {error}; give it another address or port, or end the program that has it"
    )]
    Network {
        /// The address of the socket, or of the other end.
        address: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Signals cannot be handled.
    #[error("the signal USR1 cannot be handled ({0}): call the service `SaveSnapshot` instead")]
    Signal(#[source] io::Error),
}

impl NaoError {
    /// Returns a function for `map_err` of operations on `file`.
    pub(crate) fn io(file: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::Io { file: file.to_owned(), error }
    }

    pub(crate) fn format(file: &Path, format: &'static str, reason: impl ToString) -> Self {
        Self::Format { file: file.to_owned(), format, reason: reason.to_string() }
    }
}
