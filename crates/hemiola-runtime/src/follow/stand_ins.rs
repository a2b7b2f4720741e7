//! The publishers that stand in for those of a recording that are no cycles.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use hemiola_bus::Bus;
use hemiola_model::cdr::CdrReader;
use hemiola_model::module::{Place, UntypedPublisher};

use crate::record::{MessageRecord, RunRecord};
use crate::script::{Carried, MOST_MESSAGES, Script};
use crate::stand_in::RecordedMessages;

/// The stand-ins of all topics. Each publishes a message just before the first run that received
/// it, so that it is there for all later ones.
pub struct StandIns {
    recorded: BTreeMap<String, Box<dyn RecordedMessages>>,
    /// The messages that runs received.
    carried: Carried,
    publishers: BTreeMap<(Arc<str>, Place), StandIn>,
}

struct StandIn {
    publisher: Box<dyn UntypedPublisher>,
    /// The number of the first message that it has not published.
    next: u64,
}

impl StandIns {
    pub fn new(recorded: BTreeMap<String, Box<dyn RecordedMessages>>, script: &Script) -> Self {
        Self { recorded, carried: script.carried(), publishers: BTreeMap::new() }
    }

    /// Publishes what a run received, and what others received before that, later.
    ///
    /// # Errors
    /// Returns an error with the reason if the recording lacks something of it; all others are
    /// published.
    pub fn publish(&mut self, run: &RunRecord, bus: &Bus) -> Result<(), String> {
        let mut result = Ok(());
        let is_missing = |message: &&MessageRecord| !matches!(message.publisher, Place::Cycle(_));
        for message in run.messages.iter().filter(is_missing) {
            let published = self.publish_all(message, bus);
            result = result.and(published.map_err(|reason| format!("messages of {}: {reason}", message.topic)));
        }
        result
    }

    fn publish_all(&mut self, message: &MessageRecord, bus: &Bus) -> Result<(), String> {
        let MessageRecord { topic, publisher: place, first, count, .. } = message;
        let recorded = self.recorded.get_mut(&**topic).ok_or("the log has none of those that no cycle published")?;
        if *count > MOST_MESSAGES {
            return Err("more are said to have been received at once than there is room for".to_owned());
        }
        let stand_in = match self.publishers.entry((topic.clone(), *place)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let publisher = bus.stand_in(topic, *place).ok_or("there is no such topic")?;
                new.insert(StandIn { publisher: publisher.map_err(|error| error.to_string())?, next: 0 })
            }
        };
        let (next, end) = (stand_in.next, message.inlet().end());
        let spans = self.carried.get(topic).and_then(|publishers| publishers.get(place)).map_or(&[][..], Vec::as_slice);
        let later = &spans[spans.partition_point(|span| span.end <= next)..];
        let mut result = Ok(());
        for number in
            later.iter().take_while(|span| span.start < end).flat_map(|span| span.start.max(next)..span.end.min(end))
        {
            let published = recorded.message(*place, number).and_then(|bytes| {
                stand_in.publish(number, &bytes.ok_or_else(|| format!("number {number} is not in the log"))?)
            });
            // Those before are needed by a run that is still to come.
            result = if number < *first { result } else { result.and(published) };
        }
        stand_in.next = stand_in.next.max(end);
        result
    }
}

impl StandIn {
    fn publish(&mut self, number: u64, bytes: &[u8]) -> Result<(), String> {
        if let Some(record) = self.publisher.record_mut() {
            record.continue_at(number);
        }
        let mut reader = CdrReader::new(bytes).map_err(|error| error.to_string())?;
        self.publisher.publish(&mut reader).map_err(|error| error.to_string())
    }
}
