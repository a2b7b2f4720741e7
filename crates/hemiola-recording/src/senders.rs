//! The senders of messages that no cycle has published, in logs: a message each in
//! `/topic/WhistleHeard/_sender`, of the same number and time as the one in `/topic/WhistleHeard`.
//! By them a replay finds what its runs received.

use hemiola_macros::Data;
use hemiola_model::cdr::{self, MessageSchema};
use hemiola_model::data::Data;
use hemiola_model::module::Place;

/// The last part of topics. ROS 2 treats names that begin with an underscore as hidden.
const NAME: &str = "_sender";

/// Returns whether messages of this topic are senders.
pub fn is_sender(topic: &str) -> bool {
    topic.rsplit_once('/').is_some_and(|(_, name)| name == NAME)
}

/// Returns the topic of the senders of a topic's messages.
pub fn senders_of(topic: &str) -> String {
    format!("{topic}/{NAME}")
}

/// The sender of a message.
#[derive(Data)]
#[data(name = "hemiola/Sender")]
pub struct Sender {
    /// The publisher among those of the topic: from 1073741824 on those of sources, from 2147483648
    /// on those outside of cycles and sources.
    publisher: u32,
    /// The number of the message among those of its publisher.
    number: u64,
}

impl Sender {
    /// Returns the sender of a message; `None` if it is a cycle, whose messages are computed again.
    pub fn of(publisher: Place, number: u64) -> Option<Self> {
        let is_computed = matches!(publisher, Place::Cycle(_));
        (!is_computed).then(|| Self { publisher: number_of(publisher), number })
    }

    /// Returns the schema of senders.
    pub fn schema() -> MessageSchema {
        MessageSchema::of("Sender", &Self::data_type())
    }

    /// Reads a sender: the publisher's place, and the number of the message. Returns `None` if it
    /// is damaged.
    pub fn read(data: &[u8]) -> Option<(Place, u64)> {
        let Self { publisher, number } = cdr::decode(data).ok()?;
        Some((place_of(publisher), number))
    }
}

/// The numbers from which on publishers of sources, and those elsewhere, are counted in logs.
const SOURCES: u32 = 1 << 30;
const OUTSIDE: u32 = 1 << 31;

/// Returns the number of a publisher in logs. Those of cycles count from zero.
pub fn number_of(place: Place) -> u32 {
    match place {
        Place::Cycle(number) => number.min(SOURCES - 1),
        Place::Source(number) => SOURCES + number.min(SOURCES - 1),
        Place::Outside(number) => OUTSIDE + number.min(OUTSIDE - 1),
    }
}

/// Returns the place of a publisher by its number in logs.
pub fn place_of(number: u32) -> Place {
    match number {
        OUTSIDE.. => Place::Outside(number - OUTSIDE),
        SOURCES.. => Place::Source(number - SOURCES),
        _ => Place::Cycle(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_publisher_is_found_again_by_its_number() {
        let most = [Place::Cycle(SOURCES - 1), Place::Source(SOURCES - 1), Place::Outside(OUTSIDE - 1)];
        for place in [Place::Cycle(0), Place::Source(0), Place::Outside(0)].into_iter().chain(most) {
            assert_eq!(place_of(number_of(place)), place);
        }
        assert_eq!(place_of(number_of(Place::Source(u32::MAX))), Place::Source(SOURCES - 1));
    }

    #[test]
    fn what_cycles_publish_has_no_sender_and_what_others_publish_has_one() {
        let written = |place| Sender::of(place, 17).map(|sender| cdr::encode(&sender));
        assert_eq!(written(Place::Cycle(0)), None);
        let read = written(Place::Outside(3)).and_then(|bytes| Sender::read(&bytes));
        assert_eq!(read, Some((Place::Outside(3), 17)));
        assert_eq!(Sender::read(b"nothing"), None);
        assert!(is_sender(&senders_of("/topic/horn")) && !is_sender("/topic/horn"));
    }
}
