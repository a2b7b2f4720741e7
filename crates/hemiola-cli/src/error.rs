use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use hemiola_config::ConfigError;
use hemiola_insight::InsightError;
use hemiola_link::LinkError;
use hemiola_live::client::ClientError;
use hemiola_live::{BrowserError, LiveError};
use hemiola_log::LogError;
use hemiola_plan::datasets::DatasetError;
use hemiola_recording::RecordingError;
use hemiola_recording::extracted::ExtractedError;
use hemiola_runtime::RuntimeError;
use thiserror::Error;

/// The reason why a command of the command line ended early.
///
/// ```
/// use hemiola_cli::CommandError;
///
/// let error = CommandError::Usage("there is no cycle `moton`".to_owned());
/// assert_eq!(error.to_string(), "error: there is no cycle `moton`");
/// ```
#[derive(Debug, Error)]
pub enum CommandError {
    /// `robot.toml`, an overlay or an assignment is wrong.
    #[error("{0}")]
    Configuration(#[from] ConfigError),
    /// The linked modules and this configuration do not form a robot.
    #[error("error: {error}{written}")]
    Assembly {
        /// The error of the runtime.
        error: RuntimeError,
        /// The places in the configuration that are involved, a line each.
        written: String,
    },
    /// The command names something that does not exist, or is not valid.
    #[error("error: {0}")]
    Usage(String),
    /// The robot could not be started.
    #[error("error: {0}")]
    Runtime(#[from] RuntimeError),
    /// The operating system refused to create a thread.
    #[error("error: cannot create a thread for the robot: {0}")]
    Thread(io::Error),
    /// A robot cannot be recorded, or a log cannot be replayed.
    #[error("error: {0}")]
    Recording(#[from] RecordingError),
    /// The door cannot be opened.
    #[error("error: {0}")]
    Live(#[from] LiveError),
    /// A link cannot be opened.
    #[error("error: {0}")]
    Link(#[from] LinkError),
    /// The robot cannot be a node of ROS 2.
    #[error("error: {0}")]
    Ros2(String),
    /// A run of a module cannot be extracted from a log.
    #[error("error: {0}")]
    Extracted(#[from] ExtractedError),
    /// The robot's latencies cannot be bounded, or it may not start with their bounds.
    #[error("error: {0}")]
    Insight(#[from] InsightError),
    /// A trace, profile or report cannot be read or written.
    #[error("error: {0}")]
    Trace(#[from] hemiola_trace::Error),
    /// A log cannot be read or written.
    #[error("error: {0}")]
    Log(#[from] LogError),
    /// A file with a task graph is wrong.
    #[error("error: {}: {error}", path.display())]
    Dataset {
        /// The file.
        path: PathBuf,
        /// The error in the file.
        error: Box<DatasetError>,
    },
    /// A running robot cannot be reached, or refuses a request.
    #[error("error: {0}")]
    Client(#[from] ClientError),
    /// There is no picture of the page.
    #[error("error: {0}")]
    Browser(#[from] BrowserError),
    /// A file that a command reads cannot be read.
    #[error("error: cannot read {}: {error} (check the path and the permissions)", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The robot's guard cannot be started, or has failed.
    #[error("error: the robot has no guard: {0}")]
    Guard(io::Error),
    /// The processes of a robot cannot be started.
    #[error("error: the robot's processes cannot run: {0}")]
    Processes(io::Error),
    /// A robot cannot be deployed to another machine.
    #[error("error: {what}{}\n  remedy: {remedy}", said.lines().map(|line| format!("\n  | {line}")).collect::<String>())]
    Deploy {
        /// The step that failed, and its machine.
        what: String,
        /// The output of the failed program.
        said: String,
        /// The remedy.
        remedy: String,
    },
    /// A file that a command removes cannot be removed.
    #[error("error: cannot remove {}: {error} (check the permissions of its folder)", path.display())]
    Remove {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file that a command writes cannot be written.
    #[error("error: cannot write {}: {error} (check that the folder exists, is writable, and has space)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl CommandError {
    /// Creates the error that there is no `kind` of that name.
    pub(crate) fn unknown<'n>(kind: &str, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        Self::Usage(hemiola_config::unknown(kind, name, known))
    }

    /// Returns 2 if the user has to change something before it can work, and 1 for failures while
    /// running.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Configuration(_)
            | Self::Assembly { .. }
            | Self::Usage(_)
            | Self::Dataset { .. }
            | Self::Read { .. } => ExitCode::from(2),
            Self::Log(error) => of_log(error),
            Self::Recording(error) => of_recording(error),
            Self::Extracted(error) => match error {
                ExtractedError::Log(error) => of_log(error),
                ExtractedError::Recording(error) => of_recording(error),
                ExtractedError::Runtime(_) | ExtractedError::Write { .. } | ExtractedError::Exists { .. } => {
                    ExitCode::from(1)
                }
                _ => ExitCode::from(2),
            },
            Self::Insight(error) => match error {
                InsightError::Log(error) => of_log(error),
                InsightError::Trace(_) => ExitCode::from(1),
                _ => ExitCode::from(2),
            },
            Self::Runtime(_)
            | Self::Live(_)
            | Self::Link(_)
            | Self::Ros2(_)
            | Self::Client(_)
            | Self::Browser(_)
            | Self::Thread(_)
            | Self::Trace(_)
            | Self::Guard(_)
            | Self::Processes(_)
            | Self::Deploy { .. }
            | Self::Remove { .. }
            | Self::Write { .. } => ExitCode::from(1),
        }
    }
}

fn of_recording(error: &RecordingError) -> ExitCode {
    match error {
        RecordingError::Log(error) => of_log(error),
        RecordingError::Runtime(_) | RecordingError::Thread(_) | RecordingError::Exists { .. } => ExitCode::from(1),
        _ => ExitCode::from(2),
    }
}

fn of_log(error: &LogError) -> ExitCode {
    ExitCode::from(if matches!(error, LogError::Open { .. } | LogError::NotMcap { .. }) { 2 } else { 1 })
}
