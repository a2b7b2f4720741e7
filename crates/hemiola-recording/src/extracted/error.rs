use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hemiola_log::LogError;
use hemiola_runtime::RuntimeError;
use thiserror::Error;

use crate::error::RecordingError;

/// The reason why a run cannot be extracted from a log, was not repeated, or has another result.
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
    /// The robot refuses a request.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The file is another one, or the module has changed too much.
    #[error("{}: {reason}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The present module computes something else.
    #[error(
        "run {run} of {module} differs from the recorded one:\n  {}\n\
         if that is intended, replay the log with the module as it is now, and extract the run again:\n  \
         run --replay LOG --fast --log mended.mcap\n  \
         log extract-cycle mended.mcap --cycle {cycle} --run {run} --module {module} --replace",
        differences.join("\n  ")
    )]
    Different {
        /// The cycle.
        cycle: String,
        /// The module.
        module: String,
        /// The run of its cycle.
        run: u64,
        /// The differences, each with both values.
        differences: Vec<String>,
    },
    /// No module of that name is linked.
    #[error("{}", hemiola_config::unknown("module", name, known))]
    UnknownModule {
        /// The requested name.
        name: String,
        /// The existing modules.
        known: Vec<String>,
    },
    /// A service's answer is not in the log.
    #[error("a run of {module} cannot be repeated alone: it calls service {service}, whose answers are not in the log")]
    AsksService {
        /// The module.
        module: String,
        /// The service.
        service: String,
    },
    /// The log has no transcript of runs.
    #[error("{}: {reason}", log.display())]
    WithoutRuns {
        /// The log.
        log: PathBuf,
        /// The reason.
        reason: Arc<RecordingError>,
    },
    /// The log has runs of other cycles.
    #[error("{}", hemiola_config::unknown("cycle", name, known))]
    UnknownCycle {
        /// The requested name.
        name: String,
        /// The cycles of which the log has runs.
        known: Vec<String>,
    },
    /// The log has other runs of the cycle.
    #[error("there is no run {run} of {cycle}; there are {first} to {last}")]
    NoSuchRun {
        /// The requested run.
        run: u32,
        /// The cycle of the run.
        cycle: String,
        /// The first run in the log.
        first: u32,
        /// The last run in the log.
        last: u32,
    },
    /// The runs of a replay would differ from those of the log.
    #[error("its runs cannot be repeated: {0}")]
    NotRepeatable(Arc<RecordingError>),
    /// The module runs in another cycle, or in none.
    #[error("{module} does not run in cycle `{cycle}`")]
    NotInCycle {
        /// The module.
        module: String,
        /// The cycle.
        cycle: String,
    },
    /// The replay ended before the run was over.
    #[error("run {run} of {cycle} cannot be extracted: {reason}")]
    NotReached {
        /// The run.
        run: u32,
        /// The cycle of the run.
        cycle: String,
        /// The reason.
        reason: String,
    },
    /// A value was too large to be written.
    #[error("there was no room for {name}")]
    NoRoom {
        /// The name of the value.
        name: String,
    },
    /// A value cannot be written into a file.
    #[error("{module} cannot be extracted from the log: {name} is opaque")]
    Opaque {
        /// The module.
        module: String,
        /// The name of what it reads or provides.
        name: String,
    },
    /// A file of the test cannot be created.
    #[error("cannot write {}: {error} (check that the folder exists, is writable, and has space)", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The run was extracted before.
    #[error("cannot write {}: it exists already (`--replace` replaces an earlier extraction)", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A test of the package could not use the module's crate.
    #[error("{}: a test of this package cannot use crate {name}: {remedy}", manifest.display())]
    NotLinked {
        /// The manifest of the package.
        manifest: PathBuf,
        /// The crate.
        name: String,
        /// The remedy.
        remedy: String,
    },
    /// The present module computes something else; nothing was written.
    #[error("the test would fail already: {0}")]
    FailsAlready(Box<ExtractedError>),
}

/// Formats the error for people, for tests that unwrap.
impl fmt::Debug for ExtractedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}
