//! Messages that whoever publishes sends itself, in place of the links' thread.

use std::time::Instant;

use super::streams::Peer;
use super::{Carrier, Link, note_dropped, note_unsendable, skip};
use crate::session::Desk;
use crate::wire::Message;

/// The most messages that are sent one after the other in place of the links' thread.
const MOST: usize = 16;

impl Link {
    /// Sends what was published of a topic, if that takes about as long as waking the links'
    /// thread: to one peer, which has room and for which nothing waits, if the last message was
    /// small. Returns whether nothing is left to do; otherwise the link needs a turn.
    ///
    /// Such a message need not wait in a queue for the peer: it is written where the bytes of
    /// frames are, behind the head of its frame.
    ///
    /// This calls no code of users but that which writes messages: remarks wait for the next turn,
    /// and an error ends the conversation there.
    pub fn send_at_once(&mut self, topic: usize) -> bool {
        let Self { desk, carrier, has_news, has_calls, received, turned } = self;
        let is_idle = !*has_news && !*has_calls && received.is_none() && !desk.has_changed;
        let Carrier::Streams(streams) = carrier else { return false };
        let [peer] = &mut streams.peers[..] else { return false };
        if !is_idle || !desk.topics.is_small(topic) || peer.is_marked || !peer.is_at_rest() {
            return false;
        }
        // Only a rate needs the present time. Nothing else is due, or the links' thread would not
        // sleep.
        let now = desk.topics.sent[topic].configuration.rate.map_or(*turned, |_| Instant::now());
        desk.remarks.hold();
        let is_over = peer.send_messages(topic, now, desk);
        note_dropped(topic, desk);
        is_over && !desk.remarks.are_held()
    }
}

impl Peer {
    /// Returns whether nothing is to be sent to the peer unless it is due, and it has room.
    pub(super) fn is_at_rest(&self) -> bool {
        let is_idle = self.outbox.is_empty() && !self.session.has_frames();
        let has_room = self.is_there && self.is_writable && self.sharing.as_ref().is_none_or(|it| it.is_at_rest());
        is_idle && has_room && self.session.robot().is_some()
    }

    /// Sends the messages of a topic one by one, as far as they are let through now and there is
    /// room. Returns whether none is left.
    fn send_messages(&mut self, topic: usize, now: Instant, desk: &mut Desk) -> bool {
        for _ in 0..MOST {
            let Some(lane) = self.session.lane(topic) else { return false };
            let Some(sequence) = lane.number_at_once(now) else {
                // The newest one waits until it is due; of several, those that come too early are
                // skipped.
                return lane.keeps_several() && skip(topic, desk);
            };
            let added = self.outbox.add(|frame| {
                desk.topics.append_next(topic, frame, |time, stamp, frame| {
                    Message { topic: topic as u32, sequence, time, stamp, cdr: &[] }.write_head(frame);
                })
            });
            match added {
                None => return true,
                Some(None) => note_unsendable(topic, desk),
                Some(Some(length)) => {
                    let is_news = length == 0;
                    lane.note_sent_at_once(is_news, now);
                    self.is_marked = !self.write_at_once();
                    let sent = desk.statistics.sent(topic);
                    (sent.messages, sent.bytes) = (sent.messages + u64::from(!is_news), sent.bytes + length as u64);
                    if self.is_marked {
                        return false;
                    }
                }
            }
        }
        false
    }

    /// Writes the bytes that wait once. Returns whether none is left.
    fn write_at_once(&mut self) -> bool {
        // What fails here fails again in the peer's turn.
        match self.write_piped() {
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
            Err(_) => false,
        }
    }
}
