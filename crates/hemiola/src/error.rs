use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use hemiola_config::ConfigError;
use hemiola_log::LogError;
use hemiola_runtime::RuntimeError;
use thiserror::Error;

/// Why a command of the command line ended early, or what programs do in its place.
///
/// ```
/// use hemiola::replay::ReplayLog;
///
/// let error = ReplayLog::read("/nowhere.mcap".as_ref()).err().expect("there is no such log");
/// assert!(error.to_string().starts_with("error: cannot open /nowhere.mcap: "));
/// ```
#[derive(Debug, Error)]
pub enum CommandError {
    /// `robot.toml` and what is put over it.
    #[error("{0}")]
    Configuration(#[from] ConfigError),
    /// The modules that are linked do not make a robot with this configuration.
    #[error("error: {error}{written}")]
    Assembly {
        /// What does not fit.
        error: RuntimeError,
        /// Where the configuration has its part in it, a line each.
        written: String,
    },
    /// What was asked for does not exist or does not make sense.
    #[error("error: {0}")]
    Usage(String),
    /// The robot could not be started.
    #[error("error: {0}")]
    Runtime(#[from] RuntimeError),
    /// The operating system refused a thread.
    #[error("error: no thread to run the robot on: {0}")]
    Thread(io::Error),
    /// Not everything is sure to be in time, and `[analysis]` refuses that.
    #[error(
        "error: not everything is sure to be in time, and `admission = \"refuse\"` under `[analysis]` forbids that\n{findings}"
    )]
    NotAdmitted {
        /// What is demanded, and what can be promised.
        findings: String,
    },
    /// A trace, profile or report.
    #[error("error: {0}")]
    Trace(#[from] hemiola_trace::Error),
    /// A log.
    #[error("error: {0}")]
    Log(#[from] LogError),
    /// A file that a command writes.
    #[error("error: cannot write {}: {error} (is the folder there, writable, and not full?)", path.display())]
    Write {
        /// Where to.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl CommandError {
    /// There is no `kind` of that name.
    pub(crate) fn unknown<'n>(kind: &str, name: &str, known: impl IntoIterator<Item = &'n str>) -> Self {
        let known: Vec<_> = known.into_iter().collect();
        let meant = hemiola_config::nearest(name, known.iter().copied());
        Self::Usage(match (known.as_slice(), meant) {
            ([], _) => format!("there is no {kind} `{name}`, and no other either"),
            (known, Some(meant)) => {
                format!("there is no {kind} `{name}`, did you mean `{meant}`? There are: {}", known.join(", "))
            }
            (known, None) => format!("there is no {kind} `{name}`; there are: {}", known.join(", ")),
        })
    }

    /// 2 when the user has to change something before it can work, 1 for failures while running.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Configuration(_) | Self::Assembly { .. } | Self::Usage(_) | Self::NotAdmitted { .. } => {
                ExitCode::from(2)
            }
            Self::Log(LogError::Open { .. } | LogError::NotMcap { .. }) => ExitCode::from(2),
            Self::Runtime(_) | Self::Thread(_) | Self::Trace(_) | Self::Log(_) | Self::Write { .. } => {
                ExitCode::from(1)
            }
        }
    }
}
