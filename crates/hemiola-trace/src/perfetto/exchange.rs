//! The snapshots that cycles publish, and the cycles that read them.

use std::io::Write;

use super::encoder::{Details, Value};
use super::{WHOLE_ROUND, Writer};
use crate::clock::Ticks;
use crate::ids::{CycleId, ExchangeId};

/// A snapshot that a cycle published, with a flow to each cycle that has read it so far.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) exchange: ExchangeId,
    pub(super) run: u32,
    pub(super) at: Ticks,
    pub(super) flows: Vec<u64>,
    /// The round in which a newer snapshot was published.
    pub(super) superseded: Option<u64>,
}

impl Publication {
    /// Returns whether the batches of all cycles that read it have come: only the newest snapshot
    /// can be read, and events from before the newer one come a few rounds later.
    pub(super) fn cannot_be_taken_in(&self, round: u64) -> bool {
        const LATE: u64 = 2 * WHOLE_ROUND + 1;
        self.superseded.is_some_and(|superseded| superseded + LATE < round)
    }
}

/// The event that a cycle read a snapshot.
#[derive(Debug)]
pub(super) struct Take {
    pub(super) exchange: ExchangeId,
    pub(super) cycle: CycleId,
    pub(super) run: u32,
    pub(super) published: u32,
    pub(super) at: Ticks,
    pub(super) round: u64,
}

impl<W: Write> Writer<W> {
    /// Writes a publication, with the flows to the cycles that have read it.
    pub(super) fn publish(&mut self, publication: Publication) {
        let catalog = self.catalog.clone();
        let names = catalog.read();
        let Some(exchange) = names.exchange(publication.exchange) else { return };
        let details = Details {
            annotations: vec![("run", Value::Number(publication.run.into()))],
            flows: publication.flows,
            ..Details::default()
        };
        let track = self.cycle_track(&names, exchange.publisher);
        let name = format!("publish {}", exchange.name);
        self.encoder.instant(track, self.scale.nanoseconds(publication.at), &name, &details);
    }

    /// Writes that a cycle read a publication, and begins the flow between both.
    pub(super) fn take(&mut self, take: Take) {
        let catalog = self.catalog.clone();
        let names = catalog.read();
        let found = self
            .publications
            .iter()
            .rposition(|publication| publication.exchange == take.exchange && publication.run == take.published);
        let mut details = Details::annotated([
            ("run", Value::Number(take.run.into())),
            ("published", Value::Number(take.published.into())),
        ]);
        if let Some(index) = found {
            let flow = self.next_flow();
            self.publications[index].flows.push(flow);
            details.terminating_flows.push(flow);
        }
        let exchange = names.exchange(take.exchange).map_or("", |exchange| &exchange.name);
        let track = self.cycle_track(&names, take.cycle);
        self.encoder.instant(track, self.scale.nanoseconds(take.at), &format!("take {exchange}"), &details);
    }
}
