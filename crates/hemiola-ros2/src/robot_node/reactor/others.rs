//! The other nodes, and whose endpoints match those of this node.

use std::collections::BTreeMap;

use hemiola_link::LinkPeer;
use hemiola_model::configuration::SubjectKind;

use super::Reactor;
use crate::endpoint::{Endpoint, EndpointKind};
use crate::lease::Lost;
use crate::mismatch::mismatches;
use crate::robot_node::actions::Action;
use crate::robot_node::graph::Seen;

impl Reactor {
    /// Notes which nodes and endpoints have come or gone, and compares them with those of the node.
    pub(super) fn look_at_others(&mut self) {
        if let Some(seen) = self.graph.take_changed() {
            self.meet(seen);
            self.is_changed = true;
        }
        if std::mem::take(&mut self.is_changed) {
            self.compare();
        }
    }

    /// Notes which nodes are there.
    fn meet(&mut self, seen: Seen) {
        let now = self.topics.now();
        let mut before = std::mem::take(&mut self.statistics.peers);
        for name in seen.nodes() {
            let known = before.iter().position(|peer| peer.name == name);
            let peer = known.map(|place| before.swap_remove(place)).unwrap_or_else(|| {
                self.statistics.met += 1;
                let mut peer = LinkPeer::default();
                (peer.name, peer.since) = (name, now);
                peer
            });
            self.statistics.peers.push(peer);
        }
        self.statistics.parted += before.len() as u64;
        self.statistics.ignored = seen.ignored;
        self.seen = seen;
        self.meet_publishers();
    }

    /// Notes which publishers there are for each subscriber.
    pub(super) fn meet_publishers(&mut self) {
        let publishers = self.seen.endpoints().filter(|it| it.kind == EndpointKind::Publisher);
        let publishers: BTreeMap<_, _> = publishers.map(|it| (it.gid(), it)).collect();
        let met =
            self.subscriptions.iter_mut().map(|it| it.as_mut().map(|it| it.meet(&publishers)).unwrap_or_default());
        let lost: Vec<_> = met.collect();
        for (index, lost) in lost.into_iter().enumerate() {
            lost.into_iter().for_each(|lost| self.note_lost(index, lost));
        }
    }

    /// Counts a publisher whose liveliness is lost, and reports it. If the last value of a
    /// representation is of that publisher, it is stale from now on.
    pub(super) fn note_lost(&mut self, index: usize, Lost { publisher, node, silent_for }: Lost) {
        let Some(subscription) = &self.subscriptions[index] else { return };
        let (shown, topic) = (&mut self.statistics.received[index], &subscription.endpoint.topic);
        shown.lapsed += 1;
        let text = match silent_for {
            Some(period) => {
                format!("`{topic}`: the liveliness of {node} is lost: it has published nothing for {period:?}")
            }
            None => format!("`{topic}`: the liveliness of {node} is lost: its publisher is gone"),
        };
        // It may have published again already.
        let is_alive = subscription.publishers.as_ref().is_some_and(|known| known.has_alive(&publisher));
        if subscription.last_from == Some(publisher) && !is_alive {
            shown.is_stale = self.topics.received[index].subject.kind == SubjectKind::Representation;
            self.topics.lose(index);
        }
        self.complain(text);
    }

    /// Counts the endpoints of others that match those of the node, and reports those that should
    /// match and do not.
    fn compare(&mut self) {
        let Self { seen, statistics, remarks, services, .. } = self;
        for (shown, end) in statistics.sent.iter_mut().zip(&self.publications) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Subscriber, &end.key));
        }
        for (shown, end) in statistics.received.iter_mut().zip(&self.subscriptions) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Publisher, &end.key));
        }
        for (shown, end) in statistics.served.iter_mut().zip(&self.servers) {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Client, &end.served.key));
        }
        for (index, (shown, end)) in statistics.called.iter_mut().zip(&self.clients).enumerate() {
            shown.peers = end.as_ref().map_or(0, |end| seen.count(EndpointKind::Server, &end.caller.key));
            // Callers are refused at once while nobody serves the service.
            if let Err(reason) = services.serve(index, shown.peers > 0) {
                let name = &self.configuration.call[index].service;
                remarks.tell(format!("`{name}` cannot be called: {reason}"));
            }
        }
        let shown = statistics.served.iter_mut().skip(self.servers.len());
        for (shown, action) in shown.zip(&self.action_servers) {
            shown.peers = action.key().map_or(0, |key| seen.count(EndpointKind::Client, key));
        }
        let shown = statistics.called.iter_mut().skip(self.clients.len());
        for (shown, action) in shown.zip(&self.action_clients) {
            shown.peers = action.key().map_or(0, |key| seen.count(EndpointKind::Server, key));
        }
        let publishers = self.publications.iter().flatten().map(|it| &it.endpoint);
        let subscribers = self.subscriptions.iter().flatten().map(|it| &it.endpoint);
        let servers = self.servers.iter().flatten().map(|it| &it.served.endpoint);
        let clients = self.clients.iter().flatten().map(|it| &it.caller.endpoint);
        let parameters = self.parameters.iter();
        let parameters = parameters.flat_map(|(server, events)| server.endpoints().chain([events.endpoint()]));
        let actions = self.action_servers.iter().flat_map(Action::endpoints);
        let actions = actions.chain(self.action_clients.iter().flat_map(Action::endpoints));
        let own = publishers.chain(subscribers).chain(servers).chain(clients).chain(parameters).chain(actions);
        let is_own = |endpoint: &Endpoint| endpoint.node.session == self.node.session;
        for mismatch in mismatches(own.chain(seen.endpoints())) {
            if is_own(mismatch.from) != is_own(mismatch.to) {
                let text = mismatch.to_string();
                statistics.problem = Some(text.clone());
                remarks.tell(text);
            }
        }
    }
}
