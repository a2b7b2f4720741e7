//! The program around a robot: its command line, what it shows on a terminal, and how it ends.
//!
//! What commands do is done elsewhere: here is what can be typed, what people read, and which exit
//! code tells scripts how it went.
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
mod session;
mod shell;
mod summary;
mod sync;
mod templates;
mod terminal;
mod tools;
mod top;
mod traffic;

pub use application::Application;
pub use error::CommandError;
pub use tools::tools;
