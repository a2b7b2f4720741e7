//! The plots, drawings and texts of updates: a channel for each name, `/debug/ball/score`.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_runtime::Observer;
use serde_json::json;

use crate::shown::{Gathered, Message};

/// The channels of the debug output of updates.
pub struct DebugChannels {
    gathered: Gathered,
    /// The channels by topic and type.
    channels: BTreeMap<(String, &'static str), DebugChannel>,
}

#[derive(Default)]
struct DebugChannel {
    id: Option<ChannelId>,
    written: u32,
}

impl DebugChannels {
    /// Creates the channels. Drawings in spaces of these names lie over images.
    pub fn new(images: BTreeSet<String>) -> Self {
        Self { gathered: Gathered::over(images), channels: BTreeMap::new() }
    }

    /// Begins a new log, which has no channels yet.
    pub fn begin(&mut self) {
        self.channels.values_mut().for_each(|channel| channel.id = None);
    }

    /// Writes what has arrived.
    pub fn write(&mut self, log: &mut LogWriter, seen: &mut Observer) -> Result<(), LogError> {
        while let Some(record) = seen.next_debug() {
            let complete = self.gathered.add(&record);
            complete.into_iter().try_for_each(|message| self.put(log, message))?;
        }
        let complete = self.gathered.take_complete();
        complete.into_iter().try_for_each(|message| self.put(log, message))
    }

    /// Writes drawings that are still incomplete.
    pub fn finish(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        let open = self.gathered.take_all();
        open.into_iter().try_for_each(|message| self.put(log, message))
    }

    /// Returns the counts, like those of the channels of values. Dropped records are only known for
    /// all channels together.
    pub fn counts(&self, seen: &mut Observer) -> BTreeMap<String, String> {
        let written = self.channels.iter().map(|((topic, _), channel)| {
            (topic.clone(), json!({ "written": channel.written, "left_out": 0, "dropped": 0 }).to_string())
        });
        let dropped = seen.dropped().debug;
        let dropped = (dropped > 0).then(|| json!({ "written": 0, "left_out": 0, "dropped": dropped }).to_string());
        written.chain(dropped.map(|dropped| ("/debug".to_owned(), dropped))).collect()
    }

    fn put(&mut self, log: &mut LogWriter, message: Message) -> Result<(), LogError> {
        let Message { topic, time, schema, bytes } = message;
        let channel = self.channels.entry((topic.clone(), &schema.name)).or_default();
        let id = match channel.id {
            Some(id) => id,
            None => *channel.id.insert(log.channel(&topic, schema)?),
        };
        let origin = Origin { sequence: channel.written, logged: time, published: time };
        channel.written = channel.written.wrapping_add(1);
        log.write(id, origin, &bytes)
    }
}
