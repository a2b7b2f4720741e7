//! Does every chain from a sensor to an actuator meet its deadline, and how does one know?
//!
//! Pure: this crate starts no thread, reads no clock, does no I/O, and depends on no other crate of Hemiola.
//!
//! ```
//! use hemiola_analysis::{Analysis, System, Time, assignment, simulation};
//!
//! let described = System::from_toml(
//!     r#"
//!     cores = 1
//!
//!     [[chain]]
//!     name = "brake"
//!     period = "80 ms"
//!     callbacks = [{ name = "camera", takes = "2 ms" }, { name = "detect", takes = "9 ms .. 16 ms" }]
//!
//!     [[chain]]
//!     name = "steer"
//!     period = "100 ms"
//!     deadline = "50 ms"
//!     callbacks = [{ name = "lanes", takes = "20 ms" }, { name = "wheel", takes = "3 ms" }]
//!     "#,
//!     "system.toml",
//! )?;
//! let system = assignment::with_executors(&described)?; // priorities, executors, cores: `to_toml` writes them down
//!
//! let analysis = Analysis::of(&system);
//! assert_eq!(analysis.find("brake").unwrap().bound, Ok(Time::milliseconds(18)));
//! assert_eq!(analysis.find("steer").unwrap().bound, Ok(Time::milliseconds(41)));
//! assert!(analysis.holds());
//!
//! let simulated = simulation::simulate(&system, &simulation::Options::default());
//! assert!(simulated.latencies["steer"].maximum <= Time::milliseconds(41));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way through the crate: a [`System`] says what runs where. Below it are the published analyses, each a file named after its
//! paper, on plain types of their own: [`response_times`] on one processor, [`ros2`] executors, [`picas`], [`dag`]s on several
//! cores, chains over several resources ([`compositional`]), and [`reaction`] times through tasks of different rates. A [`Bound`] is a
//! [`Time`] that is never exceeded, or why there is none. [`simulation`] tries to exceed it, and [`oracles`] compares all of them
//! with what others computed.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod analysis;
mod arrivals;
pub mod assignment;
mod bound;
pub mod compositional;
mod costs;
pub mod dag;
pub mod draw;
pub mod oracles;
pub mod picas;
pub mod reaction;
pub mod response_times;
pub mod ros2;
pub mod sensitivity;
pub mod simulation;
mod supply;
pub mod system;
mod task;
mod time;
mod what_if;

pub use analysis::{Analysis, Part, Verdict};
pub use arrivals::Arrivals;
pub use bound::{Bound, NoBound};
pub use costs::Costs;
pub use supply::Supply;
pub use system::System;
pub use task::Task;
pub use time::Time;
pub use what_if::{WhatIf, WhatIfError};
