//! What updates plot, draw and write: a channel for each name, `/debug/ball/score`.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_runtime::Observer;
use serde_json::json;

use crate::shown::{Gathered, Message};

/// See the module.
pub struct DebugChannels {
    gathered: Gathered,
    /// By topic and type.
    channels: BTreeMap<(String, &'static str), DebugChannel>,
}

#[derive(Default)]
struct DebugChannel {
    id: Option<ChannelId>,
    written: u32,
}

impl DebugChannels {
    /// Drawings in these spaces lie over images.
    pub fn new(images: BTreeSet<String>) -> Self {
        Self { gathered: Gathered::over(images), channels: BTreeMap::new() }
    }

    /// A new log knows no channel yet.
    pub fn begin(&mut self) {
        self.channels.values_mut().for_each(|channel| channel.id = None);
    }

    /// Writes what has come.
    pub fn write(&mut self, log: &mut LogWriter, seen: &mut Observer) -> Result<(), LogError> {
        while let Some(record) = seen.next_debug() {
            let complete = self.gathered.add(&record);
            complete.into_iter().try_for_each(|message| self.put(log, message))?;
        }
        let complete = self.gathered.take_complete();
        complete.into_iter().try_for_each(|message| self.put(log, message))
    }

    /// Writes what is still open.
    pub fn finish(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        let open = self.gathered.take_all();
        open.into_iter().try_for_each(|message| self.put(log, message))
    }

    /// As of the channels of values. What was dropped is known of all of them together.
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
