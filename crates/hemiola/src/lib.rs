//! Hemiola: a real-time module framework for robots. The one crate that a robot names.
//!
//! A robot is a set of modules, a `robot.toml`, and a `main` of one statement; `run`, `check`,
//! `graph`, `simulate`, `doctor` and more come with it (`Application`). This crate has names and
//! nothing else; what they name lives in the crates that they come from.
//!
//! A crate that only has representations and modules leaves the program around them to the robot:
//!
//! ```toml
//! [dependencies]
//! hemiola = { version = "0.1", default-features = false }
//! ```
//!
//! | feature | what it adds |
//! |---|---|
//! | `program` (default) | `Application`, `runtime`, `replay`, `testing`, `log`, `trace` and the other names of a robot's program |
//! | `messages` (with `program`) | `bus`: topics and services as arguments of updates |
//! | `tools` | the commands `completions` and `man`, which the program `hemiola` has, in the robot's program |
//! | `ros2` | `[ros2]` in robot.toml: the robot as a node of ROS 2 |
//! | `zenoh` | `zenoh:` addresses of `[link.*]` in robot.toml: links over Zenoh |
//! | `arrayvec`, `glam` (default) | types of these crates as data of representations, and the crates themselves: [`hemiola::arrayvec`](arrayvec), [`hemiola::glam`](glam) |
//!
//! A type of glam or arrayvec is data in the version that this crate has, and no other. A crate
//! that uses `hemiola::glam::Vec3` always has that one. One that names glam itself, for features of
//! it, names the same version; `cargo tree -d` prints the crates that a robot has twice.
//!
//! ```no_run
//! use hemiola::prelude::*;
//!
//! #[derive(Representation, Clone, Default)]
//! struct Distance { metres: f32 }
//!
//! #[derive(Module)]
//! struct Lidar { turns: u32 }
//!
//! #[module]
//! impl Lidar {
//!     #[update]
//!     fn distance(&mut self, distance: &mut Distance) {
//!         self.turns += 1;
//!         distance.metres = 1.0 / self.turns as f32;
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     hemiola::Application::embedded("[cycle.main]\nrate = 10.0\n").run()
//! }
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

/// Data, schemas and text forms.
pub mod data {
    pub use hemiola_macros::Data;
    pub use hemiola_model::data::*;
    pub use hemiola_model::{Form, RepresentationDescriptor};
}

/// Data outside the process: CDR, ros2msg schemas, hashes of types.
pub mod cdr {
    pub use hemiola_model::cdr::*;
}

/// Messages as their bytes, read in place.
pub mod wire {
    pub use hemiola_macros::InPlace;
    pub use hemiola_model::wire::*;
}

/// Modules and what their updates can ask for.
pub mod module {
    pub use hemiola_model::module::*;
}

/// Configuration as values: what `robot.toml` says, and with the program around it, reading that.
pub mod configuration {
    #[cfg(feature = "program")]
    pub use hemiola_config::{Base, Catalog, ConfigError, ForeignFile, ForeignValue, LoadOptions, Loaded, load, parse};
    pub use hemiola_model::configuration::*;
}

/// Messages: topics between modules, tools and other threads.
#[cfg(feature = "messages")]
pub use hemiola_bus as bus;

pub use hemiola_macros::{Module, Parameters, Representation, Source, module, source};
pub use hemiola_model::{
    Clock, ParameterDescription, Parameters, ParametersError, Range, Representation, Source, SourceDescriptor,
    SourceRate, Time,
};

#[cfg(feature = "arrayvec")]
pub use hemiola_model::arrayvec;
#[cfg(feature = "glam")]
pub use hemiola_model::glam;
#[doc(hidden)]
pub use hemiola_model::macros_support;

#[cfg(feature = "program")]
mod program;
#[cfg(feature = "program")]
pub use program::*;

/// All that a file with a module needs: `use hemiola::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "messages")]
    pub use crate::bus::{AnswerError, Publisher, Requests, SendError, Subscription};
    pub use crate::data::SharedBytes;
    pub use crate::module::{Canvas, Color, Debug, Fresh, Module, Previous, SafeState, Samples, Scene, Scope};
    pub use crate::wire::Wire;
    pub use crate::{Clock, Parameters, Representation, Source, Time, module, source};
    // The derives alone: the methods of these traits would hide those of other types, such as
    // `str::replace`.
    pub use hemiola_macros::{Data, InPlace, Module};
    // `#[module]` and `#[source]` remove these; without them they say what is missing.
    pub use hemiola_macros::{safe_state, sample, update};
}
