//! The door of a running robot: where people and tools look at it and change it while it runs.
//!
//! What the door may do is what [`RobotHandle::observe`](hemiola_runtime::RobotHandle::observe) and
//! [`RobotHandle::change`](hemiola_runtime::RobotHandle::change) can do: this crate gives them an
//! address, and never runs anything of the robot's. `docs/door.md` is its protocol.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod client;
mod place;

pub use place::RunningSocket;
