//! The data that is sent from one process of a robot to another.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::configuration::{Keep, Subject, SubjectKind, Trigger};
use hemiola_model::module::{PortRole, Update};

use super::{Cut, FIRST};
use crate::error::RuntimeError;

/// Data that one process sends to another.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crossing {
    pub from: usize,
    pub to: usize,
    pub subject: Subject,
    pub keep: Keep,
    /// The node that provides it, if it is a representation.
    pub provider: Option<usize>,
}

/// The maximum number of values of a representation that wait for another process.
const MOST_SAMPLES: usize = 1000;

impl Cut<'_> {
    /// Returns everything that is sent between processes, in the order in which it is provided.
    pub(super) fn crossings(&self) -> Result<Vec<Crossing>, RuntimeError> {
        let mut crossings = Vec::new();
        for (from, provider) in self.nodes.iter().enumerate() {
            let provided = provider.provides.iter().filter(|it| self.provides_now(from, it.name()));
            for representation in provided {
                let name = representation.name();
                let elsewhere = self.nodes.iter().enumerate().filter(|(to, _)| self.places[*to] != self.places[from]);
                for (to, reader) in elsewhere {
                    let Some(read) = reader.reads.get(name).filter(|read| read.from == from) else { continue };
                    if representation.data_type().is_none() {
                        let (reader, provider) = (&reader.consumer, &provider.consumer);
                        let what = format!("`{reader}` reads `{name}` of `{provider}`, which is opaque");
                        return Err(self.refuse(what, "let both run in one process, or make it data"));
                    }
                    let cycle = self.robot.configuration.cycles.get(to);
                    let capacity = cycle.map_or(MOST_SAMPLES, |cycle| cycle.sample_capacity);
                    let keep = if read.samples { Keep::Last(capacity.clamp(1, MOST_SAMPLES)) } else { Keep::Newest };
                    let subject = Subject::representation(name);
                    let (from, to, provider) = (self.places[from], self.places[to], Some(from));
                    join(&mut crossings, Crossing { from, to, subject, keep, provider });
                }
            }
        }
        self.topics_across(&mut crossings)?;
        self.check_links()?;
        Ok(crossings)
    }

    pub(super) fn provides_now(&self, node: usize, representation: &str) -> bool {
        self.robot.resolved.cycles.get(node).is_none_or(|cycle| cycle.providers.contains_key(representation))
    }

    /// Adds the topics that are sent between processes.
    fn topics_across(&self, crossings: &mut Vec<Crossing>) -> Result<(), RuntimeError> {
        let mut publishing: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        let mut subscribing = publishing.clone();
        for (place, update) in self.updates() {
            for port in update.arguments().iter().filter_map(|argument| argument.port()) {
                match port.role() {
                    PortRole::Publishes => publishing.entry(port.name()).or_default().insert(place),
                    PortRole::Subscribes => subscribing.entry(port.name()).or_default().insert(place),
                    PortRole::Calls => false,
                };
            }
        }
        for (cycle, place) in self.robot.configuration.cycles.iter().zip(&self.places) {
            if let Trigger::Topic(topic) = &cycle.trigger {
                subscribing.entry(topic).or_default().insert(*place);
            }
        }
        for (topic, from) in publishing {
            let Some(to) = subscribing.get(topic) else { continue };
            let across =
                || from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))).filter(|(from, to)| from != to);
            if from.len() > 1 && across().next().is_some() {
                let what =
                    format!("the topic `{topic}` is published in several processes, and would circulate between them");
                return Err(self.refuse(what, "let all who publish it run in one process"));
            }
            for (from, to) in across() {
                let (subject, keep) = (Subject::topic(topic), Keep::default());
                join(crossings, Crossing { from, to, subject, keep, provider: None });
            }
        }
        Ok(())
    }

    /// Returns the active updates and sample methods, each with its process.
    pub(super) fn updates(&self) -> impl Iterator<Item = (usize, &Update)> {
        let nodes = self.places.iter().enumerate();
        nodes.flat_map(|(node, place)| self.updates_of(node).into_iter().map(move |update| (*place, update)))
    }

    /// Returns the active updates of a cycle, or the sample method of a source.
    fn updates_of(&self, node: usize) -> Vec<&Update> {
        let cycles = &self.robot.resolved.cycles;
        let Some(cycle) = cycles.get(node) else { return vec![self.robot.sources[node - cycles.len()].sample()] };
        let modules = self.robot.modules_of(&cycle.name);
        cycle.updates.iter().map(|update| &modules[update.id.module].updates()[update.id.update]).collect()
    }

    /// Returns whether a cycle or source has such an end of a topic.
    pub(super) fn has_end(&self, node: usize, topic: &str, role: PortRole) -> bool {
        let arguments = self.updates_of(node).into_iter().flat_map(Update::arguments);
        arguments.filter_map(|argument| argument.port()).any(|port| port.role() == role && port.name() == topic)
    }

    /// Checks that the process with the links to other programs has what they send.
    fn check_links(&self) -> Result<(), RuntimeError> {
        let configuration = &self.robot.configuration;
        let over_links = configuration
            .links
            .iter()
            .flat_map(|link| link.send.iter().map(move |sent| (format!("link `{}`", link.name), &sent.subject)));
        for (carrier, subject) in over_links {
            let provides = |node: &usize| self.nodes[*node].provides.iter().any(|it| it.name() == subject.name);
            let is_elsewhere = match subject.kind {
                SubjectKind::Representation => {
                    let node =
                        (0..self.nodes.len()).find(|node| provides(node) && self.provides_now(*node, &subject.name));
                    node.is_some_and(|node| self.places[node] != FIRST)
                }
                SubjectKind::Topic => {
                    let publishes = |update: &Update| {
                        let mut ports = update.arguments().iter().filter_map(|argument| argument.port());
                        ports.any(|port| port.role() == PortRole::Publishes && port.name() == subject.name)
                    };
                    self.updates().any(|(place, update)| place != FIRST && publishes(update))
                }
            };
            if is_elsewhere {
                let first = self.names[FIRST];
                let what = format!("{carrier} belongs to process `{first}`, and the {subject} comes from another one");
                return Err(self.refuse(what, "let what provides it run there, too"));
            }
        }
        Ok(())
    }

    pub(super) fn refuse(&self, what: String, remedy: &'static str) -> RuntimeError {
        RuntimeError::Cut { processes: self.names.iter().map(|&name| name.to_owned()).collect(), what, remedy }
    }
}

/// Adds data that is sent, once for all who read it in the other process.
fn join(crossings: &mut Vec<Crossing>, new: Crossing) {
    let is_same = |known: &&mut Crossing| (known.from, known.to, &known.subject) == (new.from, new.to, &new.subject);
    match (crossings.iter_mut().find(is_same), new.keep) {
        (Some(known), Keep::Last(count)) => {
            let more = match known.keep {
                Keep::Newest => count,
                Keep::Last(known) => known.max(count),
            };
            known.keep = Keep::Last(more);
        }
        (Some(_), Keep::Newest) => {}
        (None, _) => crossings.push(new),
    }
}
