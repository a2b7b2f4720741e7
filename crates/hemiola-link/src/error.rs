use std::io;

use thiserror::Error;

/// The reason why links could not be opened. A link that does not reach its peer is not an error:
/// the link reports this, and tries again.
///
/// ```
/// use hemiola_link::LinkError;
///
/// let error = LinkError::System { what: "a thread", source: std::io::ErrorKind::OutOfMemory.into() };
/// assert!(error.to_string().contains("a thread"));
/// ```
#[derive(Debug, Error)]
pub enum LinkError {
    /// A link cannot listen at its address.
    #[error(
        "link `{link}` cannot listen at {address}: {source} (choose another address or port in robot.toml: `listen` in \
         `[link.{link}]`, or, between processes of several hosts, in `[host.*]`)"
    )]
    Listen {
        /// The link's name.
        link: String,
        /// The link's address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// A link cannot join its group.
    #[error(
        "link `{link}` cannot join {address}: {source} (say in robot.toml on which network the group is, such as \
         `interface = \"wlan0\"` in `[link.{link}]`; `ip address` lists them)"
    )]
    Join {
        /// The link's name.
        link: String,
        /// The group's address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// The system has not provided something that links need.
    #[error("links cannot be opened: the system has not provided {what}: {source}")]
    System {
        /// The resource that the system has not provided.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
}
