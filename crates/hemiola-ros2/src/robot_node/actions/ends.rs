//! The topics of an action in this robot.

use std::sync::Arc;

use hemiola_bus::Bus;
use hemiola_link::ends::{Ends, Topics, contained};
use hemiola_model::cdr::CdrWriter;
use hemiola_model::configuration::{Keep, Ros2Action, Sent, Subject};
use hemiola_realtime::Wakeup;

use crate::action::{ActionInterfaces, FEEDBACK, GOAL, RESULT, response_of};
use crate::action_msgs::Status;
use crate::error::Ros2Error;

/// The robot's ends of an action: two topics that are published here, and two that are read.
pub struct ActionEnds {
    pub configuration: Ros2Action,
    pub topics: Topics,
    bus: Bus,
}

/// The indices of the two topics that are published here, and of the two that are read.
pub const FIRST: usize = 0;
pub const SECOND: usize = 1;
/// The offset of the status in a response with a result.
const STATUS: usize = 4;
/// The maximum number of messages of a topic that wait for the node's thread.
const KEPT: usize = 64;

impl ActionEnds {
    /// Creates the ends of an action, which publish the topics with the suffixes `published` and
    /// read those with the suffixes `read`.
    pub fn new(
        configuration: &Ros2Action,
        published: [&str; 2],
        read: [&str; 2],
        ends: Ends,
        wakeup: &Arc<Wakeup>,
    ) -> Self {
        let topic = |ending: &str| Subject::topic(format!("{}{ending}", configuration.action));
        let sent = read.map(|ending| (Sent::new(topic(ending), Keep::Last(KEPT)), wakeup.clone()));
        // These topics come from no source.
        let received = published.map(|ending| (topic(ending), String::new()));
        let bus = ends.bus.clone();
        Self { configuration: configuration.clone(), topics: Topics::new(sent, received, ends), bus }
    }

    /// Returns the ROS 2 types once the robot has the topics. The topic with which goals are
    /// canceled is not required; without it, no goal is canceled.
    ///
    /// # Errors
    /// Returns an error if the messages are not those of an action.
    pub fn look(&mut self) -> Option<Result<ActionInterfaces, Ros2Error>> {
        self.topics.look();
        let known = self.bus.readable_topics();
        let data_type = |ending: &str| {
            let name = format!("{}{ending}", self.configuration.action);
            known.iter().find(|(known, _)| *known == name)?.1.data_type()
        };
        let (goal, result, feedback) = (data_type(GOAL)?, data_type(RESULT)?, data_type(FEEDBACK)?);
        let Ros2Action { action, action_type, .. } = &self.configuration;
        Some(ActionInterfaces::of(action, action_type.as_deref(), [&goal, &result, &feedback]))
    }

    /// Returns the response to a request for the result of an unknown goal: the status is
    /// `Unknown`, and the result its default.
    pub fn nothing(&self) -> Option<Vec<u8>> {
        let name = format!("{}{RESULT}", self.configuration.action);
        let descriptor = self.bus.readable_topics().into_iter().find(|(known, _)| *known == name)?.1;
        let result = contained(|| {
            let mut writer = CdrWriter::default();
            descriptor.create().write(&mut writer);
            writer.finish()
        });
        let (.., mut response) = response_of(&result.ok()?)?;
        *response.get_mut(STATUS)? = Status::Unknown as u8;
        Some(response)
    }
}
