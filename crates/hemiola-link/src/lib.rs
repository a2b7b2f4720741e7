//! Links: topics, representations and services exchanged with other programs, over Unix sockets,
//! TCP and UDP, one by one or in groups, and over transports of other crates, such as Zenoh.
//! `docs/book/src/link.md` describes their guarantees and their protocol.
//!
//! This crate never makes anybody wait for a peer, and never trusts what it receives. It uses the
//! bus, and the handle of a robot: representations that are sent are observed, and those that are
//! received are delivered to the sources that links provide. A link serves a peer's service in this
//! process, so that the service is called like any other.
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
//! | `links` | all links of a robot: the interface of this crate |
//! | `polled` | links that a thread of the user's serves |
//! | `reactor` | the thread of the links: what it waits for, and which link has a turn |
//! | `link` | one link: its sockets and its peers |
//! | `session` | the conversation with one peer, and the frames that wait for it; knows nothing about sockets |
//! | [`ends`] | the ends of the robot's topics, representations and services, and their queues for peers |
//! | `passage` | conversion of messages from one type to another |
//! | `zero` | the default value of a type whose fields differ between both sides of a service |
//! | `wire` | the encoding of frames |
//! | `socket`, `multicast` | listeners, streams and datagrams; the sockets of a group |
//! | `transport` | transports that other crates provide, such as Zenoh |
//! | `awaited` | a watch on the Unix socket that a link waits for |
//! | `near` | the Unix socket beside a TCP port, for peers on the same host |
//! | `kin` | peers that run the same program |
//! | `memory` | the memory of this process that peers read |
//! | `folder` | the folder that contains the Unix sockets of a user's robots |
//! | `patience` | the pauses between attempts to connect |
//! | `statistics`, `tally`, `view` | the statistics of links, what of them has changed, and a view of them while the robot runs |
#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod awaited;
pub mod ends;
mod error;
mod folder;
mod kin;
mod link;
mod links;
mod memory;
mod multicast;
mod near;
mod passage;
mod patience;
mod polled;
mod reactor;
mod session;
mod socket;
mod statistics;
mod tally;
mod transport;
mod view;
pub mod wire;
mod zero;

pub use error::LinkError;
pub use folder::{make_socket_folder, socket_folder};
pub use links::{LinkHost, Links};
pub use patience::Patience;
pub use polled::PolledLinks;
pub use session::{ClockDifference, PeerClock};
pub use statistics::{ClockOffset, LinkPeer, LinkStatistics, ReceivedStatistics, SentStatistics, ServiceStatistics};
pub use transport::{Entrance, Transport, TransportEnd};
pub use view::LinksView;
