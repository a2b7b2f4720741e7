//! A conversation with one peer: its state, and what waits to be sent. It knows no sockets and
//! reads no clock: its input and output are frames.

mod arrivals;
mod calls;
mod clock;
mod desk;
mod fragments;
mod lanes;
mod parting;
mod reliable;

use arrivals::Coming;
use calls::Calls;
pub use clock::{ClockDifference, PeerClock};
pub use desk::{Desk, End, Offering};
pub use lanes::Lanes;
pub use parting::Parting;
use reliable::Arrived;

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::time::Instant;

use hemiola_model::Time;

use crate::ends::{Cdr, Contents, Lane, Waiting, plain};
use crate::passage::{OfferedType, Passage};
use crate::statistics::{ClockOffset, LinkPeer};
use crate::wire::{self, Answer, Assembly, Frame, Offer, OfferKind};

/// A conversation with a peer.
pub struct Session {
    /// The peer's name; `None` until it has said hello.
    robot: Option<String>,
    /// The time at which the peer said hello.
    since: Time,
    /// The version of the protocol that this side speaks here: the latest until the peer has said
    /// that it knows an earlier one.
    version: u32,
    /// Set while hello is to be sent, before anything else.
    owes_hello: bool,
    /// Frames that are sent before messages, without their lengths.
    sayings: VecDeque<Vec<u8>>,
    /// The peer's clock, if something with time stamps is received.
    clock: Option<PeerClock>,
    /// The state of each thing that is sent, by its number.
    offers: Vec<Offered>,
    lanes: Lanes,
    /// The offers of the peer that are received, by the peer's numbers.
    taken: BTreeMap<u32, Taken>,
    assembly: Assembly,
    arrived: Arrived,
    calls: Calls,
    /// The values of the peer that belong together, of which some have not arrived.
    together: Option<Coming>,
    /// The CDR of frames that have none.
    no_cdr: Cdr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offered {
    NotYet,
    Unanswered,
    Answered(Answer),
}

/// An offer of the peer that is received.
struct Taken {
    end: End,
    offer: OfferedType,
    answer: Answer,
    reason: String,
    passage: Option<Passage>,
    /// The number of the last message; `None` before the first one in a group, whose members may
    /// have sent others before.
    sequence: Option<u64>,
}

/// A frame that waits to be sent, in two parts, so that what it carries is not copied.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The whole frame, or the part of it before the CDR.
    pub head: Vec<u8>,
    /// The CDR that the frame carries; empty if it carries none.
    pub cdr: Cdr,
}

/// The most frames that wait before messages: a peer that asks for more without reading is refused.
const MOST_SAYINGS: usize = wire::MOST_OFFERS as usize;

impl Session {
    /// Begins a conversation with a hello.
    pub fn new(desk: &Desk) -> Self {
        Self {
            robot: None,
            since: Time::ZERO,
            version: *desk.versions.end(),
            owes_hello: true,
            sayings: VecDeque::new(),
            clock: desk.topics.receives_stamps().then(PeerClock::default),
            offers: vec![Offered::NotYet; desk.offerings()],
            lanes: Lanes::new(desk),
            taken: BTreeMap::new(),
            assembly: Assembly::default(),
            arrived: Arrived::default(),
            calls: Calls::default(),
            together: None,
            no_cdr: Cdr::default(),
        }
    }

    /// Notes the version that the peer's hello has: this side says no later one from now on.
    pub fn note_version(&mut self, version: u32, desk: &Desk) {
        self.version = version.clamp(*desk.versions.start(), *desk.versions.end());
        if self.version < wire::VERSION_WITH_ACKNOWLEDGEMENTS {
            self.lanes.rely_on_nothing();
        }
    }

    /// Returns the peer's name, or `None` until it has said hello.
    pub fn robot(&self) -> Option<&str> {
        self.robot.as_deref()
    }

    /// Returns the peer as the statistics show it, or `None` until it has said hello.
    pub fn peer(&self) -> Option<LinkPeer> {
        self.robot.clone().map(|name| LinkPeer { name, since: self.since })
    }

    /// Returns whether the peer wants a topic that is sent.
    pub fn wants(&self, topic: usize) -> bool {
        self.offers[topic] == Offered::Answered(Answer::Wanted)
    }

    /// Returns whether this is a message of the peer that is received here, or a fragment of one.
    pub fn takes(&self, frame: &Frame<'_>) -> bool {
        let topic = match frame {
            Frame::Message(message) => message.topic,
            Frame::Fragment(fragment) => fragment.topic,
            _ => return false,
        };
        self.taken.get(&topic).is_some_and(|taken| taken.passage.is_some())
    }

    /// Returns whether the peer sends a topic that is received.
    pub fn brings(&self, topic: usize) -> bool {
        self.taken.values().any(|taken| taken.end == End::Received(topic) && taken.passage.is_some())
    }

    /// Ends the subjects of this conversation: pending calls get no answer, and a last value
    /// becomes stale if none of the conversations that are `left` brings it.
    pub fn end<'s>(&mut self, left: impl Iterator<Item = &'s Self> + Clone, desk: &mut Desk) {
        self.end_calls(desk);
        self.lanes.unacknowledged().for_each(|topic| desk.statistics.sent[topic].unacknowledged += 1);
        for topic in 0..desk.topics.received.len() {
            if self.brings(topic) && !left.clone().any(|session| session.brings(topic)) {
                desk.lose(topic);
            }
        }
    }

    /// Returns the difference between the peer's clock and the robot's, as far as it is known.
    pub fn clock(&self, desk: &Desk) -> Option<ClockOffset> {
        let ahead = self.clock.as_ref()?.ahead(desk.topics.now().nanoseconds())?;
        Some(ClockOffset { robot: self.robot.clone()?, ahead_ns: ahead.by, error_ns: ahead.error })
    }

    /// Handles a frame of the peer.
    ///
    /// # Errors
    /// Returns an error if the conversation ends with this frame.
    pub fn hear(&mut self, frame: Frame<'_>, desk: &mut Desk) -> Result<(), Parting> {
        // All other frames may change which peers are there, and what they want or bring.
        desk.has_changed |= !matches!(
            frame,
            Frame::Message(_)
                | Frame::Fragment(_)
                | Frame::Reliable(_)
                | Frame::Acknowledgement { .. }
                | Frame::Together { .. }
                | Frame::Request(_)
                | Frame::Response(_)
                | Frame::Refusal { .. }
                | Frame::Ping { .. }
                | Frame::Pong { .. }
        );
        match frame {
            Frame::Hello { version, .. } if !desk.versions.contains(&version) => {
                return Err(Parting::Version { there: version, here: *desk.versions.end() });
            }
            Frame::Hello { version, robot } => {
                self.note_version(version, desk);
                self.meet(robot, desk);
            }
            Frame::Goodbye { reason } => return Err(Parting::Goodbye(plain(reason))),
            _ if self.robot.is_none() => return Err(Parting::NoHello),
            Frame::Offer(offer) => self.consider(&offer, desk),
            Frame::Answer { topic, answer, reason } => self.learn(topic, answer, reason, desk),
            Frame::Message(message) => self.take(&message, Contents::Own(message.cdr), desk),
            Frame::Fragment(fragment) => self.gather(&fragment, desk)?,
            Frame::Reliable(reliable) => self.take_in_order(&reliable, desk)?,
            Frame::Acknowledgement { next, later } => {
                desk.statistics.ignored += u64::from(!self.lanes.acknowledge(next, later));
            }
            Frame::Together { values } => self.expect_together(values),
            Frame::Request(request) => self.hear_request(&request, desk),
            Frame::Response(response) => self.hear_answer(&response, desk),
            Frame::Refusal { call, why, reason } => self.hear_refusal(call, why, reason, desk),
            Frame::Memory { .. }
            | Frame::Lent(_)
            | Frame::Returned
            | Frame::Pipe(_)
            | Frame::Piped
            | Frame::Keeps { .. } => {
                return Err(Parting::Memory("this side has none; use `shm:` on both sides".to_owned()));
            }
            Frame::Ping { left } => {
                let now = desk.topics.now().nanoseconds();
                self.say(&Frame::Pong { left, arrived: now, answered: now });
            }
            Frame::Pong { left, arrived, answered } => {
                desk.has_old_clocks = true;
                let back = desk.topics.now().nanoseconds();
                self.clock.iter_mut().for_each(|clock| clock.learn([left, arrived, answered, back]));
            }
        }
        if self.sayings.len() > MOST_SAYINGS { Err(Parting::DoesNotListen) } else { Ok(()) }
    }

    /// Handles new topics and services of this robot: offers them, and answers the offers that wait
    /// for them.
    pub fn look(&mut self, desk: &mut Desk) {
        if self.robot.is_none() {
            return;
        }
        for topic in 0..self.offers.len() {
            if self.offers[topic] == Offered::NotYet {
                self.say_offer(topic, desk);
            }
        }
        let is_due = |(_, taken): &(&u32, &Taken)| taken.answer == Answer::Later && desk.is_there(taken.end);
        let due: Vec<_> = self.taken.iter().filter(is_due).map(|(number, _)| *number).collect();
        due.into_iter().for_each(|number| self.decide(number, desk));
    }

    /// Repeats frames that may have been lost: the hello, and offers that have no final answer.
    pub fn repeat(&mut self, desk: &mut Desk) {
        if self.owes_hello || !self.sayings.is_empty() {
            return;
        }
        self.owes_hello = true;
        for topic in 0..self.offers.len() {
            if matches!(self.offers[topic], Offered::Unanswered | Offered::Answered(Answer::Later)) {
                self.say_offer(topic, desk);
            }
        }
    }

    /// Queues a message that was published here, or a value that was committed here.
    pub fn publish(&mut self, topic: usize, message: Waiting, now: Instant, desk: &mut Desk) {
        let length = wire::head_length(message.stamp) + message.cdr.len();
        if length > desk.longest_frame && self.version < wire::VERSION_WITH_FRAGMENTS {
            desk.statistics.sent[topic].unsendable += 1;
            let name = &desk.topics.sent[topic].configuration.subject.name;
            let robot = self.robot.as_deref().unwrap_or_default();
            return desk.complain(format!(
                "a message of `{name}` has {length} bytes, and `{robot}` takes datagrams of {} bytes only: update it, \
                 or use `tcp:`",
                desk.longest_frame
            ));
        }
        let sent = &desk.topics.sent[topic].configuration;
        if sent.is_reliable && desk.may_lose_frames() && self.version < wire::VERSION_WITH_ACKNOWLEDGEMENTS {
            let robot = self.robot.as_deref().unwrap_or_default();
            let text = format!(
                "`{}` is not sent reliably to `{robot}`, which acknowledges nothing: update it",
                sent.subject.name
            );
            desk.complain(text);
        }
        self.lanes.publish(topic, message, now, desk);
    }

    /// Returns the time before which a message of a topic is not let through; `None` if messages
    /// are let through now.
    pub fn closed_until(&self, topic: usize) -> Option<Instant> {
        self.lanes.closed_until(topic)
    }

    /// Returns the queue of a topic, if the peer wants its messages and does not acknowledge them.
    pub fn lane(&mut self, topic: usize) -> Option<&mut Lane> {
        if self.wants(topic) { self.lanes.unreliable(topic) } else { None }
    }

    /// Returns whether there may be a frame to send.
    pub fn has_frames(&self) -> bool {
        let owes = self.owes_hello || self.arrived.owes_acknowledgement();
        owes || !self.sayings.is_empty() || self.calls.has_frames() || !self.lanes.is_empty()
    }

    /// Appends the next frame that may be sent now to `frame`, up to its CDR, and returns the CDR;
    /// `None` if there is none. Requests and answers go before messages, whose topics take turns;
    /// all other frames go before these.
    pub fn next(&mut self, now: Instant, desk: &mut Desk, frame: &mut Vec<u8>) -> Option<Cdr> {
        if self.robot.is_some()
            && let Some(clock) = self.clock.as_mut().filter(|clock| clock.is_due(now))
        {
            let left = desk.topics.now().nanoseconds();
            clock.ask(now, left);
            desk.has_old_clocks = true;
            self.say(&Frame::Ping { left });
        }
        if mem::take(&mut self.owes_hello) {
            Frame::Hello { version: self.version, robot: wire::shortened(&desk.robot) }.write(frame);
            return Some(self.no_cdr.clone());
        }
        if let Some(saying) = self.sayings.pop_front() {
            frame.extend_from_slice(&saying);
            return Some(self.no_cdr.clone());
        }
        if self.arrived.acknowledge(frame) {
            return Some(self.no_cdr.clone());
        }
        if let Some(Outgoing { head, cdr }) = self.calls.next() {
            frame.extend_from_slice(&head);
            return Some(cdr);
        }
        self.lanes.next(now, desk, frame)
    }

    /// Returns the time at which a message that is held back now may be sent, a ping is due, or a
    /// request must be repeated.
    pub fn due(&self) -> Option<Instant> {
        let ping = self.clock.as_ref().filter(|_| self.robot.is_some()).and_then(PeerClock::due);
        [self.lanes.due(), ping, self.calls.due()].into_iter().flatten().min()
    }

    fn say(&mut self, frame: &Frame<'_>) {
        let mut bytes = Vec::new();
        frame.write(&mut bytes);
        self.sayings.push_back(bytes);
    }

    fn say_offer(&mut self, number: usize, desk: &mut Desk) {
        let Some(Offering { kind, name, schema: Some(schema) }) = desk.offering(number) else { return };
        let mut offer = Vec::new();
        Frame::Offer(Offer {
            topic: number as u32,
            kind,
            name,
            schema: &schema.name,
            hash: &schema.type_hash,
            definition: &schema.text,
        })
        .write(&mut offer);
        if offer.len() <= desk.longest_offer {
            self.offers[number] = Offered::Unanswered;
            return self.sayings.push_back(offer);
        }
        self.offers[number] = Offered::Answered(Answer::Misfit);
        let text = format!(
            "`{name}` cannot be offered: its definition has {} bytes, of at most {}",
            offer.len(),
            desk.longest_offer
        );
        desk.complain(text);
    }

    fn say_answer(&mut self, topic: u32, answer: Answer, reason: &str) {
        self.say(&Frame::Answer { topic, answer, reason: wire::shortened(reason) });
    }

    fn meet(&mut self, robot: &str, desk: &mut Desk) {
        if self.robot.is_none() {
            let robot = plain(robot);
            desk.statistics.met += 1;
            desk.statistics.problem = None;
            desk.tell(format!("`{robot}` has connected"));
            (self.robot, self.since) = (Some(robot), desk.topics.now());
            self.look(desk);
        }
    }

    /// Handles an offer of the peer.
    fn consider(&mut self, offer: &Offer<'_>, desk: &mut Desk) {
        let Some(end) = desk.end_for(offer.kind, offer.name) else {
            self.taken.remove(&offer.topic);
            return self.say_answer(offer.topic, Answer::Unknown, "");
        };
        let [schema, hash, definition] = [offer.schema, offer.hash, offer.definition].map(str::to_owned);
        let kept = OfferedType { schema, hash, definition };
        if let Some(taken) = self.taken.get(&offer.topic)
            && (taken.end, &taken.offer) == (end, &kept)
            && taken.answer != Answer::Later
        {
            let (answer, reason) = (taken.answer, taken.reason.clone());
            return self.say_answer(offer.topic, answer, &reason);
        }
        // A topic has one number at a time, so that no more is kept than robot.toml names.
        self.taken.retain(|_, taken| taken.end != end);
        self.assembly.forget(offer.topic, u64::MAX);
        let reason = String::new();
        let sequence = (!desk.is_group).then_some(0);
        let taken = Taken { end, offer: kept, answer: Answer::Later, reason, passage: None, sequence };
        self.taken.insert(offer.topic, taken);
        self.decide(offer.topic, desk);
    }

    /// Decides on an offer, and answers it.
    fn decide(&mut self, number: u32, desk: &mut Desk) {
        let Some(taken) = self.taken.get_mut(&number) else { return };
        let Some(passage) = desk.passage(taken.end, &taken.offer) else {
            return self.say_answer(number, Answer::Later, "");
        };
        let robot = self.robot.as_deref().unwrap_or_default();
        let name = desk.name(taken.end);
        match passage {
            Ok((passage, remarks)) => {
                (taken.answer, taken.passage) = (Answer::Wanted, Some(passage));
                let about = format!("`{name}` of `{robot}`");
                remarks.into_iter().for_each(|remark| desk.tell(format!("{about}: {}", plain(&remark))));
            }
            Err(reason) => {
                let reason = plain(&reason);
                (taken.answer, taken.reason) = (Answer::Misfit, reason.clone());
                let what = match taken.end {
                    End::Received(_) => format!("`{name}` of `{robot}` is not received"),
                    End::Requests(_) => format!("`{robot}` cannot call `{name}`"),
                    End::Answers(_) => format!("`{name}` of `{robot}` cannot be called"),
                };
                desk.complain(format!("{what}: {reason}"));
            }
        }
        let (answer, reason) = (taken.answer, taken.reason.clone());
        self.say_answer(number, answer, &reason);
    }

    /// Notifies the peer that its offer is not wanted any more; another answer follows.
    fn put_off(&mut self, number: u32) {
        if let Some(taken) = self.taken.get_mut(&number) {
            (taken.answer, taken.passage) = (Answer::Later, None);
            self.say_answer(number, Answer::Later, "");
        }
    }

    /// Handles the peer's answer to an offer.
    fn learn(&mut self, topic: u32, answer: Answer, reason: &str, desk: &mut Desk) {
        let index = topic as usize;
        let Some((offered, Offering { kind, name, .. })) = self.offers.get_mut(index).zip(desk.offering(index)) else {
            desk.statistics.ignored += 1;
            return;
        };
        if *offered == Offered::NotYet {
            desk.statistics.ignored += 1;
            return;
        }
        *offered = Offered::Answered(answer);
        let robot = self.robot.as_deref().unwrap_or_default();
        let does_not = match kind {
            OfferKind::Topic | OfferKind::Representation => format!("`{robot}` does not receive `{name}`"),
            OfferKind::ServiceRequests => format!("`{robot}` does not serve `{name}`"),
            OfferKind::ServiceAnswers => format!("`{robot}` does not call `{name}`"),
        };
        match answer {
            Answer::Wanted => return,
            Answer::Misfit => desk.complain(format!("{does_not}: {}", plain(reason))),
            Answer::Unknown => desk.tell(does_not),
            Answer::Later => {}
        }
        self.lanes.clear(index);
    }
}

#[cfg(test)]
mod tests;
