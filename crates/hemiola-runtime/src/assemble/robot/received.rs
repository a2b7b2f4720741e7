//! The sources of what is received from other programs: one for each representation that a link
//! receives, or to which the robot subscribes as a ROS 2 node. For chains, topics from other
//! processes of the robot are sources, too.

use hemiola_model::configuration::{Configuration, Incoming, SubjectKind};
use hemiola_model::module::ModuleDescriptor;
use hemiola_model::{Name, RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::RobotDescription;

use super::Robot;
use crate::error::RuntimeError;

impl Robot {
    /// Returns the topics that come from other processes of the robot of which this is a part, each
    /// with the name of the source that it is for chains: `link.audio.Whistle`.
    pub fn received_topics(&self) -> Vec<(String, &'static str)> {
        let topics = self.topics();
        let links = self.configuration.links.iter().filter(|link| self.configuration.is_between_parts(&link.name));
        let received = links.flat_map(|link| link.receive.iter().map(move |received| (link, received)));
        let received = received.filter(|(_, received)| received.subject.kind == SubjectKind::Topic);
        received
            .filter_map(|(link, received)| {
                let topic = topics.iter().find(|topic| **topic == received.subject.name)?;
                Some((received.source(&link.name), *topic))
            })
            .collect()
    }

    /// Returns everything with which chains begin: the names of the sources, in their order, and of
    /// topics that come from other processes.
    pub fn begins(&self) -> Vec<String> {
        let sources = self.sources.iter().map(|source| source.name().to_owned());
        sources.chain(self.received_topics().into_iter().map(|(begin, _)| begin)).collect()
    }
}

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
