//! What can go wrong when names are registered or results are written.

use std::{io, path::PathBuf};

/// Everything that this crate refuses to do.
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
        /// What was to be registered.
        kind: &'static str,
        /// Its name.
        name: String,
        /// How many there may be.
        limit: usize,
    },
    /// A trace could not be written.
    #[error("cannot write the trace {}: {source} (is the folder there, writable, and not full?)", path.display())]
    WriteTrace {
        /// Where to.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A trace could not be read.
    #[error("cannot read the trace {}: {source}", path.display())]
    ReadTrace {
        /// Where from.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file was read, and is no trace of this crate.
    #[error(
        "{} is no trace of a robot: of its {bytes} bytes {whole} are whole packets, and no cycle is among them (`run` writes traces)",
        path.display()
    )]
    InvalidTrace {
        /// Where from.
        path: PathBuf,
        /// How long it is.
        bytes: usize,
        /// How much of that is whole packets.
        whole: usize,
    },
    /// A timeline, a report or a profile could not be written.
    #[error("cannot write the {what} {}: {source} (is the folder there, writable, and not full?)", path.display())]
    Write {
        /// What was to be written.
        what: &'static str,
        /// Where to.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A profile could not be read.
    #[error("cannot read the profile {}: {source} (a run writes a new one)", path.display())]
    ReadProfile {
        /// Where from.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A profile was read, and is none.
    #[error("the profile {} is not valid: {source} (`profile reset` removes it; a run writes a new one)", path.display())]
    InvalidProfile {
        /// Where from.
        path: PathBuf,
        /// Where in the text, and what.
        source: serde_json::Error,
    },
}
