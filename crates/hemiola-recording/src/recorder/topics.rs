//! Messages of topics: a channel for each, `/topic/WhistleHeard`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_model::Time;
use hemiola_model::cdr::{self, CdrWriter, MessageSchema};
use hemiola_model::data::SharedBytes;
use hemiola_runtime::{Observer, RobotHandle};
use serde_json::json;

use super::conditions::Conditions;
use super::recording::TopicChoice;
use crate::names::topic;
use crate::senders::{Sender, senders_of};

/// The channels of topics.
pub struct TopicChannels {
    handle: RobotHandle,
    choice: TopicChoice,
    /// The topics that were examined for whether they can be recorded; those that cannot were
    /// reported.
    looked_at: BTreeSet<String>,
    channels: Vec<TopicChannel>,
}

/// A message in CDR, and where it belongs.
pub struct NextMessage {
    pub channel: ChannelId,
    pub origin: Origin,
    /// The bytes of a message that need not be encoded; all others are in the buffer.
    in_cdr: Option<SharedBytes>,
    topic: usize,
    sender: Option<Sender>,
}

struct TopicChannel {
    name: String,
    topic: String,
    schema: MessageSchema,
    id: Option<ChannelId>,
    /// The channel of the senders, from the first one on that is no cycle.
    senders: Option<ChannelId>,
    /// The minimum time between two messages.
    period: Duration,
    due: Time,
    received: u64,
    written: u64,
    left_out: u64,
}

impl TopicChannels {
    /// Creates the channels of the existing topics that are chosen.
    pub fn new(handle: &RobotHandle, seen: &mut Observer, choice: TopicChoice) -> Self {
        let mut channels = Self { handle: handle.clone(), choice, looked_at: BTreeSet::new(), channels: Vec::new() };
        channels.join(seen);
        // This is reported at once, so that it is reported at the same time in two stepped runs.
        channels.note_unreadable();
        channels
    }

    /// Adds channels for the topics that were created since the last call.
    fn join(&mut self, seen: &mut Observer) {
        for joined in seen.topics().iter().skip(self.channels.len()) {
            // Only what has a type can be observed.
            let Some(data_type) = joined.descriptor.data_type() else { continue };
            let rate = self.choice.rate(&joined.name);
            self.channels.push(TopicChannel {
                topic: topic("topic", &joined.name),
                schema: MessageSchema::of(joined.descriptor.name(), &data_type),
                name: joined.name.clone(),
                id: None,
                senders: None,
                period: rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate)),
                due: Time::ZERO,
                received: 0,
                written: 0,
                left_out: 0,
            });
        }
    }

    /// Reports the topics whose messages are missing in the log, and why.
    fn note_unreadable(&mut self) {
        let bus = self.handle.bus();
        let unreadable = bus.unreadable_topics().into_iter();
        let unreadable = unreadable.map(|name| (name, Some("it was not created with `Bus::readable_topic`")));
        let opaque = bus.readable_topics().into_iter().filter(|(name, _)| !self.looked_at.contains(name));
        let opaque = opaque.map(|(name, message)| (name, message.data_type().is_none().then_some("they are opaque")));
        for (name, why) in unreadable.chain(opaque).collect::<Vec<_>>() {
            if self.looked_at.insert(name.clone())
                && self.choice.is_recorded(&name)
                && let Some(why) = why
            {
                self.handle.note(format!("messages of topic {name} are not in the log: {why}"));
            }
        }
    }

    /// Adds all channels to a new log.
    pub fn begin(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        self.channels.iter_mut().try_for_each(|channel| channel.begin(log))
    }

    /// Returns whether there are topics that the log does not have yet.
    pub fn has_new(&self, seen: &mut Observer) -> bool {
        seen.topics().len() > self.channels.len()
    }

    /// Adds the channels of new topics to a log.
    pub fn begin_new(&mut self, seen: &mut Observer, log: &mut LogWriter) -> Result<(), LogError> {
        let known = self.channels.len();
        self.join(seen);
        self.note_unreadable();
        self.channels[known..].iter_mut().try_for_each(|channel| channel.begin(log))
    }

    /// Encodes the next message that is recorded, and returns where it belongs; `None` when there
    /// is none at present.
    pub fn next(
        &mut self,
        seen: &mut Observer,
        conditions: &Conditions,
        buffer: &mut CdrWriter,
    ) -> Option<NextMessage> {
        while let Some(message) = seen.next_message() {
            let (index, time) = (message.topic(), message.time());
            let sender = Sender::of(message.publisher(), message.number());
            let Some(channel) = self.channels.get_mut(index) else { continue };
            channel.received += 1;
            let Some(id) = channel.id else { continue };
            // Without a rate all are recorded: those of several publishers come in any order.
            if (!channel.period.is_zero() && time < channel.due) || !conditions.allow(&channel.name) {
                channel.left_out += 1;
                continue;
            }
            channel.due = time + channel.period;
            buffer.clear();
            let in_cdr = message.in_cdr().cloned();
            if in_cdr.is_none() {
                message.write(buffer);
            }
            // The numbers of the publishers cannot be used, as each publisher counts its own
            // messages.
            let sequence = (channel.received - channel.left_out - 1 + seen.dropped_messages(index)) as u32;
            channel.written += 1;
            let origin = Origin { sequence, logged: time, published: time };
            return Some(NextMessage { channel: id, origin, in_cdr, topic: index, sender });
        }
        None
    }

    /// Writes the sender of a message that was written, if it is no cycle.
    pub fn write_sender(&mut self, message: &NextMessage, log: &mut LogWriter) -> Result<(), LogError> {
        let (Some(sender), Some(channel)) = (&message.sender, self.channels.get_mut(message.topic)) else {
            return Ok(());
        };
        let senders = match channel.senders {
            Some(senders) => senders,
            None => *channel.senders.insert(log.channel(&senders_of(&channel.topic), &Sender::schema())?),
        };
        log.write(senders, message.origin, &cdr::encode(sender))
    }

    /// Returns the counts, like those of the channels of values.
    pub fn counts(&self, seen: &mut Observer) -> BTreeMap<String, String> {
        let channels = self.channels.iter().enumerate().map(|(index, channel)| {
            let TopicChannel { topic, written, left_out, .. } = channel;
            let counts = json!({ "written": written, "left_out": left_out, "dropped": seen.dropped_messages(index) });
            (topic.clone(), counts.to_string())
        });
        channels.collect()
    }
}

impl NextMessage {
    /// Returns the bytes of the message, which are in the buffer unless they were there before.
    pub fn bytes<'m>(&'m self, buffer: &'m CdrWriter) -> &'m [u8] {
        self.in_cdr.as_deref().unwrap_or(buffer.bytes())
    }
}

impl TopicChannel {
    fn begin(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        (self.id, self.senders) = (Some(log.channel(&self.topic, &self.schema)?), None);
        Ok(())
    }
}
