//! The links that transport values from one process of a robot to another, for analysis.

use std::path::Path;

use hemiola_model::configuration::{Received, Scheduling, SubjectKind, Trigger};
use hemiola_plan::Consumer;

use super::{Cut, Node};
use crate::assemble::robot::Robot;
use crate::error::RuntimeError;

/// A representation that one process of a robot provides, and another one reads:
/// [`Robot::links_between_parts`].
///
/// ```
/// use hemiola_runtime::LinkBetweenParts;
///
/// fn describe(link: &LinkBetweenParts) -> String {
///     format!("{} of {} goes to {}", link.representation, link.from, link.to)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkBetweenParts {
    /// The process that provides it.
    pub from: String,
    /// The process that reads it.
    pub to: String,
    /// The name of the representation.
    pub representation: String,
    /// The cycle or source that provides it.
    pub provider: String,
    /// The cycles and sources that read it in that process.
    pub readers: Vec<String>,
    /// The cycles that it triggers in that process.
    pub triggers: Vec<String>,
    /// The source that it is there: `link.vision.MotionRequest`.
    pub source: String,
    /// The scheduling of that source's thread.
    pub scheduling: Scheduling,
    /// The cores that the thread may use; empty if it may use all.
    pub cores: Vec<usize>,
}

impl Robot {
    /// Returns the representations that are sent between the processes of the robot; the list is
    /// empty if there is only one process.
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
        let values = crossings.iter().filter(|crossing| crossing.subject.kind == SubjectKind::Representation);
        let mut parts = Vec::new();
        for name in &cut.names {
            parts.push(self.part(name, Path::new(""))?);
        }
        let links = values.filter_map(|crossing| {
            let name = crossing.subject.name.as_str();
            let places = &cut.places;
            let at = |place: usize| (0..places.len()).filter(move |node| places[*node] == place);
            let provides = |node: &usize| cut.nodes[*node].provides.iter().any(|it| it.name() == name);
            let provider = at(crossing.from).find(|node| provides(node) && cut.provides_now(*node, name))?;
            let reads = |node: &usize| cut.nodes[*node].reads.get(name).is_some_and(|read| read.from == provider);
            let part = &parts[crossing.to];
            let source = Received::new(crossing.subject.clone()).source(cut.names[crossing.from]);
            let is_trigger = |trigger: &Trigger| *trigger == Trigger::Source(source.clone());
            let triggered = part.cycles.iter().filter(|cycle| is_trigger(&cycle.trigger));
            Some(LinkBetweenParts {
                from: cut.names[crossing.from].to_owned(),
                to: cut.names[crossing.to].to_owned(),
                representation: name.to_owned(),
                provider: called(&cut.nodes[provider]),
                readers: at(crossing.to).filter(reads).map(|node| called(&cut.nodes[node])).collect(),
                triggers: triggered.map(|cycle| cycle.name.clone()).collect(),
                scheduling: part.source_scheduling(&source),
                cores: part.sources.get(&source).map(|source| source.cores.clone()).unwrap_or_default(),
                source,
            })
        });
        Ok(links.collect())
    }
}

fn called(node: &Node) -> String {
    match &node.consumer {
        Consumer::Cycle(name) | Consumer::Source(name) => name.clone(),
    }
}
