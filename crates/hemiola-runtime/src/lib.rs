//! Runs a robot.
mod error;
pub mod exchange;
pub mod executor;
mod sync;
pub use error::RuntimeError;
