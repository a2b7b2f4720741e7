//! The plots, drawings and texts of modules, and their way to a client.

use hemiola_model::module::{DebugContent, DebugRecord};
use hemiola_runtime::{Observation, Observer, RobotHandle};
use serde_json::{Value, json};

use crate::door::outbox::Outbox;
use crate::protocol::binary;

/// A client's subscription to the output of modules.
pub struct ShownStream {
    seen: Observer,
    /// The number of names that the client has received.
    named: usize,
    /// The number of records that were dropped because this client was too slow.
    dropped: u64,
    told: u64,
}

/// The most records in one event; further ones are sent in the next event.
const MOST_RECORDS: usize = 4096;
/// The most names that a client can watch.
const MOST_NAMES: usize = 1000;

impl ShownStream {
    /// Subscribes to these names. Updates compute only the output that somebody has subscribed to.
    pub fn open(handle: &RobotHandle, names: Vec<String>) -> Result<Self, String> {
        if names.len() > MOST_NAMES {
            return Err(format!(
                "at most {MOST_NAMES} names can be watched: use the name of a space, or a prefix with `*`"
            ));
        }
        let seen = handle.observe(Observation::default().with_debug(names)).map_err(|error| error.to_string())?;
        Ok(Self { seen, named: 0, dropped: 0, told: 0 })
    }

    /// Sends the records that have arrived.
    pub fn send(&mut self, handle: &RobotHandle, out: &mut Outbox) {
        let mut records = Vec::new();
        let is_congested = out.is_congested();
        while records.len() < MOST_RECORDS
            && let Some(record) = self.seen.next_debug()
        {
            match &record.content {
                _ if is_congested => self.dropped += 1,
                DebugContent::Image(image) => out.send_bytes(image_message(&record, image.pixels())),
                _ => records.push(record),
            }
        }
        let names = handle.debug_names();
        let dropped = self.dropped + self.seen.dropped().debug;
        if records.is_empty() && names.len() == self.named && dropped == self.told {
            return;
        }
        let mut event = json!({"event": "debug", "dropped": dropped - self.told, "records": records});
        self.told = dropped;
        if names.len() != self.named {
            self.named = names.len();
            let named = |name: &hemiola_runtime::DebugName| json!({"name": name.name, "kind": name.kind.to_string(), "update": &*name.update});
            event["names"] = names.iter().map(named).collect::<Value>();
        }
        out.send(&event);
    }
}

/// Returns the message with an image: the record as JSON, followed by the pixels.
fn image_message(record: &DebugRecord, pixels: &[u8]) -> Vec<u8> {
    let head = json!(record).to_string();
    let mut bytes = binary::begin(binary::IMAGE, head.len() as u32);
    bytes.extend_from_slice(head.as_bytes());
    bytes.extend_from_slice(pixels);
    bytes
}
