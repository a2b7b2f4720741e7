//! The channels of a file that is being written.

use crate::format::{ChannelRecord, MessageIndexEntry};

/// A channel, and what the file has of it so far.
pub struct OpenChannel {
    pub record: ChannelRecord,
    pub messages: u64,
    /// The index of the open chunk.
    pub index: Vec<MessageIndexEntry>,
}

/// Channels in the order of their numbers. Every message looks one up, so that is no search.
#[derive(Default)]
pub struct Channels {
    channels: Vec<OpenChannel>,
    /// The place of each number's channel, counted from one; 0 stands for none.
    places: Vec<u32>,
}

impl Channels {
    pub fn len(&self) -> usize {
        self.channels.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &OpenChannel> {
        self.channels.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut OpenChannel> {
        self.channels.iter_mut()
    }

    fn place(&self, id: u16) -> Option<usize> {
        self.places.get(usize::from(id)).and_then(|place| place.checked_sub(1)).map(|place| place as usize)
    }

    pub fn get(&self, id: u16) -> Option<&OpenChannel> {
        self.place(id).and_then(|place| self.channels.get(place))
    }

    #[inline]
    pub fn get_mut(&mut self, id: u16) -> Option<&mut OpenChannel> {
        self.place(id).and_then(|place| self.channels.get_mut(place))
    }

    /// Adds a channel without messages, whose number is free.
    pub fn add(&mut self, record: ChannelRecord) {
        let id = record.id;
        let place = self.channels.partition_point(|channel| channel.record.id < id);
        self.channels.insert(place, OpenChannel { record, messages: 0, index: Vec::new() });
        if self.places.len() <= usize::from(id) {
            self.places.resize(usize::from(id) + 1, 0);
        }
        for (place, channel) in (1..).zip(&self.channels).skip(place) {
            self.places[usize::from(channel.record.id)] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn channels_stand_in_the_order_of_their_numbers_and_are_found_by_them(
            ids in prop::collection::vec(prop_oneof![0..20_u16, any::<u16>()], 0..30),
        ) {
            let (mut channels, mut known) = (Channels::default(), BTreeSet::new());
            for id in ids {
                prop_assert_eq!(channels.get(id).is_some(), known.contains(&id));
                if known.insert(id) {
                    channels.add(ChannelRecord {
                        id,
                        schema_id: 0,
                        topic: String::new(),
                        message_encoding: String::new(),
                        metadata: Default::default(),
                    });
                }
                prop_assert!(channels.iter().map(|channel| channel.record.id).eq(known.iter().copied()));
                for &id in &known {
                    prop_assert_eq!(channels.get_mut(id).map(|channel| channel.record.id), Some(id));
                }
            }
        }
    }
}
