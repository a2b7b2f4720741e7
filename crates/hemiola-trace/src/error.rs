//! Errors in registering names, and in reading and writing results.

use std::{io, path::PathBuf};

/// An error of this crate.
///
/// ```
/// use hemiola_trace::ProfileHistory;
///
/// let error = ProfileHistory::load("/nowhere/profile.json").unwrap_err();
/// assert!(error.to_string().starts_with("cannot read the profile /nowhere/profile.json"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A kind of name has no numbers left; numbers are never reused.
    #[error(
        "cannot register {kind} `{name}`: all {limit} numbers are taken (they are not reused; restart the process)"
    )]
    CatalogFull {
        /// The kind of the name.
        kind: &'static str,
        /// The name that could not be registered.
        name: String,
        /// The maximum number of such names.
        limit: usize,
    },
    /// A trace could not be written.
    #[error("cannot write the trace {}: {source} (check that the folder exists, is writable, and has space)", path.display())]
    WriteTrace {
        /// The path of the trace.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A trace could not be read.
    #[error("cannot read the trace {}: {source}", path.display())]
    ReadTrace {
        /// The path of the trace.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file was read, but is not a trace of this crate.
    #[error(
        "{} is not a trace of a robot: {whole} of its {bytes} bytes are complete packets, which contain no cycle (`run` writes traces)",
        path.display()
    )]
    InvalidTrace {
        /// The path of the file.
        path: PathBuf,
        /// The length of the file.
        bytes: usize,
        /// The number of bytes in complete packets.
        whole: usize,
    },
    /// A timeline, a report or a profile could not be written.
    #[error("cannot write the {what} {}: {source} (check that the folder exists, is writable, and has space)", path.display())]
    Write {
        /// The kind of the file.
        what: &'static str,
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A profile could not be read.
    #[error("cannot read the profile {}: {source} (a run writes a new one)", path.display())]
    ReadProfile {
        /// The path of the profile.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A profile was read, but is not valid.
    #[error("the profile {} is not valid: {source} (`profile reset` removes it; a run writes a new one)", path.display())]
    InvalidProfile {
        /// The path of the profile.
        path: PathBuf,
        /// The position in the text, and the error there.
        source: serde_json::Error,
    },
}
