//! Programs without `unsafe` that once read freed memory, hung, or ended silently, and others of
//! their kind. Each holds one promise; under AddressSanitizer they hold that nothing is read or
//! written that is not there.
#![forbid(unsafe_code)]

mod containment;
mod extremes;
#[path = "../../../hemiola-live/tests/common/gate.rs"]
mod gate;
mod hanging;
mod outside;
mod reentering;
mod switching;

use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_model::module::registry;
use hemiola_runtime::Robot;

/// A cycle of these modules.
fn cycle(name: &str, rate: f64, modules: &[&str]) -> CycleConfiguration {
    let mut cycle = CycleConfiguration::new(name, Trigger::Rate(rate));
    cycle.modules = modules.iter().map(|&module| module.into()).collect();
    cycle
}

/// These cycles, with these providers.
fn configuration(cycles: Vec<CycleConfiguration>, providers: &[(&str, &str)]) -> Configuration {
    let providers = providers.iter().map(|&(representation, module)| (representation.into(), module.into())).collect();
    Configuration { cycles, providers, ..Configuration::default() }
}

/// The robot with these sources alone of all that are linked here.
fn robot(configuration: Configuration, sources: &[&str]) -> Robot {
    let linked = registry::sources().into_iter().filter(|source| sources.contains(&source.name()));
    Robot::assemble_from(configuration, registry::modules(), linked.collect()).unwrap()
}
