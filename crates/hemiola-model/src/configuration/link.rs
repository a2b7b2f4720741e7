use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// A link to another program: another robot, a laptop's tool, anything that speaks what
/// `docs/link.md` says.
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
    /// What the robot calls it.
    pub name: String,
    /// Where both meet.
    pub end: LinkEnd,
    /// The topics that the other side may have.
    pub send: Vec<SentTopic>,
    /// The topics that the other side may publish on.
    pub receive: Vec<String>,
}

/// Which end of a link this is.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// Others come here, any number of them.
    Listen(LinkAddress),
    /// This one goes there, again and again until somebody is there.
    Connect(LinkAddress),
}

/// Where two programs meet.
///
/// ```
/// use hemiola_model::configuration::LinkAddress;
///
/// let address = LinkAddress::Unix("/run/robot.sock".into());
/// assert_eq!(address.to_string(), "unix:/run/robot.sock");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkAddress {
    /// A Unix socket of this host: bytes in order, and nobody else's business.
    Unix(PathBuf),
    /// TCP: bytes in order, however late.
    Tcp(SocketAddr),
    /// UDP: what arrives is in time, and some of it does not arrive.
    Udp(SocketAddr),
}

/// A topic that the other side may have.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq)]
pub struct SentTopic {
    /// What it is called, on both sides.
    pub topic: String,
    /// At most so many messages a second; `None`: all.
    pub rate: Option<f64>,
    /// What waits for a peer that takes less than is published.
    pub keep: Keep,
}

/// What waits for a peer that takes less than is published.
///
/// See [`SentTopic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest message: a newer one replaces it.
    Newest,
    /// So many messages: the oldest of more are dropped, and counted.
    Last(usize),
}

impl LinkConfiguration {
    /// One that sends and receives nothing.
    pub fn new(name: impl Into<String>, end: LinkEnd) -> Self {
        Self { name: name.into(), end, send: Vec::new(), receive: Vec::new() }
    }
}

impl LinkEnd {
    /// Where it is.
    pub fn address(&self) -> &LinkAddress {
        match self {
            Self::Listen(address) | Self::Connect(address) => address,
        }
    }
}

impl SentTopic {
    /// All messages of a topic, of which up to 100 wait.
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
