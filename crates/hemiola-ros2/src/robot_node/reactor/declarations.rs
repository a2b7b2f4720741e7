//! The node's endpoints, which are declared as their types become known.

use hemiola_link::ends::KnownType;
use hemiola_link::{LinkStatistics, ServiceStatistics};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::configuration::{
    Ros2History, Ros2Liveliness, Ros2Published, Ros2Quality, Ros2SafeState, Ros2Service, Ros2Subscribed,
};
use zenoh::Session;

use super::Reactor;
use crate::endpoint::{Endpoint, EndpointKind, Node};
use crate::error::Ros2Error;
use crate::names::{TopicName, TypeName};
use crate::quality::{Durability, History, Liveliness, Quality, Reliability};
use crate::robot_node::actions::{Action, ActionSide};
use crate::robot_node::client::Client;
use crate::robot_node::publication::{Publication, Rest};
use crate::robot_node::server::Server;
use crate::robot_node::subscription::Subscription;
use crate::type_hash::{Interface, service_hash};

impl Reactor {
    /// Declares the endpoints whose types have become known.
    pub(super) fn look(&mut self) {
        for opaque in self.topics.look() {
            self.complain(format!("`{opaque}` is opaque, so that it cannot be published"));
        }
        for index in 0..self.publications.len() {
            let published = &self.configuration.publish[index];
            self.statistics.sent[index].is_there = self.topics.sent[index].schema.is_some();
            if let (None, Some(schema)) = (&self.publications[index], &self.topics.sent[index].schema) {
                let Ros2Published { quality, depth, history, liveliness, .. } = *published;
                let Ros2Published { deadline, lifespan, lease, .. } = *published;
                let quality = self::quality(quality, depth, history, liveliness);
                let (name, quality) = (published.name.clone(), Quality { deadline, lifespan, lease, ..quality });
                let interface = interface(schema);
                let declared =
                    self.declare(EndpointKind::Publisher, index, &name, interface, quality, |node, endpoint| {
                        let published = &node.configuration.publish[index];
                        Publication::declare(&node.session, published, endpoint, node.wakeup.clone())
                    });
                self.publications[index] = declared;
                self.note_rest(index);
            }
        }
        for index in 0..self.subscriptions.len() {
            let subscribed = &self.configuration.subscribe[index];
            let descriptor = self.topics.received[index].descriptor;
            self.statistics.received[index].is_there = descriptor.is_some();
            let data_type = descriptor.and_then(|it| Some((it.name(), it.data_type()?)));
            if let (None, Some((name, data_type))) = (&self.subscriptions[index], data_type) {
                let interface = interface(&MessageSchema::of(name, &data_type));
                let Ros2Subscribed { quality, depth, history, liveliness, .. } = *subscribed;
                let Ros2Subscribed { deadline, lifespan, lease, .. } = *subscribed;
                let quality = self::quality(quality, depth, history, liveliness);
                let (name, quality) = (subscribed.name.clone(), Quality { deadline, lifespan, lease, ..quality });
                let declared =
                    self.declare(EndpointKind::Subscriber, index, &name, interface, quality, |node, endpoint| {
                        let subscribed = &node.configuration.subscribe[index];
                        Subscription::declare(&node.session, subscribed, endpoint, node.wakeup.clone())
                    });
                self.subscriptions[index] = declared;
                // What its publishers say of their messages is known before the first one is read.
                self.meet_publishers();
            }
        }
        self.look_at_services();
        self.look_at_actions();
    }

    /// Notes what a topic that was declared publishes in the safe state.
    fn note_rest(&mut self, index: usize) {
        let Ros2Published { name, safe_state, .. } = &self.configuration.publish[index];
        let (Ros2SafeState::Default, Some(publication)) = (safe_state, &mut self.publications[index]) else { return };
        publication.rest = self.topics.default_value(index).map(Rest::of);
        if publication.rest.is_none() {
            let text = format!("`{name}` publishes nothing in the safe state: its type's `Default` panics");
            self.complain(text);
        }
    }

    fn look_at_actions(&mut self) {
        let Self { session, node, last_id, statistics, action_servers, action_clients, .. } = self;
        let before = *last_id;
        let LinkStatistics { served, called, .. } = statistics;
        let mut problems =
            look_at(action_servers, served.iter_mut().skip(self.servers.len()), (&*session, &*node, &mut *last_id));
        problems.extend(look_at(
            action_clients,
            called.iter_mut().skip(self.clients.len()),
            (&*session, &*node, &mut *last_id),
        ));
        self.is_changed |= *last_id != before;
        problems.into_iter().for_each(|problem| self.complain(problem));
    }

    pub(super) fn look_at_services(&mut self) {
        self.services.look();
        for index in 0..self.servers.len() {
            let service = &self.services.served[index];
            let is_there = service.can_be_called();
            self.statistics.served[index].is_there = is_there;
            if !is_there {
                self.is_changed |= self.servers[index].take().is_some();
            } else if let (None, Some(types)) = (&self.servers[index], &service.types) {
                let configured = &self.configuration.serve[index];
                let (name, interface) = (configured.name.clone(), service_interface(configured, types));
                let declared = self.declare(
                    EndpointKind::Server,
                    index,
                    &name,
                    interface,
                    Quality::default(),
                    |node, endpoint| Server::declare(&node.session, endpoint, node.wakeup.clone()),
                );
                self.servers[index] = declared;
            }
        }
        for index in 0..self.clients.len() {
            let types = &self.services.called[index].types;
            self.statistics.called[index].is_there = types.is_some();
            if let (None, Some(types)) = (&self.clients[index], types) {
                let configured = &self.configuration.call[index];
                let (name, interface) = (configured.name.clone(), service_interface(configured, types));
                let declared = self.declare(
                    EndpointKind::Client,
                    index,
                    &name,
                    interface,
                    Quality::default(),
                    |node, endpoint| Client::declare(&node.session, endpoint, node.wakeup.clone()),
                );
                self.clients[index] = declared;
            }
        }
    }

    /// Declares an endpoint; one that cannot be declared is reported, and skipped.
    fn declare<T>(
        &mut self,
        kind: EndpointKind,
        index: usize,
        name: &str,
        interface: Result<Interface, Ros2Error>,
        quality: Quality,
        declare: impl FnOnce(&Self, Endpoint) -> Result<T, zenoh::Error>,
    ) -> Option<T> {
        if self.given_up.contains(&(kind, index)) {
            return None;
        }
        let endpoint = interface.and_then(|interface| {
            let (node, topic) = (self.node.clone(), TopicName::of(&self.node.name, name)?);
            Ok(Endpoint { node, id: self.last_id + 1, kind, topic, interface, quality })
        });
        let declared = match endpoint {
            Ok(endpoint) => declare(self, endpoint).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        self.last_id += 1;
        self.is_changed = true;
        match declared {
            Ok(declared) => Some(declared),
            Err(reason) => {
                self.given_up.insert((kind, index));
                self.complain(format!("there is no {kind} of `{name}`: {reason}"));
                None
            }
        }
    }
}

/// Declares actions whose topics have become known. Returns what cannot be declared, and why.
fn look_at<'s, S: ActionSide>(
    actions: &mut [Action<S>],
    shown: impl Iterator<Item = &'s mut ServiceStatistics>,
    (session, node, last_id): (&Session, &Node, &mut u64),
) -> Vec<String> {
    let mut problems = Vec::new();
    for (action, shown) in actions.iter_mut().zip(shown) {
        shown.is_there = action.look(session, node, last_id).unwrap_or_else(|reason| {
            problems.push(format!("the action `{}` {}: {reason}", shown.name, S::FAILURE));
            false
        });
    }
    problems
}

fn interface(schema: &MessageSchema) -> Result<Interface, Ros2Error> {
    Ok(Interface::new(schema.name.parse()?, Some(schema.type_hash.parse()?)))
}

/// Returns the type of a service: the one from robot.toml, or the package and the name of the type
/// of its requests.
fn service_interface(service: &Ros2Service, [request, response]: &[KnownType; 2]) -> Result<Interface, Ros2Error> {
    match &service.service_type {
        Some(name) => {
            let name: TypeName = name.parse()?;
            let hash = service_hash(&name, &request.data_type, &response.data_type);
            Ok(Interface::new(name, Some(hash)))
        }
        None => Interface::service(&service.service, &request.data_type, &response.data_type),
    }
}

fn quality(quality: Ros2Quality, depth: usize, history: Ros2History, liveliness: Ros2Liveliness) -> Quality {
    let (reliability, durability) = match quality {
        Ros2Quality::Reliable => (Reliability::Reliable, Durability::Volatile),
        Ros2Quality::BestEffort => (Reliability::BestEffort, Durability::Volatile),
        Ros2Quality::TransientLocal => (Reliability::Reliable, Durability::TransientLocal),
    };
    let history = match history {
        Ros2History::KeepLast => History::KeepLast,
        Ros2History::KeepAll => History::KeepAll,
    };
    let liveliness = match liveliness {
        Ros2Liveliness::Automatic => Liveliness::Automatic,
        Ros2Liveliness::ManualByTopic => Liveliness::ManualByTopic,
    };
    Quality { reliability, durability, history, depth, liveliness, ..Quality::default() }
}
