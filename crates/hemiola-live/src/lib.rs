//! The door of a running robot, through which people and tools view and change it.
//!
//! The door can do exactly what [`RobotHandle::observe`](hemiola_runtime::RobotHandle::observe) and
//! [`RobotHandle::change`](hemiola_runtime::RobotHandle::change) can do: this crate makes them
//! available at an address, and never runs code of the robot itself. `docs/book/src/door.md`
//! describes its protocol.
//!
//! | module | what |
//! |---|---|
//! | `door` | sockets, who may connect, one thread for all clients; knows nothing about robots |
//! | `robot` | a running robot as clients see it; knows nothing about sockets |
//! | `log` | a log as clients see it, without a robot |
//! | `transport` | the common parts of the transports of logs and replays |
//! | `page` | the files of the page, which lie in `page/` |
//! | `browser` | pictures of the page, by a browser without a window |
//! | `protocol` | the messages between the door and its clients |
//! | `client` | the client's side: programs that connect |
//! | `place` | the sockets of running robots |
//! | `whole` | a robot of several processes, used as one by clients and the door |
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

// The derives of `hemiola-macros` refer to the crate that robots depend on.
#[cfg(test)]
extern crate hemiola_model as hemiola;

mod browser;
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

pub use browser::{Browser, BrowserError, Shift, Window};
pub use door::access::Access;
pub use door::errands::{Lane, Outcome, Runner};
pub use door::outbox::Outbox;
pub use door::session::Session;
pub use door::{Door, DoorClient, DoorSettings, Subject};
pub use error::LiveError;
pub use log::LogSubject;
pub use place::{Part, RunningRobot, RunningSocket};
pub use robot::{HostsView, LiveRecording, Replayed, RobotFacts, RunningRobotSubject};
