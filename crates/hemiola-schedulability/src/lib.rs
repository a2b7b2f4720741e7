//! A library of published analyses, each in a file named after its paper, and a simulator that
//! tries to exceed bounds.
//!
//! No robot links this crate: the papers on which bounds of a whole
//! [`System`](hemiola_analysis::System) rest are in [`hemiola_analysis`]. It is pure: it starts no
//! thread, reads no clock and does no I/O.
//!
//! ```
//! use hemiola_analysis::{Analysis, System, TimeSpan, assignment};
//! use hemiola_schedulability::simulation;
//!
//! let described = System::from_toml(
//!     r#"
//!     cores = 1
//!
//!     [[chain]]
//!     name = "brake"
//!     period = "80 ms"
//!     callbacks = [{ name = "camera", takes = "2 ms" }, { name = "detect", takes = "9 ms .. 16 ms" }]
//!     "#,
//!     "system.toml",
//! )?;
//! let system = assignment::with_executors(&described)?;
//! let simulated = simulation::simulate(&system, &simulation::Options::default());
//! let bound = Analysis::of(&system).find("brake").unwrap().bound.clone()?;
//! assert!(simulated.latencies["brake"].maximum <= bound);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The analyses have plain types of their own: [`response_times`] on one processor, [`ros2`]
//! executors, [`picas`], [`dag`]s on several cores, chains over several resources
//! ([`compositional`]), and [`reaction`] times through tasks of different rates. [`simulation`]
//! tries to exceed all bounds, those of hemiola-analysis too, and `tests/oracles` compares them
//! with the results of other tools.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod compositional;
pub mod dag;
pub mod draw;
pub mod picas;
pub mod reaction;
pub mod response_times;
pub mod ros2;
pub mod simulation;
mod task;

pub use hemiola_analysis::Supply;
pub use task::Task;
