//! The registry of all modules and sources that are linked into the program.

use std::sync::{Mutex, PoisonError};

use super::{ForeignDescription, ModuleDescriptor};
use crate::SourceDescriptor;

/// A registration by `#[module]` or `#[source]`, for the linker to collect.
#[doc(hidden)]
pub enum Registration {
    /// A module.
    Module(fn() -> ModuleDescriptor),
    /// A source.
    Source(fn() -> SourceDescriptor),
}

inventory::collect!(Registration);

/// The modules that were loaded at run time.
static LOADED: Mutex<Vec<ForeignDescription>> = Mutex::new(Vec::new());

/// Adds a module that is not a Rust type to those that are linked: for loaders, before a robot is
/// assembled. It replaces one of the same name that was added before.
pub fn load(module: ForeignDescription) {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded.retain(|known| known.name != module.name);
    loaded.push(module);
}

/// Returns the modules of all linked crates and those that were [loaded](load), by path and name.
pub fn modules() -> Vec<ModuleDescriptor> {
    let loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let linked = inventory::iter::<Registration>().filter_map(|registration| match registration {
        Registration::Module(describe) => Some(describe()),
        Registration::Source(_) => None,
    });
    let mut modules: Vec<_> = linked.chain(loaded.into_iter().map(ModuleDescriptor::foreign)).collect();
    // The linker's order is arbitrary; ours must be the same in every build.
    modules.sort_by_key(|module| (module.path(), module.name()));
    modules
}

/// Returns the sources of all linked crates, by path and name.
pub fn sources() -> Vec<SourceDescriptor> {
    let mut sources: Vec<_> = inventory::iter::<Registration>()
        .filter_map(|registration| match registration {
            Registration::Source(describe) => Some(describe()),
            Registration::Module(_) => None,
        })
        .collect();
    sources.sort_by_key(|source| (source.path(), source.name()));
    sources
}
