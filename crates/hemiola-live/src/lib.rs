//! The door of a running robot: where people and tools look at it and change it while it runs.
//!
//! What the door may do is what [`RobotHandle::observe`](hemiola_runtime::RobotHandle::observe) and
//! [`RobotHandle::change`](hemiola_runtime::RobotHandle::change) can do: this crate gives them an
//! address, and never runs anything of the robot's. `docs/door.md` is its protocol.
//!
//! | module | what |
//! |---|---|
//! | `door` | sockets, who may come in, one thread for all clients; knows no robots |
//! | `robot` | a running robot as clients see it; knows no sockets |
//! | `log` | a log as clients see it, without a robot |
//! | `transport` | what the transports of logs and replays have in common |
//! | `page` | the files of the page, which lie in `page/` |
//! | `protocol` | what both sides say to each other |
//! | `client` | the other side: programs that come in |
//! | `place` | where the sockets of running robots lie |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

// The derives of `hemiola-macros` name the crate that robots name.
#[cfg(test)]
extern crate hemiola_model as hemiola;

pub mod client;
mod door;
mod error;
mod log;
mod page;
mod place;
pub mod protocol;
mod robot;
mod transport;

pub use door::access::Access;
pub use door::errands::{Lane, Outcome, Runner};
pub use door::outbox::Outbox;
pub use door::session::Session;
pub use door::{Door, DoorClient, DoorSettings, Subject};
pub use error::LiveError;
pub use log::LogSubject;
pub use place::RunningSocket;
pub use robot::{LiveRecording, Replayed, RobotFacts, RunningRobotSubject};
