use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A link to another program: another robot, a laptop's tool, or any program that speaks the
/// protocol of `docs/book/src/link.md`.
///
/// ```
/// use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
///
/// let laptop = LinkConfiguration {
///     send: vec![Sent { rate: Some(50.0), keep: Keep::Newest, ..Sent::topic("/odometry") }],
///     receive: vec![Received::new(Subject::topic("/goal"))],
///     serve: vec!["SaveMap".to_owned()],
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
    /// The topics and representations that the other side may receive.
    pub send: Vec<Sent>,
    /// The topics on which the other side may publish, and the representations that it provides.
    pub receive: Vec<Received>,
    /// The services of this program that the other side may call.
    pub serve: Vec<String>,
    /// The services of the other side that are called here.
    pub call: Vec<String>,
    /// The reaction when a peer is lost.
    pub on_loss: LossPolicy,
}

/// The subject that a link carries: a topic or a representation, identified by its name.
///
/// ```
/// use hemiola_model::configuration::Subject;
///
/// let ball = Subject::representation("BallPercept");
/// assert_eq!(ball.to_string(), "representation `BallPercept`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The kind of what the link carries: a topic or a representation.
    pub kind: SubjectKind,
    /// The name, on both sides unless one of them says otherwise.
    pub name: String,
}

/// The kind of a subject that a link carries: a topic or a representation.
///
/// See [`Subject`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A topic, with its messages.
    #[default]
    Topic,
    /// A representation, with the values that its provider commits.
    Representation,
}

/// The reaction to the loss of a peer that was there: its process has died, the network is down, or
/// it has been silent for too long. A peer that announces its end is not lost.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossPolicy {
    /// The last values that the peer has sent remain, and their age grows.
    #[default]
    KeepLast,
    /// The robot enters its safe state.
    SafeState,
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
    /// The end that joins a group, each of whose members sends to all others at once.
    Join(LinkGroup),
}

/// A group of programs that reach each other by multicast over UDP.
///
/// ```
/// use hemiola_model::configuration::{LinkConfiguration, LinkEnd, LinkGroup};
///
/// let group = LinkGroup { interface: Some("wlan0".to_owned()), ..LinkGroup::new(([239, 255, 74, 1], 7400).into()) };
/// let team = LinkConfiguration::new("team", LinkEnd::Join(group));
/// assert_eq!(team.end.to_string(), "udp:239.255.74.1:7400");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkGroup {
    /// The address of the group, in 224.0.0.0/4 or ff00::/8, and its port.
    pub address: SocketAddr,
    /// The name of the network interface; `None`: the one that the system's routes choose.
    pub interface: Option<String>,
    /// The number of networks that what is sent may cross: 1 stays in this network, 0 in this
    /// computer.
    pub ttl: u8,
}

/// The address at which two programs meet.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkAddress {
    /// A Unix socket of this host: reliable and in order, and private to its user.
    Unix(PathBuf),
    /// A Unix socket, and shared memory, in which large messages are read where they were written.
    Shm(PathBuf),
    /// TCP: reliable and in order, but possibly late.
    Tcp(SocketAddr),
    /// The best that both hosts support: shared memory on one host, TCP between two.
    Auto(SocketAddr),
    /// UDP: datagrams arrive promptly or not at all.
    Udp(SocketAddr),
    /// Zenoh: an address as Zenoh writes it, such as `tcp/192.168.1.5:7447`. Reliable and in order,
    /// also through routers of Zenoh. Only programs that ask for it have this transport.
    Zenoh(String),
}

/// A topic or representation that the other side may receive.
///
/// See [`LinkConfiguration`].
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The topic or representation that is sent.
    pub subject: Subject,
    /// The maximum number of messages or values per second; `None`: all.
    pub rate: Option<f64>,
    /// The ones that are kept for a peer that receives fewer than there are.
    pub keep: Keep,
    /// Set if what is lost on the way is sent again until it is acknowledged. Where nothing is lost
    /// that makes no difference.
    pub is_reliable: bool,
    /// The cycle or source that provides it, if the other side is another process of the same
    /// robot: what one run or sample of it provides arrives there together, as far as only the
    /// newest is kept.
    pub provider: Option<String>,
}

/// A topic or representation that the other side may send.
///
/// ```
/// use hemiola_model::configuration::{Received, Subject};
///
/// let ball = Received::new(Subject::representation("BallPercept"));
/// assert_eq!(ball.source("head"), "link.head.BallPercept"); // a source like any other
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The topic or representation that is received, as it is called here.
    pub subject: Subject,
    /// The name on the other side; `None`: the same.
    pub name_there: Option<String>,
    /// The file, line and column where it is written, for messages.
    pub place: Option<String>,
    /// The cycle or source that provides it, if the other side is another process of the same
    /// robot: cycles see what one run or sample of it has provided together, unless they collect
    /// all samples.
    pub provider: Option<String>,
}

/// The messages that are kept for a peer that receives fewer than are published.
///
/// See [`Sent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The newest message, which a newer one replaces.
    Newest,
    /// The last messages, up to this number; older ones are dropped and counted.
    Last(usize),
}

impl LinkConfiguration {
    /// Returns the configuration of a link that carries nothing.
    pub fn new(name: impl Into<String>, end: LinkEnd) -> Self {
        let (send, receive, serve, call, on_loss) = Default::default();
        Self { name: name.into(), end, send, receive, serve, call, on_loss }
    }
}

impl LinkEnd {
    /// Returns whether the two sides meet over Zenoh.
    ///
    /// ```
    /// use hemiola_model::configuration::{LinkAddress, LinkEnd};
    ///
    /// assert!(LinkEnd::Listen(LinkAddress::Zenoh("tcp/0.0.0.0:7447".to_owned())).is_over_zenoh());
    /// ```
    pub fn is_over_zenoh(&self) -> bool {
        matches!(self, Self::Listen(LinkAddress::Zenoh(_)) | Self::Connect(LinkAddress::Zenoh(_)))
    }

    /// Returns the address.
    pub fn address(&self) -> LinkAddress {
        match self {
            Self::Listen(address) | Self::Connect(address) => address.clone(),
            Self::Join(group) => LinkAddress::Udp(group.address),
        }
    }
}

impl LinkGroup {
    /// Returns the group of this address, on the interface that the system's routes choose, and in
    /// this network only.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, interface: None, ttl: 1 }
    }
}

impl Subject {
    /// Creates a topic.
    pub fn topic(name: impl Into<String>) -> Self {
        Self { kind: SubjectKind::Topic, name: name.into() }
    }

    /// Creates a representation.
    pub fn representation(name: impl Into<String>) -> Self {
        Self { kind: SubjectKind::Representation, name: name.into() }
    }
}

impl Sent {
    /// Returns the configuration that sends a topic or representation, of which these wait.
    pub fn new(subject: Subject, keep: Keep) -> Self {
        Self { subject, rate: None, keep, is_reliable: false, provider: None }
    }

    /// Returns the configuration that sends all messages of a topic, of which up to 100 wait.
    pub fn topic(name: impl Into<String>) -> Self {
        Self::new(Subject::topic(name), Keep::default())
    }

    /// Returns the configuration that sends the values of a representation, of which the newest
    /// waits.
    pub fn representation(name: impl Into<String>) -> Self {
        Self::new(Subject::representation(name), Keep::Newest)
    }
}

impl Received {
    /// Returns the configuration that receives a topic or a representation.
    pub fn new(subject: Subject) -> Self {
        Self { subject, name_there: None, place: None, provider: None }
    }

    /// Returns the name on the other side.
    pub fn name_there(&self) -> &str {
        self.name_there.as_deref().unwrap_or(&self.subject.name)
    }

    /// Returns the name of the source that provides what this link receives, if that is a
    /// representation.
    pub fn source(&self, link: &str) -> String {
        format!("link.{link}.{}", self.subject.name)
    }
}

impl Default for Keep {
    fn default() -> Self {
        Self::Last(100)
    }
}

impl fmt::Display for SubjectKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Topic => "topic",
            Self::Representation => "representation",
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} `{}`", self.kind, self.name)
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
            Self::Shm(path) => write!(formatter, "shm:{}", path.display()),
            Self::Tcp(address) => write!(formatter, "tcp:{address}"),
            Self::Auto(address) => write!(formatter, "auto:{address}"),
            Self::Udp(address) => write!(formatter, "udp:{address}"),
            Self::Zenoh(address) => write!(formatter, "zenoh:{address}"),
        }
    }
}
