//! The sources of what is received from other programs: one for each representation that a link
//! receives, or to which the robot subscribes as a ROS 2 node.

use hemiola_model::configuration::{Configuration, Incoming};
use hemiola_model::module::ModuleDescriptor;
use hemiola_model::{Name, RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::RobotDescription;

use crate::error::RuntimeError;

/// Describes a source for each representation that is received from other programs and to which a
/// module or another source refers.
///
/// # Errors
/// Returns an error for a representation that cannot be received.
pub(super) fn received_sources(
    configuration: &Configuration,
    modules: &[ModuleDescriptor],
    sources: &[SourceDescriptor],
) -> Result<Vec<SourceDescriptor>, RuntimeError> {
    let updates =
        modules.iter().flat_map(|module| module.updates()).chain(sources.iter().map(|source| source.sample()));
    let arguments = updates.flat_map(|update| update.arguments());
    let known: Vec<_> = arguments.filter_map(|argument| argument.representation()).collect();
    let mut described = Vec::new();
    for incoming in configuration.incoming() {
        let is_meant = |known: &&&'static RepresentationDescriptor| known.name() == incoming.received.subject.name;
        let Some(&representation) = known.iter().find(is_meant) else { continue };
        if representation.data_type().is_none() {
            return Err(RuntimeError::Opaque { name: representation.name().to_owned() });
        }
        described.push(SourceDescriptor::fed(Name::intern(&incoming.source), &place(&incoming), representation));
    }
    Ok(described)
}

/// Checks that nothing here provides what is received from other programs, unless `[providers]`
/// decides.
///
/// # Errors
/// Returns an error for the first representation with two providers.
pub(super) fn check_received(configuration: &Configuration, system: &RobotDescription) -> Result<(), RuntimeError> {
    for incoming in configuration.incoming() {
        let (name, own) = (&incoming.received.subject.name, &incoming.source);
        let is_source = system.sources.iter().any(|source| source.name == *own);
        if !is_source || configuration.providers.contains_key(name) {
            continue;
        }
        let modules = system.cycles.iter().flat_map(|cycle| cycle.modules.iter().map(move |module| (cycle, module)));
        let by_module = modules
            .filter(|(_, module)| module.updates.iter().any(|update| update.provides.contains(name)))
            .map(|(cycle, module)| {
                let location = module.location.as_deref().unwrap_or("no location");
                format!("`{}` ({location}) of cycle `{}`", module.name, cycle.name)
            });
        let by_source = system
            .sources
            .iter()
            .filter(|source| source.name != *own && source.samples.iter().any(|sample| sample.provides.contains(name)))
            .map(|source| format!("source `{}`", source.name));
        if let Some(provider) = by_module.chain(by_source).next() {
            let received = format!("`{own}` ({})", place(&incoming));
            return Err(RuntimeError::ReceivedAndProvided { representation: name.clone(), received, provider });
        }
    }
    Ok(())
}

fn place(incoming: &Incoming<'_>) -> String {
    incoming.received.place.clone().unwrap_or_else(|| incoming.carrier.clone())
}
