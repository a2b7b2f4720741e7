//! The messages and values that wait to be sent.

use std::collections::VecDeque;
use std::time::Instant;

use super::Desk;
use super::fragments::{Fragments, Pace};
use crate::ends::{Cdr, Lane, Waiting};
use crate::wire::{self, Message};

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
}

/// The most bytes of messages that wait for a peer.
const MOST_HELD: usize = 64 << 20;

impl Lanes {
    pub fn new(desk: &Desk) -> Self {
        Self {
            lanes: desk.topics.sent.iter().map(|sent| Lane::new(&sent.configuration)).collect(),
            held: 0,
            turns: VecDeque::new(),
            longest: desk.longest_frame,
            long: None,
            pace: Pace::default(),
        }
    }

    /// Queues a message that was published, or a value that was committed here.
    pub fn publish(&mut self, topic: usize, message: Waiting, now: Instant, desk: &mut Desk) {
        let count = &mut desk.statistics.sent[topic];
        let had_turns = self.has_turns(topic);
        self.lanes[topic].push(message, now, (&mut self.held, MOST_HELD), count);
        if !had_turns && self.has_turns(topic) {
            self.turns.push_back(topic);
        }
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
        self.turns.is_empty()
    }

    /// Appends the next frame to send now to `frame`, up to its CDR, and returns that; `None` if
    /// there is none.
    pub fn next(&mut self, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        for _ in 0..self.turns.len() {
            let Some(topic) = self.turns.pop_front() else { break };
            let next = self.next_of(topic, now, desk, frame);
            if self.has_turns(topic) {
                self.turns.push_back(topic);
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Returns when a message may be sent that is held back now.
    pub fn due(&self) -> Option<Instant> {
        let due = |&topic: &usize| match &self.long {
            Some(long) if long.topic == topic => self.pace.due(),
            Some(_) if self.is_long(topic) => None,
            _ => self.lanes[topic].due(),
        };
        self.turns.iter().filter_map(due).min()
    }

    fn next_of(&mut self, topic: usize, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        if self.long.as_ref().is_none_or(|long| long.topic != topic) {
            if self.long.is_some() && self.is_long(topic) {
                return None;
            }
            let (sequence, message) = self.lanes[topic].pop(now, &mut self.held)?;
            let sent = &mut desk.statistics.sent[topic];
            sent.messages += u64::from(!message.is_news());
            let Waiting { time, stamp, cdr } = message;
            sent.bytes += cdr.len() as u64;
            let begin = frame.len();
            Message { topic: topic as u32, sequence, time, stamp, cdr: &[] }.write_head(frame);
            if frame.len() - begin + cdr.len() <= self.longest {
                return Some(cdr);
            }
            self.long = Some(Fragments::new(topic, sequence, frame.split_off(begin), cdr));
        }
        let long = self.long.as_mut().filter(|_| self.pace.is_due(now))?;
        let begin = frame.len();
        if !long.write_next(frame) {
            self.long = None;
        }
        self.pace.note(now, frame.len() - begin);
        Some(Cdr::default())
    }

    fn has_turns(&self, topic: usize) -> bool {
        !self.lanes[topic].is_empty() || self.long.as_ref().is_some_and(|long| long.topic == topic)
    }

    /// Returns whether the next message of a topic is too long to go as a whole.
    fn is_long(&self, topic: usize) -> bool {
        let next = self.lanes[topic].front();
        next.is_some_and(|next| wire::head_length(next.stamp) + next.cdr.len() > self.longest)
    }
}
