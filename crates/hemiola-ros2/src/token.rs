//! Liveliness tokens of other nodes.

use std::fmt;
use std::str::FromStr;

use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::{NodeName, TopicName, demangle};
use crate::quality::Quality;
use crate::type_hash::Interface;

/// The first part of all tokens.
pub(crate) const TOKENS: &str = "@ros2_lv";

/// A liveliness token: the node or endpoint that it names exists as long as the token does.
///
/// ```
/// use hemiola_ros2::{Durability, Token};
///
/// let text = "@ros2_lv/0/1ab2/0/7/MP/%/%/slam/%map/nav_msgs::msg::dds_::OccupancyGrid_/TypeHashNotSupported/:1:,1:,:,:,,";
/// let token: Token = text.parse()?;
/// let Token::Endpoint(map) = &token else { panic!("it is the token of a publisher") };
/// assert_eq!((map.topic.as_str(), map.quality.durability), ("/map", Durability::TransientLocal));
/// assert_eq!(map.node.name.to_string(), "/slam");
/// assert_eq!(token.to_string(), text);
/// # Ok::<(), hemiola_ros2::Ros2Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// The token of a node.
    Node(Node),
    /// The token of a publisher, subscriber, server or client.
    Endpoint(Box<Endpoint>),
}

/// Returns the expression that matches all tokens of a domain.
pub fn token_pattern(domain: u32) -> String {
    format!("{TOKENS}/{domain}/**")
}

impl FromStr for Token {
    type Err = Ros2Error;

    fn from_str(text: &str) -> Result<Self, Ros2Error> {
        let wrong = |why: String| Ros2Error::Token { token: text.to_owned(), why };
        let of_part = |error: Ros2Error| wrong(error.to_string());
        let parts: Vec<&str> = text.split('/').collect();
        let [TOKENS, domain, session, node, id, kind, enclave, namespace, name, ref rest @ ..] = parts[..] else {
            return Err(wrong(format!("it has {} parts, and does not name a node", parts.len())));
        };
        if let Some(at) = parts.iter().position(|part| part.is_empty()) {
            return Err(wrong(format!("its part {} is empty", at + 1)));
        }
        let enclave = demangle(enclave);
        let node = Node {
            domain: number(domain).ok_or_else(|| wrong(format!("its domain is `{domain}`")))?,
            session: session.to_owned(),
            id: number(node).ok_or_else(|| wrong(format!("the number of its node is `{node}`")))?,
            name: NodeName::new(&demangle(namespace), name).map_err(of_part)?,
            enclave: if enclave == "/" { String::new() } else { enclave },
        };
        let id = number(id).ok_or_else(|| wrong(format!("its own number is `{id}`")))?;
        if kind == "NN" {
            return Ok(Self::Node(node));
        }
        let kind = EndpointKind::of_code(kind).ok_or_else(|| wrong(format!("its kind is `{kind}`")))?;
        // Later versions may have more parts, as `rmw_zenoh` permits.
        let &[topic, interface, hash, quality, ..] = rest else {
            return Err(wrong(format!("the token of a {kind} has 13 parts, and this one has {}", parts.len())));
        };
        Ok(Self::Endpoint(Box::new(Endpoint {
            node,
            id,
            kind,
            topic: TopicName::new(&demangle(topic)).map_err(of_part)?,
            interface: Interface::read(&demangle(interface), hash).map_err(of_part)?,
            quality: Quality::from_token(quality).map_err(of_part)?,
        })))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&match self {
            Self::Node(node) => node.token(),
            Self::Endpoint(endpoint) => endpoint.token(),
        })
    }
}

/// Parses a number without a sign.
fn number<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|letter| letter.is_ascii_digit()).then(|| text.parse().ok())?
}
