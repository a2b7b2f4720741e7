//! Values of representations: a channel for each, of each cycle and source, `/motion/JointAngles`.

use std::collections::BTreeMap;

use hemiola_log::{ChannelId, LogError, LogWriter, Origin};
use hemiola_model::cdr::MessageSchema;
use hemiola_runtime::{Observer, SeenValue};
use serde_json::json;

use super::Recording;
use super::conditions::Conditions;
use crate::names::topic;

/// The channels of all observed representations.
pub struct Channels {
    channels: Vec<Channel>,
    conditions: Conditions,
}

struct Channel {
    topic: String,
    schema: MessageSchema,
    id: Option<ChannelId>,
    /// Set if the values are recorded, instead of only being observed.
    is_recorded: bool,
    /// Set if values are skipped because of a rate or a condition.
    is_partial: bool,
    /// The observed number of the next value, unless some are dropped.
    expected: u32,
    /// The recorded number of the next message: a missing number was dropped, not skipped.
    sequence: u32,
    written: u64,
    left_out: u64,
}

impl Channels {
    /// Creates the channels of everything that is observed.
    pub fn of(seen: &Observer, recording: &Recording) -> Self {
        let channels = seen.channels().into_iter().filter_map(|channel| {
            let name = channel.descriptor.name();
            // Only what has a type can be observed.
            let schema = MessageSchema::of(name, &channel.descriptor.data_type()?);
            Some(Channel {
                topic: topic(&channel.owner, name),
                schema,
                id: None,
                is_recorded: !recording.only_watched.contains(name),
                is_partial: !channel.period.is_zero() || recording.conditions.contains_key(name),
                expected: 0,
                sequence: 0,
                written: 0,
                left_out: 0,
            })
        });
        Self { channels: channels.collect(), conditions: Conditions::new(&recording.conditions, seen) }
    }

    /// Returns the topics of which only some values are to be recorded.
    pub fn partial(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().filter(|channel| channel.is_partial).map(|channel| channel.topic.as_str())
    }

    /// Adds the channels to a new log.
    pub fn begin(&mut self, log: &mut LogWriter) -> Result<(), LogError> {
        let mut recorded = self.channels.iter_mut().filter(|channel| channel.is_recorded);
        recorded.try_for_each(|channel| {
            channel.id = Some(log.channel(&channel.topic, &channel.schema)?);
            Ok(())
        })
    }

    /// Returns the channel of a value, and its number there; `None` if it is skipped.
    pub fn place(&mut self, value: &SeenValue<'_>) -> Option<(ChannelId, Origin)> {
        self.conditions.look(value);
        let channel = &mut self.channels[value.channel()];
        let dropped = value.sequence().wrapping_sub(channel.expected);
        channel.expected = value.sequence().wrapping_add(1);
        let id = channel.id?;
        if !self.conditions.allow(value.representation()) {
            channel.left_out += 1;
            return None;
        }
        let sequence = channel.sequence.wrapping_add(dropped);
        channel.sequence = sequence.wrapping_add(1);
        channel.written += 1;
        Some((id, Origin { sequence, logged: value.now(), published: value.stamp() }))
    }

    /// Returns the conditions, as the values so far have left them.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Returns for each channel, by topic, how many values were written so far, skipped because of
    /// its condition, and dropped because the log was too slow. Values that are dropped at the end
    /// leave no gap in the numbers.
    pub fn counts(&self, seen: &Observer) -> BTreeMap<String, String> {
        let lost = seen.channels();
        let recorded = self.channels.iter().zip(&lost).filter(|(channel, _)| channel.is_recorded);
        let counts = recorded.map(|(channel, lost)| {
            let Channel { topic, written, left_out, .. } = channel;
            let counts = json!({ "written": written, "left_out": left_out, "dropped": lost.dropped });
            (topic.clone(), counts.to_string())
        });
        counts.collect()
    }
}
