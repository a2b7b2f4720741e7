//! The calls of this robot that the peer answers.

use std::time::{Duration, Instant};

use hemiola_bus::{AnswerError, AnyRequest};

use super::{MOST_CALLS, MOST_HELD};
use crate::ends::{self, Asked, plain};
use crate::patience::Patience;
use crate::session::{Desk, End, Offered, Outgoing, Session};
use crate::wire::{Answer, NoAnswer, Request, Response};

/// A call that the peer must answer.
pub struct Made {
    /// The index of the service among those that are called.
    pub service: usize,
    request: AnyRequest,
    /// The state for repeating the request, if frames may be lost.
    unsure: Option<Unsure>,
}

/// The state of a call whose request or answer may be lost.
struct Unsure {
    /// The request, which is repeated.
    frame: Outgoing,
    /// The time at which it is repeated next.
    again: Instant,
    patience: Patience,
    /// The time at which the call is given up.
    due: Instant,
}

/// The longest time between two repetitions of a request.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Session {
    /// Returns whether the peer answers calls of a service now.
    pub fn answers(&self, service: usize, desk: &Desk) -> bool {
        let asks = self.offers[desk.requests(service)] == Offered::Answered(Answer::Wanted);
        asks && self.passage(End::Answers(service)).is_some()
    }

    /// Returns the number of a service's calls that the peer must answer.
    pub fn calls_made(&self, service: usize) -> usize {
        self.calls.made.values().filter(|made| made.service == service).count()
    }

    /// Returns whether the peer may be sent another request of a service.
    pub fn has_room(&self, service: usize) -> bool {
        self.calls_made(service) < MOST_CALLS && self.calls.held < MOST_HELD
    }

    /// Sends a request to the peer.
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
    pub fn hear_answer(&mut self, response: &Response<'_>, desk: &mut Desk) {
        let Some(Made { service, request, .. }) = self.calls.made.remove(&response.call) else {
            // The answer came twice or too late, or nobody has asked.
            desk.statistics.ignored += 1;
            return;
        };
        let passage = self.passage(End::Answers(service));
        let passed = passage.ok_or_else(|| "its type is no longer known".to_owned());
        let passed = passed.and_then(|passage| passage.pass(response.cdr).map_err(|error| error.to_string()));
        match ends::answer(request, passed.as_deref().map_err(Clone::clone)) {
            Ok(()) => desk.statistics.called[service].answers += 1,
            Err(reason) => desk.miss_call(service, NoAnswer::Refused, &format!("the answer cannot be read: {reason}")),
        }
    }

    /// Handles the peer's reason for not answering a call.
    pub fn hear_refusal(&mut self, call: u64, why: NoAnswer, reason: &str, desk: &mut Desk) {
        let Some(Made { service, request, .. }) = self.calls.made.remove(&call) else {
            desk.statistics.ignored += 1;
            return;
        };
        request.refuse(why.into());
        desk.miss_call(service, why, &plain(reason));
    }

    /// Repeats requests that are not answered yet, where they may have been lost, and gives up
    /// calls whose answers are overdue.
    pub fn remind(&mut self, now: Instant, desk: &mut Desk) {
        // All calls have the same patience, so the first call is the first that is due.
        while self.calls.made.values().next().is_some_and(|made| made.is_over(now))
            && let Some((_, Made { service, request, .. })) = self.calls.made.pop_first()
        {
            request.refuse(AnswerError::TimedOut);
            desk.miss_call(service, NoAnswer::TimedOut, "");
        }
        // Frames that still wait have not even been sent.
        if self.calls.waiting.is_empty() {
            let unsure = self.calls.made.values_mut().filter_map(|made| made.unsure.as_mut());
            let frames: Vec<_> = unsure.filter_map(|unsure| unsure.repeated(now)).collect();
            frames.into_iter().for_each(|frame| self.calls.queue(frame));
        }
    }
}

impl Made {
    /// Returns the time at which the request must be repeated, or the call is given up.
    pub fn due(&self) -> Option<Instant> {
        self.unsure.as_ref().map(|unsure| unsure.again.min(unsure.due))
    }

    fn is_over(&self, now: Instant) -> bool {
        self.unsure.as_ref().is_some_and(|unsure| unsure.due <= now)
    }
}

impl Unsure {
    /// Returns the request if it must be repeated now.
    fn repeated(&mut self, now: Instant) -> Option<Outgoing> {
        if now < self.again {
            return None;
        }
        self.again = self.patience.after(now);
        Some(self.frame.clone())
    }
}
