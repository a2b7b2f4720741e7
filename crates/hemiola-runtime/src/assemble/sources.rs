//! Makes what runs a source.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::SourceRate;
use hemiola_model::configuration::Trigger as CycleTrigger;
use hemiola_model::module::{ArgumentKind, Binding, Update};
use hemiola_plan::Consumer;
use hemiola_trace::{Catalog, CycleId, to_topic};

use super::launch::thread_settings;
use super::robot::{Robot, representations};
use super::wiring::Wiring;
use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::error::RuntimeError;
use crate::origins::OriginWriter;
use crate::ports::Ports;
use crate::robot_state::RobotState;
use crate::run::Trigger;
use crate::source::{SourceExport, SourceRecords, SourceRunner};
use crate::stand_in::Feed;

/// The source of that number.
pub(super) fn source_runner(
    robot: &Robot,
    number: usize,
    wiring: &mut Wiring,
    triggers: &BTreeMap<usize, Arc<Trigger>>,
    state: &Arc<RobotState>,
    records: SourceRecords,
    feed: Option<Box<dyn Feed>>,
) -> Result<SourceRunner, RuntimeError> {
    let descriptor = &robot.sources[number];
    let node = robot.configuration.cycles.len() + number;
    let blackboard = &wiring.blackboards[node];
    let configuration = robot.configuration.sources.get(descriptor.name()).cloned().unwrap_or_default();
    let instance = descriptor
        .create(&configuration.parameters)
        .map_err(|error| RuntimeError::of_creation(descriptor.name(), error))?;
    let ports = Ports::connect(descriptor.name(), descriptor.sample(), state.bus())?;
    Ok(SourceRunner {
        name: descriptor.name(),
        number,
        rate: match &feed {
            Some(_) => SourceRate::OwnStamps,
            None => configuration.rate.map_or(descriptor.rate(), SourceRate::Hertz),
        },
        feed,
        bindings: bind(descriptor.sample(), blackboard, &ports)?,
        // When all cycles have their numbers in traces.
        publishers: Vec::new(),
        ports,
        outputs: representations(descriptor.sample(), ArgumentKind::Provides)
            .filter_map(|provided| blackboard.store_of(provided.name()))
            .collect(),
        update: descriptor.sample().clone(),
        instance,
        blackboard: blackboard.clone(),
        imports: std::mem::take(&mut wiring.imports[node]).into_iter().map(|(_, import)| import).collect(),
        exports: source_exports(robot, descriptor.name(), &wiring.exports[node], blackboard, triggers),
        robot: state.clone(),
        provenance: Provenance::none(robot.sources.len()),
        samples: 0,
        last: None,
        records,
        settings: thread_settings(descriptor.name(), configuration.scheduling, &configuration.cores),
        // When all have their blackboards.
        tap: None,
    })
}

/// Where it is noted what messages come from that a source publishes, by its arguments. Traces list them with a cycle, as all exchanges.
pub(super) fn publishers(
    source: &SourceRunner,
    catalog: &Catalog,
    listed_with: CycleId,
) -> Result<Vec<(usize, OriginWriter)>, RuntimeError> {
    let mut publishers = Vec::new();
    for (index, argument) in source.update.arguments().iter().enumerate() {
        let (Some(port), Some(place)) = (argument.port(), source.ports.place(index)) else { continue };
        let exchange = catalog.exchange(listed_with, &to_topic(source.name, port.name()))?;
        let topic = source.robot.origins().of(port.name());
        let origins = OriginWriter::new(topic, place, source.provenance.sources(), exchange);
        publishers.extend(origins.map(|origins| (index, origins)));
    }
    Ok(publishers)
}

fn bind(sample: &Update, blackboard: &Arc<Blackboard>, ports: &Ports) -> Result<Box<[Binding<'static>]>, RuntimeError> {
    let bind = |(index, argument): (usize, &hemiola_model::module::ArgumentDescriptor)| {
        if let Some(port) = ports.get(index) {
            // SAFETY: the runner keeps the ports, which are boxed, as long as this reference.
            return Ok(Binding::Port(unsafe { &*std::ptr::from_ref(port) }));
        }
        let Some(representation) = argument.representation() else { return Ok(Binding::Service) };
        let name = representation.name();
        let cell = match argument.kind() {
            ArgumentKind::Provides => blackboard.store_of(name).map(|index| blackboard.store(index).cell()),
            _ => blackboard.imported_of(name).map(|index| blackboard.imported(index)),
        };
        let cell = cell.ok_or_else(|| RuntimeError::internal(&format!("`{name}` has no place on the blackboard")))?;
        if cell.descriptor() != representation {
            return Err(RuntimeError::SameName { name: name.to_owned() });
        }
        // SAFETY: the runner keeps the blackboard that owns the cell as long as this reference.
        Ok(Binding::Cell(unsafe { &*std::ptr::from_ref(cell) }))
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
