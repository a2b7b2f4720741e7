//! The gathering of single records of updates into messages: the drawing of one run under one name
//! becomes one message.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::module::{DebugContent, DebugRecord};

use super::{Drawing, Message};

/// The output of updates that is not part of a message yet.
pub struct Gathered {
    /// The spaces that are images.
    images: BTreeSet<String>,
    /// The drawings that may be incomplete, by their names and updates.
    open: BTreeMap<(&'static str, Arc<str>), Drawing>,
    /// The newest time of all records.
    newest: Time,
}

/// The time within which all records of a run's drawing arrive.
const COMPLETE: Duration = Duration::from_millis(500);

impl Gathered {
    /// Creates an empty collection. Drawings in these spaces lie over images, and so do those in
    /// spaces of images that are shown.
    pub fn over(images: BTreeSet<String>) -> Self {
        Self { images, open: BTreeMap::new(), newest: Time::ZERO }
    }

    /// Adds a record, and returns the messages that are complete with it: its own, or those of the
    /// update's drawing under this name in the run before.
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

    /// Returns the drawings that are so much older than other records that they are complete.
    pub fn take_complete(&mut self) -> Vec<Message> {
        let newest = self.newest;
        self.take(|drawing| newest.since(drawing.time) > COMPLETE)
    }

    /// Returns all drawings, even if they are incomplete.
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

    /// Returns the messages of a drawing and of the places in it.
    fn messages(&self, drawing: &Drawing) -> Vec<Message> {
        let is_over_image = self.images.contains(drawing.space);
        drawing.message(is_over_image).into_iter().chain(drawing.transforms(is_over_image)).collect()
    }
}
