//! Chains from a source in one process to an output in another one.

use hemiola_model::configuration::{ChainConfiguration, Received, SubjectKind};
use hemiola_plan::Consumer;

use super::Cut;
use crate::assemble::robot::Robot;
use crate::error::RuntimeError;

impl Robot {
    /// Returns what a process can measure of the chains that begin in other processes and end in
    /// it: for each value that a link receives and that may derive from the chain's source, a chain
    /// that begins with this value. Its samples have the stamps of that source, so that reaction
    /// times and data ages are complete. Some of these chains may lead nowhere.
    ///
    /// # Errors
    /// Returns [`RuntimeError::Cut`] if the robot cannot be cut there.
    pub fn chains_into(&self, process: &str) -> Result<Vec<ChainConfiguration>, RuntimeError> {
        let cut = Cut::of(self);
        let Some(here) = cut.names.iter().position(|name| *name == process) else { return Ok(Vec::new()) };
        let crossings = cut.crossings()?;
        let mut chains = Vec::new();
        let across =
            self.configuration.chains.iter().filter(|chain| cut.ends(&chain.to, here) && !cut.is_at(&chain.from, here));
        for chain in across {
            let derived = cut.derived_from(&chain.from);
            for crossing in
                crossings.iter().filter(|it| it.to == here && it.subject.kind == SubjectKind::Representation)
            {
                let name = &crossing.subject.name;
                let provides = |node: &usize| cut.nodes[*node].provides.iter().any(|it| it.name() == name);
                if !derived.iter().any(|node| cut.places[*node] == crossing.from && provides(node)) {
                    continue;
                }
                chains.push(ChainConfiguration {
                    name: format!("{} by {name}", chain.name),
                    from: Received::new(crossing.subject.clone()).source(cut.names[crossing.from]),
                    ..chain.clone()
                });
            }
        }
        Ok(chains)
    }
}

impl Cut<'_> {
    /// Returns the nodes with values that may derive from samples of a source.
    fn derived_from(&self, source: &str) -> Vec<usize> {
        let is_it = |node: &usize| self.nodes[*node].consumer == Consumer::Source(source.to_owned());
        let mut derived: Vec<usize> = (0..self.nodes.len()).filter(is_it).collect();
        let mut next = 0;
        while let Some(&from) = derived.get(next) {
            for reader in 0..self.nodes.len() {
                if !derived.contains(&reader) && self.nodes[reader].reads.values().any(|read| read.from == from) {
                    derived.push(reader);
                }
            }
            next += 1;
        }
        derived
    }
}
