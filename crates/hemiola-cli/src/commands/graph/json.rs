//! `graph --json`.

use std::collections::BTreeSet;

use hemiola_plan::draw::{Map, Place, PlaceKind};
use hemiola_plan::{TaskGraph, TaskId};
use serde_json::{Value, json};

use crate::commands::nanoseconds;
use crate::commands::subject::Subject;

/// Returns the task graphs of cycles, and what the robot exchanges if it is the whole one.
pub fn graphs(map: Option<&Map>, cycles: &[Subject]) -> Value {
    let mut all = json!({ "cycles": cycles.iter().map(cycle).collect::<Vec<_>>() });
    if let Some(map) = map {
        all["robot"] = json!(map.name);
        all["places"] = map.places.iter().map(place).collect();
        let end = |index: usize| place(&map.places[index]);
        let ways =
            map.ways.iter().map(|way| json!({ "from": end(way.from), "to": end(way.to), "carries": way.carries }));
        all["ways"] = ways.collect();
    }
    all
}

fn place(place: &Place) -> Value {
    let kind = match place.kind {
        PlaceKind::Cycle => "cycle",
        PlaceKind::Source => "source",
        PlaceKind::Topic => "topic",
        PlaceKind::Service => "service",
    };
    json!({ "kind": kind, "name": place.name, "process": place.process })
}

fn cycle(Subject { graph, durations, has_durations, .. }: &Subject) -> Value {
    let critical = graph.critical_path(durations);
    let on_path: BTreeSet<TaskId> = critical.tasks.iter().copied().collect();
    let reduced = graph.reduced();
    let tasks = graph.tasks().iter().enumerate().map(|(index, task)| {
        let id = TaskId(index as u32);
        let predecessors = reduced.iter().filter(|(_, to)| *to == id).map(|(from, _)| from.index());
        json!({
            "id": index,
            "name": task.name,
            "module": task.module,
            "duration_ns": durations.get(id).mean().map(nanoseconds),
            "is_critical": on_path.contains(&id),
            // Those for which it waits directly.
            "predecessors": predecessors.collect::<Vec<_>>(),
        })
    });
    json!({
        "cycle": graph.name(),
        // Otherwise every task counts as 100 µs.
        "has_durations": has_durations,
        "critical_path_ns": nanoseconds(critical.duration),
        "at_most_at_once": TaskGraph::width(graph),
        "tasks": tasks.collect::<Vec<_>>(),
    })
}
