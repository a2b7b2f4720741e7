use std::io;

use thiserror::Error;

/// Why links could not be opened. A link whose peer is not there, or whose address is taken, is
/// none of these: it is told, and tried again.
///
/// ```
/// use hemiola_link::LinkError;
///
/// let error = LinkError::System { what: "a thread", source: std::io::ErrorKind::OutOfMemory.into() };
/// assert!(error.to_string().contains("a thread"));
/// ```
#[derive(Debug, Error)]
pub enum LinkError {
    /// A link cannot listen where it was told to.
    #[error(
        "link `{link}` cannot listen at {address}: {source} (another address: `[link.{link}] listen` in robot.toml)"
    )]
    Listen {
        /// Its name.
        link: String,
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The kernel did not give something.
    #[error("links cannot be opened: the system has not given {what}: {source}")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}
