//! Links at `zenoh:` addresses: the transport of links over Zenoh. `docs/book/src/link.md`
//! describes what it guarantees, what it costs, and what it says to others.
//!
//! Only robots that name this crate link it. It knows no frames, topics or types: it carries the
//! bytes of conversations, and `hemiola-link` holds these. It never makes the links' thread wait,
//! and never trusts what it receives.
//!
//! ```no_run
//! use hemiola_bus::{Bus, RobotClock};
//! use hemiola_link::{LinkHost, Links};
//! use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Sent};
//! use hemiola_zenoh::ZenohTransport;
//! use std::sync::Arc;
//!
//! let base = LinkConfiguration {
//!     send: vec![Sent::topic("Odometry")],
//!     ..LinkConfiguration::new("base", LinkEnd::Connect(LinkAddress::Zenoh("tcp/192.168.1.5:7447".to_owned())))
//! };
//! let clock = Arc::new(RobotClock::running(1.0));
//! let host = LinkHost::new("rover", Bus::new(), clock, |note| eprintln!("{note}"));
//! let links = Links::open(&[base], host.with_transport(Arc::new(ZenohTransport::new())))?;
//! # Ok::<(), hemiola_link::LinkError>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | `transport` | the interface of this crate: the sessions of a robot's links |
//! | `meeting` | a link in its network: who else is there, and who begins which conversation |
//! | `conversation` | the bytes between a link's socket and one peer, and their limits |
//! | `member` | the names by which links know each other |
//! | `piece` | the content of a message of Zenoh |
//! | `session` | the Zenoh session of a link |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod conversation;
mod meeting;
mod member;
mod piece;
mod session;
mod transport;

pub use transport::ZenohTransport;
