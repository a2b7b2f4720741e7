//! Chains from a source in one process to an output in another one.

use hemiola_model::configuration::{ChainConfiguration, Received, SubjectKind};
use hemiola_model::module::PortRole;
use hemiola_plan::Consumer;
use hemiola_trace::{by_messages, source_of_messages};

use super::Cut;
use crate::assemble::robot::Robot;
use crate::error::RuntimeError;

impl Robot {
    /// Returns what a process can measure of the chains that begin in other processes and end in
    /// it, each with the chain of robot.toml: for each value or topic that a link receives and that
    /// may derive from the chain's source, a chain that begins with it. Its samples have the stamps
    /// of that source, so that reaction times and data ages are complete. A value that derives from
    /// the source by messages alone begins no chain, as its stamp does not cover them. Some chains
    /// may lead nowhere, and those that begin with messages may be other ways than the chain of
    /// robot.toml means.
    ///
    /// # Errors
    /// Returns [`RuntimeError::Cut`] if the robot cannot be cut there.
    pub fn chains_into(&self, process: &str) -> Result<Vec<(&ChainConfiguration, ChainConfiguration)>, RuntimeError> {
        let cut = Cut::of(self);
        let Some(here) = cut.names.iter().position(|name| *name == process) else { return Ok(Vec::new()) };
        let crossings = cut.crossings()?;
        let mut chains = Vec::new();
        let across = self
            .configuration
            .chains
            .iter()
            .filter(|chain| cut.ends(&chain.to, here) && !cut.is_at(begin(&chain.from), here));
        for chain in across {
            let derived = cut.derived_from(begin(&chain.from), Through::ValuesAndMessages);
            let by_values = cut.derived_from(begin(&chain.from), Through::Values);
            for crossing in crossings.iter().filter(|crossing| crossing.to == here) {
                let name = &crossing.subject.name;
                let carries = match crossing.subject.kind {
                    SubjectKind::Representation => by_values.iter().any(|node| {
                        cut.places[*node] == crossing.from
                            && cut.nodes[*node].provides.iter().any(|it| it.name() == name)
                    }),
                    SubjectKind::Topic => derived.iter().any(|node| {
                        cut.places[*node] == crossing.from && cut.has_end(*node, name, PortRole::Publishes)
                    }),
                };
                if !carries {
                    continue;
                }
                let source = Received::new(crossing.subject.clone()).source(cut.names[crossing.from]);
                let from = match crossing.subject.kind {
                    SubjectKind::Representation => source,
                    SubjectKind::Topic => by_messages(&source),
                };
                let name = format!("{} by {name}", chain.name);
                chains.push((chain, ChainConfiguration { name, from, ..chain.clone() }));
            }
        }
        Ok(chains)
    }
}

/// Returns the source with which a chain of robot.toml begins.
pub(super) fn begin(from: &str) -> &str {
    source_of_messages(from).unwrap_or(from)
}

/// The steps by which something may derive from a source's samples.
#[derive(Clone, Copy, PartialEq)]
enum Through {
    Values,
    ValuesAndMessages,
}

impl Cut<'_> {
    /// Returns the nodes with values and messages that may derive from samples of a source.
    fn derived_from(&self, source: &str, through: Through) -> Vec<usize> {
        let is_it = |node: &usize| self.nodes[*node].consumer == Consumer::Source(source.to_owned());
        let mut derived: Vec<usize> = (0..self.nodes.len()).filter(is_it).collect();
        let mut next = 0;
        while let Some(&from) = derived.get(next) {
            for reader in 0..self.nodes.len() {
                let reads = || self.nodes[reader].reads.values().any(|read| read.from == from);
                let hears = || through == Through::ValuesAndMessages && self.hears(reader, from);
                if !derived.contains(&reader) && (reads() || hears()) {
                    derived.push(reader);
                }
            }
            next += 1;
        }
        derived
    }

    /// Returns whether a node subscribes to a topic to which another one publishes.
    fn hears(&self, reader: usize, publisher: usize) -> bool {
        let mut topics = self.robot.topics().into_iter();
        topics.any(|topic| {
            self.has_end(publisher, topic, PortRole::Publishes) && self.has_end(reader, topic, PortRole::Subscribes)
        })
    }
}
