//! The door of a running robot, through which people and tools view and change it.
//!
//! The door can do what [`RobotHandle::observe`](hemiola_runtime::RobotHandle::observe) and
//! [`RobotHandle::change`](hemiola_runtime::RobotHandle::change) can do: this crate gives them an
//! address, and never runs code of the robot itself. `docs/book/src/door.md` is its protocol.
//!
//! | module | what |
//! |---|---|
//! | `door` | sockets, who may connect, one thread for all clients; knows no robots |
//! | `robot` | a running robot as clients see it; knows no sockets |
//! | `log` | a log as clients see it, without a robot |
//! | `transport` | what the transports of logs and replays have in common |
//! | `page` | the files of the page, which lie in `page/` |
//! | `protocol` | the messages between both sides |
//! | `client` | the other side: programs that connect |
//! | `place` | the sockets of running robots |
//! | `whole` | a robot of several processes as one, for clients and the door |
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
mod whole;

pub use door::access::Access;
pub use door::errands::{Lane, Outcome, Runner};
pub use door::outbox::Outbox;
pub use door::session::Session;
pub use door::{Door, DoorClient, DoorSettings, Subject};
pub use error::LiveError;
pub use log::LogSubject;
pub use place::{Part, RunningRobot, RunningSocket};
pub use robot::{LiveRecording, Replayed, RobotFacts, RunningRobotSubject};
