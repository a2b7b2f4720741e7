use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::Diagnostics;

/// The reason why a configuration cannot be used, or cannot be written.
///
/// ```
/// use hemiola_config::{Catalog, LoadOptions, load};
///
/// let error = load(&LoadOptions::new("/nowhere/robot.toml"), &Catalog::default()).unwrap_err();
/// assert!(error.to_string().contains("cannot read /nowhere/robot.toml"));
/// ```
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The configuration has errors; the diagnostics contain its warnings, too.
    #[error("{0}")]
    Invalid(Diagnostics),
    /// A value cannot be saved.
    #[error("cannot save `{key}`{}: {reason}", file.as_ref().map(|file| format!(" in {}", file.display())).unwrap_or_default())]
    Unsavable {
        /// The file, if there is one.
        file: Option<PathBuf>,
        /// The value's key, from the top of the file.
        key: String,
        /// The reason why it cannot be saved.
        reason: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    File {
        /// The action: `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl ConfigError {
    /// Formats the error with the colours of a terminal.
    pub fn coloured(&self) -> String {
        match self {
            Self::Invalid(diagnostics) => diagnostics.coloured(),
            other => other.to_string(),
        }
    }
}
