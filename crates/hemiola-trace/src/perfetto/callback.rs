//! Runs of callbacks, and the messages for which they ran.

use super::{
    Writer,
    encoder::{Details, Track, Value},
};
use crate::{
    catalog::CatalogGuard,
    clock::{Core, Ticks},
    ids::{CallbackId, TopicId, WorkerId},
};
use std::{collections::BTreeMap, io::Write};

/// A run of a callback.
pub(super) struct Called {
    pub(super) core: Core,
    pub(super) sequence: u32,
    pub(super) published: Ticks,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

/// The messages for which callbacks ran, by time, topic and number; they are held back until the
/// events of all executors have come.
pub(super) type Messages = BTreeMap<(Ticks, TopicId, u32), Message>;

#[derive(Debug)]
pub(super) struct Message {
    /// The flows to the runs of callbacks, one for each run.
    flows: Vec<u64>,
    /// The round in which its first event came.
    round: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn callback(
        &mut self,
        names: &CatalogGuard<'_>,
        worker: WorkerId,
        callback: CallbackId,
        called: Called,
    ) {
        let Some(entry) = names.callback(callback) else { return };
        let Called { core, sequence, published, begin, end } = called;
        let mut details = Details::annotated([("sequence", Value::Number(sequence.into()))]);
        if core != Core::UNKNOWN {
            details.annotations.push(("core", Value::Number(u64::from(core.0))));
        }
        if published != Ticks(0) {
            let latency = self.scale.nanoseconds_between(published, begin);
            details.annotations.push(("latency_ns", Value::Number(latency)));
            if let Some(topic) = entry.topic {
                let (flow, round) = (self.next_flow(), self.round);
                let message = Message { flows: Vec::new(), round };
                self.messages.entry((published, topic, sequence)).or_insert(message).flows.push(flow);
                details.terminating_flows.push(flow);
            }
        }
        let track = self.worker_track(names, worker);
        self.encoder.slice_begin(track, self.scale.nanoseconds(begin), &entry.name, &details);
        self.encoder.slice_end(track, self.scale.nanoseconds(end.max(begin)));
    }

    /// Writes the messages whose first events came before `round`.
    pub(super) fn publish_messages_before(&mut self, round: u64) {
        let catalog = self.catalog.clone();
        let names = catalog.read();
        let messages = std::mem::take(&mut self.messages);
        let (old, young): (Messages, Messages) = messages.into_iter().partition(|(_, message)| message.round < round);
        self.messages = young;
        for ((published, topic, sequence), message) in old {
            let name = names.topic(topic).unwrap_or_default();
            let track = Track::Topic(topic.0);
            self.encoder.describe(track, |track| track.child(Track::Process, &format!("topic {name}"), 0));
            let annotations = vec![("sequence", Value::Number(sequence.into()))];
            let details = Details { annotations, flows: message.flows, ..Details::default() };
            self.encoder.instant(track, self.scale.nanoseconds(published), &format!("publish {name}"), &details);
        }
    }
}
