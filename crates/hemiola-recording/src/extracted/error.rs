use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hemiola_log::LogError;
use hemiola_runtime::RuntimeError;
use thiserror::Error;

use crate::error::RecordingError;

/// Why a run cannot be taken out of a log, was not repeated, or came out differently.
///
/// ```
/// use hemiola_recording::extracted::Extracted;
///
/// let error = Extracted::open("nowhere.mcap").err().expect("there is no such file");
/// assert!(error.to_string().starts_with("cannot open nowhere.mcap: "));
/// ```
#[derive(Error)]
#[non_exhaustive]
pub enum ExtractedError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log cannot be replayed.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The robot refuses what is asked of it.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// It is another one, or the module has changed too much.
    #[error("{}: {reason}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// In words.
        reason: String,
    },
    /// The module computes something else now.
    #[error("run {run} of {module} is not what it was:\n  {}", differences.join("\n  "))]
    Different {
        /// The module.
        module: String,
        /// The run of its cycle.
        run: u64,
        /// Each with both values.
        differences: Vec<String>,
    },
    /// No module of that name is linked.
    #[error("{}", hemiola_config::unknown("module", name, known))]
    UnknownModule {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// What a service answered is not in a log.
    #[error("a run of {module} cannot be repeated alone: it asks service {service}, whose answers are not in the log")]
    AsksService {
        /// The module.
        module: String,
        /// The service.
        service: String,
    },
    /// The log does not say what its runs began with.
    #[error("{}: {reason}", log.display())]
    WithoutRuns {
        /// The log.
        log: PathBuf,
        /// Why.
        reason: Arc<RecordingError>,
    },
    /// The log has runs of other cycles.
    #[error("{}", hemiola_config::unknown("cycle", name, known))]
    UnknownCycle {
        /// What was asked for.
        name: String,
        /// Those that the log has runs of.
        known: Vec<String>,
    },
    /// The log has other runs of the cycle.
    #[error("there is no run {run} of {cycle}; there are {first} to {last}")]
    NoSuchRun {
        /// What was asked for.
        run: u32,
        /// Its cycle.
        cycle: String,
        /// The first run that there is.
        first: u32,
        /// The last one.
        last: u32,
    },
    /// The robot's runs would be other ones.
    #[error("its runs cannot be repeated: {0}")]
    NotRepeatable(Arc<RecordingError>),
    /// The module runs elsewhere, or nowhere.
    #[error("{module} does not run in cycle `{cycle}`")]
    NotInCycle {
        /// The module.
        module: String,
        /// The cycle.
        cycle: String,
    },
    /// The replay ended before the run was over.
    #[error("run {run} of {cycle} cannot be taken out: {reason}")]
    NotReached {
        /// The run.
        run: u32,
        /// Its cycle.
        cycle: String,
        /// What ended the replay.
        reason: String,
    },
    /// Something was too large to be written down.
    #[error("{name} found no room")]
    NoRoom {
        /// Its name.
        name: String,
    },
    /// A value cannot be written into a file.
    #[error("{module} cannot be taken out of the log: {name} is opaque")]
    Opaque {
        /// The module.
        module: String,
        /// What it reads or provides.
        name: String,
    },
    /// A file of the test cannot be made.
    #[error("cannot write {}: {error} (is the folder there, writable, and not full?)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// A test of the package could not be compiled.
    #[error("{}: a test of this package cannot use crate {name}: {remedy}", manifest.display())]
    NotLinked {
        /// Of the package.
        manifest: PathBuf,
        /// The crate.
        name: String,
        /// What to do.
        remedy: String,
    },
    /// The module does not do what it did; nothing was written.
    #[error("the test would fail already: {0}")]
    FailsAlready(Box<ExtractedError>),
}

/// As people read it, for tests that unwrap.
impl fmt::Debug for ExtractedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
