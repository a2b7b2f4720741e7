//! Creates the parts that run a source.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_bus::exchange::queue;
use hemiola_model::SourceRate;
use hemiola_model::configuration::{Scheduling, Trigger as CycleTrigger};
use hemiola_model::module::{ArgumentKind, Binding, Update};
use hemiola_plan::Consumer;
use hemiola_trace::{Ring, to_topic};

use super::assembly::Assembly;
use super::robot::{Robot, representations};
use super::workers::{real_time_policy, thread_settings};
use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::error::RuntimeError;
use crate::made::Blueprint;
use crate::origins::OriginWriter;
use crate::ports::Ports;
use crate::program::{outlive_cell, outlive_port, outlive_store};
use crate::run::Trigger;
use crate::source::{SourceExport, SourceRecords, SourceRest, SourceRunner, Stamps};
use crate::stand_in::Feed;

/// The number of events of a source that are kept until they are gathered.
const SOURCE_EVENTS: usize = 4096;
/// The number of failures of a source that are kept until they are gathered.
const MOST_FAILURES: usize = 64;

impl Assembly<'_> {
    /// Creates the source with that number, or its stand-in.
    pub(super) fn source(&mut self, number: usize, feed: Option<Box<dyn Feed>>) -> Result<SourceRunner, RuntimeError> {
        let robot = self.robot;
        let descriptor = &robot.sources[number];
        let node = robot.configuration.cycles.len() + number;
        let blackboard = self.wiring.blackboards[node].clone();
        let configuration = robot.configuration.sources.get(descriptor.name()).cloned().unwrap_or_default();
        let records = self.source_records(number)?;
        let (name, location, place) = (descriptor.name(), descriptor.location(), configuration.place.as_deref());
        let scheduling = self.scheduling_of_source(node, name);
        let instance = Blueprint { name, location, place }.instance(|| descriptor.create(&configuration.parameters))?;
        let ports = Ports::connect(descriptor.name(), descriptor.sample(), &self.state.bus().ends_of_sources())?;
        let intake = self.intakes.remove(&number);
        Ok(SourceRunner {
            name: descriptor.name(),
            number,
            rate: match configuration.rate {
                _ if feed.is_some() || intake.is_some() => SourceRate::OwnStamps,
                Some(rate) => SourceRate::Hertz(rate),
                None => descriptor.rate(),
            },
            feed,
            intake,
            bindings: bind(descriptor.sample(), &blackboard, &ports)?,
            publishers: self.source_publishers(number, &ports)?,
            ports,
            outputs: representations(descriptor.sample(), ArgumentKind::Provides)
                .filter_map(|provided| blackboard.store_of(provided.name()))
                .map(|store| outlive_store(blackboard.store(store)))
                .collect(),
            update: descriptor.sample().clone(),
            instance,
            imports: std::mem::take(&mut self.wiring.imports[node]).into_iter().map(|(_, import)| import).collect(),
            views: std::mem::take(&mut self.wiring.views[node]),
            exports: source_exports(robot, descriptor.name(), &self.wiring.exports[node], &blackboard, &self.triggers),
            robot: self.state.clone(),
            provenance: Provenance::shaped(self.state.shape()),
            samples: 0,
            last: None,
            is_lapsed: false,
            stamps: Stamps::default(),
            records,
            settings: thread_settings(name, scheduling, &configuration.cores),
            rest: real_time_policy(scheduling).map(|_| SourceRest::default()),
            outlets: self.source_outlets(number),
            blackboard,
        })
    }

    /// Returns how the thread of a source is scheduled: where several sources share one because
    /// their values are read together, as the most important of them.
    fn scheduling_of_source(&self, node: usize, name: &str) -> Scheduling {
        let configuration = &self.robot.configuration;
        let own = configuration.source_scheduling(name);
        let Some(coherence) = self.coherences.get(&node) else { return own };
        let others = self.coherences.iter().filter(|(_, known)| *known == coherence).map(|(node, _)| node);
        let others = others.map(|other| self.robot.sources[other - configuration.cycles.len()].name());
        others
            .map(|other| configuration.source_scheduling(other))
            .fold(own, |most, other| if other.priority() > most.priority() { other } else { most })
    }

    /// Creates the records of a source.
    fn source_records(&mut self, number: usize) -> Result<SourceRecords, RuntimeError> {
        let (failures, reader) = queue(MOST_FAILURES);
        let events = Ring::with_capacity(SOURCE_EVENTS);
        let thread = self.catalog.source_thread(self.state.source_ids()[number])?;
        self.monitor.add_source(thread, events.reader(), reader);
        Ok(SourceRecords { failures, events })
    }

    /// Creates the writers of the provenance of messages that a source publishes, by its arguments.
    /// Traces list these exchanges with a cycle, like all others.
    fn source_publishers(&self, number: usize, ports: &Ports) -> Result<Vec<(usize, OriginWriter)>, RuntimeError> {
        let mut publishers = Vec::new();
        let Some(&listed_with) = self.cycle_ids.first() else { return Ok(publishers) };
        let source = &self.robot.sources[number];
        for (index, argument) in source.sample().arguments().iter().enumerate() {
            let (Some(port), Some(place)) = (argument.port(), ports.place(index)) else { continue };
            let exchange = self.catalog.exchange(listed_with, &to_topic(source.name(), port.name()))?;
            let topic = self.state.origins().of(port.name());
            let origins = OriginWriter::new(topic, place, self.state.shape(), exchange);
            publishers.extend(origins.map(|origins| (index, origins)));
        }
        Ok(publishers)
    }
}

fn bind(sample: &Update, blackboard: &Arc<Blackboard>, ports: &Ports) -> Result<Box<[Binding<'static>]>, RuntimeError> {
    let bind = |(index, argument): (usize, &hemiola_model::module::ArgumentDescriptor)| {
        if let Some(port) = ports.get(index) {
            return Ok(Binding::Port(outlive_port(port)));
        }
        let Some(representation) = argument.representation() else { return Ok(Binding::Service) };
        let name = representation.name();
        let cell = match argument.kind() {
            ArgumentKind::Provides => blackboard.store_of(name).map(|index| blackboard.store(index).cell()),
            _ => blackboard.imported_of(name).map(|index| blackboard.imported(index).cell()),
        };
        let cell = cell.ok_or_else(|| RuntimeError::internal(&format!("`{name}` has no place on the blackboard")))?;
        if cell.descriptor() != representation {
            return Err(RuntimeError::SameName { name: name.to_owned() });
        }
        Ok(Binding::Cell(outlive_cell(cell)))
    };
    sample.arguments().iter().enumerate().map(bind).collect()
}

fn source_exports(
    robot: &Robot,
    source: &str,
    exports: &BTreeMap<Consumer, usize>,
    blackboard: &Blackboard,
    triggers: &BTreeMap<usize, Arc<Trigger>>,
) -> Vec<SourceExport> {
    exports
        .iter()
        .map(|(consumer, &export)| {
            let cycle =
                robot.configuration.cycles.iter().position(|cycle| *consumer == Consumer::Cycle(cycle.name.clone()));
            let triggered = cycle
                .filter(|&cycle| robot.configuration.cycles[cycle].trigger == CycleTrigger::Source(source.to_owned()));
            SourceExport {
                export,
                lines: blackboard.lines(export),
                trigger: triggered.and_then(|cycle| triggers.get(&cycle).cloned()),
            }
        })
        .collect()
}
