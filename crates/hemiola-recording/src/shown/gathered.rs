//! Records of updates, one by one, become messages: what one run draws under one name is one
//! message.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::module::{DebugContent, DebugRecord};

use super::{Drawing, Message};

/// What updates have shown, as far as it is not yet a message.
pub struct Gathered {
    /// Spaces that are images.
    images: BTreeSet<String>,
    /// Drawings of which more may come, by their names and updates.
    open: BTreeMap<(&'static str, Arc<str>), Drawing>,
    /// What clocks have shown at the latest.
    newest: Time,
}

/// What a run draws is gathered in less than this.
const COMPLETE: Duration = Duration::from_millis(500);

impl Gathered {
    /// Nothing yet. Drawings in these spaces lie over images, and so do those in spaces of images
    /// that are shown.
    pub fn over(images: BTreeSet<String>) -> Self {
        Self { images, open: BTreeMap::new(), newest: Time::ZERO }
    }

    /// Takes a record, and returns the messages that are complete with it: its own, or those of
    /// what the update has drawn under this name in the run before.
    pub fn add(&mut self, record: &DebugRecord) -> Vec<Message> {
        self.newest = self.newest.max(record.time);
        if let DebugContent::Image(_) = record.content {
            self.images.insert(record.name.to_owned());
        }
        let Some(mut drawing) = Drawing::of(record) else { return Message::of(record).into_iter().collect() };
        let key = (record.name, record.update.clone());
        match self.open.get_mut(&key) {
            Some(open) if open.run == drawing.run => {
                open.shapes.append(&mut drawing.shapes);
                Vec::new()
            }
            _ => self.open.insert(key, drawing).map_or_else(Vec::new, |complete| self.messages(&complete)),
        }
    }

    /// The drawings that are so much older than what else has come that nothing more of them will.
    pub fn take_complete(&mut self) -> Vec<Message> {
        let newest = self.newest;
        self.take(|drawing| newest.since(drawing.time) > COMPLETE)
    }

    /// All drawings, as far as they have come.
    pub fn take_all(&mut self) -> Vec<Message> {
        self.take(|_| true)
    }

    fn take(&mut self, is_complete: impl Fn(&Drawing) -> bool) -> Vec<Message> {
        let mut messages = Vec::new();
        for (key, drawing) in std::mem::take(&mut self.open) {
            match is_complete(&drawing) {
                true => messages.append(&mut self.messages(&drawing)),
                false => _ = self.open.insert(key, drawing),
            }
        }
        messages
    }

    /// The drawing, and the places in it.
    fn messages(&self, drawing: &Drawing) -> Vec<Message> {
        let is_over_image = self.images.contains(drawing.space);
        drawing.message(is_over_image).into_iter().chain(drawing.transforms(is_over_image)).collect()
    }
}
