//! `/clock`: the time of the robot's clock, for nodes that use it as theirs (`use_sim_time`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_model::cdr::encode;
use hemiola_model::configuration::{Ros2Published, Ros2Quality, Subject};
use hemiola_model::data::{DataType, Field};
use hemiola_realtime::Wakeup;
use zenoh::Session;

use super::publication::Publication;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::TopicName;
use crate::quality::{Quality, Reliability};
use crate::type_hash::Interface;

/// The publisher of the robot's time on `/clock`.
pub struct ClockTopic {
    publication: Publication,
    period: Duration,
    /// The time at which the next message is due.
    due: Instant,
    /// The sequence number of the last message.
    sequence: u64,
}

const TOPIC: &str = "/clock";
/// The depth of the topic: only the newest time matters.
const DEPTH: usize = 1;

impl ClockTopic {
    /// Begins to publish the time, `rate` times a second.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn open(session: &Session, (node, id): (&Node, u64), rate: f64, wakeup: Arc<Wakeup>) -> Result<Self, String> {
        let named = |error: Ros2Error| error.to_string();
        let interface = Interface::message("Clock", &clock_type()).map_err(named)?;
        let topic = TopicName::new(TOPIC).map_err(named)?;
        let quality = Quality { reliability: Reliability::BestEffort, depth: DEPTH, ..Quality::default() };
        let endpoint = Endpoint { node: node.clone(), id, kind: EndpointKind::Publisher, topic, interface, quality };
        let configuration =
            Ros2Published { depth: DEPTH, ..Ros2Published::new(TOPIC, Subject::topic(TOPIC), Ros2Quality::BestEffort) };
        let publication = Publication::declare(session, &configuration, endpoint, wakeup);
        let publication = publication.map_err(|error| error.to_string())?;
        let period = Duration::try_from_secs_f64(1.0 / rate).map_err(|error| error.to_string())?;
        Ok(Self { publication, period, due: Instant::now(), sequence: 0 })
    }

    /// Publishes the time if it is due, and returns when it is due next; `None` while there is no
    /// subscriber.
    pub fn turn(&mut self, robot_now: Time, unix_ns: i64) -> Option<Instant> {
        if !self.publication.is_wanted() {
            return None;
        }
        let now = Instant::now();
        if self.due <= now {
            self.sequence += 1;
            // This fails if the session is closed, and then nobody receives it.
            _ = self.publication.put(self.sequence, unix_ns, &encode(&robot_now));
            // Small delays do not accumulate, and missed messages are not made up for.
            self.due = if self.due + self.period > now { self.due + self.period } else { now + self.period };
        }
        Some(self.due)
    }
}

/// Returns `rosgraph_msgs/msg/Clock`.
fn clock_type() -> DataType {
    DataType::structure("rosgraph_msgs/Clock", vec![Field::new("clock", DataType::Time, "")])
}

#[cfg(test)]
mod tests {
    use hemiola_model::cdr::MessageSchema;

    use super::*;

    #[test]
    fn the_type_is_that_of_ros_2() {
        let schema = MessageSchema::of("Clock", &clock_type());
        assert_eq!(schema.name, "rosgraph_msgs/msg/Clock");
        // The expected hash is that of rosbags for Jazzy.
        assert_eq!(schema.type_hash, "RIHS01_692f7a66e93a3c83e71765d033b60349ba68023a8c689a79e48078bcb5c58564");
    }
}
