//! Robots that run: each file contains the modules and sources of one, and tests of its promises.
//!
//! Modules register themselves when they are linked. A robot of this program is assembled from the
//! modules of its own file, so that all of them fit into one program.
#![forbid(unsafe_code)]

mod cycles;
mod debug;
mod inlets;
mod observe;
mod service;
mod services;
mod slam;
mod topics;
mod triggers;
mod values;

use hemiola_model::configuration::Configuration;
use hemiola_model::module::registry;
use hemiola_runtime::{Robot, RuntimeError};

/// Assembles the modules and sources of the file that `path` names: its `module_path!()`.
fn assemble(path: &str, configuration: Configuration) -> Result<Robot, RuntimeError> {
    let modules = registry::modules().into_iter().filter(|module| module.path() == path).collect();
    let sources = registry::sources().into_iter().filter(|source| source.path() == path).collect();
    Robot::assemble_from(configuration, modules, sources)
}
