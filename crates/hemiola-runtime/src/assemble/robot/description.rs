//! Describes modules and sources for the planner, and checks whether they fit together.

use std::collections::BTreeMap;

use hemiola_bus::Bus;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger, names_module};
use hemiola_model::module::{Access, ArgumentKind, ModuleDescriptor};
use hemiola_model::{RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::{
    CycleDescription, ModuleDescription, RobotDescription, SampleDescription, SourceDescription, UpdateDescription,
};

use super::contents::{names, topics};
use crate::error::RuntimeError;
use crate::ports::Ports;

/// Selects the modules that belong to a cycle.
fn select<'m>(
    cycle: &CycleConfiguration,
    modules: &'m [ModuleDescriptor],
) -> Result<Vec<&'m ModuleDescriptor>, RuntimeError> {
    if cycle.modules.is_empty() {
        return Ok(modules.iter().collect());
    }
    for pattern in &cycle.modules {
        if !modules.iter().any(|module| names_module(pattern, module.name(), module.path())) {
            return Err(RuntimeError::NoSuchModule { cycle: cycle.name.clone(), pattern: pattern.clone() });
        }
    }
    Ok(modules.iter().filter(|module| cycle.runs(module.name(), module.path())).collect())
}

/// Describes cycles, modules and sources for the planner.
pub(super) fn describe(
    configuration: &Configuration,
    modules: &[ModuleDescriptor],
    sources: &[SourceDescriptor],
) -> Result<RobotDescription, RuntimeError> {
    let mut system = RobotDescription { providers: configuration.providers.clone(), ..RobotDescription::default() };
    let mut used = Vec::new();
    for cycle in &configuration.cycles {
        let selected = select(cycle, modules)?;
        used.extend(selected.iter().map(|module| module.name()));
        let trigger = match &cycle.trigger {
            Trigger::Rate(_) => hemiola_plan::Trigger::Rate,
            Trigger::Topic(topic) => {
                let known = topics(modules, sources);
                if !known.contains(topic.as_str()) {
                    return Err(RuntimeError::NoSuchTopic {
                        cycle: cycle.name.clone(),
                        topic: topic.clone(),
                        known: known.into_iter().map(str::to_owned).collect(),
                    });
                }
                hemiola_plan::Trigger::Rate
            }
            Trigger::Source(name) => {
                if !sources.iter().any(|source| source.name() == name) {
                    return Err(RuntimeError::NoSuchSource {
                        cycle: cycle.name.clone(),
                        source_name: name.clone(),
                        known: sources.iter().map(|source| source.name().to_owned()).collect(),
                    });
                }
                hemiola_plan::Trigger::Sample { source: name.clone(), sample: SAMPLE.to_owned() }
            }
        };
        let modules = selected.into_iter().map(describe_module).collect();
        system.cycles.push(CycleDescription { name: cycle.name.clone(), modules, trigger });
    }
    system.sources = sources.iter().map(describe_source).collect();
    system.spare = modules.iter().filter(|module| !used.contains(&module.name())).map(describe_module).collect();
    Ok(system)
}

/// The name of the only stream of samples of a source.
const SAMPLE: &str = "sample";

fn describe_module(module: &ModuleDescriptor) -> ModuleDescription {
    let mut description = ModuleDescription::new(module.name()).at(module.location());
    for update in module.updates() {
        let access = match update.access() {
            Access::Exclusive => hemiola_plan::Access::Exclusive,
            Access::Concurrent => hemiola_plan::Access::Concurrent,
        };
        description = description.with(
            UpdateDescription::new(update.name(), access)
                .requires(names(update, ArgumentKind::Requires))
                .uses(names(update, ArgumentKind::Uses))
                .collects(names(update, ArgumentKind::Collects))
                .provides(names(update, ArgumentKind::Provides)),
        );
    }
    description
}

fn describe_source(source: &SourceDescriptor) -> SourceDescription {
    let reads = [ArgumentKind::Requires, ArgumentKind::Uses, ArgumentKind::Collects];
    let sample = SampleDescription {
        name: SAMPLE.to_owned(),
        provides: names(source.sample(), ArgumentKind::Provides).collect(),
        reads: reads.into_iter().flat_map(|kind| names(source.sample(), kind)).collect(),
    };
    SourceDescription { name: source.name().to_owned(), samples: vec![sample] }
}

/// Checks that all updates and sample methods can be called.
pub(super) fn check_updates(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let of_modules = modules.iter().flat_map(ModuleDescriptor::refusals);
    let refusals: Vec<_> = of_modules.chain(sources.iter().filter_map(SourceDescriptor::refusal)).collect();
    if refusals.is_empty() { Ok(()) } else { Err(RuntimeError::Refused { refusals }) }
}

/// Checks that each name stands for one type, because representations are identified by name.
pub(super) fn check_names(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let mut known: BTreeMap<&str, &RepresentationDescriptor> = BTreeMap::new();
    let updates =
        modules.iter().flat_map(|module| module.updates()).chain(sources.iter().map(|source| source.sample()));
    for representation in updates.flat_map(|update| update.arguments()).filter_map(|argument| argument.representation())
    {
        let first = known.entry(representation.name()).or_insert(representation);
        if **first != *representation {
            return Err(RuntimeError::SameName { name: representation.name().to_owned() });
        }
    }
    Ok(())
}

/// Checks that each topic and service has one type of messages, or of requests and responses: they
/// are identified by name, too.
pub(super) fn check_ports(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let bus = Bus::new();
    let updates = modules.iter().flat_map(|module| module.updates().iter().map(|update| (module.name(), update)));
    let samples = sources.iter().map(|source| (source.name(), source.sample()));
    // A topic exists as long as one of its ends is held: all ports must exist at the same time.
    let connected = updates.chain(samples).map(|(owner, update)| Ports::connect(owner, update, &bus));
    connected.collect::<Result<Vec<_>, _>>().map(drop)
}
