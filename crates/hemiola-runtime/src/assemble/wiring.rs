//! The stores of values, and the channels from cycles and sources to those that read them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::configuration::Trigger as CycleTrigger;
use hemiola_model::module::{ArgumentKind, BetweenRuns, Update};
use hemiola_plan::{Consumer, Origin};
use hemiola_trace::{Catalog, CycleId};

use super::feedback::feedback;
use super::robot::{Robot, representations};
use crate::blackboard::Blackboard;
use crate::blackboard::channel::{Export, Import, Line, channel};
use crate::blackboard::feedback::{Entrance, Shape};
use crate::blackboard::imported::Imported;
use crate::blackboard::slot::Held;
use crate::blackboard::store::{Holds, Store};
use crate::coherence::{Coherence, Views};
use crate::error::RuntimeError;
use crate::made::of_defaults;
use crate::record::{InputRecord, SampleRecord, SampleSpan};
use crate::script::Script;

/// All blackboards, and the channels between them.
pub(super) struct Wiring {
    /// The name of each node.
    pub(super) names: Vec<Arc<str>>,
    pub(super) blackboards: Vec<Arc<Blackboard>>,
    /// The imports of each node, each with the node from which it comes.
    pub(super) imports: Vec<Vec<(usize, Import)>>,
    /// The views of each node by which some of its imports are read together.
    pub(super) views: Vec<Views>,
    /// The inputs of each node in the form of a transcript, with nothing read.
    pub(super) inputs: Vec<Vec<InputRecord>>,
    pub(super) exports: Vec<BTreeMap<Consumer, usize>>,
}

/// A node that has a blackboard. Cycles come first, then sources.
pub(super) struct Node {
    pub(super) consumer: Consumer,
    pub(super) provides: Vec<&'static RepresentationDescriptor>,
    /// The representations that it may read from elsewhere, and whether it reads them as samples.
    pub(super) reads: BTreeMap<&'static str, Read>,
}

impl Node {
    pub(super) fn name(&self) -> Arc<str> {
        match &self.consumer {
            Consumer::Cycle(name) | Consumer::Source(name) => name.as_str().into(),
        }
    }
}

pub(super) struct Read {
    descriptor: &'static RepresentationDescriptor,
    pub(super) samples: bool,
    /// The number of the node from which it comes.
    pub(super) from: usize,
}

impl Wiring {
    /// Connects the nodes of a robot. Sources whose values are read together are named by their
    /// numbers among the nodes.
    pub(super) fn of(
        robot: &Robot,
        catalog: &Catalog,
        cycles: &[CycleId],
        script: Option<&Script>,
        coherences: &BTreeMap<usize, Arc<Coherence>>,
        between: &mut BetweenRuns<'_>,
    ) -> Result<Self, RuntimeError> {
        let nodes = nodes(robot);
        let feedback = feedback(robot);
        let shape = Shape { sources: robot.begins().len(), ways: feedback.ways() };
        let names: Vec<Arc<str>> = nodes.iter().map(Node::name).collect();
        let count = nodes.len();
        let mut exports: Vec<Vec<Export>> = (0..count).map(|_| Vec::new()).collect();
        let mut export_of: Vec<BTreeMap<Consumer, usize>> = vec![BTreeMap::new(); count];
        let mut imports: Vec<Vec<(usize, Import)>> = (0..count).map(|_| Vec::new()).collect();
        let mut holds: Vec<Vec<Holds>> = nodes.iter().map(|node| vec![Holds::default(); node.provides.len()]).collect();
        let links = links(robot, &nodes);
        let recorded = script.map(Script::channels);
        for Link { publisher, consumer, lines } in &links {
            // Traces list exchanges of cycles: one from a source is listed with its reader, one
            // from source to source with the first cycle.
            let owner = cycles.get(*publisher).or(cycles.get(*consumer)).or(cycles.first());
            let Some(&owner) = owner else { continue };
            let recorded = recorded.as_ref().filter(|_| *consumer < cycles.len()).map(|channels| {
                let ends = (names[*publisher].clone(), names[*consumer].clone());
                channels.get(&ends).cloned().unwrap_or_default()
            });
            let mut numbers = 0..;
            for line in lines {
                let number = line.samples.and_then(|_| numbers.next());
                holds[*publisher][line.store] += match &recorded {
                    None => line.holds(),
                    Some(recorded) => recorded.holds(number),
                };
            }
            let name = format!("{} to {}", nodes[*publisher].consumer, nodes[*consumer].consumer);
            let (export, import) = channel(lines, shape, catalog.exchange(owner, &name)?, recorded.as_ref());
            export_of[*publisher].insert(nodes[*consumer].consumer.clone(), exports[*publisher].len());
            exports[*publisher].push(export);
            let entrance =
                |imported: usize| match (&nodes[*consumer].consumer, nodes[*consumer].reads.keys().nth(imported)) {
                    (Consumer::Cycle(cycle), Some(name)) => feedback.values(cycle, name),
                    _ => Entrance::default(),
                };
            imports[*consumer].push((*publisher, import.through(entrance)));
        }
        let mut defaults: BTreeMap<&'static str, Held> = BTreeMap::new();
        let mut default_of = |it: &'static RepresentationDescriptor| -> Result<Held, RuntimeError> {
            if let Some(default) = defaults.get(it.name()) {
                return Ok(default.clone());
            }
            let default = of_defaults(it, || Held::new(it.create()))?;
            Ok(defaults.entry(it.name()).or_insert(default).clone())
        };
        let blackboards: Vec<Arc<Blackboard>> = nodes
            .iter()
            .zip(exports)
            .zip(&holds)
            .map(|((node, exports), holds)| {
                let provided = node.provides.iter().zip(holds);
                let store = |(&it, &holds): (&&'static RepresentationDescriptor, &Holds)| {
                    of_defaults(it, || Store::new(it, holds))
                };
                let read = |read: &Read| default_of(read.descriptor).map(|it| Imported::new(read.descriptor, it));
                let stores = provided.map(store).collect::<Result<_, _>>()?;
                let imported = node.reads.values().map(read).collect::<Result<_, _>>()?;
                Ok(Arc::new(Blackboard::new(stores, imported, exports, shape)))
            })
            .collect::<Result<_, RuntimeError>>()?;
        let mut views: Vec<Views> = (0..count).map(|_| Views::default()).collect();
        for (imports, views) in imports.iter_mut().zip(&mut views) {
            for (publisher, import) in imports {
                import.by_view(coherences.get(publisher).map(|coherence| views.number_of(coherence)));
            }
        }
        for (blackboard, imports) in blackboards.iter().zip(&imports) {
            imports.iter().for_each(|(_, import)| import.reserve(blackboard, between));
        }
        let inputs = (0..count).map(|consumer| inputs(&nodes, &links, consumer)).collect();
        Ok(Self { names, blackboards, imports, inputs, exports: export_of, views })
    }
}

/// A channel from one node to another.
struct Link {
    publisher: usize,
    consumer: usize,
    lines: Vec<Line>,
}

fn links(robot: &Robot, nodes: &[Node]) -> Vec<Link> {
    let capacity = |node: usize| robot.configuration.cycles.get(node).map_or(32, |cycle| cycle.sample_capacity.max(1));
    let mut links = Vec::new();
    for (consumer, node) in nodes.iter().enumerate() {
        for (publisher, from) in nodes.iter().enumerate() {
            let lines: Vec<Line> = node
                .reads
                .values()
                .enumerate()
                .filter(|(_, read)| read.from == publisher)
                .filter_map(|(imported, read)| {
                    let store = from.provides.iter().position(|provided| provided.name() == read.descriptor.name())?;
                    Some(Line { store, imported, samples: read.samples.then(|| capacity(consumer)) })
                })
                .collect();
            // A cycle that a source triggers needs the snapshots of that source as triggers even if
            // it reads none of its values.
            let triggers = robot.configuration.cycles.get(consumer).is_some_and(|cycle| {
                from.consumer
                    == Consumer::Source(match &cycle.trigger {
                        CycleTrigger::Source(name) => name.clone(),
                        CycleTrigger::Rate(_) | CycleTrigger::Topic(_) => String::new(),
                    })
            });
            if !lines.is_empty() || triggers {
                links.push(Link { publisher, consumer, lines });
            }
        }
    }
    links
}

/// Returns the inputs of each cycle and source in the form of a transcript, with nothing read.
pub(super) fn recorded_inputs(robot: &Robot) -> Vec<Vec<InputRecord>> {
    let nodes = nodes(robot);
    let links = links(robot, &nodes);
    (0..nodes.len()).map(|consumer| inputs(&nodes, &links, consumer)).collect()
}

/// Returns the maximum number of samples that a reader collects of a source in a run, by the number
/// of the source, for those of which somebody collects samples.
pub(super) fn most_samples(robot: &Robot) -> BTreeMap<usize, usize> {
    let nodes = nodes(robot);
    let cycles = robot.configuration.cycles.len();
    let mut most: BTreeMap<usize, usize> = BTreeMap::new();
    for Link { publisher, lines, .. } in links(robot, &nodes) {
        let Some(source) = publisher.checked_sub(cycles) else { continue };
        for capacity in lines.iter().filter_map(|line| line.samples) {
            let known = most.entry(source).or_default();
            *known = capacity.max(*known);
        }
    }
    most
}

/// Returns the inputs of a node in the form of a transcript, with nothing read.
fn inputs(nodes: &[Node], links: &[Link], consumer: usize) -> Vec<InputRecord> {
    let input = |link: &Link| {
        let sampled = link.lines.iter().filter(|line| line.samples.is_some());
        let samples = sampled.map(|line| {
            let representation = nodes[link.publisher].provides[line.store].name().into();
            SampleRecord { representation, span: SampleSpan::default() }
        });
        InputRecord { from: nodes[link.publisher].name(), snapshot: None, samples: samples.collect() }
    };
    links.iter().filter(|link| link.consumer == consumer).map(input).collect()
}

/// Returns what each cycle and source may provide and read, whichever providers are chosen later.
pub(super) fn nodes(robot: &Robot) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let cycle_updates = |name: &str| -> Vec<&Update> {
        robot.modules_of(name).into_iter().flat_map(|module| module.updates()).collect()
    };
    for cycle in &robot.resolved.cycles {
        nodes.push(Node {
            consumer: Consumer::Cycle(cycle.name.clone()),
            provides: provided(&cycle_updates(&cycle.name)),
            reads: BTreeMap::new(),
        });
    }
    for source in robot.sources.iter() {
        nodes.push(Node {
            consumer: Consumer::Source(source.name().to_owned()),
            provides: provided(&[source.sample()]),
            reads: BTreeMap::new(),
        });
    }
    for index in 0..nodes.len() {
        let (updates, resolved) = match robot.resolved.cycles.get(index) {
            Some(cycle) => (cycle_updates(&cycle.name), Some(cycle)),
            None => (vec![robot.sources[index - robot.resolved.cycles.len()].sample()], None),
        };
        let mut reads: BTreeMap<&'static str, Read> = BTreeMap::new();
        for argument in updates.iter().flat_map(|update| update.arguments()) {
            let Some(descriptor) = argument.representation() else { continue };
            if argument.kind() == ArgumentKind::Provides {
                continue;
            }
            let name = descriptor.name();
            let input = resolved.and_then(|cycle| cycle.inputs.iter().find(|input| input.representation == name));
            let from = match input {
                Some(input) => node_of(&nodes, &input.origin),
                // The representation is not read from elsewhere now, but switching a provider may
                // change that.
                None if nodes[index].provides.iter().any(|provided| provided.name() == name) => None,
                None => provider_elsewhere(robot, &nodes, index, name),
            };
            if let Some(from) = from {
                let samples = argument.kind() == ArgumentKind::Collects;
                let read = reads.entry(name).or_insert(Read { descriptor, samples, from });
                read.samples |= samples;
            }
        }
        nodes[index].reads = reads;
    }
    nodes
}

/// Returns the node that provides a representation to a source, or to a module that is not active
/// now.
fn provider_elsewhere(robot: &Robot, nodes: &[Node], reader: usize, name: &str) -> Option<usize> {
    let provides_now = |index: usize| match robot.resolved.cycles.get(index) {
        Some(cycle) => cycle.providers.contains_key(name),
        None => nodes[index].provides.iter().any(|provided| provided.name() == name),
    };
    let could_provide = |index: &usize| nodes[*index].provides.iter().any(|provided| provided.name() == name);
    let others = || (0..nodes.len()).filter(|&index| index != reader);
    others().find(|&index| provides_now(index)).or_else(|| others().find(could_provide))
}

fn node_of(nodes: &[Node], origin: &Origin) -> Option<usize> {
    let consumer = match origin {
        Origin::Trigger { source, .. } | Origin::Sample { source, .. } => Consumer::Source(source.clone()),
        Origin::Cycle(name) => Consumer::Cycle(name.clone()),
    };
    nodes.iter().position(|node| node.consumer == consumer)
}

fn provided(updates: &[&Update]) -> Vec<&'static RepresentationDescriptor> {
    let mut provided: Vec<&'static RepresentationDescriptor> = Vec::new();
    for descriptor in updates.iter().flat_map(|update| representations(update, ArgumentKind::Provides)) {
        if !provided.iter().any(|known| known.name() == descriptor.name()) {
            provided.push(descriptor);
        }
    }
    provided
}
