//! Bounds that show whether every chain from a sensor to an actuator meets its deadline.
//!
//! This crate is pure: it starts no thread, reads no clock, does no I/O, and depends on no other
//! crate of Hemiola.
//!
//! ```
//! use hemiola_analysis::{Analysis, System, TimeSpan, assignment};
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
//! assert_eq!(analysis.find("brake").unwrap().bound, Ok(TimeSpan::milliseconds(18)));
//! assert_eq!(analysis.find("steer").unwrap().bound, Ok(TimeSpan::milliseconds(41)));
//! assert!(analysis.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A tour of the crate: a [`System`] describes what runs where, and [`Analysis`] bounds how long
//! everything in it takes. Below are the published analyses on which these bounds rest, each in a
//! file named after its paper: [`picas`] for chains on executors, [`dag`] for cycles on several
//! cores. A [`Bound`] is a [`TimeSpan`] that is never exceeded, or why there is none. The crate
//! hemiola-schedulability tries to exceed the bounds by simulation, and implements the papers that
//! no robot needs.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod analysis;
mod arrivals;
pub mod assignment;
mod bound;
mod costs;
pub mod dag;
pub mod picas;
pub mod sensitivity;
mod supply;
pub mod system;
mod time;
mod what_if;

pub use analysis::{Analysis, Part, Verdict};
pub use arrivals::Arrivals;
pub use bound::{Bound, NoBound, Search, check_utilisation};
pub use costs::Costs;
pub use supply::Supply;
pub use system::System;
pub use time::TimeSpan;
pub use time::text::TimeError;
pub use what_if::{WhatIf, WhatIfError};
