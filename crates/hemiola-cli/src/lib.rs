//! The program around a robot: its command line, its display on a terminal, and its exit codes.
//!
//! The work of commands is done in other crates: this one has the arguments, the texts for people,
//! and the exit codes for scripts.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     hemiola_cli::Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml")).run()
//! }
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod application;
mod command_line;
mod commands;
mod error;
mod guard;
mod interruption;
mod lines;
mod notes;
mod processes;
mod program;
mod ros2;
mod ros_args;
mod session;
mod shell;
mod summary;
mod sync;
#[cfg(feature = "tools")]
mod templates;
mod terminal;
#[cfg(feature = "tools")]
mod tools;
mod top;
mod traffic;

pub use application::Application;
pub use error::CommandError;
#[cfg(feature = "tools")]
pub use tools::tools;
