//! A program that reads and publishes messages whose Rust type it does not know.

// ANCHOR: untyped
use hemiola::bus::{AnyQueue, Bus, Signal};
use hemiola::data::{Value, ValueWriter};

/// Subscribes to a topic of that name, whatever it carries.
pub fn listen(bus: &Bus, topic: &str) -> Option<AnyQueue> {
    bus.read(topic, 16, Signal::Nothing)?.ok()
}

/// Returns the next message as text: `{at: 1500000000}`.
pub fn next(queue: &mut AnyQueue) -> Option<String> {
    let mut writer = ValueWriter::default();
    queue.receive()?.write(&mut writer);
    Some(writer.finish().to_string())
}

/// Publishes a message that has one field, and returns whether it is one of the topic.
pub fn publish(bus: &Bus, topic: &str, field: &str, value: Value) -> bool {
    let message = Value::Table([(field.to_owned(), value)].into());
    matches!(bus.publish_value(topic, &message), Some(Ok(())))
}
// ANCHOR_END: untyped

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bumper::Bumped;

    #[test]
    fn messages_are_read_and_published_without_their_type() {
        let bus = Bus::new();
        assert!(listen(&bus, "Bumped").is_none(), "nobody has the topic yet");
        let _topic = bus.readable_topic::<Bumped>("Bumped").unwrap();
        let mut queue = listen(&bus, "Bumped").unwrap();

        assert!(publish(&bus, "Bumped", "at", Value::Integer(1_500_000_000)));
        assert!(!publish(&bus, "Bumped", "number", Value::Integer(1)), "no message has this field");

        assert_eq!(next(&mut queue).as_deref(), Some("{at: 1500000000}"));
        assert_eq!(next(&mut queue), None);
    }
}
