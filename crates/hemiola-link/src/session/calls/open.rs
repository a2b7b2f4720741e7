//! The calls of the peer that are answered here.

use hemiola_bus::AnyAnswer;

use super::{MOST_CALLS, MOST_HELD, MOST_WAITING};
use crate::ends::{self, Cdr, Unanswered};
use crate::passage::Passage;
use crate::session::{Desk, End, Outgoing, Session};
use crate::wire::{self, Frame, NoAnswer, Request, Response};

/// A call of the peer that is answered here.
pub struct Open {
    /// The index of the service among those that are served.
    pub service: usize,
    answer: AnyAnswer,
}

impl Session {
    /// Returns whether the peer may call a service now.
    pub fn may_call(&self, service: usize) -> bool {
        self.passage(End::Requests(service)).is_some()
    }

    /// Returns the number of calls of a service by the peer that are not answered yet.
    pub fn calls_open(&self, service: usize) -> usize {
        self.calls.open.values().filter(|open| open.service == service).count()
    }

    /// Handles a request of the peer.
    pub fn hear_request(&mut self, request: &Request<'_>, desk: &mut Desk) {
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
            // The server has ended, which the peer did not know yet.
            None => Err((NoAnswer::Ended, "nobody serves it".to_owned())),
            Some(_) if self.calls_open(service) >= MOST_CALLS || self.calls.waiting.len() > MOST_WAITING => {
                Err((NoAnswer::Refused, "too many calls are waiting".to_owned()))
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

    /// Sends the answers that have become available.
    pub fn pass_answers(&mut self, desk: &mut Desk) {
        let open = self.calls.open.iter_mut();
        let answered = open.filter_map(|(call, open)| Some((*call, ends::taken(&mut open.answer)?)));
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
                    return Err((NoAnswer::Refused, "too many answers are waiting".to_owned()));
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

    /// Handles a repeated request: its answer was lost, or is not available yet.
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
        Frame::Refusal { call, why, reason: wire::shortened(reason) }.write(&mut head);
        let refusal = Outgoing { head: head.clone(), cdr: Cdr::default() };
        self.calls.given.note(call, &refusal, desk.answer_patience.is_some());
        self.sayings.push_back(head);
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
