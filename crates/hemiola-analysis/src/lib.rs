//! Does every chain from a sensor to an actuator meet its deadline, and how does one know?
//!
//! Pure: this crate starts no thread, reads no clock, does no I/O, and depends on no other crate of Hemiola.
//!
//! The way through the crate: a [`System`] says what runs where. Below it are the published analyses, each a file named after its
//! paper, on plain types of their own: [`response_times`] on one processor, [`ros2`] executors, [`picas`], [`dag`]s on several
//! cores, and [`reaction`] times through tasks of different rates. A [`Bound`] is a [`Time`] that is never exceeded, or why there is
//! none. [`oracles`] compares all of them with what others computed.

#![forbid(unsafe_code)]

mod analysis;
mod arrivals;
pub mod assignment;
mod bound;
pub mod compositional;
pub mod dag;
pub mod draw;
pub mod oracles;
pub mod picas;
pub mod reaction;
pub mod response_times;
pub mod ros2;
pub mod simulation;
mod supply;
pub mod system;
mod task;
mod time;

pub use analysis::{Analysis, Part, Verdict};
pub use arrivals::Arrivals;
pub use bound::{Bound, NoBound};
pub use supply::Supply;
pub use system::System;
pub use task::Task;
pub use time::Time;
