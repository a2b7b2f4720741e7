//! The contents of a robot's log: writing them while the robot runs, replaying them, continuing
//! from checkpoints, and extracting runs as tests.
//!
//! This crate knows logs and running robots; it never prints, parses no command line, and analyses
//! nothing.
//!
//! ```no_run
//! use hemiola_recording::replay::{Beginning, Replay, ReplayLog};
//! use hemiola_runtime::{Robot, Tempo};
//!
//! # fn show(robot: Robot) -> Result<(), hemiola_recording::RecordingError> {
//! let log = ReplayLog::read("game.mcap".as_ref())?;
//! let replay = Replay::of(robot, &log, Beginning::OfLog, &[])?;
//! let player = replay.robot.into_player(Tempo::AsFastAsPossible)?;
//! player.transport().resume();
//! player.wait();
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

// The derives of `hemiola-macros` name the crate that robots name.
extern crate hemiola_model as hemiola;

pub mod checkpoints;
mod error;
pub mod extracted;
pub mod names;
pub mod parts;
mod program;
pub mod recorder;
pub mod replay;
mod schemas;
pub mod senders;
pub mod shown;
pub mod split;
mod sync;
pub mod transcript;

pub use error::RecordingError;
pub use program::this_program;
