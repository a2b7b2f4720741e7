//! Messages that whoever publishes sends itself, in place of the links' thread.

use std::time::Instant;

use super::streams::{Peer, Streams};
use super::{Carrier, Link, Todo};
use crate::session::Desk;

impl Link {
    /// Sends what was published of a topic, if that takes about as long as waking the links'
    /// thread: to one peer, which has room and for which nothing waits, if the last message was
    /// small. Returns whether nothing is left to do; otherwise the link needs a turn.
    ///
    /// This calls no code of users but that which writes messages: remarks wait for the next turn,
    /// and an error ends the conversation there.
    pub fn send_at_once(&mut self, topic: usize) -> bool {
        let Self { desk, carrier, has_news, has_calls, received, turned } = self;
        let is_idle = !*has_news && !*has_calls && received.is_none() && !desk.has_changed;
        if !is_idle || !desk.topics.is_small(topic) || !carrier.is_at_rest() {
            return false;
        }
        // Only a rate needs the present time. Nothing else is due, or the links' thread would not
        // sleep.
        let now = desk.topics.sent[topic].configuration.rate.map_or(*turned, |_| Instant::now());
        let mut todo = Todo::default();
        desk.remarks.hold();
        carrier.forward_topic(topic, desk, now, &mut todo);
        let Carrier::Streams(streams) = carrier else { return false };
        let is_sent = streams.write_at_once(desk, now);
        is_sent && !todo.is_more && todo.due.is_none() && !desk.remarks.are_held()
    }
}

impl Carrier {
    /// Returns whether there is one peer, to which can be written at once.
    fn is_at_rest(&self) -> bool {
        match self {
            Self::Streams(streams) => streams.is_at_rest(),
            Self::Datagrams(_) => false,
        }
    }
}

impl Streams {
    fn is_at_rest(&self) -> bool {
        matches!(&self.peers[..], [peer] if !peer.is_marked && peer.is_at_rest())
    }

    /// Writes the waiting frames. Returns whether nothing is left to do; otherwise the peers have a
    /// turn.
    fn write_at_once(&mut self, desk: &mut Desk, now: Instant) -> bool {
        for peer in self.peers.iter_mut().filter(|peer| peer.is_marked) {
            peer.is_marked = !peer.write_at_once(desk, now);
        }
        self.peers.iter().all(|peer| !peer.is_marked)
    }
}

impl Peer {
    /// Returns whether nothing is to be sent to the peer unless it is due, and it has room.
    pub(super) fn is_at_rest(&self) -> bool {
        let is_idle = self.outbox.is_empty() && !self.session.has_frames();
        let has_room = self.is_there && self.is_writable && self.sharing.as_ref().is_none_or(|it| it.is_at_rest());
        is_idle && has_room && self.session.robot().is_some()
    }

    /// Writes the waiting frames once. Returns whether nothing is left to do.
    fn write_at_once(&mut self, desk: &mut Desk, now: Instant) -> bool {
        // What fails here fails again in the peer's turn.
        if self.fill_outbox(now, desk).is_err() {
            return false;
        }
        let is_written = match self.write_piped() {
            Ok(Some(is_written)) => {
                self.is_writable = is_written;
                is_written
            }
            Ok(None) => {
                let parts = self.outbox.parts();
                let left: usize = parts.iter().map(|part| part.len()).sum();
                let Ok(written) = self.stream.write(parts) else { return false };
                self.outbox.advance(written.unwrap_or_default());
                written == Some(left)
            }
            Err(_) => return false,
        };
        // When something is due was known when the thread went to sleep.
        is_written && !self.session.has_frames() && self.session.due() == self.due
    }
}
