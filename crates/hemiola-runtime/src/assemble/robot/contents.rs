//! The representations, topics and services of a robot's modules and sources.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hemiola_model::data::DataType;
use hemiola_model::module::{ArgumentKind, ModuleDescriptor, PortRole, Update};
use hemiola_model::{RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::UpdateId;

use super::Robot;
use crate::assemble::periods::source_period;

/// The provider of a representation: [`Robot::provider`].
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let robot = Robot::assemble(configuration)?;
/// assert!(robot.provider("Ball").is_none()); // nobody does
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Provider {
    /// The cycle in which it runs.
    pub cycle: String,
    /// The module and its update.
    pub update: String,
    /// The other representations that the update provides.
    pub others: Vec<String>,
    /// The descriptor of the representation.
    pub descriptor: &'static RepresentationDescriptor,
}

/// An update's end of a topic: [`Robot::topic_ends`].
///
/// ```
/// use hemiola_model::module::PortRole;
/// use hemiola_plan::UpdateId;
/// use hemiola_runtime::TopicEnd;
///
/// let update = UpdateId { module: 0, update: 0 };
/// let end = TopicEnd { topic: "WhistleHeard", cycle: 0, update, role: PortRole::Publishes };
/// assert_ne!(end.role, PortRole::Subscribes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicEnd {
    /// The topic.
    pub topic: &'static str,
    /// The index of the update's cycle among those of [`Robot::resolved`].
    pub cycle: usize,
    /// The update.
    pub update: UpdateId,
    /// The role: publisher or subscriber.
    pub role: PortRole,
}

impl Robot {
    /// Returns the present provider of a representation; `None` if no cycle provides it.
    pub fn provider(&self, representation: &str) -> Option<Provider> {
        let mut cycles = self.resolved.cycles.iter();
        let (cycle, id) = cycles.find_map(|cycle| Some((cycle, cycle.providers.get(representation)?)))?;
        let update = cycle.updates.iter().find(|update| update.id == *id)?;
        Some(Provider {
            cycle: cycle.name.clone(),
            update: format!("{}.{}", update.module, update.name),
            others: update.provides.iter().filter(|name| *name != representation).cloned().collect(),
            descriptor: self.provided().remove(representation)?,
        })
    }

    /// Returns the representations that each source provides, by its name.
    pub fn samples(&self) -> Vec<(&'static str, Vec<&'static RepresentationDescriptor>)> {
        let sources = self.sources.iter();
        sources
            .map(|source| (source.name(), representations(source.sample(), ArgumentKind::Provides).collect()))
            .collect()
    }

    /// Returns the names of the sources that have no samples of their own, but receive them from
    /// outside, for example over a link.
    pub fn fed_sources(&self) -> Vec<&'static str> {
        self.sources.iter().filter(|source| source.is_fed()).map(|source| source.name()).collect()
    }

    /// Returns whether an active update, or a source, reads a representation.
    pub fn reads(&self, representation: &str) -> bool {
        let updates = self.resolved.cycles.iter().flat_map(|cycle| &cycle.updates);
        let mut read = updates.flat_map(|update| update.requires.iter().chain(&update.uses).chain(&update.collects));
        read.any(|name| name == representation)
            || self.sources.iter().flat_map(|source| source.sample().arguments()).any(|argument| {
                argument.kind() != ArgumentKind::Provides
                    && argument.representation().is_some_and(|read| read.name() == representation)
            })
    }

    /// Returns whether an active update is a client of a service.
    pub fn asks(&self, service: &str) -> bool {
        self.resolved.cycles.iter().any(|cycle| {
            let modules = self.modules_of(&cycle.name);
            let updates = cycle.updates.iter().map(|update| &modules[update.id.module].updates()[update.id.update]);
            let mut ports = updates.flat_map(Update::arguments).filter_map(|argument| argument.port());
            ports.any(|port| port.role() == PortRole::Calls && port.name() == service)
        })
    }

    /// Returns the sources, each with the time between two samples if the framework paces it.
    pub fn source_periods(&self) -> Vec<(&'static str, Option<Duration>)> {
        self.sources.iter().map(|source| (source.name(), source_period(self, source.name()))).collect()
    }

    /// Returns the names of all representations that are provided and can leave the process.
    pub fn recordable(&self) -> Vec<String> {
        let provided = self.provided().into_values();
        provided.filter(|descriptor| descriptor.data_type().is_some()).map(|it| it.name().to_owned()).collect()
    }

    /// Returns the type of a representation's values outside the process; `None` if it is not
    /// provided, or is opaque.
    pub fn data_type(&self, representation: &str) -> Option<DataType> {
        self.provided().into_values().find(|descriptor| descriptor.name() == representation)?.data_type()
    }

    /// Returns the names of all topics that a module or source publishes or subscribes to.
    pub fn topics(&self) -> Vec<&'static str> {
        topics(&self.modules, &self.sources).into_iter().collect()
    }

    /// Returns the ends of topics that the active updates have.
    pub fn topic_ends(&self) -> Vec<TopicEnd> {
        let mut ends = Vec::new();
        for (cycle, resolved) in self.resolved.cycles.iter().enumerate() {
            let modules = self.modules_of(&resolved.name);
            for update in &resolved.updates {
                let ports = modules[update.id.module].updates()[update.id.update].arguments().iter();
                let ports = ports.filter_map(|argument| argument.port());
                ends.extend(ports.map(|port| TopicEnd {
                    topic: port.name(),
                    cycle,
                    update: update.id,
                    role: port.role(),
                }));
            }
        }
        ends.retain(|end| end.role != PortRole::Calls);
        ends
    }

    /// Returns the topics to which a source publishes.
    pub fn told_by(&self, source: &str) -> Vec<&'static str> {
        let arguments =
            self.sources.iter().filter(|known| known.name() == source).flat_map(|it| it.sample().arguments());
        let ports = arguments.filter_map(|argument| argument.port());
        ports.filter(|port| port.role() == PortRole::Publishes).map(|port| port.name()).collect()
    }

    /// Returns the descriptor of a representation that is provided.
    pub fn representation(&self, name: &str) -> Option<&'static RepresentationDescriptor> {
        self.provided().get(name).copied()
    }

    /// Returns the descriptor of the messages of a topic that a module publishes or subscribes to,
    /// or that has the answers of a declared service.
    pub fn message(&self, topic: &str) -> Option<&'static RepresentationDescriptor> {
        let arguments = self.modules.iter().flat_map(|module| module.updates()).flat_map(|update| update.arguments());
        let mut ports = arguments.filter_map(|argument| argument.port());
        let published = ports.find(|port| port.name() == topic).and_then(|port| port.message());
        published.or_else(|| self.services.iter().find_map(|service| service.message(topic)))
    }

    /// Returns the representations that the cycles and sources provide now.
    pub(super) fn provided(&self) -> BTreeMap<&'static str, &'static RepresentationDescriptor> {
        let samples = self.sources.iter().map(|source| source.sample());
        let sampled = samples.flat_map(|sample| representations(sample, ArgumentKind::Provides));
        let by_cycles = self.resolved.cycles.iter().flat_map(|cycle| {
            let updates = self.modules_of(&cycle.name).into_iter().flat_map(|module| module.updates());
            let provided = updates.flat_map(|update| representations(update, ArgumentKind::Provides));
            provided.filter(|descriptor| cycle.providers.contains_key(descriptor.name())).collect::<Vec<_>>()
        });
        sampled.chain(by_cycles).map(|descriptor| (descriptor.name(), descriptor)).collect()
    }
}

/// Returns the topics that any of these modules and sources publishes or subscribes to.
pub(super) fn topics(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> BTreeSet<&'static str> {
    let updates =
        modules.iter().flat_map(|module| module.updates()).chain(sources.iter().map(|source| source.sample()));
    let ports = updates.flat_map(|update| update.arguments()).filter_map(|argument| argument.port());
    ports.filter(|port| port.role() != PortRole::Calls).map(|port| port.name()).collect()
}

/// Returns the names of the representations that an update has as arguments of this kind.
pub(super) fn names(update: &Update, kind: ArgumentKind) -> impl Iterator<Item = String> + '_ {
    representations(update, kind).map(|representation| representation.name().to_owned())
}

/// Returns the representations that an update has as arguments of this kind.
pub fn representations(
    update: &Update,
    kind: ArgumentKind,
) -> impl Iterator<Item = &'static RepresentationDescriptor> + '_ {
    update
        .arguments()
        .iter()
        .filter(move |argument| argument.kind() == kind)
        .filter_map(|argument| argument.representation())
}
