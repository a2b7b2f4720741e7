use std::io;

use hemiola_model::configuration::LinkConfiguration;
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
    /// A link at a `zenoh:` address cannot be opened.
    #[error(
        "link `{link}` cannot be opened at {address}: {source} (in `[link.{link}]`, `listen` has an address of this \
         computer whose port is free, such as \"zenoh:tcp/127.0.0.1:7447\", and `connect` one that Zenoh can resolve)"
    )]
    Zenoh {
        /// The link's name.
        link: String,
        /// The link's address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// A link is at a `zenoh:` address, and the program was built without Zenoh.
    #[error(
        "link `{link}` is at {address}, and this program was built without Zenoh: add the feature to the robot's \
         Cargo.toml, `hemiola = {{ version = \"0.1\", features = [\"zenoh\"] }}`"
    )]
    WithoutZenoh {
        /// The link's name.
        link: String,
        /// The link's address.
        address: String,
    },
    /// The links have ended. Either code that is not theirs has panicked, that of a message's type
    /// as a rule, or the system refuses to wait for their sockets.
    #[error("the links have ended: they {reason}")]
    Ended {
        /// The reason, as a part of a sentence.
        reason: String,
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

impl LinkError {
    /// Returns the error for a link at a `zenoh:` address in a program without Zenoh.
    ///
    /// ```
    /// use hemiola_link::LinkError;
    /// use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};
    ///
    /// let address = LinkAddress::Zenoh("tcp/192.168.1.5:7447".to_owned());
    /// let error = LinkError::without_zenoh(&LinkConfiguration::new("base", LinkEnd::Connect(address)));
    /// assert!(error.to_string().contains("features = [\"zenoh\"]"));
    /// ```
    pub fn without_zenoh(link: &LinkConfiguration) -> Self {
        Self::WithoutZenoh { link: link.name.clone(), address: link.end.to_string() }
    }
}
