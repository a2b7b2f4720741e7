//! `/parameter_events`: parameters that anybody has changed.

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::cdr::encode;
use hemiola_model::configuration::{Ros2Published, Ros2Quality, Subject};
use hemiola_realtime::Wakeup;
use hemiola_runtime::{Change, JournalEvent, Observation, Observer, RobotHandle};
use zenoh::Session;

use super::publication::Publication;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::TopicName;
use crate::parameters::ParameterTable;
use crate::quality::Quality;
use crate::rcl_interfaces::{Parameter, ParameterEvent, event_interface};

/// The publisher of changes of the robot's parameters on `/parameter_events`.
pub struct ParameterEvents {
    publication: Publication,
    changes: Box<Observer>,
    robot: RobotHandle,
    /// The sequence number of the last message.
    sequence: u64,
    /// The node's full name.
    node: String,
}

/// The name of the topic in ROS 2; its depth follows.
const TOPIC: &str = "/parameter_events";
const DEPTH: usize = 1000;

impl ParameterEvents {
    /// Begins to publish changes of a robot's parameters.
    ///
    /// # Errors
    /// Returns an error with the reason.
    pub fn open(
        session: &Session,
        (node, id): (&Node, u64),
        robot: &RobotHandle,
        wakeup: Arc<Wakeup>,
    ) -> Result<Self, String> {
        let named = |error: Ros2Error| error.to_string();
        let (interface, topic) = (event_interface().map_err(named)?, TopicName::new(TOPIC).map_err(named)?);
        let quality = Quality { depth: DEPTH, ..Quality::default() };
        let endpoint = Endpoint { node: node.clone(), id, kind: EndpointKind::Publisher, topic, interface, quality };
        let configuration =
            Ros2Published { depth: DEPTH, ..Ros2Published::new(TOPIC, Subject::topic(TOPIC), Ros2Quality::Reliable) };
        let observation = Observation::default().with_journal().notifying(wakeup.clone());
        let changes = Box::new(robot.observe(observation).map_err(|error| error.to_string())?);
        let publication = Publication::declare(session, &configuration, endpoint, wakeup);
        let publication = publication.map_err(|error| error.to_string())?;
        Ok(Self { publication, changes, robot: robot.clone(), sequence: 0, node: node.name.to_string() })
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.publication.endpoint
    }

    /// Publishes the changes since the last call.
    pub fn turn(&mut self, now_ns: impl Fn() -> i64) {
        let mut changed: Vec<String> = Vec::new();
        while let Some(entry) = self.changes.next_entry() {
            if let JournalEvent::Change { change: Change::Parameter { module, parameter, .. }, .. } = entry.event {
                let name = format!("{module}.{parameter}");
                if !changed.contains(&name) {
                    changed.push(name);
                }
            }
        }
        if changed.is_empty() || !self.publication.is_wanted() {
            return;
        }
        let table = ParameterTable::of(&self.robot);
        let parameter = |name: String| table.get(&name).map(|entry| Parameter { value: entry.to_ros(), name });
        let event = ParameterEvent {
            stamp: Time::from_nanoseconds(now_ns()),
            node: self.node.clone(),
            new_parameters: Vec::new(),
            changed_parameters: changed.into_iter().filter_map(parameter).collect(),
            deleted_parameters: Vec::new(),
        };
        self.sequence += 1;
        // This fails if the session is closed, and then nobody receives it.
        _ = self.publication.put(self.sequence, now_ns(), &encode(&event));
    }
}
