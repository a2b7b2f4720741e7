//! `/rosout`: the robot's log messages, as nodes of ROS 2 log them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::cdr::CdrWriter;
use hemiola_model::configuration::{Ros2Published, Ros2Quality, Subject};
use hemiola_model::data::{DataType, Field, Writer as _};
use hemiola_realtime::Wakeup;
use hemiola_runtime::{JournalEvent, Observation, Observer, RobotHandle, Severity};
use zenoh::Session;

use super::publication::Publication;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::TopicName;
use crate::quality::{Durability, Quality};
use crate::type_hash::Interface;

/// The publisher of the robot's log messages on `/rosout`.
pub struct Rosout {
    publication: Publication,
    messages: Box<Observer>,
    /// The sequence number of the last message.
    sequence: u64,
    /// The node's name in the form of a logger's name.
    logger: String,
}

/// The name of the topic in ROS 2; its depth and lifespan follow.
const TOPIC: &str = "/rosout";
const DEPTH: usize = 1000;
const LIFESPAN: Duration = Duration::from_secs(10);

impl Rosout {
    /// Begins to publish a robot's log messages.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn open(
        session: &Session,
        (node, id): (&Node, u64),
        robot: &RobotHandle,
        wakeup: Arc<Wakeup>,
    ) -> Result<Self, String> {
        let quality = Quality {
            durability: Durability::TransientLocal,
            depth: DEPTH,
            lifespan: Some(LIFESPAN),
            ..Quality::default()
        };
        let named = |error: Ros2Error| error.to_string();
        let interface = Interface::message("Log", &log_type()).map_err(named)?;
        let topic = TopicName::new(TOPIC).map_err(named)?;
        let (node, kind) = (node.clone(), EndpointKind::Publisher);
        let logger = node.name.name().to_owned();
        let endpoint = Endpoint { node, id, kind, topic, interface, quality };
        let configuration = Ros2Published {
            depth: DEPTH,
            lifespan: Some(LIFESPAN),
            ..Ros2Published::new(TOPIC, Subject::topic(TOPIC), Ros2Quality::TransientLocal)
        };
        let observation = Observation::default().with_journal().notifying(wakeup.clone());
        let messages = Box::new(robot.observe(observation).map_err(|error| error.to_string())?);
        let publication = Publication::declare(session, &configuration, endpoint, wakeup);
        let publication = publication.map_err(|error| error.to_string())?;
        Ok(Self { publication, messages, sequence: 0, logger })
    }

    /// Publishes the robot's log messages since the last call, and discards those that have
    /// expired. Returns when the next ones have.
    pub fn turn(&mut self, session: &Session, now_ns: impl Fn() -> i64) -> Option<Instant> {
        while let Some(entry) = self.messages.next_entry() {
            let JournalEvent::Message { severity, about, text } = entry.event else { continue };
            self.sequence += 1;
            let cdr = log(now_ns(), severity, &self.logger, &text, &about);
            // This fails if the session is closed, and then nobody receives it.
            _ = self.publication.put(self.sequence, now_ns(), &cdr);
        }
        _ = self.publication.expire(session, Instant::now());
        self.publication.expires()
    }
}

/// Returns `rcl_interfaces/msg/Log`.
fn log_type() -> DataType {
    let field = |name, data_type| Field::new(name, data_type, "");
    let texts = ["name", "msg", "file", "function"].map(|name| field(name, DataType::Text));
    let mut fields = vec![field("stamp", DataType::Time), field("level", DataType::Unsigned(8))];
    fields.extend(texts);
    fields.push(field("line", DataType::Unsigned(32)));
    DataType::structure("rcl_interfaces/Log", fields)
}

/// Returns a message of that type. Its function is the subject of the message: an update, a source.
fn log(stamp_ns: i64, severity: Severity, logger: &str, text: &str, about: &str) -> Vec<u8> {
    // The levels are the constants of the type.
    let level = match severity {
        Severity::Information => 20,
        Severity::Warning => 30,
        Severity::Error => 40,
    };
    let mut writer = CdrWriter::default();
    writer.begin_structure("Log");
    writer.field("stamp");
    writer.time(stamp_ns);
    writer.field("level");
    writer.unsigned(level, 8);
    for (name, text) in [("name", logger), ("msg", text), ("file", ""), ("function", about)] {
        writer.field(name);
        writer.string(text);
    }
    writer.field("line");
    writer.unsigned(0, 32);
    writer.end_structure();
    writer.finish()
}

#[cfg(test)]
mod tests {
    use hemiola_model::cdr::MessageSchema;

    use super::*;

    #[test]
    fn the_type_is_that_of_ros_2() {
        let schema = MessageSchema::of("Log", &log_type());
        assert_eq!(schema.name, "rcl_interfaces/msg/Log");
        // The expected hash is from the design document of rmw_zenoh.
        assert_eq!(schema.type_hash, "RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac");
    }

    #[test]
    fn a_message_has_the_bytes_of_its_type() {
        let bytes = log(1_500_000_000, Severity::Warning, "rover", "late", "Walk");
        let begin = [0, 1, 0, 0, 1, 0, 0, 0, 0x00, 0x65, 0xcd, 0x1d, 30, 0, 0, 0, 6, 0, 0, 0];
        assert_eq!(bytes[..20], begin);
        assert!(bytes[20..].starts_with(b"rover\0"));
        assert_eq!(bytes[bytes.len() - 4..], [0; 4]);
    }
}
