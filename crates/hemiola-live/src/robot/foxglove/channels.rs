//! The channels that clients of Foxglove's protocol can subscribe to.

use std::collections::BTreeSet;
use std::mem;
use std::time::{Duration, Instant};

use hemiola_model::cdr::MessageSchema;
use hemiola_model::module::DebugKind;
use hemiola_recording::shown::{self, IMAGE_TYPE};
use hemiola_runtime::{DebugName, Observation, Observer, RobotHandle};
use serde_json::json;

use crate::door::outbox::Outbox;
use crate::protocol::foxglove::MOST;
use crate::robot::Shared;
use crate::robot::values::schema_of;

/// The period at which new channels are looked for, which takes too long for every turn.
const LOOK: Duration = Duration::from_secs(1);

/// The channels that were advertised to one client.
#[derive(Default)]
pub struct Channels {
    /// The channels by their numbers, which begin at 1.
    offered: Vec<Channel>,
    /// The descriptions of new channels that have not been sent to the client yet.
    untold: Vec<serde_json::Value>,
    /// The names of all images. Drawings in spaces with these names are drawn over the images.
    images: BTreeSet<String>,
    /// The names of all drawings that do not lie over images.
    drawings: BTreeSet<&'static str>,
    looked: Option<Instant>,
    /// An observer during whose existence modules announce the names of everything that they can
    /// show.
    naming: Option<Observer>,
    /// The names that modules only asked for when they were looked at last, and those that have
    /// been observed once for that.
    asked: BTreeSet<&'static str>,
    tried: BTreeSet<&'static str>,
    /// The observer of names that are being tried.
    trial: Option<Observer>,
}

/// A channel that a client can subscribe to.
pub enum Channel {
    /// The values of a representation.
    Value(String),
    /// The messages of a topic.
    Topic(String),
    /// The output that modules show.
    Shown(ShownChannel),
    /// The placements of the spaces in all drawings.
    Places,
    /// A channel that has been withdrawn. Its number is not used again.
    Withdrawn,
}

/// The output of modules in messages of one topic and type.
pub struct ShownChannel {
    /// The topic and the type.
    pub channel: shown::Channel,
    /// The names of the modules' output.
    pub names: BTreeSet<&'static str>,
}

impl Channels {
    /// Advertises new channels if a check for them is due. Returns whether it was due.
    pub fn advertise(&mut self, shared: &Shared, out: &mut Outbox) -> bool {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return false;
        }
        self.looked = Some(Instant::now());
        if self.naming.is_none() {
            // A robot that has stopped cannot be observed, and shows nothing.
            self.naming = shared.handle.observe(Observation::default().with_debug_named([""; 0])).ok();
        }
        self.images.clear();
        self.offer_representations(shared);
        self.offer_topics(shared);
        let names = shared.handle.debug_names();
        self.try_asked(&shared.handle, &names);
        self.offer_shown(names);
        let withdrawn = self.withdraw();
        if !withdrawn.is_empty() {
            out.send(&json!({"op": "unadvertise", "channelIds": withdrawn}));
        }
        if !self.untold.is_empty() {
            out.send(&json!({"op": "advertise", "channels": mem::take(&mut self.untold)}));
        }
        true
    }

    /// Returns the channel with this number.
    pub fn get(&self, number: u32) -> Option<&Channel> {
        (number as usize).checked_sub(1).and_then(|index| self.offered.get(index))
    }

    /// Returns the names of all images.
    pub fn images(&self) -> &BTreeSet<String> {
        &self.images
    }

    /// Returns the names of all drawings that do not lie over images.
    pub fn drawings(&self) -> &BTreeSet<&'static str> {
        &self.drawings
    }

    fn offer_representations(&mut self, shared: &Shared) {
        let found: Vec<_> = shared.handle.with_robot(|robot| {
            let names = robot.recordable().into_iter();
            names.filter_map(|name| robot.representation(&name).map(|descriptor| (name, descriptor))).collect()
        });
        for (name, descriptor) in found {
            let Ok(schema) = schema_of(descriptor) else { continue };
            if schema.name == IMAGE_TYPE {
                self.images.insert(name.clone());
            }
            if !self.offered.iter().any(|channel| matches!(channel, Channel::Value(known) if *known == name)) {
                self.offer(&name, &schema, Channel::Value(name.clone()));
            }
        }
    }

    fn offer_topics(&mut self, shared: &Shared) {
        for (name, descriptor) in shared.handle.bus().readable_topics() {
            let Ok(schema) = schema_of(descriptor) else { continue };
            if !self.offered.iter().any(|channel| matches!(channel, Channel::Topic(known) if *known == name)) {
                self.offer(&name, &schema, Channel::Topic(name.clone()));
            }
        }
    }

    fn offer_shown(&mut self, found: Vec<DebugName>) {
        if !found.is_empty() && !self.offered.iter().any(|channel| matches!(channel, Channel::Places)) {
            let shown::Channel { topic, schema } = shown::places();
            self.offer(&topic, schema, Channel::Places);
        }
        let images = found.iter().filter(|found| found.kind == DebugKind::Image);
        self.images.extend(images.map(|image| image.name.to_owned()));
        self.shown().for_each(|shown| shown.names.clear());
        self.drawings.clear();
        for DebugName { name, kind, .. } in found {
            let space = name.split_once('/').map_or(name, |(space, _)| space);
            let is_over_image = self.images.contains(space);
            let Some(channel) = shown::channel(name, kind, is_over_image) else { continue };
            if matches!(kind, DebugKind::Drawing | DebugKind::Drawing3d | DebugKind::Background) && !is_over_image {
                self.drawings.insert(name);
            }
            let known = self.shown().find(|shown| shown.channel == channel);
            match known {
                Some(shown) => _ = shown.names.insert(name),
                None => {
                    let shown = ShownChannel { channel: channel.clone(), names: BTreeSet::from([name]) };
                    self.offer(&channel.topic, channel.schema, Channel::Shown(shown));
                }
            }
        }
    }

    /// Observes names that modules only ask for (`debug.wants`) once, until the next look: only
    /// then do modules show something under them, which has a type, and so a channel.
    fn try_asked(&mut self, handle: &RobotHandle, found: &[DebugName]) {
        let is_asked = |found: &&DebugName| found.kind == DebugKind::Request;
        let shown: BTreeSet<_> = found.iter().filter(|name| !is_asked(name)).map(|shown| shown.name).collect();
        let asked = found.iter().filter(is_asked).map(|asked| asked.name);
        let asked: BTreeSet<_> = asked.filter(|name| !shown.contains(name) && !self.tried.contains(name)).collect();
        // A name that has just come may be shown later in the same run.
        let lasting: Vec<_> = asked.intersection(&self.asked).copied().collect();
        self.trial = None;
        if !lasting.is_empty() {
            self.trial = handle.observe(Observation::default().with_debug_named(lasting.iter().copied())).ok();
        }
        self.tried.extend(lasting);
        self.asked = asked;
    }

    /// Withdraws the channels that show nothing any more, and returns their numbers. A drawing
    /// moves to another channel when its space turns out to be an image.
    fn withdraw(&mut self) -> Vec<usize> {
        let mut withdrawn = Vec::new();
        for (index, channel) in self.offered.iter_mut().enumerate() {
            if matches!(channel, Channel::Shown(shown) if shown.names.is_empty()) {
                *channel = Channel::Withdrawn;
                withdrawn.push(index + 1);
            }
        }
        withdrawn
    }

    fn shown(&mut self) -> impl Iterator<Item = &mut ShownChannel> {
        self.offered.iter_mut().filter_map(|channel| match channel {
            Channel::Shown(shown) => Some(shown),
            _ => None,
        })
    }

    fn offer(&mut self, topic: &str, schema: &MessageSchema, channel: Channel) {
        if self.offered.len() >= MOST {
            return;
        }
        self.offered.push(channel);
        self.untold.push(json!({
            "id": self.offered.len(),
            "topic": topic,
            "encoding": "cdr",
            "schemaName": schema.name,
            "schema": schema.text,
            "schemaEncoding": "ros2msg",
        }));
    }
}
