//! The description of everything that a robot consists of now.

use std::collections::BTreeMap;
use std::time::Duration;

use hemiola_bus::ServiceReport;
use hemiola_model::configuration::{CycleConfiguration, Scheduling, SubjectKind, Trigger};
use hemiola_model::module::{ArgumentKind, PortRole, registry};
use hemiola_plan::{ResolvedCycle, TaskGraph, TaskKind};
use hemiola_runtime::Robot;
use serde_json::{Value, json};

use super::Shared;
use super::fields::numeric_fields;
use super::hosts::HostsView;
use super::values::{schema_of, unknown, unknown_topic};

/// Describes the whole robot.
pub fn describe(shared: &Shared) -> Value {
    let topics = shared.handle.bus().readable_topics();
    let topics = topics.iter().map(
        |(name, descriptor)| json!({"name": name, "schema_name": schema_of(descriptor).ok().map(|schema| schema.name.clone())}),
    );
    let topics: Vec<_> = topics.collect();
    let callable = shared.handle.bus().callable_services();
    let served = |service: &ServiceReport| !shared.handle.bus().has_left_service(&service.name);
    let services = shared.handle.bus().services().into_iter().filter(served).map(|service| {
        let types = callable.iter().find(|callable| callable.name == service.name);
        let (request, response) = types.map(|types| (types.request.to_string(), types.response.to_string())).unzip();
        json!({"name": service.name, "request": request, "response": response})
    });
    let services: Vec<_> = services.collect();
    shared.handle.with_robot(|robot| {
        json!({
            "cycles": cycles(robot),
            "modules": modules(robot),
            "sources": sources(robot),
            "representations": representations(robot),
            "topics": topics,
            "services": services,
            "received": received(robot, &shared.facts.hosts),
            "chains": robot.configuration().chains.iter().map(|chain| json!({
                "name": chain.name,
                "from": chain.from,
                "to": chain.to,
                "reaction": nanoseconds(chain.reaction),
                "age": nanoseconds(chain.data_age),
            })).collect::<Vec<_>>(),
        })
    })
}

/// Lists the numeric fields within a representation or the messages of a topic.
pub fn fields(shared: &Shared, value: Option<String>, topic: Option<String>) -> Result<Value, String> {
    let handle = &shared.handle;
    let (prefix, descriptor) = match (value, topic) {
        (Some(name), None) => {
            let found = handle.with_robot(|robot| robot.representation(&name));
            (name.clone(), found.ok_or_else(|| unknown(handle, &name))?)
        }
        (None, Some(name)) => {
            let found = handle.bus().readable_topics().into_iter().find(|(known, _)| *known == name);
            (format!("topic:{name}"), found.ok_or_else(|| unknown_topic(handle, &name))?.1)
        }
        _ => return Err("name either a `value` or a `topic` whose fields are listed".to_owned()),
    };
    schema_of(descriptor)?;
    let fields = descriptor.data_type().map(|data_type| numeric_fields(&data_type)).unwrap_or_default();
    let fields = fields.into_iter();
    Ok(fields.map(|field| json!({"path": field.below(&prefix), "type": field.data_type})).collect())
}

/// Lists everything that a part of a robot receives from other parts, with the process that it
/// comes from. Things from hosts that do not act as one robot are listed where they arrive, like
/// those from another robot.
fn received(robot: &Robot, hosts: &HostsView) -> Vec<Value> {
    let configuration = robot.configuration();
    let parts = hosts.parts(configuration);
    let links = configuration.links.iter().filter(|link| parts.contains(&link.name));
    let received = links.flat_map(|link| {
        link.receive.iter().map(|received| {
            json!({
                "name": received.subject.name,
                "kind": match received.subject.kind {
                    SubjectKind::Representation => "representation",
                    SubjectKind::Topic => "topic",
                },
                "process": link.name,
            })
        })
    });
    received.collect()
}

fn nanoseconds(duration: Option<Duration>) -> Option<u64> {
    duration.map(|duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
}

fn priority(scheduling: Scheduling) -> Option<u8> {
    scheduling.priority()
}

fn cycles(robot: &Robot) -> Vec<Value> {
    let cycles = robot.configuration().cycles.iter().zip(&robot.resolved().cycles).enumerate();
    let cycles = cycles.map(|(number, (configured, resolved))| {
        let (trigger, period) = trigger(robot, configured);
        json!({
            "name": configured.name,
            "trigger": trigger,
            "period": nanoseconds(period),
            "deadline": nanoseconds(configured.deadline),
            "priority": priority(configured.scheduling),
            "workers": configured.workers,
            "tasks": tasks(robot, number, resolved),
        })
    });
    cycles.collect()
}

fn trigger(robot: &Robot, cycle: &CycleConfiguration) -> (Value, Option<Duration>) {
    match &cycle.trigger {
        Trigger::Rate(rate) => (json!({"rate": rate}), Duration::try_from_secs_f64(1.0 / rate).ok()),
        Trigger::Source(source) => {
            let periods = robot.source_periods();
            let period = periods.into_iter().find(|(name, _)| name == source).and_then(|(_, period)| period);
            (json!({"source": source}), period)
        }
        Trigger::Topic(topic) => (json!({"topic": topic}), None),
    }
}

/// Describes the updates of a cycle, and their order.
fn tasks(robot: &Robot, number: usize, resolved: &ResolvedCycle) -> Vec<Value> {
    let graph = TaskGraph::of(resolved);
    let reduced = graph.reduced();
    let is_update = |index: usize| matches!(graph.tasks()[index].kind, TaskKind::Update(_));
    // Updates come first in the graph, and the indices in the description count only them.
    let updates: Vec<usize> = (0..graph.tasks().len()).filter(|index| is_update(*index)).collect();
    let places: BTreeMap<usize, usize> = updates.iter().enumerate().map(|(place, task)| (*task, place)).collect();
    let ends = robot.topic_ends();
    let tasks = updates.iter().filter_map(|&index| {
        let TaskKind::Update(id) = graph.tasks()[index].kind else { return None };
        let update = resolved.updates.iter().find(|update| update.id == id)?;
        let after = reduced.iter().filter(|(_, to)| to.index() == index);
        let after: Vec<_> = after.filter_map(|(from, _)| places.get(&from.index())).collect();
        let of_role = |role: PortRole| {
            let ends = ends.iter().filter(|end| end.cycle == number && end.update == id && end.role == role);
            ends.map(|end| end.topic).collect::<Vec<_>>()
        };
        Some(json!({
            "name": format!("{}.{}", update.module, update.name),
            "module": update.module,
            "update": update.name,
            "requires": update.requires,
            "uses": update.uses,
            "collects": update.collects,
            "provides": update.provides,
            "subscribes": of_role(PortRole::Subscribes),
            "publishes": of_role(PortRole::Publishes),
            "after": after,
        }))
    });
    tasks.collect()
}

fn modules(robot: &Robot) -> Vec<Value> {
    let linked = registry::modules();
    let cycles = robot.description().cycles.iter();
    let in_cycles = cycles.flat_map(|cycle| cycle.modules.iter().map(|module| (Some(cycle.name.as_str()), module)));
    let all = in_cycles.chain(robot.description().spare.iter().map(|module| (None, module)));
    let all = all.map(|(cycle, module)| {
        let descriptor = linked.iter().find(|linked| linked.name() == module.name);
        json!({
            "name": module.name,
            "cycle": cycle,
            "location": module.location,
            "safe_state": descriptor.is_some_and(|descriptor| descriptor.has_safe_state()),
        })
    });
    all.collect()
}

fn sources(robot: &Robot) -> Vec<Value> {
    let periods = robot.source_periods();
    let sources = robot.description().sources.iter().map(|source| {
        let scheduling = robot.configuration().source_scheduling(&source.name);
        let names = |pick: fn(&hemiola_plan::SampleDescription) -> &Vec<String>| {
            source.samples.iter().flat_map(pick).cloned().collect::<Vec<_>>()
        };
        let period = periods.iter().find(|(name, _)| *name == source.name).and_then(|(_, period)| *period);
        json!({
            "name": source.name,
            "provides": names(|sample| &sample.provides),
            "reads": names(|sample| &sample.reads),
            "publishes": robot.told_by(&source.name),
            "priority": priority(scheduling),
            "period": nanoseconds(period),
        })
    });
    sources.collect()
}

/// Describes all representations that are provided, and the modules that could provide each.
fn representations(robot: &Robot) -> Vec<Value> {
    let mut found: BTreeMap<&str, Value> = BTreeMap::new();
    let mut candidates: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let linked = registry::modules();
    for module in &linked {
        let arguments = module.updates().iter().flat_map(|update| update.arguments());
        for argument in arguments.filter(|argument| argument.kind() == ArgumentKind::Provides) {
            if let Some(descriptor) = argument.representation() {
                candidates.entry(descriptor.name()).or_default().push(module.name());
            }
        }
    }
    let mut add = |name, owner: &str, provider: &str, description: Option<String>| {
        let candidates = candidates.get(name).cloned().unwrap_or_default();
        let entry = json!({
            "name": name,
            "provider": provider,
            "owner": owner,
            "candidates": candidates,
            "schema_name": description,
        });
        found.insert(name, entry);
    };
    for cycle in &robot.resolved().cycles {
        for (name, id) in &cycle.providers {
            let update = cycle.updates.iter().find(|update| update.id == *id);
            let provider = update.map_or("", |update| update.module.as_str());
            let schema = robot.representation(name).and_then(|descriptor| schema_of(descriptor).ok());
            add(name, &cycle.name, provider, schema.map(|schema| schema.name.clone()));
        }
    }
    for (source, provided) in robot.samples() {
        for descriptor in provided {
            add(descriptor.name(), source, source, schema_of(descriptor).ok().map(|schema| schema.name.clone()));
        }
    }
    found.into_values().collect()
}
