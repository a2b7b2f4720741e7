//! Links: topics, representations and services from and to other programs, over Unix sockets, TCP
//! and UDP, to one or to a group.
//! `docs/book/src/link.md` says what they guarantee, and what goes over the wire.
//!
//! This crate never makes anybody wait for a peer, and never trusts what it receives. It knows the
//! bus, and of a robot its handle: representations that are sent are observed, and those that are
//! received are delivered to the sources that links are. A service of a peer is served here by the
//! link, so that it is called like any other.
//!
//! ```
//! use hemiola_bus::{Bus, RobotClock};
//! use hemiola_link::{LinkHost, Links};
//! use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
//! use std::sync::Arc;
//!
//! let socket = std::env::temp_dir().join(format!("hemiola-links-{}.sock", std::process::id()));
//! let laptop = LinkConfiguration {
//!     send: vec![Sent::topic("Odometry")],
//!     receive: vec![Received::new(Subject::topic("Goal"))],
//!     ..LinkConfiguration::new("laptop", LinkEnd::Listen(LinkAddress::Unix(socket)))
//! };
//! let host = LinkHost::new("rover", Bus::new(), Arc::new(RobotClock::running(1.0)), |note| eprintln!("{note}"));
//! let links = Links::open(&[laptop], host)?;
//! assert!(links.statistics()[0].peers.is_empty()); // nobody is there yet
//! # Ok::<(), hemiola_link::LinkError>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | `links` | all links of a robot, as whoever opens them has them |
//! | `reactor` | their thread: what it waits for, and who has a turn then |
//! | `link` | one link: its sockets, and its peers |
//! | `session` | the conversation with one peer, and what waits for it; knows no sockets |
//! | [`ends`] | ends of the robot's topics, representations and services, and the queue of one of them for a peer |
//! | `passage` | conversion of messages from one type to another |
//! | `zero` | the value of a type with which services begin that differ in their fields |
//! | `wire` | frames, as bytes |
//! | `socket`, `multicast` | listeners and streams, and the sockets of a group |
//! | `awaited` | the notice that somebody listens at a Unix socket |
//! | `near` | the Unix socket beside a TCP port, for whoever is on the same host |
//! | `folder` | the folder with the Unix sockets of a user's robots |
//! | `patience` | the pauses between attempts |
//! | `statistics`, `view` | the statistics of links, and a view of them while the robot runs |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod awaited;
pub mod ends;
mod error;
mod folder;
mod link;
mod links;
mod multicast;
mod near;
mod passage;
mod patience;
mod reactor;
mod session;
mod socket;
mod statistics;
mod view;
pub mod wire;
mod zero;

pub use error::LinkError;
pub use folder::{make_socket_folder, socket_folder};
pub use links::{LinkHost, Links};
pub use statistics::{ClockOffset, LinkPeer, LinkStatistics, ReceivedStatistics, SentStatistics, ServiceStatistics};
pub use view::LinksView;
