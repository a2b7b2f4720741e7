//! The ROS 2 nodes of a robot's processes, each with the endpoints of its own process.

use std::collections::BTreeSet;

use hemiola_model::configuration::{Ros2Action, Ros2Configuration, Ros2Router, Subject, SubjectKind};
use hemiola_model::module::PortRole;

use super::{Cut, FIRST};

impl Cut<'_> {
    /// Returns the node of a process. The first one has the name given in robot.toml, is the router
    /// if the robot is, and has the endpoints that belong to no module; the names of the others end
    /// with those of their processes.
    pub(super) fn ros2(&self, here: usize) -> Option<Ros2Configuration> {
        let mut node = self.robot.configuration.ros2.clone()?;
        node.publish.retain(|published| self.has(here, &published.sent.subject, PortRole::Publishes));
        node.subscribe.retain(|subscribed| self.has(here, &subscribed.received.subject, PortRole::Subscribes));
        let goals = |action: &Ros2Action| Subject::topic(format!("{}Goal", action.action));
        node.action_server.retain(|action| self.has(here, &goals(action), PortRole::Subscribes));
        node.action_client.retain(|action| self.has(here, &goals(action), PortRole::Publishes));
        if here != FIRST {
            // Services belong to the program, which is the same in each process.
            (node.serve, node.call, node.clock) = (Vec::new(), Vec::new(), None);
            node.process = Some(self.names[here].to_owned());
            node.router = Ros2Router::At(node.router.address().to_owned());
        }
        Some(node)
    }

    /// Returns whether a process provides a representation, or has a module with that end of a
    /// topic. What no process has belongs to the first one, and so does what is received as a
    /// representation: it comes from a source there.
    fn has(&self, here: usize, subject: &Subject, role: PortRole) -> bool {
        let places: BTreeSet<usize> = match (subject.kind, role) {
            (SubjectKind::Representation, PortRole::Publishes) => {
                let provides = |node: &usize| self.nodes[*node].provides.iter().any(|it| it.name() == subject.name);
                let provider =
                    (0..self.nodes.len()).find(|node| provides(node) && self.provides_now(*node, &subject.name));
                provider.map(|node| self.places[node]).into_iter().collect()
            }
            (SubjectKind::Representation, _) => BTreeSet::new(),
            (SubjectKind::Topic, _) => {
                let ends = self.updates().filter(|(_, update)| {
                    let mut ports = update.arguments().iter().filter_map(|argument| argument.port());
                    ports.any(|port| port.role() == role && port.name() == subject.name)
                });
                ends.map(|(place, _)| place).collect()
            }
        };
        if places.is_empty() { here == FIRST } else { places.contains(&here) }
    }
}
