//! The routes from each source to each output: the cycles on them, found by the values that tasks
//! read from each other and the messages that they send each other.
//!
//! A value derives from what its provider requires or collects in the same run, as the time stamps
//! that it carries do; not from `Previous<T>`. A subscriber of a topic derives from what its
//! publishers derive from, whether they publish or not. Routes with a topic on them make chains of
//! their own. Subscriptions of sources are not followed.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::module::PortRole;
use hemiola_plan::{Consumer, Origin, Resolved, ResolvedCycle, ResolvedUpdate, TaskGraph, TaskKind, UpdateId};
use hemiola_runtime::TopicEnd;
use hemiola_trace::by_messages;

/// A source, and an output on which samples of it have an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The source with which it begins.
    pub source: String,
    /// Set if there is a topic on each route.
    pub by_messages: bool,
    /// The cycle of the output.
    pub cycle: String,
    /// The output, which is a task.
    pub output: String,
    /// The cycles on each route, the route with the fewest first. Empty if every route returns to
    /// itself: then what the output derives from the source is state of the robot, and has no age.
    pub routes: Vec<Vec<String>>,
    /// The values on the way, each with the cycle that imports it.
    pub values: BTreeSet<(String, String)>,
    /// The topics on the way, each with the cycle that subscribes to it.
    pub topics: BTreeSet<(String, String)>,
    /// Set if values derive from each other in a circle, which is state that never forgets. The
    /// routes, and the ages that are measured, are then those that do not return to themselves.
    pub is_circular: bool,
}

impl Chain {
    /// Returns the name of the begin of the chain in traces.
    pub fn begin(&self) -> String {
        if self.by_messages { by_messages(&self.source) } else { self.source.clone() }
    }
}

/// Returns all chains of a robot, in the order of its sources and cycles.
pub fn chains(resolved: &Resolved, topics: &[TopicEnd], sources: &[Root<'_>]) -> Vec<Chain> {
    let names: BTreeMap<&str, usize> =
        resolved.cycles.iter().enumerate().map(|(index, cycle)| (cycle.name.as_str(), index)).collect();
    let graphs: Vec<TaskGraph> = resolved.cycles.iter().map(TaskGraph::of).collect();
    sources.iter().flat_map(|root| Search::of(root, resolved, topics, &names, &graphs).chains()).collect()
}

/// A source, and the topics that it publishes to itself.
pub struct Root<'s> {
    pub source: &'s str,
    pub tells: Vec<&'static str>,
}

/// An import of a cycle: the index of the cycle, and what it imports.
type Import<'r> = (usize, Taken<'r>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Taken<'r> {
    /// A representation.
    Value(&'r str),
    /// The messages of a topic.
    Messages(&'r str),
}

struct Search<'r> {
    root: &'r Root<'r>,
    resolved: &'r Resolved,
    topics: &'r [TopicEnd],
    names: &'r BTreeMap<&'r str, usize>,
    graphs: &'r [TaskGraph],
    /// The outputs and the imports of other cycles that derive from each import, for the imports
    /// that derive from the source.
    reached: BTreeMap<Import<'r>, Reached<'r>>,
}

#[derive(Clone, Default)]
struct Reached<'r> {
    outputs: BTreeSet<String>,
    imports: BTreeSet<Import<'r>>,
}

impl<'r> Search<'r> {
    fn of(
        root: &'r Root<'r>,
        resolved: &'r Resolved,
        topics: &'r [TopicEnd],
        names: &'r BTreeMap<&'r str, usize>,
        graphs: &'r [TaskGraph],
    ) -> Self {
        Self { root, resolved, topics, names, graphs, reached: BTreeMap::new() }
    }

    fn chains(mut self) -> Vec<Chain> {
        let sampled = |origin: &Origin| match origin {
            Origin::Trigger { source, .. } | Origin::Sample { source, .. } => source == self.root.source,
            Origin::Cycle(_) => false,
        };
        let mut first: BTreeMap<usize, BTreeSet<Taken<'r>>> = BTreeMap::new();
        for (index, cycle) in self.resolved.cycles.iter().enumerate() {
            for input in cycle.inputs.iter().filter(|input| sampled(&input.origin)) {
                first.entry(index).or_default().insert(Taken::Value(&input.representation));
            }
        }
        let heard = self.topics.iter().filter(|end| end.role == PortRole::Subscribes);
        for end in heard.filter(|end| self.root.tells.contains(&end.topic)) {
            first.entry(end.cycle).or_default().insert(Taken::Messages(end.topic));
        }
        let mut open: Vec<Import<'r>> =
            first.iter().flat_map(|(&cycle, imports)| imports.iter().map(move |&import| (cycle, import))).collect();
        while let Some(import) = open.pop() {
            if !self.reached.contains_key(&import) {
                let reached = self.read_from(import);
                open.extend(&reached.imports);
                self.reached.insert(import, reached);
            }
        }
        [false, true].into_iter().flat_map(|by_messages| self.chains_of(&first, by_messages)).collect()
    }

    /// Returns the chains on whose routes there is a topic, or those without.
    fn chains_of(&self, first: &BTreeMap<usize, BTreeSet<Taken<'r>>>, by_messages: bool) -> Vec<Chain> {
        let circular = self.circular(by_messages);
        let mut found = Found::new();
        let mut way = Way { by_messages, returns: usize::from(by_messages), ..Way::default() };
        let all = first.iter().flat_map(|(&cycle, imports)| imports.iter().map(move |&import| (cycle, import)));
        self.go_on(all.filter(|(_, taken)| by_messages || !taken.is_messages()), &circular, &mut way, &mut found);
        if !by_messages {
            self.states(first).into_iter().for_each(|state| _ = found.entry(state).or_default());
        }
        let name = |&cycle: &usize| self.resolved.cycles[cycle].name.clone();
        let chains = found.into_iter().map(|((cycle, output), routes)| {
            let mut routes: Vec<Vec<String>> = routes.iter().map(|route| route.iter().map(name).collect()).collect();
            routes.sort_by_key(Vec::len);
            let is_circular = circular.iter().any(|import| self.leads_to(*import, cycle, &output, by_messages));
            let lead = || self.leading_to(cycle, &output, by_messages);
            let values = lead().filter_map(|(reader, taken)| Some((reader, taken.value()?))).collect();
            let topics = lead().filter_map(|(reader, taken)| Some((reader, taken.topic()?))).collect();
            let (source, cycle) = (self.root.source.to_owned(), name(&cycle));
            Chain { source, by_messages, cycle, output, routes, values, topics, is_circular }
        });
        chains.collect()
    }

    /// Returns the outputs to which values of these imports lead, by any route.
    fn states(&self, first: &BTreeMap<usize, BTreeSet<Taken<'r>>>) -> BTreeSet<(usize, String)> {
        let taken = first.iter().flat_map(|(&cycle, imports)| imports.iter().map(move |&taken| (cycle, taken)));
        let mut open: Vec<Import<'r>> = taken.filter(|(_, taken)| !taken.is_messages()).collect();
        let (mut seen, mut outputs) = (BTreeSet::new(), BTreeSet::new());
        while let Some(import) = open.pop() {
            let Some(reached) = self.reached.get(&import).filter(|_| seen.insert(import)) else { continue };
            outputs.extend(reached.outputs.iter().map(|output| (import.0, output.clone())));
            open.extend(reached.leads_to(false));
        }
        outputs
    }

    /// Returns what derives from an import within its cycle.
    fn read_from(&self, (index, import): Import<'r>) -> Reached<'r> {
        let cycle = &self.resolved.cycles[index];
        let updates = derived(cycle, &self.readers(index, import));
        let is_derived = |name: &String| cycle.providers.get(name).is_some_and(|provider| updates.contains(provider));
        let mut reached = Reached::default();
        for update in cycle.updates.iter().filter(|update| updates.contains(&update.id)) {
            if update.provides.is_empty() && update.discarded.is_empty() {
                reached.outputs.insert(format!("{}.{}", update.module, update.name));
            }
        }
        for (number, group) in cycle.publishes.iter().enumerate() {
            let published = group.representations.iter().filter(|name| is_derived(name));
            match &group.consumer {
                Consumer::Cycle(reader) => {
                    let Some(&reader) = self.names.get(reader.as_str()) else { continue };
                    reached.imports.extend(published.map(|name| (reader, Taken::Value(name.as_str()))));
                }
                Consumer::Source(_) if published.count() > 0 => {
                    let graph = &self.graphs[index];
                    let task = graph.find(TaskKind::Publish(number));
                    reached.outputs.extend(task.map(|task| graph.task(task).name.clone()));
                }
                Consumer::Source(_) => {}
            }
        }
        let tells =
            |end: &&TopicEnd| end.role == PortRole::Publishes && end.cycle == index && updates.contains(&end.update);
        for told in self.topics.iter().filter(tells) {
            let hears = |end: &&TopicEnd| end.role == PortRole::Subscribes && end.topic == told.topic;
            let readers = self.topics.iter().filter(hears);
            reached.imports.extend(readers.map(|end| (end.cycle, Taken::Messages(told.topic))));
        }
        reached
    }

    /// Returns the updates that read an import themselves.
    fn readers(&self, index: usize, import: Taken<'r>) -> BTreeSet<UpdateId> {
        match import {
            Taken::Value(import) => {
                let cycle = &self.resolved.cycles[index];
                let is_read = |name: &String| name == import && !cycle.providers.contains_key(name);
                let reads = |update: &&ResolvedUpdate| update.requires.iter().chain(&update.collects).any(is_read);
                cycle.updates.iter().filter(reads).map(|update| update.id).collect()
            }
            Taken::Messages(topic) => {
                let hears =
                    |end: &&TopicEnd| end.role == PortRole::Subscribes && (end.cycle, end.topic) == (index, topic);
                self.topics.iter().filter(hears).map(|end| end.update).collect()
            }
        }
    }

    /// Continues from imports that one cycle has together, except for those by which the route
    /// would return to itself.
    fn follow(
        &self,
        cycle: usize,
        imports: &BTreeSet<Taken<'r>>,
        circular: &BTreeSet<Import<'r>>,
        way: &mut Way,
        found: &mut Found,
    ) {
        let comes_back = way.cycles.iter().filter(|&&before| before == cycle).count() > way.returns;
        let goes_on = |taken: &&Taken<'r>| !comes_back || !circular.contains(&(cycle, **taken));
        if !imports.iter().any(|taken| goes_on(&taken)) {
            return;
        }
        way.cycles.push(cycle);
        let mut next = Vec::new();
        for &taken in imports.iter().filter(goes_on) {
            let Some(reached) = self.reached.get(&(cycle, taken)) else { continue };
            for output in reached.outputs.iter().filter(|_| way.by_messages == (way.topics > 0)) {
                found.entry((cycle, output.clone())).or_default().insert(way.cycles.clone());
            }
            next.extend(reached.leads_to(way.by_messages));
        }
        self.go_on(next.into_iter(), circular, way, found);
        way.cycles.pop();
    }

    /// Continues in the cycles that have these imports. Values that are imported together continue
    /// together; messages may be slower.
    fn go_on(
        &self,
        imports: impl Iterator<Item = Import<'r>>,
        circular: &BTreeSet<Import<'r>>,
        way: &mut Way,
        found: &mut Found,
    ) {
        let mut next: BTreeMap<(usize, bool), BTreeSet<Taken<'r>>> = BTreeMap::new();
        for (reader, taken) in imports {
            next.entry((reader, taken.is_messages())).or_default().insert(taken);
        }
        for ((reader, is_topic), imports) in next {
            way.topics += usize::from(is_topic);
            self.follow(reader, &imports, circular, way, found);
            way.topics -= usize::from(is_topic);
        }
    }

    /// Returns the imports that derive from themselves, or that lie between two that do.
    fn circular(&self, by_messages: bool) -> BTreeSet<Import<'r>> {
        let mut left: BTreeSet<Import<'r>> = self.reached.keys().copied().collect();
        loop {
            let next = |import: &Import<'r>| self.reached[import].leads_to(by_messages);
            let leads_on = |import: &Import<'r>| next(import).any(|next| left.contains(&next));
            let is_led_to = |import: &Import<'r>| left.iter().any(|other| next(other).any(|next| next == *import));
            let ends: Vec<_> = left.iter().copied().filter(|import| !leads_on(import) || !is_led_to(import)).collect();
            if ends.is_empty() {
                return left;
            }
            ends.iter().for_each(|import| _ = left.remove(import));
        }
    }

    /// Returns the imports that derive from the source and lead to an output, each with the name of
    /// its cycle.
    fn leading_to(&self, cycle: usize, output: &str, by_messages: bool) -> impl Iterator<Item = (String, Taken<'r>)> {
        let followed = self.reached.keys().filter(move |(_, taken)| by_messages || !taken.is_messages());
        let lead = followed.filter(move |import| self.leads_to(**import, cycle, output, by_messages));
        lead.map(|&(reader, taken)| (self.resolved.cycles[reader].name.clone(), taken))
    }

    fn leads_to(&self, import: Import<'r>, cycle: usize, output: &str, by_messages: bool) -> bool {
        let (mut open, mut seen) = (vec![import], BTreeSet::new());
        while let Some(import) = open.pop() {
            let Some(reached) = self.reached.get(&import).filter(|_| seen.insert(import)) else { continue };
            if import.0 == cycle && reached.outputs.contains(output) {
                return true;
            }
            open.extend(reached.leads_to(by_messages));
        }
        false
    }
}

impl<'r> Reached<'r> {
    /// Returns the imports that derive from this one, by messages only if these are followed.
    fn leads_to(&self, by_messages: bool) -> impl Iterator<Item = Import<'r>> {
        self.imports.iter().copied().filter(move |(_, taken)| by_messages || !taken.is_messages())
    }
}

impl Taken<'_> {
    fn is_messages(self) -> bool {
        matches!(self, Taken::Messages(_))
    }

    fn value(self) -> Option<String> {
        match self {
            Taken::Value(value) => Some(value.to_owned()),
            Taken::Messages(_) => None,
        }
    }

    fn topic(self) -> Option<String> {
        match self {
            Taken::Value(_) => None,
            Taken::Messages(topic) => Some(topic.to_owned()),
        }
    }
}

/// The routes to each output of a cycle.
type Found = BTreeMap<(usize, String), BTreeSet<Vec<usize>>>;

/// The route so far.
#[derive(Default)]
struct Way {
    cycles: Vec<usize>,
    /// The number of topics on it.
    topics: usize,
    /// Set if there must be some.
    by_messages: bool,
    /// The number of times that a cycle may be entered again by an import that derives from itself.
    /// By other imports it may be entered any number of times, which is finite.
    returns: usize,
}

/// Returns these updates, and those that derive from them in the same run.
fn derived(cycle: &ResolvedCycle, first: &BTreeSet<UpdateId>) -> BTreeSet<UpdateId> {
    let mut derived = first.clone();
    loop {
        let reads = |name: &String| cycle.providers.get(name).is_some_and(|provider| derived.contains(provider));
        let new: Vec<UpdateId> = cycle
            .updates
            .iter()
            .filter(|update| !derived.contains(&update.id))
            .filter(|update| update.requires.iter().chain(&update.collects).any(reads))
            .map(|update| update.id)
            .collect();
        if new.is_empty() {
            return derived;
        }
        derived.extend(new);
    }
}
