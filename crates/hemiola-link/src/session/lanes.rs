//! The messages and values that wait to be sent.

use std::collections::VecDeque;
use std::time::Instant;

use super::Desk;
use super::fragments::{Fragments, Pace};
use super::reliable::Unacknowledged;
use crate::ends::{self, Cdr, Lane, Waiting};
use crate::wire::{self, Frame, Message};

/// The queues of all topics and representations for whom they are sent to: topics take turns.
///
/// What is too long to go as a whole goes in fragments, one message at a time, between which other
/// topics have their turns.
pub struct Lanes {
    lanes: Vec<Lane>,
    /// The bytes that wait in all lanes.
    held: usize,
    /// The lanes in which messages wait, that whose turn is next first.
    turns: VecDeque<usize>,
    /// The length of the longest frame that goes as a whole.
    longest: usize,
    /// The message that is being sent in fragments: its topic has turns as long as others follow.
    long: Option<Fragments>,
    pace: Pace,
    /// Set for each topic whose messages are sent until they are acknowledged.
    is_reliable: Vec<bool>,
    unacknowledged: Unacknowledged,
    /// The cycle or source that is sent whole, by its number, for each topic that is one of its
    /// representations.
    wholes: Vec<Option<usize>>,
    /// The values that are sent before anything else, because they belong together: newer ones do
    /// not replace them any more.
    together: VecDeque<(usize, u64, Waiting)>,
}

/// The most bytes of messages that wait for a peer.
const MOST_HELD: usize = 64 << 20;

impl Lanes {
    pub fn new(desk: &Desk) -> Self {
        let is_reliable = |sent: &ends::Sent| sent.configuration.is_reliable && desk.may_lose_frames();
        // Where frames may be lost, nothing arrives whole.
        let whole_of = |topic| desk.topics.wholes().number_of(topic).filter(|_| !desk.loses_frames());
        Self {
            is_reliable: desk.topics.sent.iter().map(is_reliable).collect(),
            unacknowledged: Unacknowledged::default(),
            lanes: desk.topics.sent.iter().map(|sent| Lane::new(&sent.configuration)).collect(),
            held: 0,
            turns: VecDeque::new(),
            longest: desk.longest_frame,
            long: None,
            pace: Pace::default(),
            wholes: (0..desk.topics.sent.len()).map(whole_of).collect(),
            together: VecDeque::new(),
        }
    }

    /// Sends no more messages until they are acknowledged: the peer cannot do that.
    pub fn rely_on_nothing(&mut self) {
        self.is_reliable.fill(false);
    }

    /// Handles an acknowledgement of the peer. Returns `false` if it is about frames that were
    /// never sent.
    pub fn acknowledge(&mut self, next: u64, later: u64) -> bool {
        self.unacknowledged.acknowledge(next, later)
    }

    /// Returns the topics of the messages, and of parts of messages, that were not acknowledged.
    pub fn unacknowledged(&self) -> impl Iterator<Item = usize> {
        self.unacknowledged.topics()
    }

    /// Queues a message that was published, or a value that was committed here.
    pub fn publish(&mut self, topic: usize, message: Waiting, now: Instant, desk: &mut Desk) {
        let count = desk.statistics.sent(topic);
        let had_turns = self.has_turns(topic);
        self.lanes[topic].push(message, now, (&mut self.held, MOST_HELD), count);
        if !had_turns && self.has_turns(topic) {
            self.turns.push_back(topic);
        }
    }

    /// Returns the queue of a topic whose messages may be sent without waiting in it, if they are
    /// not acknowledged.
    pub fn unreliable(&mut self, topic: usize) -> Option<&mut Lane> {
        if self.is_reliable[topic] { None } else { Some(&mut self.lanes[topic]) }
    }

    /// Removes all messages of a topic, if there is such a topic.
    pub fn clear(&mut self, topic: usize) {
        if let Some(lane) = self.lanes.get_mut(topic) {
            lane.clear(&mut self.held);
            self.long.take_if(|long| long.topic == topic);
            self.turns.retain(|&turn| turn != topic);
        }
    }

    /// Returns from when on a message of a topic is let through that is published now; `None`: at
    /// once.
    pub fn closed_until(&self, topic: usize) -> Option<Instant> {
        self.lanes[topic].closed_until()
    }

    /// Returns whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.together.is_empty()
    }

    /// Appends the next frame to send now to `frame`, up to its CDR, and returns that; `None` if
    /// there is none.
    pub fn next(&mut self, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        if let Some(topic) = self.unacknowledged.send_again(now, frame) {
            desk.statistics.sent(topic).repeated += 1;
            return Some(Cdr::default());
        }
        if let Some((topic, sequence, message)) = self.together.pop_front() {
            return Some(write(topic, sequence, message, desk, frame));
        }
        for _ in 0..self.turns.len() {
            let Some(topic) = self.turns.pop_front() else { break };
            let next = match self.wholes[topic] {
                Some(whole) => self.next_of_whole(whole, now, desk, frame),
                None => self.next_of(topic, now, desk, frame),
            };
            if self.has_turns(topic) {
                self.turns.push_back(topic);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Returns when a message may be sent that is held back now, or is sent again.
    pub fn due(&self) -> Option<Instant> {
        let due = |&topic: &usize| match &self.long {
            _ if self.waits_for_acknowledgement(topic) => None,
            Some(long) if long.topic == topic => self.pace.due(),
            Some(_) if self.is_long(topic) => None,
            _ => self.lanes[topic].due(),
        };
        self.turns.iter().filter_map(due).chain(self.unacknowledged.due()).min()
    }

    /// Takes all waiting values of a cycle or source that is sent whole, and announces them; a
    /// single one is whole by itself.
    fn next_of_whole(&mut self, whole: usize, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        let Self { lanes, held, turns, wholes, together, .. } = self;
        for (topic, lane) in lanes.iter_mut().enumerate().filter(|(topic, _)| wholes[*topic] == Some(whole)) {
            together.extend(lane.pop(now, held).map(|(sequence, message)| (topic, sequence, message)));
        }
        turns.retain(|&topic| wholes[topic] != Some(whole));
        if together.len() > 1 {
            Frame::Together { values: together.len() as u32 }.write(frame);
            return Some(Cdr::default());
        }
        let (topic, sequence, message) = together.pop_front()?;
        Some(write(topic, sequence, message, desk, frame))
    }

    fn next_of(&mut self, topic: usize, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        if self.waits_for_acknowledgement(topic) {
            return None;
        }
        let begin = frame.len();
        if self.long.as_ref().is_none_or(|long| long.topic != topic) {
            if self.long.is_some() && self.is_long(topic) {
                return None;
            }
            let (sequence, message) = self.lanes[topic].pop(now, &mut self.held)?;
            let cdr = write(topic, sequence, message, desk, frame);
            if frame.len() - begin + cdr.len() <= self.longest_of(topic) {
                return Some(self.keep_until_acknowledged(topic, now, (frame, begin), cdr));
            }
            self.long = Some(Fragments::new(topic, sequence, frame.split_off(begin), cdr));
        }
        let long = self.long.as_mut().filter(|_| self.pace.is_due(now))?;
        if !long.write_next(frame) {
            self.long = None;
        }
        self.pace.note(now, frame.len() - begin);
        Some(self.keep_until_acknowledged(topic, now, (frame, begin), Cdr::default()))
    }

    /// Turns what `frame` has from `begin` on, and the CDR behind it, into a frame that is
    /// acknowledged, if its topic is reliable. Returns the CDR that is left.
    fn keep_until_acknowledged(
        &mut self,
        topic: usize,
        now: Instant,
        (frame, begin): (&mut Vec<u8>, usize),
        cdr: Cdr,
    ) -> Cdr {
        if !self.is_reliable[topic] {
            return cdr;
        }
        let mut kept = frame.split_off(begin);
        kept.extend_from_slice(&cdr);
        self.unacknowledged.send(topic, kept, now, frame);
        Cdr::default()
    }

    /// Returns whether nothing of a topic may be sent before the peer has acknowledged something.
    fn waits_for_acknowledgement(&self, topic: usize) -> bool {
        self.is_reliable[topic] && self.unacknowledged.is_full()
    }

    /// Returns the length of the longest frame of a topic that goes as a whole.
    fn longest_of(&self, topic: usize) -> usize {
        if self.is_reliable[topic] { self.longest - wire::RELIABLE_HEAD } else { self.longest }
    }

    fn has_turns(&self, topic: usize) -> bool {
        !self.lanes[topic].is_empty() || self.long.as_ref().is_some_and(|long| long.topic == topic)
    }

    /// Returns whether the next message of a topic is too long to go as a whole.
    fn is_long(&self, topic: usize) -> bool {
        let next = self.lanes[topic].front();
        next.is_some_and(|next| wire::head_length(next.stamp) + next.cdr.len() > self.longest_of(topic))
    }
}

/// Appends the head of a message to `frame`, counts the message, and returns its CDR.
fn write(topic: usize, sequence: u64, message: Waiting, desk: &mut Desk, frame: &mut Vec<u8>) -> Cdr {
    let sent = desk.statistics.sent(topic);
    sent.messages += u64::from(!message.is_news());
    let Waiting { time, stamp, cdr } = message;
    sent.bytes += cdr.len() as u64;
    Message { topic: topic as u32, sequence, time, stamp, cdr: &[] }.write_head(frame);
    cdr
}
