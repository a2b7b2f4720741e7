//! The links that transport values and messages from one process of a robot to another, for
//! analysis.

use std::path::Path;

use hemiola_model::configuration::{Received, Scheduling, Subject, SubjectKind, Trigger};
use hemiola_model::module::PortRole;
use hemiola_plan::Consumer;

use super::crossings::Crossing;
use super::{Cut, Node};
use crate::assemble::robot::Robot;
use crate::error::RuntimeError;

/// A representation that one process of a robot provides, and another one reads, or a topic to
/// which a cycle or source of one process publishes, and another one subscribes:
/// [`Robot::links_between_parts`].
///
/// ```
/// use hemiola_runtime::LinkBetweenParts;
///
/// fn describe(link: &LinkBetweenParts) -> String {
///     format!("{} of {} goes to {}", link.subject, link.from, link.to)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkBetweenParts {
    /// The process that provides it.
    pub from: String,
    /// The process that reads it.
    pub to: String,
    /// The representation or topic.
    pub subject: Subject,
    /// The cycle or source that provides it.
    pub provider: String,
    /// The cycles and sources that read it in that process.
    pub readers: Vec<String>,
    /// The cycles that it triggers in that process.
    pub triggers: Vec<String>,
    /// The source that it is there: `link.vision.MotionRequest`. A topic is one for chains only.
    pub source: String,
    /// The scheduling of that source's thread. A topic has none: the links' thread publishes its
    /// messages.
    pub scheduling: Scheduling,
    /// The cores that the thread may use; empty if it may use all.
    pub cores: Vec<usize>,
}

impl Robot {
    /// Returns what is sent between the processes of the robot: a topic once for each cycle or
    /// source that publishes to it. The list is empty if there is only one process.
    ///
    /// # Errors
    /// Returns [`RuntimeError::Cut`] if the robot cannot be cut there.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// use hemiola_runtime::Robot;
    ///
    /// let mut configuration = Configuration::default();
    /// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// assert!(Robot::assemble(configuration)?.links_between_parts()?.is_empty());
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    pub fn links_between_parts(&self) -> Result<Vec<LinkBetweenParts>, RuntimeError> {
        let cut = Cut::of(self);
        let crossings = cut.crossings()?;
        let mut parts = Vec::new();
        for name in &cut.names {
            parts.push(self.part(name, Path::new(""))?);
        }
        let mut links = Vec::new();
        for crossing in &crossings {
            let source = Received::new(crossing.subject.clone()).source(cut.names[crossing.from]);
            let trigger = match crossing.subject.kind {
                SubjectKind::Representation => Trigger::Source(source.clone()),
                SubjectKind::Topic => Trigger::Topic(crossing.subject.name.clone()),
            };
            let part = &parts[crossing.to];
            let triggered = part.cycles.iter().filter(|cycle| cycle.trigger == trigger);
            let triggered: Vec<String> = triggered.map(|cycle| cycle.name.clone()).collect();
            links.extend(cut.providers(crossing).into_iter().map(|provider| LinkBetweenParts {
                from: cut.names[crossing.from].to_owned(),
                to: cut.names[crossing.to].to_owned(),
                subject: crossing.subject.clone(),
                provider: called(&cut.nodes[provider]),
                readers: cut.readers(crossing, provider),
                triggers: triggered.clone(),
                source: source.clone(),
                scheduling: part.source_scheduling(&source),
                cores: part.sources.get(&source).map(|source| source.cores.clone()).unwrap_or_default(),
            }));
        }
        Ok(links)
    }
}

impl Cut<'_> {
    fn at(&self, place: usize) -> impl Iterator<Item = usize> {
        (0..self.places.len()).filter(move |node| self.places[*node] == place)
    }

    /// Returns the nodes that provide what is sent.
    fn providers(&self, Crossing { from, subject, .. }: &Crossing) -> Vec<usize> {
        let name = subject.name.as_str();
        let provides = |node: &usize| self.nodes[*node].provides.iter().any(|it| it.name() == name);
        match subject.kind {
            SubjectKind::Representation => {
                self.at(*from).find(|node| provides(node) && self.provides_now(*node, name)).into_iter().collect()
            }
            SubjectKind::Topic => {
                self.at(*from).filter(|node| self.has_end(*node, name, PortRole::Publishes)).collect()
            }
        }
    }

    /// Returns the names of those that read what is sent, where it is sent to.
    fn readers(&self, Crossing { to, subject, .. }: &Crossing, provider: usize) -> Vec<String> {
        let name = subject.name.as_str();
        let reads = |node: &usize| match subject.kind {
            SubjectKind::Representation => self.nodes[*node].reads.get(name).is_some_and(|read| read.from == provider),
            SubjectKind::Topic => self.has_end(*node, name, PortRole::Subscribes),
        };
        self.at(*to).filter(reads).map(|node| called(&self.nodes[node])).collect()
    }
}

fn called(node: &Node) -> String {
    match &node.consumer {
        Consumer::Cycle(name) | Consumer::Source(name) => name.clone(),
    }
}
