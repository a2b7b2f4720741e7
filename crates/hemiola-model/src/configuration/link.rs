use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A link to another program: another robot, a laptop's tool, or any program that speaks the
/// protocol of `docs/link.md`.
///
/// ```
/// use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, SentTopic};
///
/// let laptop = LinkConfiguration {
///     send: vec![SentTopic { rate: Some(50.0), keep: Keep::Newest, ..SentTopic::new("/odometry") }],
///     receive: vec!["/goal".to_owned()],
///     ..LinkConfiguration::new("laptop", LinkEnd::Listen(LinkAddress::Tcp(([127, 0, 0, 1], 7400).into())))
/// };
/// assert_eq!(laptop.end.to_string(), "tcp:127.0.0.1:7400");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfiguration {
    /// The link's name.
    pub name: String,
    /// The address at which both sides meet, and which of them listens.
    pub end: LinkEnd,
    /// The topics that the other side may receive.
    pub send: Vec<SentTopic>,
    /// The topics that the other side may publish on.
    pub receive: Vec<String>,
}

/// The end of a link: the one that listens, or the one that connects.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// The end that listens, to which any number of others connect.
    Listen(LinkAddress),
    /// The end that connects, and tries until it reaches the other side.
    Connect(LinkAddress),
}

/// The address at which two programs meet.
///
/// ```
/// use hemiola_model::configuration::LinkAddress;
///
/// let address = LinkAddress::Unix("/run/robot.sock".into());
/// assert_eq!(address.to_string(), "unix:/run/robot.sock");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkAddress {
    /// A Unix socket of this host: reliable and in order, and private to its user.
    Unix(PathBuf),
    /// TCP: reliable and in order, however late.
    Tcp(SocketAddr),
    /// UDP: datagrams arrive early or not at all.
    Udp(SocketAddr),
}

/// A topic that the other side may receive.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq)]
pub struct SentTopic {
    /// The topic's name, on both sides.
    pub topic: String,
    /// The most messages in a second; `None` for all.
    pub rate: Option<f64>,
    /// Which messages are kept for a peer that receives fewer than are published.
    pub keep: Keep,
}

/// Which messages are kept for a peer that receives fewer than are published.
///
/// See [`SentTopic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest message, which a newer one replaces.
    Newest,
    /// That many messages; older ones are dropped and counted.
    Last(usize),
}

impl LinkConfiguration {
    /// Returns the configuration of a link that sends and receives nothing.
    pub fn new(name: impl Into<String>, end: LinkEnd) -> Self {
        Self { name: name.into(), end, send: Vec::new(), receive: Vec::new() }
    }
}

impl LinkEnd {
    /// Returns the address.
    pub fn address(&self) -> &LinkAddress {
        match self {
            Self::Listen(address) | Self::Connect(address) => address,
        }
    }
}

impl SentTopic {
    /// Returns the configuration that sends all messages of a topic, of which up to 100 wait.
    pub fn new(topic: impl Into<String>) -> Self {
        Self { topic: topic.into(), rate: None, keep: Keep::default() }
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self::Last(100)
    }
}

impl fmt::Display for LinkEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address().fmt(formatter)
    }
}

impl fmt::Display for LinkAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(formatter, "unix:{}", path.display()),
            Self::Tcp(address) => write!(formatter, "tcp:{address}"),
            Self::Udp(address) => write!(formatter, "udp:{address}"),
        }
    }
}
