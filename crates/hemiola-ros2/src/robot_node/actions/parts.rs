//! The services and topics of an action in a ROS 2 system.

use std::sync::Arc;

use hemiola_model::configuration::{Ros2Published, Ros2Quality, Ros2Subscribed, Subject};
use hemiola_realtime::Wakeup;
use zenoh::Session;
use zenoh::query::Query;

use crate::action::ActionInterfaces;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::names::TopicName;
use crate::quality::{Durability, Quality};
use crate::robot_node::call::Caller;
use crate::robot_node::inbox::Inbox;
use crate::robot_node::publication::Publication;
use crate::robot_node::request::Served;
use crate::robot_node::subscription::Subscription;
use crate::type_hash::Interface;

/// A service or topic of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    SendGoal,
    CancelGoal,
    GetResult,
    Feedback,
    Status,
}

/// Declares the parts of one action, each with the next number.
pub struct Parts<'p> {
    pub session: &'p Session,
    pub node: &'p Node,
    pub last_id: &'p mut u64,
    /// The action's name in the system.
    pub name: &'p str,
    pub interfaces: &'p ActionInterfaces,
    pub is_server: bool,
    pub wakeup: &'p Arc<Wakeup>,
}

/// The depth of feedback, and of waiting results.
const DEPTH: usize = 10;

impl Parts<'_> {
    /// Declares a topic that the server publishes.
    ///
    /// # Errors
    /// Returns an error with the reason, as all of these do.
    pub fn publication(&mut self, part: Part) -> Result<Publication, String> {
        let endpoint = self.endpoint(part)?;
        let (quality, depth) = match part {
            Part::Status => (Ros2Quality::TransientLocal, endpoint.quality.depth),
            _ => (Ros2Quality::Reliable, endpoint.quality.depth),
        };
        let topic = endpoint.topic.as_str();
        let configuration = Ros2Published { depth, ..Ros2Published::new(topic, Subject::topic(topic), quality) };
        let declared = Publication::declare(self.session, &configuration, endpoint, self.wakeup.clone());
        declared.map_err(|error| error.to_string())
    }

    /// Declares a topic to which a client subscribes.
    pub fn subscription(&mut self, part: Part) -> Result<Subscription, String> {
        let endpoint = self.endpoint(part)?;
        let (topic, depth) = (endpoint.topic.as_str(), endpoint.quality.depth);
        let configuration = Ros2Subscribed { depth, ..Ros2Subscribed::new(topic, Subject::topic(topic)) };
        let declared = Subscription::declare(self.session, &configuration, endpoint, self.wakeup.clone());
        declared.map_err(|error| error.to_string())
    }

    /// Declares a service of the server, whose requests go to `inbox`.
    pub fn served(&mut self, part: Part, inbox: &Arc<Inbox<(Part, Query)>>) -> Result<Served, String> {
        let endpoint = self.endpoint(part)?;
        Served::declare(self.session, endpoint, part, inbox.clone()).map_err(|error| error.to_string())
    }

    /// Declares a client of a service.
    pub fn caller(&mut self, part: Part) -> Result<Caller, String> {
        let endpoint = self.endpoint(part)?;
        Caller::declare(self.session, endpoint, self.wakeup.clone()).map_err(|error| error.to_string())
    }

    /// Returns the endpoint of the action's server or client for a part.
    fn endpoint(&mut self, part: Part) -> Result<Endpoint, String> {
        let topic = TopicName::of(&self.node.name, &format!("{}/_action/{}", self.name, part.name()));
        let topic = topic.map_err(|error| error.to_string())?;
        let kind = match (part, self.is_server) {
            (Part::Feedback | Part::Status, true) => EndpointKind::Publisher,
            (Part::Feedback | Part::Status, false) => EndpointKind::Subscriber,
            (_, true) => EndpointKind::Server,
            (_, false) => EndpointKind::Client,
        };
        let quality = match part {
            Part::Status => Quality { durability: Durability::TransientLocal, depth: 1, ..Quality::default() },
            _ => Quality { depth: DEPTH, ..Quality::default() },
        };
        *self.last_id += 1;
        let (node, interface) = (self.node.clone(), part.interface(self.interfaces).clone());
        Ok(Endpoint { node, id: *self.last_id, kind, topic, interface, quality })
    }
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::SendGoal => "send_goal",
            Self::CancelGoal => "cancel_goal",
            Self::GetResult => "get_result",
            Self::Feedback => "feedback",
            Self::Status => "status",
        }
    }

    const fn interface(self, interfaces: &ActionInterfaces) -> &Interface {
        match self {
            Self::SendGoal => &interfaces.send_goal,
            Self::CancelGoal => &interfaces.cancel_goal,
            Self::GetResult => &interfaces.get_result,
            Self::Feedback => &interfaces.feedback,
            Self::Status => &interfaces.status,
        }
    }
}
