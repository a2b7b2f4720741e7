//! The calls of a conversation: those that the peer answers, and those of the peer that are
//! answered here.
//!
//! What is called and not answered yet is bounded, and ends with the conversation. Who calls gives
//! each call a number, and gets one answer or a reason why there is none. Where frames may be lost,
//! requests are repeated until they are answered, and whoever has answered one repeats its answer.

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

/// The most calls of one service that wait for an answer, in each direction.
pub const MOST_CALLS: usize = 64;
/// The most bytes of requests and answers that wait for a peer.
const MOST_HELD: usize = 64 << 20;
/// The number of requests and answers that wait for a peer beyond which it is refused others.
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

    /// Returns when the next request is to be repeated, or when it is too late for its answer.
    pub fn due(&self) -> Option<Instant> {
        self.made.values().filter_map(Made::due).min()
    }

    fn queue(&mut self, frame: Outgoing) {
        self.held += frame.cdr.len();
        self.waiting.push_back(frame);
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

#[cfg(test)]
mod tests;
