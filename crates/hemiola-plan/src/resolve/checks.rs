//! The checks that are possible before providers are chosen: names, triggers, and the entries of
//! `[providers]`.

use std::collections::BTreeMap;

use super::{Resolver, most_similar};
use crate::description::Trigger;
use crate::party::Party;
use crate::problem::{Named, Problem};

impl Resolver<'_> {
    pub(super) fn check_names(&mut self) {
        let system = self.system;
        self.check_unique(Named::Cycle, "the robot", system.cycles.iter().map(|cycle| &cycle.name));
        self.check_unique(Named::Source, "the robot", system.sources.iter().map(|source| &source.name));
        for cycle in &system.cycles {
            self.check_unique(
                Named::Module,
                &format!("cycle `{}`", cycle.name),
                cycle.modules.iter().map(|module| &module.name),
            );
            for module in &cycle.modules {
                let names = module.updates.iter().map(|update| &update.name);
                self.check_unique(Named::Update, &format!("module `{}`", module.name), names);
            }
        }
        for source in &system.sources {
            let names = source.samples.iter().map(|sample| &sample.name);
            self.check_unique(Named::Sample, &format!("source `{}`", source.name), names);
        }
    }

    fn check_unique<'n>(&mut self, what: Named, place: &str, names: impl Iterator<Item = &'n String>) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names {
            let count = seen.entry(name).or_default();
            *count += 1;
            if *count == 2 {
                self.report(Problem::Duplicate { what, name: name.clone(), place: place.to_string() });
            }
        }
    }

    pub(super) fn check_triggers(&mut self) {
        for cycle in &self.system.cycles {
            let Trigger::Sample { source, sample } = &cycle.trigger else { continue };
            if self.trigger_sample(cycle).is_none() {
                let samples = self
                    .system
                    .sources
                    .iter()
                    .flat_map(|source| source.samples.iter().map(|sample| (&source.name, &sample.name)));
                let known: Vec<String> = samples.map(|(source, sample)| format!("{source}.{sample}")).collect();
                self.report(Problem::UnknownTrigger {
                    cycle: cycle.name.clone(),
                    source_name: source.clone(),
                    sample: sample.clone(),
                    similar: most_similar(&format!("{source}.{sample}"), known.iter().map(String::as_str))
                        .map(str::to_string),
                    known,
                });
            }
        }
    }

    /// Checks that every entry of `[providers]` names a provider of the representation.
    pub(super) fn check_choices(&mut self) {
        for (representation, chosen) in &self.system.providers {
            let candidates = self.everyone_providing(representation);
            if candidates.iter().any(|party| party.choice() == chosen) {
                continue;
            }
            let mut provides: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for module in self.system.cycles.iter().flat_map(|cycle| &cycle.modules) {
                provides
                    .entry(&module.name)
                    .or_default()
                    .extend(module.updates.iter().flat_map(|update| update.provides.clone()));
            }
            for source in &self.system.sources {
                provides
                    .entry(&source.name)
                    .or_default()
                    .extend(source.samples.iter().flat_map(|sample| sample.provides.clone()));
            }
            let (representation, chosen) = (representation.clone(), chosen.clone());
            let problem = if let Some(provides) = provides.get(chosen.as_str()) {
                let mut provides = provides.clone();
                provides.sort_unstable();
                provides.dedup();
                let similar = most_similar(&representation, provides.iter().map(String::as_str)).map(str::to_string);
                Problem::ChoiceDoesNotProvide { representation, chosen, provides, similar, candidates }
            } else {
                let is_linked = self.system.spare.iter().any(|module| module.name == chosen);
                // A party that does provide it is a likelier meaning than one with a closer name.
                let similar = most_similar(&chosen, candidates.iter().map(Party::choice))
                    .or_else(|| most_similar(&chosen, provides.keys().copied()))
                    .filter(|_| !is_linked)
                    .map(str::to_string);
                Problem::UnknownChoice { representation, chosen, similar, is_linked, candidates }
            };
            self.report(problem);
        }
    }
}
