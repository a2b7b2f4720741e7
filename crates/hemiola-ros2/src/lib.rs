//! A Hemiola robot as a node of a ROS 2 system, by the conventions of `rmw_zenoh`.
//!
//! Only robots that name this crate link it: nothing else in the tree knows Zenoh or ROS 2. The
//! pure part (names, hashes, tokens, attachments) never touches a session, a thread or a clock, and
//! never trusts input from others.
//!
//! ```
//! use hemiola_ros2::{Endpoint, EndpointKind, Interface, Node, NodeName, Quality, TopicName};
//!
//! let node = Node { domain: 0, session: "1ab2".into(), id: 0, name: "/rover/base".parse()?, enclave: String::new() };
//! let odometry = Endpoint {
//!     id: 1,
//!     kind: EndpointKind::Publisher,
//!     topic: TopicName::new("/odom")?,
//!     interface: Interface::new("nav_msgs/msg/Odometry".parse()?, None),
//!     quality: Quality::default(),
//!     node,
//! };
//! assert_eq!(odometry.key(), "0/odom/nav_msgs::msg::dds_::Odometry_/TypeHashNotSupported");
//! assert_eq!(odometry.node.name, NodeName::new("/rover", "base")?);
//! # Ok::<(), hemiola_ros2::Ros2Error>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | `names` | names of types, nodes and topics, by ROS 2's rules |
//! | `type_hash` | type hashes of messages and services (RIHS01) |
//! | `definition` | definitions in the syntax of ROS 2's files |
//! | `remap` | names that are replaced by others |
//! | `quality` | quality of service, by name, and as tokens contain it |
//! | `endpoint` | a publisher, subscriber, server or client: its token, key and GID |
//! | `token` | liveliness tokens of other nodes |
//! | `attachment` | the 33 bytes that accompany each message |
//! | `deadline` | the supervision of the time between two messages |
//! | `lease` | the liveliness of publishers |
//! | `lifespan` | the expiry of messages |
//! | `mismatch` | endpoints that should exchange messages but do not |
//! | `rcl_interfaces` | the messages with which nodes set and get parameters |
//! | `parameters` | a robot's parameters as those of a node |
//! | `action`, `action_msgs` | the mapping of actions, and the messages that all actions share |
//! | `goals`, `pursuits` | the goals of an action server, and those of a client |
//! | `robot_node` | the robot's node: its session, and the thread that serves it |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

// The derives of `hemiola-macros` refer to the crate that robots use.
extern crate hemiola_model as hemiola;

mod action;
mod action_msgs;
mod attachment;
mod deadline;
mod definition;
mod endpoint;
mod error;
mod goals;
mod lease;
mod lifespan;
mod mismatch;
mod names;
mod parameters;
mod pursuits;
mod quality;
mod rcl_interfaces;
mod remap;
mod robot_node;
mod token;
mod type_hash;

pub use attachment::{Attachment, Gid};
pub use definition::Definition;
pub use endpoint::{Endpoint, EndpointKind, Node};
pub use error::Ros2Error;
pub use goals::{Asked, Goals};
pub use mismatch::{Mismatch, MismatchKind, mismatches};
pub use names::{InterfaceKind, NodeName, TopicName, TypeName};
pub use pursuits::{Ended, Outcome, Pursuits};
pub use quality::{Durability, History, Liveliness, Quality, Reliability};
pub use rcl_interfaces::ParameterService;
pub use robot_node::RobotNode;
pub use token::{Token, token_pattern};
pub use type_hash::{Interface, TypeHash, message_hash, service_hash};
