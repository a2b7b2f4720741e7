//! A stream of bytes in each direction between two processes, through memory that each of them has
//! for writing and the other one for reading.
//!
//! # Protocol
//! Each side has a ring of bytes and a few words in its own memory. Their numbers only ever grow,
//! but for 0 in `asleep`.
//!
//! | word of the writer | meaning |
//! |---|---|
//! | `written` | the number of bytes that were ever written; byte `n` is at place `n` modulo the length of the ring |
//! | `wanting` | the least `read` with which there is room for a writer that has found none |
//!
//! | word of the reader | meaning |
//! |---|---|
//! | `read` | the number of bytes that were ever read: their places may be used again |
//! | `asleep` | the number of the sleep before which the reader has looked last; 0 if it looks by itself |
//!
//! | who | step | effect |
//! |---|---|---|
//! | writer | P1 | writes bytes behind `written`, up to the length of the ring behind `read` |
//! | | P2 | sets `written` |
//! | | P3 | reads `asleep`: if that is a sleep for which it has not rung, it rings, outside of this memory |
//! | | P4 | no room: sets `wanting`, then reads `read` once more |
//! | reader | Q1 | reads bytes up to `written` |
//! | | Q2 | sets `read` |
//! | | Q3 | reads `wanting`: if it has read as much, and has not rung for that number, it rings |
//! | | Q4 | gives its sleep a number, sets `asleep`, then reads `written` once more: if there is something, Q1 |
//!
//! P2 and Q2 release, and what is read of the other side's words is acquired before it is used: the
//! reader sees the bytes before `written`, and the writer overwrites only bytes that were read.
//!
//! No ring is lost. Between P2 and P3, as between Q4's two halves, is a sequentially consistent
//! fence: of a writer that sets `written` and a reader that sets `asleep`, at least one sees what
//! the other has set. The same holds for `read` and `wanting` by the fences in Q3 and P4. A ring
//! may come too late, when there is nothing to read any more: whoever is rung for gives its next
//! sleep another number. Of a writer that waits for room that is not needed, because `wanting` says
//! which room it waits for.
//!
//! The other side is not trusted. A number that it cannot have reached by this protocol is an
//! error, and whatever bytes are read are some bytes.
//!
//! The loom model in `pipe/tests.rs` runs this code, over words and cells of loom's.

#[cfg(not(loom))]
mod ends;

#[cfg(not(loom))]
pub use ends::{MemoryPipe, PipePlace};

use std::fmt;

use crate::sync::{Ordering, fence};

/// A word of a side of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipeWord {
    Written,
    Wanting,
    Read,
    Asleep,
}

/// The memory of this side.
pub(crate) trait OwnSide {
    /// Returns the number of bytes in the ring.
    fn length(&self) -> usize;
    /// Copies bytes into the ring.
    fn put(&mut self, place: usize, bytes: &[u8]);
    /// Sets a word, with release semantics.
    fn set(&self, word: PipeWord, value: u64);
}

/// The memory of the other side.
pub(crate) trait OtherSide {
    /// Returns the number of bytes in the ring.
    fn length(&self) -> usize;
    /// Copies bytes out of the ring.
    fn copy(&self, place: usize, into: &mut [u8]);
    /// Returns a word, with acquire semantics.
    fn word(&self, word: PipeWord) -> u64;
}

/// One side of two streams of bytes: it writes one, and reads the other.
pub(crate) struct Pipe<O, T> {
    own: O,
    theirs: T,
    /// The number of bytes that this side has written. `taken` is how many of them the other side
    /// has read as far as this one knows, and `rung` the sleep for which this one has rung.
    written: u64,
    taken: u64,
    rung: u64,
    /// The number of bytes that this side has read. `seen` is how many the other side has written
    /// as far as this one knows, and `answered` its `wanting` for which this one has rung.
    read: u64,
    seen: u64,
    answered: u64,
    /// The number of the last sleep.
    sleep: u64,
    /// Set if this side looks by itself. `is_resting` if it has prepared to sleep since it read or
    /// was rung for.
    is_awake: bool,
    is_resting: bool,
}

/// The error of a pipe whose other side does not keep to its rules.
///
/// See [`MemoryPipe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeMisuse {
    /// The number in the other side's memory that cannot be.
    pub found: u64,
    /// The least and the greatest number that can be.
    pub possible: (u64, u64),
}

impl<O: OwnSide, T: OtherSide> Pipe<O, T> {
    /// Begins with empty rings, whose words are all 0.
    pub(crate) fn new(own: O, theirs: T) -> Self {
        Self {
            own,
            theirs,
            written: 0,
            taken: 0,
            rung: 0,
            read: 0,
            seen: 0,
            answered: 0,
            sleep: 0,
            is_awake: false,
            is_resting: false,
        }
    }

    /// Copies as many of these bytes into the ring as it has room for, and returns their number
    /// (step P1). The other side sees them after [`send`](Self::send).
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeMisuse> {
        let mut room = self.room();
        if room < bytes.len() {
            self.look_for_room()?;
            room = self.room();
        }
        let count = room.min(bytes.len());
        let place = (self.written % self.own.length() as u64) as usize;
        let (first, second) = bytes[..count].split_at(count.min(self.own.length() - place));
        self.own.put(place, first);
        if !second.is_empty() {
            self.own.put(0, second);
        }
        self.written += count as u64;
        Ok(count)
    }

    /// Shows the other side what was written (steps P2 and P3). Returns whether it has to be rung
    /// for.
    #[must_use]
    pub(crate) fn send(&mut self) -> bool {
        self.own.set(PipeWord::Written, self.written);
        fence(Ordering::SeqCst);
        let asleep = self.theirs.word(PipeWord::Asleep);
        asleep != 0 && std::mem::replace(&mut self.rung, asleep) != asleep
    }

    /// Notes that there was no room, so that the other side rings when there is some (step P4).
    /// Returns whether there is room by now.
    pub(crate) fn want_room(&mut self) -> Result<bool, PipeMisuse> {
        self.own.set(PipeWord::Wanting, self.taken + 1);
        fence(Ordering::SeqCst);
        self.has_room()
    }

    /// Returns whether there is room.
    pub(crate) fn has_room(&mut self) -> Result<bool, PipeMisuse> {
        self.look_for_room()?;
        Ok(self.room() > 0)
    }

    /// Copies what the other side has written, as much as `into` has room for, and returns how many
    /// bytes these are (step Q1).
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<usize, PipeMisuse> {
        if self.seen == self.read {
            self.look()?;
        }
        let length = self.theirs.length();
        let count = (self.seen - self.read).min(into.len() as u64) as usize;
        let place = (self.read % length as u64) as usize;
        let (first, second) = into[..count].split_at_mut(count.min(length - place));
        self.theirs.copy(place, first);
        if !second.is_empty() {
            self.theirs.copy(0, second);
        }
        self.read += count as u64;
        self.is_resting &= count == 0;
        Ok(count)
    }

    /// Tells the other side what was read (steps Q2 and Q3). Returns whether it has to be rung for.
    #[must_use]
    pub(crate) fn give_back(&mut self) -> bool {
        self.own.set(PipeWord::Read, self.read);
        fence(Ordering::SeqCst);
        let wanting = self.theirs.word(PipeWord::Wanting);
        wanting <= self.read && std::mem::replace(&mut self.answered, wanting) != wanting
    }

    /// Returns whether there is something to read. Costs a load of one word.
    pub(crate) fn has_news(&mut self) -> Result<bool, PipeMisuse> {
        if self.seen == self.read {
            self.look()?;
        }
        Ok(self.seen != self.read)
    }

    /// Makes the other side ring when it writes (step Q4). Returns `false` if there is something to
    /// read already, for which it has perhaps not rung.
    pub(crate) fn prepare_to_sleep(&mut self) -> Result<bool, PipeMisuse> {
        self.sleep += 1;
        (self.is_awake, self.is_resting) = (false, true);
        self.own.set(PipeWord::Asleep, self.sleep);
        fence(Ordering::SeqCst);
        Ok(!self.has_news()?)
    }

    /// Prepares to sleep, unless this side looks by itself, or has prepared since it read or was
    /// rung for. Returns `false` if there is something to read.
    pub(crate) fn rest(&mut self) -> Result<bool, PipeMisuse> {
        match (self.is_awake, self.is_resting) {
            (true, _) => Ok(!self.has_news()?),
            (false, true) => Ok(true),
            (false, false) => self.prepare_to_sleep(),
        }
    }

    /// Notes that the other side has rung, which it does once for each sleep.
    pub(crate) fn note_rung(&mut self) {
        self.is_resting = false;
    }

    /// Makes the other side write without ringing: this one looks by itself until it prepares to
    /// sleep.
    pub(crate) fn stay_awake(&mut self) {
        if !std::mem::replace(&mut self.is_awake, true) {
            self.own.set(PipeWord::Asleep, 0);
        }
    }

    fn room(&self) -> usize {
        self.own.length() - (self.written - self.taken) as usize
    }

    fn look_for_room(&mut self) -> Result<(), PipeMisuse> {
        self.taken = possible(self.theirs.word(PipeWord::Read), (self.taken, self.written))?;
        Ok(())
    }

    fn look(&mut self) -> Result<(), PipeMisuse> {
        let most = self.read.saturating_add(self.theirs.length() as u64);
        self.seen = possible(self.theirs.word(PipeWord::Written), (self.seen, most))?;
        Ok(())
    }
}

fn possible(found: u64, (least, most): (u64, u64)) -> Result<u64, PipeMisuse> {
    if (least..=most).contains(&found) { Ok(found) } else { Err(PipeMisuse { found, possible: (least, most) }) }
}

impl fmt::Display for PipeMisuse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, possible: (least, most) } = self;
        write!(formatter, "its memory counts {found} bytes, which can only be {least} to {most}")
    }
}

impl std::error::Error for PipeMisuse {}

#[cfg(test)]
mod tests;
