//! The calls of a conversation: those that the peer answers, and those of the peer that are
//! answered here.
//!
//! What is called and not answered yet is bounded, and ends with the conversation. Who calls gives
//! each call a number, and gets one answer or a reason why there is none. Where frames may be lost,
//! requests are repeated until they are answered, and whoever has answered one repeats its answer.

mod given;
mod window;

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_bus::{AnswerError, AnyAnswer, AnyClient, AnyRequest};

use super::{Desk, End, Offered, Outgoing, Session, plain};
use crate::passage::{Passage, contained};
use crate::patience::Patience;
use crate::services::{self, Asked, Unanswered};
use crate::wire::{Answer, Frame, NoAnswer, Request, Response};
use given::Given;
use window::Window;

/// The calls of a conversation.
#[derive(Default)]
pub struct Calls {
    /// The calls that the peer has to answer, by their numbers.
    made: BTreeMap<u64, Made>,
    /// The number of the last of them.
    last: u64,
    /// The calls of the peer that are answered here, by their numbers.
    open: BTreeMap<u64, Open>,
    /// The numbers of the peer's calls that have come.
    come: Window,
    /// The answers that may have been lost.
    given: Given,
    /// The clients that ask for the peer, by the index of the service.
    clients: BTreeMap<usize, Option<AnyClient>>,
    /// The requests and answers that wait to be sent.
    waiting: VecDeque<Outgoing>,
    /// The bytes of these.
    held: usize,
}

/// A call that the peer has to answer.
struct Made {
    /// The index of the service among those that are called.
    service: usize,
    request: AnyRequest,
    /// What is needed if the request or the answer may be lost.
    unsure: Option<Unsure>,
}

/// A call of which the request or the answer may be lost.
struct Unsure {
    /// The request, which is repeated.
    frame: Outgoing,
    /// When it is repeated.
    again: Instant,
    patience: Patience,
    /// When it is too late for the answer.
    due: Instant,
}

/// A call of the peer that is answered here.
struct Open {
    /// The index of the service among those that are served.
    service: usize,
    answer: AnyAnswer,
}

/// The most calls of one service that wait for an answer, in each direction.
pub const MOST_CALLS: usize = 64;
/// The most bytes of requests and answers that wait for a peer.
const MOST_HELD: usize = 64 << 20;
/// The number of requests and answers that wait for a peer beyond which it is refused others.
const MOST_WAITING: usize = 4 * MOST_CALLS;
/// The longest time after which a request is repeated.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Calls {
    /// Returns the next request or answer to send.
    pub fn next(&mut self) -> Option<Outgoing> {
        let next = self.waiting.pop_front()?;
        self.held -= next.cdr.len();
        Some(next)
    }

    /// Returns when the next request is to be repeated, or when it is too late for its answer.
    pub fn due(&self) -> Option<Instant> {
        let unsure = self.made.values().filter_map(|made| made.unsure.as_ref());
        unsure.map(|unsure| unsure.again.min(unsure.due)).min()
    }

    fn queue(&mut self, frame: Outgoing) {
        self.held += frame.cdr.len();
        self.waiting.push_back(frame);
    }
}

/// Calls of this robot, which the peer answers.
impl Session {
    /// Returns whether the peer answers calls of a service now.
    pub fn answers(&self, service: usize, desk: &Desk) -> bool {
        let asks = self.offers[desk.requests(service)] == Offered::Answered(Answer::Wanted);
        asks && self.passage(End::Answers(service)).is_some()
    }

    /// Returns how many calls of a service the peer has to answer.
    pub fn calls_made(&self, service: usize) -> usize {
        self.calls.made.values().filter(|made| made.service == service).count()
    }

    /// Returns whether the peer may be asked for another answer of a service.
    pub fn has_room(&self, service: usize) -> bool {
        self.calls_made(service) < MOST_CALLS && self.calls.held < MOST_HELD
    }

    /// Asks the peer.
    pub fn ask(&mut self, service: usize, asked: Asked, now: Instant, desk: &mut Desk) {
        let Asked { cdr, request } = asked;
        let call = self.calls.last + 1;
        let head = Request { topic: desk.requests(service) as u32, call, cdr: &[] }.head();
        let length = head.len() + cdr.len();
        desk.statistics.called[service].calls += 1;
        if length > desk.longest_frame {
            request.refuse(AnswerError::Refused);
            let why = format!("its request has {length} bytes, of at most {}", desk.longest_frame);
            return desk.miss_call(service, NoAnswer::Refused, &why);
        }
        self.calls.last = call;
        let frame = Outgoing { head, cdr };
        let unsure = desk.answer_patience.map(|time| {
            let mut patience = Patience::up_to(LONGEST_PAUSE);
            Unsure { frame: frame.clone(), again: patience.after(now), patience, due: now + time }
        });
        self.calls.made.insert(call, Made { service, request, unsure });
        self.calls.queue(frame);
    }

    /// Handles an answer of the peer.
    pub(super) fn hear_answer(&mut self, response: &Response<'_>, desk: &mut Desk) {
        let Some(Made { service, request, .. }) = self.calls.made.remove(&response.call) else {
            // It comes twice or too late, or nobody has asked.
            desk.statistics.ignored += 1;
            return;
        };
        let passage = self.passage(End::Answers(service));
        let passed = passage.ok_or_else(|| "its type is not known any more".to_owned());
        let passed = passed.and_then(|passage| passage.pass(response.cdr).map_err(|error| error.to_string()));
        match services::answer(request, passed.as_deref().map_err(Clone::clone)) {
            Ok(()) => desk.statistics.called[service].answers += 1,
            Err(reason) => desk.miss_call(service, NoAnswer::Refused, &format!("the answer cannot be read: {reason}")),
        }
    }

    /// Handles the peer's reason for not answering.
    pub(super) fn hear_refusal(&mut self, call: u64, why: NoAnswer, reason: &str, desk: &mut Desk) {
        let Some(Made { service, request, .. }) = self.calls.made.remove(&call) else {
            desk.statistics.ignored += 1;
            return;
        };
        request.refuse(why.into());
        desk.miss_call(service, why, &plain(reason));
    }

    /// Repeats requests that are not answered yet, where they may have been lost, and ends calls
    /// for whose answers it is too late.
    pub fn remind(&mut self, now: Instant, desk: &mut Desk) {
        // All have the same time, so that the first call is the first that is due.
        while self.calls.made.values().next().is_some_and(|made| made.unsure.as_ref().is_some_and(|it| it.due <= now))
            && let Some((_, Made { service, request, .. })) = self.calls.made.pop_first()
        {
            request.refuse(AnswerError::TimedOut);
            desk.miss_call(service, NoAnswer::TimedOut, "");
        }
        // What waits was not even sent.
        if self.calls.waiting.is_empty() {
            let unsure = self.calls.made.values_mut().filter_map(|made| made.unsure.as_mut());
            let frames: Vec<_> = unsure.filter_map(|unsure| unsure.repeated(now)).collect();
            frames.into_iter().for_each(|frame| self.calls.queue(frame));
        }
    }
}

impl Unsure {
    /// Returns the request, if it is to be repeated now.
    fn repeated(&mut self, now: Instant) -> Option<Outgoing> {
        if now < self.again {
            return None;
        }
        self.again = self.patience.after(now);
        Some(self.frame.clone())
    }
}

/// Calls of the peer, which are answered here.
impl Session {
    /// Returns whether the peer may call a service now.
    pub fn may_call(&self, service: usize) -> bool {
        self.passage(End::Requests(service)).is_some()
    }

    /// Returns how many calls of a service of the peer are not answered yet.
    pub fn calls_open(&self, service: usize) -> usize {
        self.calls.open.values().filter(|open| open.service == service).count()
    }

    /// Handles a request of the peer.
    pub(super) fn hear_request(&mut self, request: &Request<'_>, desk: &mut Desk) {
        if !self.calls.come.is_new(request.call) {
            return self.hear_again(request.call, desk);
        }
        let offered = self.taken.get(&request.topic).map(|taken| (taken.end, taken.passage.as_ref()));
        let Some((End::Requests(service), passage)) = offered else {
            desk.statistics.ignored += 1;
            return self.refuse(request.call, NoAnswer::Ended, "no such service was offered", desk);
        };
        desk.statistics.served[service].calls += 1;
        let asked = match passage {
            // Nobody serves it any more, which the peer did not know yet.
            None => Err((NoAnswer::Ended, "nobody serves it".to_owned())),
            Some(_) if self.calls_open(service) >= MOST_CALLS || self.calls.waiting.len() > MOST_WAITING => {
                Err((NoAnswer::Refused, "as many calls as may wait do".to_owned()))
            }
            Some(passage) => {
                let client = self.calls.clients.entry(service).or_default();
                ask(passage, request.cdr, |cdr| desk.services.ask(service, client, cdr))
            }
        };
        match asked {
            Ok(answer) => _ = self.calls.open.insert(request.call, Open { service, answer }),
            Err((why, reason)) => {
                desk.statistics.served[service].miss(why);
                self.refuse(request.call, why, &reason, desk);
                if why == NoAnswer::Ended && self.may_call(service) {
                    desk.services.served[service].is_served = false;
                    self.put_off(request.topic);
                }
            }
        }
    }

    /// Sends answers that are there by now.
    pub fn pass_answers(&mut self, desk: &mut Desk) {
        let open = self.calls.open.iter_mut();
        let answered = open.filter_map(|(call, open)| Some((*call, services::taken(&mut open.answer)?)));
        for (call, answer) in answered.collect::<Vec<_>>() {
            let Some(Open { service, .. }) = self.calls.open.remove(&call) else { continue };
            let head = Response { call, cdr: &[] }.head();
            let fitting = answer.and_then(|cdr| {
                let length = head.len() + cdr.len();
                if length > desk.longest_frame {
                    let reason = format!("its answer has {length} bytes, of at most {}", desk.longest_frame);
                    return Err((NoAnswer::Refused, reason));
                }
                if self.calls.held + cdr.len() > MOST_HELD.max(cdr.len()) {
                    return Err((NoAnswer::Refused, "as many answers as may wait do".to_owned()));
                }
                Ok(cdr)
            });
            let count = &mut desk.statistics.served[service];
            match fitting {
                Ok(cdr) => {
                    count.answers += 1;
                    let frame = Outgoing { head, cdr };
                    self.calls.given.note(call, &frame, desk.answer_patience.is_some());
                    self.calls.queue(frame);
                }
                Err((why, reason)) => {
                    count.miss(why);
                    self.refuse(call, why, &reason, desk);
                }
            }
        }
    }

    /// Handles a request that has come before: its answer was lost, or it is not there yet.
    fn hear_again(&mut self, call: u64, desk: &mut Desk) {
        let is_open = desk.answer_patience.is_some() && self.calls.open.contains_key(&call);
        match self.calls.given.of(call) {
            Some(frame) if self.calls.waiting.len() <= MOST_WAITING => self.calls.queue(frame),
            None if !is_open => desk.statistics.ignored += 1,
            _ => {}
        }
    }

    fn refuse(&mut self, call: u64, why: NoAnswer, reason: &str, desk: &Desk) {
        let mut head = Vec::new();
        Frame::Refusal { call, why, reason: crate::wire::shortened(reason) }.write(&mut head);
        self.calls.given.note(
            call,
            &Outgoing { head: head.clone(), cdr: Arc::default() },
            desk.answer_patience.is_some(),
        );
        self.sayings.push_back(head);
    }
}

impl Session {
    /// Ends all calls with the conversation: whoever waits for the peer's answers knows at once,
    /// and what the peer has asked is not served any more unless that has begun.
    pub fn end_calls(&mut self, desk: &mut Desk) {
        let Calls { made, open, clients, .. } = mem::take(&mut self.calls);
        made.values().for_each(|made| desk.statistics.called[made.service].miss(NoAnswer::Ended));
        open.values().for_each(|open| desk.statistics.served[open.service].miss(NoAnswer::Ended));
        // Requests and answers are of users' types.
        _ = contained(move || drop((made, open, clients)));
    }

    fn passage(&self, end: End) -> Option<&Passage> {
        self.taken.values().find(|taken| taken.end == end)?.passage.as_ref()
    }
}

fn ask(
    passage: &Passage,
    cdr: &[u8],
    ask: impl FnOnce(&[u8]) -> Result<AnyAnswer, Unanswered>,
) -> Result<AnyAnswer, Unanswered> {
    let request = passage.pass(cdr).map_err(|error| (NoAnswer::Refused, format!("it cannot be read: {error}")))?;
    ask(&request)
}

#[cfg(test)]
mod tests;
