//! The sender's side of what is lent: the blocks that the peer has not returned.

use std::collections::VecDeque;
use std::sync::Arc;

use hemiola_realtime::ForeignMemory;

use super::kept::{IN_CONVERSATION, PLACES, STATE};
use crate::ends::Cdr;
use crate::kin::Kin;

/// The blocks that were lent to a peer and have not been returned.
#[derive(Default)]
pub struct Lending {
    /// The blocks that have not been read yet, the oldest first.
    unread: VecDeque<Cdr>,
    unread_bytes: usize,
    /// The blocks that were read and are kept, with the numbers of their messages.
    kept: Vec<(u64, Cdr)>,
    /// The number of messages that have ever been lent.
    count: u64,
}

/// The memory of the other side. One of its words counts the messages of this side that were read
/// there.
pub struct Theirs {
    pub memory: Arc<ForeignMemory>,
    pub word: usize,
    /// The first of the words in which the other side says what it keeps, if it may keep anything.
    pub keeping: Option<usize>,
}

/// Blocks that a peer has when its conversation has ended. Its process may still live, and read
/// them.
pub struct LeftBehind {
    lending: Lending,
    theirs: Theirs,
    peer: Arc<Kin>,
}

/// The other side has read more than was lent to it.
#[derive(Debug)]
pub struct Betrayed;

/// The least number of lent messages, and the number of bytes, from which on this side waits until
/// some have been read. This is about as much as waits in a socket, because messages that wait
/// longer are outdated when they are read.
const MOST_UNREAD: usize = 3;
const MOST_BYTES: usize = 416 << 10;

impl Lending {
    /// Adds a block that is lent from now on. Returns whether the peer is to notify this side when
    /// it has read it.
    pub fn lend(&mut self, cdr: Cdr) -> bool {
        self.unread_bytes += cdr.len();
        self.unread.push_back(cdr);
        self.count += 1;
        // Once one of several messages has been read, there is room for the next one.
        self.unread.len() >= MOST_UNREAD - 1 && self.unread_bytes >= MOST_BYTES / 2
    }

    /// Returns the number of messages that have been lent.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether nothing may be sent until the other side has read some of the lent messages.
    pub fn is_full(&self) -> bool {
        self.unread.len() >= MOST_UNREAD && self.unread_bytes >= MOST_BYTES
    }

    /// Drops the blocks that have been returned.
    ///
    /// # Errors
    /// Returns an error if the other side has returned something that it was never lent.
    pub fn collect(&mut self, theirs: &Theirs) -> Result<(), Betrayed> {
        if !self.unread.is_empty() {
            let read = theirs.memory.word(theirs.word).unwrap_or_default();
            if read > self.count {
                return Err(Betrayed);
            }
            // A number that has become smaller returns nothing.
            while self.count - (self.unread.len() as u64) < read {
                let number = self.count - (self.unread.len() as u64) + 1;
                let Some(cdr) = self.unread.pop_front() else { break };
                self.unread_bytes -= cdr.len();
                self.kept.push((number, cdr));
            }
        }
        // These words are read after the one that says what was read: what is kept was written
        // there before.
        self.drop_returned(theirs);
        Ok(())
    }

    /// Drops those of the blocks that were read which are not kept.
    fn drop_returned(&mut self, theirs: &Theirs) {
        if !self.kept.is_empty() {
            let kept = theirs.kept();
            self.kept.retain(|(number, _)| kept.contains(number));
        }
    }
}

impl Theirs {
    /// Returns the numbers of the messages that the other side keeps.
    fn kept(&self) -> Vec<u64> {
        let places = self.keeping.map(|first| first + 1..first + 1 + PLACES);
        places.into_iter().flatten().filter_map(|word| self.memory.word(word)).collect()
    }
}

impl LeftBehind {
    /// Leaves behind what was lent to a peer, if it may be read after the end of the conversation.
    pub fn new(lending: Lending, theirs: Theirs, peer: Arc<Kin>) -> Option<Self> {
        let is_over = theirs.keeping.is_none() || (lending.unread.is_empty() && lending.kept.is_empty());
        (!is_over).then_some(Self { lending, theirs, peer })
    }

    /// Drops what was returned meanwhile, and returns whether that was all.
    pub fn collect(&mut self) -> bool {
        let Self { lending, theirs, peer } = self;
        if peer.has_ended() {
            return true;
        }
        // This word is read first: whoever has ended the conversation counts nothing after that.
        let state = theirs.keeping.and_then(|first| theirs.memory.word(first + STATE));
        // A peer that has miscounted may have anything until it ends.
        if lending.collect(theirs).is_err() {
            return false;
        }
        // As long as the other side goes on with the conversation it may read what is in the pipe.
        if state != Some(IN_CONVERSATION) {
            lending.unread.clear();
        }
        lending.unread.is_empty() && lending.kept.is_empty()
    }
}
