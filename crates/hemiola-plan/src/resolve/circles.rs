//! The search for updates of a cycle that wait for each other.

use std::collections::BTreeMap;

use super::{Filler, Resolver, updates};
use crate::circle::{self, Cut, CutChange, Wait};
use crate::problem::Problem;
use crate::resolved::UpdateId;

impl Resolver<'_> {
    pub(super) fn find_circles(&mut self, cycle: usize) {
        let description = &self.system.cycles[cycle];
        let ids: Vec<UpdateId> =
            updates(description).map(|(id, _)| id).filter(|&id| self.certainly_runs(cycle, id)).collect();
        let mut through: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
        for (reader, &id) in ids.iter().enumerate() {
            for representation in &description.modules[id.module].updates[id.update].requires {
                if let Some(Filler::Update(provider)) = self.fillers[cycle].get(representation.as_str())
                    && let Ok(provider) = ids.binary_search(provider)
                    && provider != reader
                {
                    through.entry((provider, reader)).or_default().push(representation);
                }
            }
        }
        let waits: Vec<Wait> =
            through.iter().map(|(&(from, to), names)| Wait { from, to, cost: names.len() }).collect();
        let names: Vec<&Vec<&str>> = through.values().collect();
        for tangle in circle::tangles(ids.len(), &waits) {
            let party = |node: usize| self.update_party(cycle, ids[node]);
            let changes_of = |&wait: &usize| {
                let changed =
                    |name: &&str| CutChange { update: party(waits[wait].to), representation: name.to_string() };
                names[wait].iter().map(changed).collect::<Vec<_>>()
            };
            let cut = |cut: &Vec<usize>| Cut { changes: cut.iter().flat_map(changes_of).collect() };
            let problem = Problem::Circular {
                cycle: description.name.clone(),
                circle: (tangle.circle.iter())
                    .map(|&wait| (party(waits[wait].from), names[wait].iter().map(|name| name.to_string()).collect()))
                    .collect(),
                cut: tangle.cuts.iter().map(cut).collect(),
                tangled: tangle.nodes.len(),
            };
            self.report(problem);
        }
    }
}
