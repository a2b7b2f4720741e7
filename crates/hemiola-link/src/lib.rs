//! Links: topics from and to other programs, over Unix sockets, TCP and UDP. `docs/link.md` says
//! what they guarantee, and what goes over the wire.
//!
//! This crate never lets anybody wait for a peer, and never trusts what comes in. It knows the bus
//! and no robot: what it has to tell goes to whoever opens the links.
//!
//! ```
//! use hemiola_bus::{Bus, RobotClock};
//! use hemiola_link::{LinkHost, Links};
//! use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, SentTopic};
//! use std::sync::Arc;
//!
//! let socket = std::env::temp_dir().join(format!("hemiola-links-{}.sock", std::process::id()));
//! let laptop = LinkConfiguration {
//!     send: vec![SentTopic::new("Odometry")],
//!     receive: vec!["Goal".to_owned()],
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
//! | `links` | all links of a robot, and their thread |
//! | `link` | one link: where it meets others, who is there |
//! | `session` | what was said with one peer, and what waits for it; knows no sockets |
//! | `topics` | a link's ends of the bus |
//! | `passage` | from messages of one type to those of another |
//! | `lane` | what waits for a peer, of one topic |
//! | `wire` | frames, as bytes |
//! | `socket` | listeners, streams and datagrams |
//! | `patience` | how long to wait before the next attempt |
//! | `statistics` | what went over links, in numbers |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod error;
mod lane;
mod link;
mod links;
mod passage;
mod patience;
mod session;
mod socket;
mod statistics;
mod topics;
pub mod wire;

pub use error::LinkError;
pub use links::{LinkHost, Links};
pub use statistics::{LinkStatistics, ReceivedStatistics, SentStatistics};
