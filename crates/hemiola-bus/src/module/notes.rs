//! Notes of what a run gets of a service, so that it can be repeated: whether requests can be sent,
//! and which answers have arrived.
//!
//! A replay has the answers from the log, where they are messages of a topic. All else that a run
//! depends on goes with their numbers, in the form of messages of *cycles*: those are in no log,
//! and nobody publishes them again.

use hemiola_model::module::{Inlet, Place};

use super::requests::CAPACITY;
use crate::error::AnswerError;
use crate::service::AnswerEnds;

/// The notes of a client whose answers are in logs.
pub(super) struct Notes<Response> {
    pub ends: AnswerEnds<Response>,
    /// The number of requests that can still be sent in this run; `None` if nobody serves.
    room: Option<usize>,
    /// The answers and errors that the run got, in the order of the requests.
    received: Vec<Inlet>,
    /// In a replay, the number of requests without an answer.
    repeated: Option<usize>,
}

/// The place that stands for what is known when a run begins: the room, and the number of requests
/// that wait.
const STATE: Place = Place::Cycle(0);
/// The first of the places that stand for requests without an answer, one for each reason.
const FIRST_ERROR: u32 = 1;
/// The most that a run can get: answers and errors in turn, and the state.
const MOST: usize = CAPACITY + 1;

impl<Response> Notes<Response> {
    /// Creates notes before the first run, in which there is this room.
    pub fn new(ends: AnswerEnds<Response>, room: Option<usize>) -> Self {
        Self { ends, room, received: Vec::with_capacity(MOST), repeated: None }
    }

    /// Begins a run that is not repeated.
    pub fn begin(&mut self) {
        self.repeated = None;
        self.received.clear();
    }

    /// Notes an answer with its number, or why there is none.
    pub fn note(&mut self, answer: Result<u64, &AnswerError>) {
        let (place, first) = match answer {
            Ok(number) => (self.ends.place, number),
            Err(error) => (Place::Cycle(FIRST_ERROR + code_of(error)), 0),
        };
        match self.received.last_mut() {
            Some(last) if last.place == place && (answer.is_err() || last.end() == first) => last.count += 1,
            _ => self.received.push(Inlet { place, first, count: 1 }),
        }
    }

    /// Notes how many requests can be sent in the run, and how many wait for an answer.
    pub fn note_state(&mut self, room: Option<usize>, waiting: usize) {
        self.room = room;
        let state = (waiting as u64) << 32 | room.map_or(0, |room| room as u64 + 1);
        // Nobody serves, and nothing waits: that is so where nothing is written down.
        if state != 0 {
            self.received.push(Inlet { place: STATE, first: state, count: 0 });
        }
    }

    /// Begins a run that is repeated. Passes to `give` the answers that it gets, or why there are
    /// none. Returns whether all were there.
    pub fn repeat(&mut self, wanted: &[Inlet], mut give: impl FnMut(Result<Response, AnswerError>)) -> bool {
        self.ends.again.join();
        let state = wanted.iter().find(|inlet| inlet.place == STATE).map_or(0, |inlet| inlet.first);
        self.room = (state as u32).checked_sub(1).map(|room| room as usize);
        self.repeated = Some((state >> 32) as usize);
        let (mut left, mut are_there) = (CAPACITY, true);
        for inlet in wanted.iter().filter(|inlet| inlet.place != STATE) {
            // The number comes from a log, which may be damaged.
            let count = left.min(inlet.count as usize);
            left -= count;
            match inlet.place {
                Place::Cycle(place) => (0..count).for_each(|_| give(Err(error_of(place - FIRST_ERROR)))),
                Place::Source(_) | Place::Outside(_) => {
                    let mut answers = self.ends.again.take(*inlet).into_iter();
                    for _ in 0..count {
                        let answer = answers.next();
                        are_there &= answer.is_some();
                        give(answer.ok_or(AnswerError::Refused));
                    }
                }
            }
        }
        are_there
    }

    /// Uses up the room for a request. Returns `Err` if there is none, with whether anybody serves.
    pub fn take_room(&mut self) -> Result<(), bool> {
        let room = self.room.as_mut().ok_or(false)?;
        *room = room.checked_sub(1).ok_or(true)?;
        Ok(())
    }

    /// Returns the number of requests without an answer in a replay; `None` outside of replays.
    pub fn repeated(&mut self) -> Option<&mut usize> {
        self.repeated.as_mut()
    }

    /// Returns the number of requests without an answer in a replay; `None` outside of replays.
    pub fn waiting(&self) -> Option<usize> {
        self.repeated
    }

    /// Returns what the run got.
    pub fn received(&self) -> &[Inlet] {
        &self.received
    }
}

/// Returns the number by which logs know the reason why there is no answer.
fn code_of(error: &AnswerError) -> u32 {
    match error {
        AnswerError::Ended => 0,
        AnswerError::Panicked => 1,
        AnswerError::TimedOut => 2,
        AnswerError::Refused => 3,
    }
}

fn error_of(code: u32) -> AnswerError {
    match code {
        0 => AnswerError::Ended,
        1 => AnswerError::Panicked,
        2 => AnswerError::TimedOut,
        _ => AnswerError::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_found_again_by_its_number() {
        for error in [AnswerError::Ended, AnswerError::Panicked, AnswerError::TimedOut, AnswerError::Refused] {
            assert_eq!(error_of(code_of(&error)), error);
        }
        assert_eq!(error_of(u32::MAX), AnswerError::Refused);
    }
}
