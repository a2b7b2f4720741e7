//! The statistics of a link that are not counted when something happens.

use std::mem;

use super::Carrier;
use crate::session::Desk;

impl Carrier {
    /// Updates the statistics that are not counted when something happens: unreadable values, calls
    /// in flight and, if they may have changed, the present peers and topics.
    pub fn count(&mut self, desk: &mut Desk, has_changed: bool) {
        if has_changed || mem::take(&mut desk.has_old_clocks) {
            for topic in 0..desk.topics.received.len() {
                desk.statistics.received[topic].unreadable += desk.topics.take_unreadable(topic);
            }
            desk.statistics.clocks.clear();
            self.each_session(&mut |session| {
                let clock = session.clock(desk);
                desk.statistics.clocks.extend(clock);
            });
        }
        if has_changed {
            self.count_ends(desk);
        }
        if desk.services.any() {
            self.count_calls(desk);
        }
    }

    fn count_ends(&mut self, desk: &mut Desk) {
        let statistics = &mut desk.statistics;
        statistics.peers.clear();
        for (sent, topic) in statistics.sent.iter_mut().zip(&desk.topics.sent) {
            sent.is_there = topic.schema.is_some();
        }
        for (received, topic) in statistics.received.iter_mut().zip(&desk.topics.received) {
            (received.peers, received.is_there) = (0, topic.descriptor.is_some());
        }
        self.each_session(&mut |session| {
            statistics.peers.extend(session.peer());
            for (topic, received) in statistics.received.iter_mut().enumerate() {
                received.peers += usize::from(session.brings(topic));
            }
        });
        if !statistics.peers.is_empty() {
            desk.note_met();
        }
    }

    fn count_calls(&mut self, desk: &mut Desk) {
        let statistics = &mut desk.statistics;
        for (served, service) in statistics.served.iter_mut().zip(&desk.services.served) {
            (served.peers, served.in_flight, served.is_there) = (0, 0, service.can_be_called());
        }
        for (called, service) in statistics.called.iter_mut().zip(&desk.services.called) {
            (called.in_flight, called.is_there) = (0, service.types.is_some());
        }
        self.each_session(&mut |session| {
            for (service, served) in statistics.served.iter_mut().enumerate() {
                served.peers += usize::from(session.may_call(service));
                served.in_flight += session.calls_open(service) as u64;
            }
            for (service, called) in statistics.called.iter_mut().enumerate() {
                called.in_flight += session.calls_made(service) as u64;
            }
        });
    }
}
