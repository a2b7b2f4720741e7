//! Where values come back to the cycle that they derive from, so that ages are those of ways that do
//! not.
//!
//! Where cycles read each other, as odometry and scan matcher do, every value derives from all
//! samples there ever were: the filter's state never forgets. The age of the oldest of them says
//! nothing. The literature defines data ages of *chains*, which are sequences of different tasks:
//! "the maximum time for which the output depends on data from the input" (Feiertag, Richter,
//! Nordlander, Jonsson, "A compositional framework for end-to-end path delay calculation of
//! automotive systems under different path semantics", CRTS 2008; Becker, Dasari, Mubeen, Behnam,
//! Nolte, "End-to-end timing analysis of cause-effect chains in automotive embedded systems",
//! Journal of Systems Architecture 80, 2017; Günzel, Chen, Ueter, von der Brüggen, Dürr, Chen,
//! "Timing analysis of asynchronized distributed cause-effect chains", RTAS 2021). So a sample's way
//! ends where it would come into a cycle again in which it has been: the oldest sample of a value is
//! the oldest of those that came by ways that do not come back to themselves. A value that derives
//! from a source by other ways only is state, and has no age.
//!
//! How it is counted, without knowing all ways: a cycle that takes something that derives from
//! itself has a *mark*. What comes into it gets the mark, and what would bring it back is left out.
//! Samples with different marks are counted apart (`Provenance`), which takes as many places as there
//! are sets of marks: robots without feedback have none, and pay nothing.
//!
//! The stamps of the newest samples are not touched: values are stamped with them.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::module::PortRole;
use hemiola_plan::{Consumer, Resolved, ResolvedCycle, ResolvedUpdate, UpdateId};

use crate::assemble::TopicEnd;

/// How many samples are counted apart: of each source, and for each set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub sources: usize,
    pub ways: usize,
}

impl From<usize> for Shape {
    fn from(sources: usize) -> Self {
        Self { sources, ways: 1 }
    }
}

/// What happens to samples that come into a cycle by one of its imports or subscriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entrance {
    /// The bit of the cycle's mark; none if it takes nothing that derives from itself.
    pub mark: usize,
    /// Those with the mark are left out.
    pub refuses: bool,
}

/// The marks of a robot's cycles, and where samples with them are left out.
#[derive(Debug, Default)]
pub struct Feedback {
    marks: BTreeMap<String, usize>,
    circular: BTreeSet<(String, Taken<String>)>,
}

/// More marks than this take too many places; cycles beyond share the last one, and what went
/// through one of them is left out by the others as well.
const MOST_MARKS: usize = 3;

/// What a cycle takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Taken<N> {
    /// A representation.
    Value(N),
    /// Messages of a topic.
    Messages(N),
}

type Import<'r> = (usize, Taken<&'r str>);

impl Feedback {
    /// That of these cycles, with their present providers.
    pub fn of(resolved: &Resolved, topics: &[TopicEnd]) -> Self {
        let mut next: BTreeMap<Import<'_>, BTreeSet<Import<'_>>> = BTreeMap::new();
        for (index, cycle) in resolved.cycles.iter().enumerate() {
            let values = cycle.inputs.iter().map(|input| Taken::Value(input.representation.as_str()));
            let subscribes = |end: &&TopicEnd| end.cycle == index && end.role == PortRole::Subscribes;
            let messages = topics.iter().filter(subscribes).map(|end| Taken::Messages(end.topic));
            for taken in values.chain(messages) {
                next.insert((index, taken), leads_to(resolved, topics, (index, taken)));
            }
        }
        let circular = circular(&next);
        let mut marks = BTreeMap::new();
        for &(cycle, _) in &circular {
            let number = marks.len().min(MOST_MARKS - 1);
            marks.entry(resolved.cycles[cycle].name.clone()).or_insert(1 << number);
        }
        let owned = |(cycle, taken): (usize, Taken<&str>)| {
            let taken = match taken {
                Taken::Value(name) => Taken::Value(name.to_owned()),
                Taken::Messages(name) => Taken::Messages(name.to_owned()),
            };
            (resolved.cycles[cycle].name.clone(), taken)
        };
        Self { marks, circular: circular.into_iter().map(owned).collect() }
    }

    /// How many sets of marks there are.
    pub fn ways(&self) -> usize {
        1 << self.marks.len().min(MOST_MARKS)
    }

    /// Of a representation that a cycle imports.
    pub fn values(&self, cycle: &str, representation: &str) -> Entrance {
        self.entrance(cycle, Taken::Value(representation.to_owned()))
    }

    /// Of a topic that a cycle subscribes to.
    pub fn messages(&self, cycle: &str, topic: &str) -> Entrance {
        self.entrance(cycle, Taken::Messages(topic.to_owned()))
    }

    fn entrance(&self, cycle: &str, taken: Taken<String>) -> Entrance {
        let mark = self.marks.get(cycle).copied().unwrap_or_default();
        Entrance { mark, refuses: self.circular.contains(&(cycle.to_owned(), taken)) }
    }
}

/// What of other cycles' imports derives from this one.
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

/// These updates, and those that derive from them in the same run.
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

/// Imports that derive from themselves, or from one that does and lead to one that does.
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
