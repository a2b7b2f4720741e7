//! What updates plot, draw and write: a channel for each name, `/debug/ball/score`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_model::Time;
use hemiola_model::module::DebugContent;
use hemiola_runtime::Observer;
use serde_json::json;

use crate::shown::{Drawing, Message};

/// See the module.
pub struct DebugChannels {
    /// Spaces that are images.
    images: BTreeSet<String>,
    channels: BTreeMap<(String, String), DebugChannel>,
    /// Drawings of which more may come.
    open: BTreeMap<(&'static str, Arc<str>), Drawing>,
    /// What clocks have shown at the latest.
    newest: Time,
}

#[derive(Default)]
struct DebugChannel {
    id: Option<ChannelId>,
    written: u32,
}

/// What a run draws is gathered in less than this.
const COMPLETE: Duration = Duration::from_millis(500);

impl DebugChannels {
    /// Drawings in these spaces lie over images.
    pub fn new(images: BTreeSet<String>) -> Self {
        Self { images, channels: BTreeMap::new(), open: BTreeMap::new(), newest: Time::ZERO }
    }

    /// A new log knows no channel yet.
    pub fn begin(&mut self) {
        self.channels.values_mut().for_each(|channel| channel.id = None);
    }

    /// Writes what has come.
    pub fn write(&mut self, log: &mut LogWriter, seen: &mut Observer) -> Result<(), LogError> {
        while let Some(record) = seen.next_debug() {
            self.newest = self.newest.max(record.time);
            if let DebugContent::Image(_) = record.content {
                self.images.insert(record.name.to_owned());
            }
            let (Some(mut drawing), key) = (Drawing::of(&record), (record.name, record.update.clone())) else {
                Message::of(&record).map_or(Ok(()), |message| self.put(log, &message))?;
                continue;
            };
            match self.open.get_mut(&key) {
                Some(open) if open.run == drawing.run => open.shapes.append(&mut drawing.shapes),
                _ => {
                    let complete = self.open.insert(key, drawing);
                    complete.map_or(Ok(()), |drawing| self.put_drawing(log, &drawing))?;
                }
            }
        }
        let newest = self.newest;
        self.put_all(log, |drawing| newest.since(drawing.time) > COMPLETE)
    }

    /// Writes what is still open.
    pub fn finish(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.put_all(log, |_| true)
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

    fn put_all(&mut self, log: &mut LogWriter, is_complete: impl Fn(&Drawing) -> bool) -> Result<(), LogError> {
        let (complete, open) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, drawing)| is_complete(drawing));
        self.open = open;
        let complete: BTreeMap<_, _> = complete;
        complete.values().try_for_each(|drawing| self.put_drawing(log, drawing))
    }

    fn put_drawing(&mut self, log: &mut LogWriter, drawing: &Drawing) -> Result<(), LogError> {
        let is_over_image = self.images.contains(drawing.space);
        self.put(log, &drawing.message(is_over_image))?;
        drawing.transforms(is_over_image).try_for_each(|transform| self.put(log, &transform))
    }

    fn put(&mut self, log: &mut LogWriter, message: &Message) -> Result<(), LogError> {
        let key = (message.topic.clone(), message.schema.name.clone());
        let channel = self.channels.entry(key).or_default();
        let id = match channel.id {
            Some(id) => id,
            None => *channel.id.insert(log.channel(&message.topic, &message.schema)?),
        };
        let origin = Origin { sequence: channel.written, logged: message.time, published: message.time };
        channel.written = channel.written.wrapping_add(1);
        log.write(id, origin, &message.bytes)
    }
}
