//! The reading of `robot.toml`, its overlays and parameter files into a typed, checked
//! [`Configuration`](hemiola_model::configuration::Configuration).
//!
//! The format is described in `FORMAT.md` beside this crate. All errors are found in one pass, and
//! shown with file, line, the offending text and what was probably meant. This crate knows names
//! and types of modules from a [`Catalog`]; it never creates or runs one.
//!
//! ```
//! use hemiola_config::{Catalog, Component, parse};
//!
//! let catalog = Catalog::new([Component::new("BallFinder", "nao::cognition")], []);
//! let error = parse("[cycle.cognition]\nrate = 30.0\nmodules = [\"BalFinder\"]\n", "robot.toml", &catalog).unwrap_err();
//! let expected = "\
//! error: no module is named `BalFinder` or is in a Rust module of that path
//!  --> robot.toml:3:12
//!   |
//! 3 | modules = [\"BalFinder\"]
//!   |            ^^^^^^^^^^^ did you mean `BallFinder`?
//!   |
//!   = help: there are: BallFinder, nao, nao::cognition";
//! assert_eq!(error.to_string(), expected);
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod catalog;
mod condition;
mod diagnostic;
mod document;
mod duration;
mod error;
mod foreign;
mod load;
mod node;
mod origins;
mod overlay;
mod place;
mod robot;
mod save;
mod section;
mod size;
mod suggest;
mod toml_value;

pub use catalog::{Catalog, Component};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use duration::parse_duration;
pub use error::ConfigError;
pub use foreign::{ForeignFile, ForeignValue};
pub use load::{Base, ConfigurationText, LoadOptions, Loaded, deployments, load, parse};
pub use origins::{Origin, Origins, text_of};
pub use place::Place;
pub use robot::deploy::Deployment;
pub use save::{SavedValue, save_in_file, save_parameter, save_values};
pub use suggest::{nearest, unknown};
pub use toml_value::{parse_value, value_text};
