//! The sources that links are: one for each representation that a link receives.

use hemiola_model::configuration::{Configuration, LinkConfiguration, Received, SubjectKind};
use hemiola_model::module::ModuleDescriptor;
use hemiola_model::{Name, RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::RobotDescription;

use crate::error::RuntimeError;

/// Describes a source for each representation that a link receives and that a module or another
/// source refers to.
///
/// # Errors
/// A representation that cannot come into the process.
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
    for (link, received) in representations(configuration) {
        let is_meant = |known: &&&'static RepresentationDescriptor| known.name() == received.subject.name;
        let Some(&representation) = known.iter().find(is_meant) else { continue };
        if representation.data_type().is_none() {
            return Err(RuntimeError::Opaque { name: representation.name().to_owned() });
        }
        let name = Name::intern(&received.source(&link.name));
        described.push(SourceDescriptor::fed(name, &place(link, received), representation));
    }
    Ok(described)
}

/// Checks that nobody here provides what comes over a link, unless `[providers]` decides.
///
/// # Errors
/// The first representation with two providers.
pub(super) fn check_received(configuration: &Configuration, system: &RobotDescription) -> Result<(), RuntimeError> {
    for (link, received) in representations(configuration) {
        let (name, own) = (&received.subject.name, received.source(&link.name));
        let is_source = system.sources.iter().any(|source| source.name == own);
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
            .filter(|source| source.name != own && source.samples.iter().any(|sample| sample.provides.contains(name)))
            .map(|source| format!("source `{}`", source.name));
        if let Some(provider) = by_module.chain(by_source).next() {
            let received = format!("`{own}` ({})", place(link, received));
            return Err(RuntimeError::ReceivedAndProvided { representation: name.clone(), received, provider });
        }
    }
    Ok(())
}

/// Returns the representations that links receive, each with its link.
fn representations(configuration: &Configuration) -> impl Iterator<Item = (&LinkConfiguration, &Received)> {
    let received =
        configuration.links.iter().flat_map(|link| link.receive.iter().map(move |received| (link, received)));
    received.filter(|(_, received)| received.subject.kind == SubjectKind::Representation)
}

fn place(link: &LinkConfiguration, received: &Received) -> String {
    received.place.clone().unwrap_or_else(|| format!("link `{}`", link.name))
}
