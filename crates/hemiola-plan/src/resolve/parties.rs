//! The parties of a description, by the names that users know.

use super::{Filler, Offer, Resolver};
use crate::party::Party;
use crate::resolved::UpdateId;

impl Resolver<'_> {
    pub(super) fn everyone_providing(&self, representation: &str) -> Vec<Party> {
        let in_cycles = self.candidates.iter().enumerate().flat_map(|(cycle, candidates)| {
            candidates.get(representation).into_iter().flatten().map(move |&id| self.update_party(cycle, id))
        });
        in_cycles.chain(self.fillers_of(representation).iter().map(|&at| self.sample_party(at))).collect()
    }

    pub(super) fn offer_party(&self, offer: Offer) -> Party {
        match offer {
            Offer::Sample(at) => self.sample_party(at),
            Offer::Cycle(cycle, Filler::Update(id)) => self.update_party(cycle, id),
            Offer::Cycle(_, Filler::Unsettled) => unreachable!("unsettled offers are not shown"),
        }
    }

    pub(super) fn update_party(&self, cycle: usize, id: UpdateId) -> Party {
        let cycle = &self.system.cycles[cycle];
        let module = &cycle.modules[id.module];
        Party::Update {
            cycle: cycle.name.clone(),
            module: module.name.clone(),
            update: module.updates[id.update].name.clone(),
            location: module.location.clone(),
        }
    }

    pub(super) fn sample_party(&self, (source, sample): (usize, usize)) -> Party {
        let source = &self.system.sources[source];
        Party::Sample { source: source.name.clone(), sample: source.samples[sample].name.clone() }
    }
}
