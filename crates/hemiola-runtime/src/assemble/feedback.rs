//! The cycles that read values that derive from themselves: see `blackboard/feedback.rs`.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::module::PortRole;
use hemiola_plan::{Consumer, Resolved, ResolvedCycle, ResolvedUpdate, UpdateId};

use super::robot::{Robot, TopicEnd};
use crate::blackboard::feedback::{Feedback, Taken};

type Import<'r> = (usize, Taken<&'r str>);

/// Finds the feedback between cycles, with the present providers.
pub(super) fn feedback(robot: &Robot) -> Feedback {
    let (resolved, topics) = (robot.resolved(), robot.topic_ends());
    let mut next: BTreeMap<Import<'_>, BTreeSet<Import<'_>>> = BTreeMap::new();
    for (index, cycle) in resolved.cycles.iter().enumerate() {
        let values = cycle.inputs.iter().map(|input| Taken::Value(input.representation.as_str()));
        let subscribes = |end: &&TopicEnd| end.cycle == index && end.role == PortRole::Subscribes;
        let messages = topics.iter().filter(subscribes).map(|end| Taken::Messages(end.topic));
        for taken in values.chain(messages) {
            next.insert((index, taken), leads_to(resolved, &topics, (index, taken)));
        }
    }
    Feedback::new(circular(&next).into_iter().map(|(cycle, taken)| {
        let taken = match taken {
            Taken::Value(name) => Taken::Value(name.to_owned()),
            Taken::Messages(name) => Taken::Messages(name.to_owned()),
        };
        (resolved.cycles[cycle].name.clone(), taken)
    }))
}

/// Returns the imports of other cycles that derive from this one.
fn leads_to<'r>(
    resolved: &'r Resolved,
    topics: &[TopicEnd],
    (index, taken): (usize, Taken<&str>),
) -> BTreeSet<Import<'r>> {
    let cycle = &resolved.cycles[index];
    let is_read = |name: &String| Taken::Value(name.as_str()) == taken && !cycle.providers.contains_key(name);
    let first = match taken {
        Taken::Value(_) => cycle.updates.iter().filter(|update| inputs(update).any(is_read)).map(|it| it.id).collect(),
        Taken::Messages(topic) => {
            let hears = |end: &&TopicEnd| end.role == PortRole::Subscribes && (end.cycle, end.topic) == (index, topic);
            topics.iter().filter(hears).map(|end| end.update).collect()
        }
    };
    let updates = derived(cycle, first);
    let is_derived = |name: &&String| cycle.providers.get(*name).is_some_and(|provider| updates.contains(provider));
    let mut next = BTreeSet::new();
    for group in &cycle.publishes {
        let Consumer::Cycle(reader) = &group.consumer else { continue };
        let Some(reader) = resolved.cycles.iter().position(|cycle| cycle.name == *reader) else { continue };
        next.extend(group.representations.iter().filter(is_derived).map(|name| (reader, Taken::Value(name.as_str()))));
    }
    let tells =
        |end: &&TopicEnd| end.role == PortRole::Publishes && end.cycle == index && updates.contains(&end.update);
    for told in topics.iter().filter(tells) {
        let hears = |end: &&TopicEnd| end.role == PortRole::Subscribes && end.topic == told.topic;
        next.extend(topics.iter().filter(hears).map(|end| (end.cycle, Taken::Messages(end.topic))));
    }
    next
}

fn inputs(update: &ResolvedUpdate) -> impl Iterator<Item = &String> {
    update.requires.iter().chain(&update.collects)
}

/// Returns these updates, and all updates that derive from them in the same run.
fn derived(cycle: &ResolvedCycle, mut derived: BTreeSet<UpdateId>) -> BTreeSet<UpdateId> {
    loop {
        let reads = |name: &String| cycle.providers.get(name).is_some_and(|provider| derived.contains(provider));
        let is_new = |update: &&ResolvedUpdate| !derived.contains(&update.id) && inputs(update).any(reads);
        let new: Vec<UpdateId> = cycle.updates.iter().filter(is_new).map(|update| update.id).collect();
        if new.is_empty() {
            return derived;
        }
        derived.extend(new);
    }
}

/// Returns the imports that derive from themselves, and those between them: which derive from such
/// an import and lead to one.
fn circular<'r>(next: &BTreeMap<Import<'r>, BTreeSet<Import<'r>>>) -> BTreeSet<Import<'r>> {
    let mut left: BTreeSet<Import<'r>> = next.keys().copied().collect();
    loop {
        let leads_on = |import: &Import<'_>| next[import].iter().any(|next| left.contains(next));
        let is_led_to = |import: &Import<'_>| left.iter().any(|other| next[other].contains(import));
        let ends: Vec<_> = left.iter().copied().filter(|import| !leads_on(import) || !is_led_to(import)).collect();
        if ends.is_empty() {
            return left;
        }
        ends.iter().for_each(|import| _ = left.remove(import));
    }
}
