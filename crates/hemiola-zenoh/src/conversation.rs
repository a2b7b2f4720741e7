//! A conversation: the bytes between a link's socket and one peer.
//!
//! Two threads carry it, so that each may wait: one reads what the link has written and publishes
//! it, the other one writes what has come from the peer. Neither side sends more than the other one
//! has room for, so that nothing waits without a bound, and a peer that reads slowly makes the
//! link's socket full, as over TCP.

use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_link::Patience;
use zenoh::Wait;
use zenoh::pubsub::Publisher;

use crate::piece::{Content, FIRST_ROOM, HEAD, MOST_BYTES, Piece};

/// A conversation with a peer.
pub struct Conversation {
    pub number: u64,
    /// Set if this side begins it.
    begins: bool,
    pub began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The bytes that have come and are not yet handed over to the link.
    arrived: Vec<u8>,
    /// The number of bytes that have come.
    received: u64,
    /// The number of bytes that were handed over to the link.
    handed_over: u64,
    /// The number of bytes that the peer may send, as it was told.
    room_here: u64,
    sent: u64,
    /// The number of bytes that may be sent, as the peer has told.
    room_there: u64,
    /// Set if the peer is to be told of its room.
    owes_room: bool,
    /// Set if nothing more is exchanged.
    has_ended: bool,
    /// Set if the peer knows that, or is gone.
    is_agreed: bool,
}

/// The longest pause before a beginning is said again, and the most times that it is said.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const MOST_ATTEMPTS: u32 = 8;
/// The time within which a peer must have heard what was said last.
pub const LAST_WORDS: Duration = Duration::from_millis(250);

/// The reason why a conversation cannot go on with a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Bytes before these have been lost on the way.
    Lost,
    /// The peer sends more than there is room for.
    TooMuch,
}

impl Conversation {
    /// Creates a conversation that this side begins.
    pub fn beginning(number: u64) -> Self {
        Self::new(number, true)
    }

    /// Creates a conversation that the peer has begun.
    pub fn begun(number: u64) -> Self {
        Self::new(number, false)
    }

    fn new(number: u64, begins: bool) -> Self {
        let state = State {
            arrived: Vec::new(),
            received: 0,
            handed_over: 0,
            room_here: FIRST_ROOM,
            sent: 0,
            room_there: 0,
            owes_room: !begins,
            has_ended: false,
            is_agreed: false,
        };
        Self { number, begins, began: Instant::now(), state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes a piece that has come. Never waits.
    ///
    /// # Errors
    /// Returns an error if the conversation cannot go on.
    pub fn take(&self, content: Content<'_>) -> Result<(), Fault> {
        let mut state = self.state();
        match content {
            // The answer to it was lost.
            Content::Begin => state.owes_room = true,
            Content::End => (state.has_ended, state.is_agreed) = (true, true),
            Content::Room(room) => {
                state.owes_room |= self.begins && state.room_there == 0;
                state.room_there = state.room_there.max(room);
            }
            Content::Bytes { .. } if state.has_ended => {}
            Content::Bytes { position, .. } if position != state.received => return Err(Fault::Lost),
            Content::Bytes { bytes, .. } => {
                let received = state.received + bytes.len() as u64;
                if received > state.room_here {
                    return Err(Fault::TooMuch);
                }
                state.received = received;
                state.arrived.extend_from_slice(bytes);
            }
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Ends the conversation: what has come is still handed over.
    pub fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    /// Ends the conversation with a peer that is gone: what has come is still handed over.
    pub fn lose(&self) {
        let mut state = self.state();
        (state.has_ended, state.is_agreed) = (true, true);
        drop(state);
        self.changed.notify_all();
    }

    /// Says that the conversation begins until the peer answers: what is said first may be lost,
    /// while Zenoh still finds out who is where. Returns whether the peer has answered.
    pub fn begin(&self, peer: &Publisher<'_>) -> bool {
        let mut patience = Patience::up_to(LONGEST_PAUSE);
        for _ in 0..MOST_ATTEMPTS {
            self.say(Content::Begin, peer);
            let now = Instant::now();
            let is_silent = |state: &mut State| !state.has_ended && state.room_there == 0;
            let waited = self.changed.wait_timeout_while(self.state(), patience.after(now) - now, is_silent);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !is_silent(&mut state) {
                return !state.has_ended;
            }
        }
        self.say(Content::End, peer);
        false
    }

    /// Carries bytes between the link's socket and the peer until one of them ends.
    ///
    /// # Errors
    /// Returns an error if the system provides no thread.
    pub fn carry(&self, socket: &UnixStream, peer: &Publisher<'_>) -> io::Result<()> {
        thread::scope(|scope| {
            let handing_over = || self.hand_over(socket, peer);
            thread::Builder::new().name("hemiola zenoh in".to_owned()).spawn_scoped(scope, handing_over)?;
            self.send(socket, peer);
            self.end();
            self.say(Content::End, peer);
            // If the link closes now, the peer could see that it is gone before it hears what was
            // said last.
            let is_open = |state: &mut State| !state.is_agreed;
            _ = self.changed.wait_timeout_while(self.state(), LAST_WORDS, is_open);
            Ok(())
        })
    }

    /// Sends what the link writes.
    fn send(&self, mut socket: &UnixStream, peer: &Publisher<'_>) {
        let mut piece = vec![0; HEAD + MOST_BYTES];
        while let Some((position, room)) = self.room() {
            let count = match socket.read(&mut piece[HEAD..][..room]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Ok(0) | Err(_) => return,
                Ok(count) => count,
            };
            let content = Content::Bytes { position, bytes: &[] };
            piece[..HEAD].copy_from_slice(&Piece { conversation: self.number, content }.head());
            if peer.put(&piece[..HEAD + count]).wait().is_err() {
                return;
            }
            self.state().sent += count as u64;
        }
    }

    /// Hands over what has come, and tells the peer that there is room again.
    fn hand_over(&self, mut socket: &UnixStream, peer: &Publisher<'_>) {
        let mut bytes = Vec::new();
        while self.next(&mut bytes) && socket.write_all(&bytes).is_ok() {
            if let Some(room) = self.make_room(bytes.len()) {
                self.say(Content::Room(room), peer);
            }
        }
        // This ends the other thread, too. It fails only if the link has closed the socket.
        _ = socket.shutdown(Shutdown::Both);
    }

    fn say(&self, content: Content<'_>, peer: &Publisher<'_>) {
        // It fails if the session has been closed, and then the peer sees that.
        _ = peer.put(Piece { conversation: self.number, content }.head()).wait();
    }

    /// Waits until something may be sent. Returns the number of bytes that were sent, and how many
    /// may be next; `None` at the end of the conversation.
    fn room(&self) -> Option<(u64, usize)> {
        let is_full = |state: &mut State| !state.has_ended && state.sent >= state.room_there;
        let state = self.changed.wait_while(self.state(), is_full).unwrap_or_else(PoisonError::into_inner);
        let room = usize::try_from(state.room_there - state.sent).map_or(MOST_BYTES, |room| room.min(MOST_BYTES));
        (!state.has_ended).then_some((state.sent, room))
    }

    /// Waits for bytes, and puts them into `bytes` in place of those before; there are none if the
    /// peer is only to be told of its room. Returns whether the conversation goes on.
    fn next(&self, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        let is_waiting = |state: &mut State| !state.has_ended && !state.owes_room && state.arrived.is_empty();
        let mut state = self.changed.wait_while(self.state(), is_waiting).unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut state.arrived, bytes);
        !state.has_ended || !bytes.is_empty()
    }

    /// Notes that bytes were handed over. Returns what to tell the peer, if that is owed to it, or
    /// there is much more room than it knows of.
    fn make_room(&self, count: usize) -> Option<u64> {
        let mut state = self.state();
        state.handed_over += count as u64;
        let room = state.handed_over + FIRST_ROOM;
        if !mem::take(&mut state.owes_room) && room - state.room_here < FIRST_ROOM / 4 {
            return None;
        }
        state.room_here = room;
        Some(room)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent even if another thread has panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(position: u64, count: usize) -> Content<'static> {
        Content::Bytes { position, bytes: &[7; MOST_BYTES][..count] }
    }

    #[test]
    fn bytes_come_one_after_the_other_or_are_lost() {
        let conversation = Conversation::begun(1);
        assert_eq!(conversation.take(bytes(0, 10)), Ok(()));
        assert_eq!(conversation.take(bytes(10, 5)), Ok(()));
        assert_eq!([14, 16].map(|position| conversation.take(bytes(position, 1))), [Err(Fault::Lost); 2]);
        let mut arrived = Vec::new();
        assert!(conversation.next(&mut arrived));
        assert_eq!(arrived, [7; 15]);
        conversation.end();
        assert!(!conversation.next(&mut arrived));
        assert_eq!(conversation.take(bytes(99, 5)), Ok(()), "who has ended does not mind");
    }

    #[test]
    fn a_peer_has_as_much_room_as_it_was_told() {
        let conversation = Conversation::begun(1);
        assert_eq!(conversation.make_room(0), Some(FIRST_ROOM));
        let (mut position, mut told) = (0, FIRST_ROOM);
        let mut fill = |until: u64| {
            while position < until {
                let count = (until - position).min(MOST_BYTES as u64);
                assert_eq!(conversation.take(bytes(position, count as usize)), Ok(()));
                position += count;
            }
            assert_eq!(conversation.take(bytes(position, 1)), Err(Fault::TooMuch));
        };
        for _ in 0..5 {
            fill(told);
            let mut arrived = Vec::new();
            assert!(conversation.next(&mut arrived) && arrived.len() as u64 <= FIRST_ROOM);
            // It is not told of each byte.
            assert_eq!(conversation.make_room(1), None);
            told = conversation.make_room(arrived.len() - 1).expect("there is as much room as at first");
        }
        assert_eq!(told, 6 * FIRST_ROOM);
    }

    #[test]
    fn what_the_peer_says_of_its_room_never_shrinks_it() {
        let conversation = Conversation::beginning(1);
        assert_eq!(conversation.make_room(0), None, "the peer has not answered");
        assert_eq!(conversation.take(Content::Room(FIRST_ROOM)), Ok(()));
        assert_eq!([(); 2].map(|()| conversation.make_room(0)), [Some(FIRST_ROOM), None]);
        assert_eq!(conversation.room(), Some((0, MOST_BYTES)));
        conversation.state().sent = FIRST_ROOM - 3;
        assert_eq!(conversation.room(), Some((FIRST_ROOM - 3, 3)));
        for room in [0, FIRST_ROOM + 1, 5, u64::MAX] {
            assert_eq!(conversation.take(Content::Room(room)), Ok(()));
        }
        assert_eq!(conversation.room(), Some((FIRST_ROOM - 3, MOST_BYTES)));
        assert_eq!(conversation.take(Content::End), Ok(()));
        assert_eq!(conversation.room(), None);
    }
}
