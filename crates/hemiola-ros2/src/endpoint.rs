//! Nodes and their publishers, subscribers, servers and clients.

use std::fmt;

use crate::attachment::Gid;
use crate::names::{NodeName, TopicName, mangle};
use crate::quality::Quality;
use crate::token::TOKENS;
use crate::type_hash::Interface;

/// A node of a ROS 2 system.
///
/// ```
/// use hemiola_ros2::Node;
///
/// let node = Node { domain: 0, session: "1ab2".into(), id: 3, name: "/rover/base".parse()?, enclave: String::new() };
/// assert_eq!(node.token(), "@ros2_lv/0/1ab2/3/3/NN/%/%rover/base");
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The domain (`ROS_DOMAIN_ID`): nodes of different domains do not see each other.
    pub domain: u32,
    /// The id of the Zenoh session, as Zenoh prints it.
    pub session: String,
    /// The number of the node, unique among the nodes and endpoints of its session.
    pub id: u64,
    /// The full name of the node.
    pub name: NodeName,
    /// The enclave of ROS 2's security (SROS 2): empty, or such as `/a/b`.
    pub enclave: String,
}

/// A publisher, subscriber, server or client of a node.
///
/// ```
/// use hemiola_ros2::{Endpoint, EndpointKind, Interface, Node, Quality, TopicName};
///
/// let hash = "RIHS01_6963084842a9b04494d6b2941d11444708d892da2f4b09843b9c43f42a7f6881".parse()?;
/// let ball = Endpoint {
///     node: Node { domain: 0, session: "1ab2".into(), id: 0, name: "/nao".parse()?, enclave: String::new() },
///     id: 4,
///     kind: EndpointKind::Publisher,
///     topic: TopicName::new("/ball/position")?,
///     interface: Interface::new("geometry_msgs/msg/Point".parse()?, Some(hash)),
///     quality: Quality::default(),
/// };
/// assert_eq!(ball.key(), format!("0/ball/position/geometry_msgs::msg::dds_::Point_/{hash}"));
/// let token = format!("@ros2_lv/0/1ab2/0/4/MP/%/%/nao/%ball%position/geometry_msgs::msg::dds_::Point_/{hash}/::,10:,:,:,,");
/// assert_eq!(ball.token(), token);
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The node that the endpoint belongs to.
    pub node: Node,
    /// The number of the endpoint, unique among the nodes and endpoints of its session.
    pub id: u64,
    /// The kind of the endpoint.
    pub kind: EndpointKind,
    /// The name of the topic or service.
    pub topic: TopicName,
    /// The type of the messages, or of the service.
    pub interface: Interface,
    /// The quality of service.
    pub quality: Quality,
}

/// The kind of an endpoint.
///
/// ```
/// use hemiola_ros2::EndpointKind;
///
/// assert_eq!(EndpointKind::Publisher.to_string(), "publisher");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndpointKind {
    /// A publisher of a topic.
    Publisher,
    /// A subscriber of a topic.
    Subscriber,
    /// The server of a service.
    Server,
    /// A client of a service.
    Client,
}

impl Node {
    /// Returns the liveliness token, which announces the node to others.
    pub fn token(&self) -> String {
        self.part("NN", self.id)
    }

    /// Returns the token of the node, or the prefix of the tokens of its endpoints.
    fn part(&self, kind: &str, id: u64) -> String {
        let Self { domain, session, id: node, name, enclave } = self;
        // Zenoh permits no empty parts.
        let enclave = if enclave.is_empty() { "/" } else { enclave };
        let (enclave, namespace) = (mangle(enclave), mangle(name.namespace()));
        format!("{TOKENS}/{domain}/{session}/{node}/{id}/{kind}/{enclave}/{namespace}/{}", name.name())
    }
}

impl Endpoint {
    /// Returns the liveliness token, which announces the endpoint to others.
    pub fn token(&self) -> String {
        let Self { node, id, kind, topic, interface, quality } = self;
        let node = node.part(kind.code(), *id);
        let (topic, hash) = (mangle(topic.as_str()), interface.hash_text());
        format!("{node}/{topic}/{}/{hash}/{}", interface.name.dds(), quality.to_token())
    }

    /// Returns the key under which messages are published and services are queried. Endpoints
    /// exchange messages if their keys are equal.
    pub fn key(&self) -> String {
        let topic = self.topic.as_str().trim_matches('/');
        format!("{}/{topic}/{}/{}", self.node.domain, self.interface.name.dds(), self.interface.hash_text())
    }

    /// Returns the identity that attachments carry.
    pub fn gid(&self) -> Gid {
        Gid::of(&self.token())
    }
}

impl EndpointKind {
    const ALL: [Self; 4] = [Self::Publisher, Self::Subscriber, Self::Server, Self::Client];

    /// Returns the two-letter code of tokens.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Publisher => "MP",
            Self::Subscriber => "MS",
            Self::Server => "SS",
            Self::Client => "SC",
        }
    }

    pub(crate) fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

impl fmt::Display for EndpointKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Publisher => "publisher",
            Self::Subscriber => "subscriber",
            Self::Server => "server",
            Self::Client => "client",
        })
    }
}
