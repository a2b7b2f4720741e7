//! Hemiola: a real-time module framework for robots. The one crate that a robot names.
//!
//! A robot is a set of modules, a `robot.toml`, and a `main` of one statement; `run`, `check`, `graph`, `simulate`, `doctor` and
//! more come with it ([`Application`]). This crate adds no behaviour to the modules and the runtime: it gathers their names, and it
//! is what people see of them on a terminal.
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

extern crate self as hemiola;

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

/// Modules and what their updates can ask for.
pub mod module {
    pub use hemiola_model::module::*;
}

/// What `robot.toml` says, and reading it.
pub mod configuration {
    pub use hemiola_config::{Base, Catalog, ConfigError, LoadOptions, Loaded, load, parse};
    pub use hemiola_model::configuration::*;
}

/// Putting robots together, running them, looking at them and changing them: for tests and for programs with a `main` of their own.
pub mod runtime {
    pub use hemiola_runtime::{
        Bounded, CycleHealth, Exceedance, ExceedanceCause, LatencyBounds, Message, Pace, Played, Player, Robot,
        RobotHandle, RunningRobot, RuntimeError, SafeStateCause, SafeStateEntry, Snapshot, Step, Stepper, Tempo,
        Transport,
    };
}

/// Messages: topics between modules, tools and other threads.
pub use hemiola_bus as bus;
/// Logs: reading them, whole or damaged.
pub use hemiola_log as log;
/// Task graphs, plans, predicted schedules and their pictures.
pub use hemiola_plan as plan;
/// The operating system's real-time services, and the doctor.
pub use hemiola_realtime as realtime;
/// Timing figures, traces and timelines.
pub use hemiola_trace as trace;

mod analysis;
mod application;
mod command_line;
mod commands;
mod error;
mod live;
mod profile;
mod recorder;
pub mod replay;
mod session;
mod snapshots;
mod summary;
pub mod testing;
mod traffic;
mod transcript;

pub use application::Application;
pub use error::CommandError;
pub use hemiola_macros::{Module, Parameters, Representation, Source, module, source};
pub use hemiola_model::{
    Clock, ParameterDescription, Parameters, ParametersError, Range, Representation, Source, SourceDescriptor,
    SourceRate, Time,
};
pub use hemiola_runtime::{Robot, RobotHandle};

#[doc(hidden)]
pub use hemiola_model::macros_support;

/// All that a file with a module needs: `use hemiola::prelude::*;`.
pub mod prelude {
    pub use crate::bus::{Publisher, Requests, Subscription};
    pub use crate::data::Data;
    pub use crate::module::{Debug, Fresh, Module, Previous, SafeState, Samples, Scope, Shape};
    pub use crate::{Clock, Parameters, Representation, Source, Time, module, source};
    pub use hemiola_macros::Module;
}
