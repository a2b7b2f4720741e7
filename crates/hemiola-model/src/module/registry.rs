//! Every module and source that is linked into the program.

use super::ModuleDescriptor;
use crate::SourceDescriptor;

/// What `#[module]` and `#[source]` leave behind for the linker to collect.
#[doc(hidden)]
pub enum Registration {
    /// A module.
    Module(fn() -> ModuleDescriptor),
    /// A source.
    Source(fn() -> SourceDescriptor),
}

inventory::collect!(Registration);

/// The modules of all linked crates, by path and name.
pub fn modules() -> Vec<ModuleDescriptor> {
    let mut modules: Vec<_> = inventory::iter::<Registration>()
        .filter_map(|registration| match registration {
            Registration::Module(describe) => Some(describe()),
            Registration::Source(_) => None,
        })
        .collect();
    // The linker's order means nothing; ours must be the same in every build.
    modules.sort_by_key(|module| (module.path(), module.name()));
    modules
}

/// The sources of all linked crates, by path and name.
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
