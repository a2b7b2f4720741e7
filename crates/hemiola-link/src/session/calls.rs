//! The calls of a conversation: those that the peer answers, and those of the peer that are
//! answered here.
//!
//! The number of unanswered calls is bounded, and they end with the conversation. The caller gives
//! each call a number, and gets one answer or a reason why there is none. Where frames may be lost,
//! the caller repeats requests until they are answered, and the other side repeats its answers.

mod given;
mod made;
mod open;
mod window;

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::time::Instant;

use hemiola_bus::AnyClient;

use super::{Desk, End, Outgoing, Session};
use crate::ends::contained;
use crate::passage::Passage;
use crate::wire::NoAnswer;
use given::Given;
use made::Made;
use open::Open;
use window::Window;

/// The calls of a conversation.
#[derive(Default)]
pub struct Calls {
    /// The calls that the peer must answer, by their numbers.
    made: BTreeMap<u64, Made>,
    /// The number of the last call in `made`.
    last: u64,
    /// The calls of the peer that are answered here, by their numbers.
    open: BTreeMap<u64, Open>,
    /// The numbers of the peer's calls that have arrived.
    come: Window,
    /// The last answers, which may have been lost.
    given: Given,
    /// The clients that act for the peer here, by the index of the service.
    clients: BTreeMap<usize, Option<AnyClient>>,
    /// The requests and answers that wait to be sent.
    waiting: VecDeque<Outgoing>,
    /// The number of bytes of these.
    held: usize,
}

/// The most calls of one service that wait for an answer, in each direction.
pub const MOST_CALLS: usize = 64;
/// The most bytes of requests and answers that wait for a peer.
const MOST_HELD: usize = 64 << 20;
/// The number of waiting requests and answers above which further requests of a peer are refused.
const MOST_WAITING: usize = 4 * MOST_CALLS;

impl Calls {
    /// Returns the next request or answer to send.
    pub fn next(&mut self) -> Option<Outgoing> {
        let next = self.waiting.pop_front()?;
        self.held -= next.cdr.len();
        Some(next)
    }

    /// Returns whether a request or an answer waits to be sent.
    pub fn has_frames(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the time at which the next request must be repeated, or a call is given up.
    pub fn due(&self) -> Option<Instant> {
        self.made.values().filter_map(Made::due).min()
    }

    fn queue(&mut self, frame: Outgoing) {
        self.held += frame.cdr.len();
        self.waiting.push_back(frame);
    }
}

impl Session {
    /// Ends all calls with the conversation. Callers that wait for the peer's answers are notified
    /// at once. Calls of the peer are not served any more, unless serving them has begun.
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

#[cfg(test)]
mod tests;
