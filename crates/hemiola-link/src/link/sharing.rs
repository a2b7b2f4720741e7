//! The memory that two ends of a connection share beside their socket. Each side has memory that
//! the other one reads: large messages are written there, and a [pipe](MemoryPipe) through which
//! all frames go from the moment on at which both sides have announced theirs. The socket then
//! carries bytes that end the other side's sleep, and its end is that of the conversation.
//!
//! A large message is lent, from a block that the links' thread has copied it to, or the one in
//! which a module has written its bytes:
//!
//! | step | sender | receiver |
//! |---|---|---|
//! | lend | the message is in a block; its head and the place of the block go through the socket | |
//! | read | the block stays as it is | decodes it, and copies each byte before examining it |
//! | return | | counts it in a word of its own memory |
//! | use again | reads the word before it sends, and drops the blocks that were returned | |
//!
//! Blocks are read in the order in which they were lent, so that one number is enough. Nothing
//! that the other side writes is trusted: a place outside of its memory, or a number that cannot
//! be, ends the conversation. A killed process returns and lends nothing any more: its socket
//! closes, and all of its blocks are free.
//!
//! A peer that runs the same program may keep blocks beyond that, and read them in place:
//! [`kept`](super::kept).

use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::cdr::CopiedBytes;
use hemiola_realtime::{ForeignBytes, ForeignMemory, MemoryBlock, MemoryPipe, PipeMisuse, PipePlace, SharedMemory};

use super::kept::{Keeping, Kept, PLACES};
use super::lending::{LeftBehind, Lending, Theirs};
use crate::ends::{Cdr, Contents};
use crate::kin::Kin;
use crate::memory::{BYTES, PeerMemory, Words};
use crate::patience::Patience;
use crate::session::{Desk, Parting};
use crate::wire::{self, Frame, Lent, LentMarks, PipeAt};

/// The memory that the peers of a link read.
pub struct LinkMemory {
    /// The memory of the link alone, which is created for the first peer that needs it.
    own: Option<Arc<PeerMemory>>,
    /// The memory of the process, once a peer has read it.
    of_the_process: Option<Arc<PeerMemory>>,
    /// The blocks of peers that are still kept here, although their conversations have ended.
    kept: Vec<Arc<Kept>>,
    /// Set if nothing is kept or left behind since a conversation has ended, as far as is known.
    is_settled: bool,
    /// The time at which these blocks are looked at again, if nothing else happens before.
    due: Option<Instant>,
    patience: Patience,
}

/// The memory that the two ends of a connection share.
pub struct Sharing {
    /// The memory of this side. The first of the words of this conversation counts the peer's
    /// messages that were read here.
    memory: Arc<SharedMemory>,
    words: Words,
    theirs: Option<Theirs>,
    /// The place of this side of the pipe, if there was memory for it; `ring` is its ring until the
    /// peer has announced the other side.
    place: Option<PipeAt>,
    ring: Option<MemoryBlock>,
    pipe: Option<MemoryPipe>,
    stage: Stage,
    /// Set if the peer's frames come through the pipe.
    is_piped_to: bool,
    lending: Lending,
    /// The number of the peer's messages that have been read.
    read: u64,
    /// The peer's process, if it runs the same program.
    kin: Option<Arc<Kin>>,
    /// The blocks of that peer that are kept here.
    keeping: Option<Keeping>,
    /// Set if the peer is to be told that blocks may be kept here.
    owes_words: bool,
    /// Set if the peer waits to be notified that something was read.
    owes_notice: bool,
    /// Set if the peer has returned something that it was never lent.
    is_betrayed: bool,
}

/// The bytes of a lent message.
#[derive(Debug)]
pub struct LentBytes<'m>(ForeignBytes<'m>);

/// The frames that this side has sent so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No frame; the hello comes first.
    Silent,
    /// The hello; the frame about the memory comes next.
    Greeted,
    /// The frame about the memory; the descriptor is passed with its bytes.
    Passing,
    /// All of these.
    Open,
    /// The frame about the pipe.
    Announced,
    /// The last frame on the socket, which has perhaps not been written yet.
    Switching,
    /// Everything that goes through the socket.
    Piped,
}

/// The longest pause between looking at what was kept beyond the end of a conversation.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The size of a pipe's ring. Frames that are longer go through it in pieces.
const RING: usize = 64 << 10;
/// The largest ring of a peer.
const LARGEST_RING: u64 = 1 << 20;

impl LinkMemory {
    /// Begins to share memory with one more peer; `None` if none is available.
    pub fn share(&mut self, kin: Option<Kin>, desk: &mut Desk) -> Option<Sharing> {
        if kin.is_some() && self.of_the_process.is_none() {
            self.of_the_process = PeerMemory::of_the_process();
        }
        let of_the_process = self.of_the_process.as_ref();
        let words = match of_the_process.filter(|_| kin.is_some()).and_then(PeerMemory::words) {
            Some(words) => words,
            None => self.own(desk)?.words()?,
        };
        // A message is written into one memory only, for those peers that have it first.
        if self.of_the_process.is_none() || self.own.is_none() {
            desk.topics.write_into(words.memory().clone());
        }
        Some(Sharing::new(words, kin))
    }

    fn own(&mut self, desk: &mut Desk) -> Option<&Arc<PeerMemory>> {
        if self.own.is_none() {
            let made = PeerMemory::create().map_err(|error| {
                desk.complain(format!(
                    "shared memory is not available, so everything goes through the socket: {error}"
                ));
            });
            self.own = made.ok();
        }
        self.own.as_ref()
    }

    /// Notes that a conversation has ended.
    pub fn note_end(&mut self, mut sharing: Sharing) {
        self.kept.extend(sharing.keeping.take().map(Keeping::end).into_iter().flatten());
        drop(sharing);
        (self.is_settled, self.due) = (false, None);
        self.patience.reset();
    }

    /// Drops the blocks that were returned after the end of their conversations, on both sides.
    pub fn collect(&mut self) {
        if self.is_settled {
            return;
        }
        self.kept.retain_mut(|kept| Arc::get_mut(kept).is_none());
        let memories = self.own.iter().chain(&self.of_the_process);
        self.is_settled = memories.fold(self.kept.is_empty(), |is_settled, memory| memory.collect() && is_settled);
    }

    /// Returns the time at which there may be more to [drop](Self::collect): nobody says when.
    pub fn due(&mut self, now: Instant) -> Option<Instant> {
        if self.is_settled {
            return None;
        }
        if self.due.is_none_or(|due| due <= now) {
            self.due = Some(self.patience.after(now));
        }
        self.due
    }
}

impl Default for LinkMemory {
    fn default() -> Self {
        let patience = Patience::up_to(LONGEST_PAUSE);
        Self { own: None, of_the_process: None, kept: Vec::new(), is_settled: true, due: None, patience }
    }
}

impl Sharing {
    /// Begins to share the memory of these words.
    fn new(words: Words, kin: Option<Kin>) -> Self {
        let (memory, word) = (words.memory().clone(), words.first());
        let ring = memory.block(RING);
        let at = |ring: &MemoryBlock| PipeAt { offset: ring.offset(), length: ring.len() as u64, word: word as u32 };
        Self {
            place: ring.as_ref().map(at),
            ring,
            pipe: None,
            is_piped_to: false,
            keeping: kin.as_ref().and_then(|kin| Keeping::new(&memory, kin)),
            owes_words: kin.is_some(),
            kin: kin.map(Arc::new),
            memory,
            words,
            theirs: None,
            stage: Stage::Silent,
            lending: Lending::default(),
            read: 0,
            owes_notice: false,
            is_betrayed: false,
        }
    }

    /// Returns whether the other side has not announced its memory yet.
    pub fn awaits_descriptor(&self) -> bool {
        self.theirs.is_none()
    }

    /// Returns whether both memories are open, and nothing is to be sent that no message causes.
    pub fn is_at_rest(&self) -> bool {
        let is_settled = match self.stage {
            Stage::Piped => true,
            Stage::Open => self.place.is_none(),
            Stage::Announced => self.pipe.is_none(),
            _ => false,
        };
        is_settled && self.theirs.is_some() && !self.owes_notice && !self.owes_words && !self.lending.is_full()
    }

    /// Returns the descriptor to pass with the bytes that are written next, until it has been
    /// [passed](Self::note_passed).
    pub fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        (self.stage == Stage::Passing).then(|| self.memory.descriptor())
    }

    /// Notes that bytes were written, with the descriptor if it was due.
    pub fn note_passed(&mut self) {
        if self.stage == Stage::Passing {
            self.stage = Stage::Open;
        }
    }

    /// Appends the next frame to `frame` up to its CDR, and returns the CDR. The next frame is one
    /// about this side's memory or pipe if it is due, and otherwise that of `next`, which is lent
    /// if it is in the memory.
    pub fn next(&mut self, frame: &mut Vec<u8>, next: impl FnOnce(&mut Vec<u8>) -> Option<Cdr>) -> Option<Cdr> {
        let has_announced_memory = matches!(self.stage, Stage::Open | Stage::Announced | Stage::Piped);
        if has_announced_memory
            && mem::take(&mut self.owes_words)
            && let Some(keeping) = &self.keeping
        {
            Frame::Keeps { word: keeping.word() }.write(frame);
            return Some(Cdr::default());
        }
        match self.stage {
            Stage::Silent => {
                self.stage = Stage::Greeted;
                return next(frame);
            }
            Stage::Greeted => {
                self.stage = Stage::Passing;
                Frame::Memory { bytes: self.memory.bytes() as u64, word: self.words.first() as u32 }.write(frame);
                return Some(Cdr::default());
            }
            Stage::Open if let Some(place) = self.place => {
                self.stage = Stage::Announced;
                Frame::Pipe(place).write(frame);
                return Some(Cdr::default());
            }
            Stage::Announced if self.pipe.is_some() => {
                self.stage = Stage::Switching;
                Frame::Piped.write(frame);
                return Some(Cdr::default());
            }
            Stage::Switching => return None,
            Stage::Passing | Stage::Open | Stage::Announced | Stage::Piped => {}
        }
        if mem::take(&mut self.owes_notice) {
            Frame::Returned.write(frame);
            return Some(Cdr::default());
        }
        self.collect();
        if self.lending.is_full() {
            return None;
        }
        let begin = frame.len();
        let cdr = next(frame)?;
        match (cdr.place_in(&self.memory), &self.theirs) {
            (Some(offset), Some(theirs)) => {
                let place = (offset, cdr.len() as u64);
                let may_be_kept = theirs.keeping.is_some();
                let wants_notice = self.lending.lend(cdr);
                wire::lend(frame, begin, place, LentMarks { wants_notice, may_be_kept });
                Some(Cdr::default())
            }
            _ => Some(cdr),
        }
    }

    /// Notes that everything was written to the socket. Returns whether what follows goes through
    /// the pipe, from now on.
    pub fn switch(&mut self) -> bool {
        let is_last = self.stage == Stage::Switching;
        if is_last {
            self.stage = Stage::Piped;
        }
        is_last
    }

    /// Returns the pipe if this side's frames go through it.
    pub fn pipe_to_peer(&mut self) -> Option<&mut MemoryPipe> {
        self.pipe.as_mut().filter(|_| self.stage == Stage::Piped)
    }

    /// Returns the pipe if the peer's frames come through it.
    pub fn pipe_from_peer(&mut self) -> Option<&mut MemoryPipe> {
        self.pipe.as_mut().filter(|_| self.is_piped_to)
    }

    /// Returns whether the peer's frames come through the pipe.
    pub fn is_piped_to(&self) -> bool {
        self.is_piped_to
    }

    /// Returns what was lent.
    pub fn lending(&self) -> &Lending {
        &self.lending
    }

    /// Drops the blocks that have been returned, and returns those that are not kept any more.
    pub fn collect(&mut self) {
        self.keeping.iter_mut().for_each(Keeping::collect);
        if let Some(theirs) = &self.theirs {
            self.is_betrayed |= self.lending.collect(theirs).is_err();
        }
    }

    /// Returns an error if the other side has returned something that it was never lent.
    pub fn check(&self) -> Result<(), Parting> {
        if self.is_betrayed { Err(memory("it has read more than was lent")) } else { Ok(()) }
    }

    /// Opens the memory of the other side, whose descriptor was passed with the frame about it.
    ///
    /// # Errors
    /// Returns an error if it is not memory that can be read safely whatever the other side does.
    pub fn open(&mut self, bytes: u64, word: u32, descriptor: Option<OwnedFd>) -> Result<(), Parting> {
        if self.theirs.is_some() {
            return Err(memory("it has announced its memory twice"));
        }
        let Some(descriptor) = descriptor else { return Err(memory("it has passed no file descriptor")) };
        let (word, bytes) = (word as usize, usize::try_from(bytes).unwrap_or(usize::MAX));
        if bytes > BYTES || word >= SharedMemory::WORDS {
            return Err(memory(&format!("{bytes} bytes, of at most {BYTES}, with its word {word}")));
        }
        let theirs = ForeignMemory::open(&descriptor, bytes).map_err(|error| memory(&error.to_string()))?;
        self.theirs = Some(Theirs { memory: Arc::new(theirs), word, keeping: None });
        Ok(())
    }

    /// Notes that the other side may keep what it is lent, and says so in its words from `word` on.
    ///
    /// # Errors
    /// Returns an error if there are no such words.
    pub fn open_words(&mut self, word: u32) -> Result<(), Parting> {
        let Some(theirs) = &mut self.theirs else { return Err(memory("it has not announced its memory yet")) };
        let last = (word as usize).saturating_add(PLACES);
        if theirs.keeping.is_some() || theirs.memory.word(last).is_none() {
            return Err(memory(&format!("it says what it keeps from word {word} on")));
        }
        // Of others it is not known when they end.
        theirs.keeping = self.kin.is_some().then_some(word as usize);
        Ok(())
    }

    /// Opens the pipe, one side of which is in the memory of the other side.
    ///
    /// # Errors
    /// Returns an error if it is at no place of that memory.
    pub fn open_pipe(&mut self, at: PipeAt) -> Result<(), Parting> {
        let Some(theirs) = &self.theirs else { return Err(memory("it has not announced its memory yet")) };
        if self.pipe.is_some() {
            return Err(memory("it has announced its pipe twice"));
        }
        // Without memory for a ring, this side uses the socket, and so does the other one.
        let Some(ring) = self.ring.take() else { return Ok(()) };
        let PipeAt { offset, length, word } = at;
        let place = PipePlace { word: word as usize, offset, length };
        let pipe = MemoryPipe::new((self.memory.clone(), ring, self.words.first()), (theirs.memory.clone(), place));
        let is_allowed = length <= LARGEST_RING;
        self.pipe = pipe.filter(|_| is_allowed);
        if self.pipe.is_none() {
            return Err(memory(&format!("a pipe of {length} bytes from byte {offset} on, with its word {word}")));
        }
        Ok(())
    }

    /// Notes that the frame was the last one of the peer on the socket.
    ///
    /// # Errors
    /// Returns an error if there is no pipe for those that follow.
    pub fn note_piped(&mut self) -> Result<(), Parting> {
        self.is_piped_to = self.pipe.is_some();
        if self.is_piped_to { Ok(()) } else { Err(memory("it has not announced its pipe yet")) }
    }

    /// Applies `take` to the contents of a lent message, and returns it to its owner, unless values
    /// refer to it. Returns whether it is kept for them.
    ///
    /// # Errors
    /// Returns an error if there is no such place in the peer's memory.
    pub fn receive(&mut self, lent: &Lent<'_>, take: impl FnOnce(Contents<'_>)) -> Result<bool, Parting> {
        let Lent { offset, length, marks, .. } = *lent;
        let Some(theirs) = &self.theirs else { return Err(memory("it has not announced its memory yet")) };
        let (number, place) = (self.read + 1, (offset, length));
        let keeping = self.keeping.as_mut().filter(|_| marks.may_be_kept);
        let is_kept = match keeping.and_then(|keeping| Some((keeping.borrow(number, &theirs.memory, place)?, keeping)))
        {
            Some(((place, bytes), keeping)) => {
                take(Contents::Shared(&bytes));
                drop(bytes);
                keeping.settle(place)
            }
            None => {
                let bytes = theirs.memory.part(offset, length).map(LentBytes);
                let why = || memory(&format!("{length} bytes from byte {offset} on are not in it"));
                take(Contents::Lent(&bytes.ok_or_else(why)?));
                false
            }
        };
        self.give_back(marks.wants_notice);
        Ok(is_kept)
    }

    /// Counts the message that was read last.
    fn give_back(&mut self, wants_notice: bool) {
        self.read += 1;
        self.memory.set_word(self.words.first(), self.read);
        self.owes_notice |= wants_notice;
    }
}

impl Drop for Sharing {
    /// Leaves behind what the peer may still read, once it is said that nothing is read here any
    /// more.
    fn drop(&mut self) {
        drop(self.keeping.take());
        let lending = mem::take(&mut self.lending);
        let left = self.theirs.take().zip(self.kin.take());
        if let Some(mut left) = left.and_then(|(theirs, kin)| LeftBehind::new(lending, theirs, kin)) {
            self.words.leave(move || left.collect());
        }
    }
}

impl CopiedBytes for LentBytes<'_> {
    fn length(&self) -> usize {
        self.0.length()
    }

    fn copy_to(&self, begin: usize, into: &mut [u8]) {
        self.0.copy_to(begin, into);
    }

    fn append_to(&self, bytes: &mut Vec<u8>) {
        self.0.append_to(bytes);
    }
}

impl From<PipeMisuse> for Parting {
    fn from(misuse: PipeMisuse) -> Self {
        memory(&misuse.to_string())
    }
}

/// Creates the reason for ending a conversation because of the way the peer uses its memory.
fn memory(why: &str) -> Parting {
    Parting::Memory(why.to_owned())
}
