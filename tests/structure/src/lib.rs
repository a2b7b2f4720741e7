//! Measures the structure of this workspace from its sources, so that what ARCHITECTURE.md promises
//! about it cannot rot: circles of modules, layers of crates, where `unsafe` and atomics stand.
//!
//! ```sh
//! cargo run  -p hemiola-structure    # a table, a line per crate
//! cargo test -p hemiola-structure    # what must hold
//! ```
//!
//! Sources are parsed, not searched: comments, strings and whatever is compiled for tests only do
//! not count. This crate must never depend on another crate of the workspace.
#![forbid(unsafe_code)]

mod architecture;
mod circles;
mod error;
mod house;
mod module_tree;
mod source;
mod table;

pub use architecture::Architecture;
pub use circles::{Arrow, ModuleGraph};
pub use error::StructureError;
pub use house::{Crate, House};
pub use module_tree::{Module, module_tree};
pub use source::Source;
pub use table::Table;
