//! The sides of a pipe in the memory of two processes.

use std::fmt;
use std::sync::Arc;

use super::{OtherSide, OwnSide, Pipe, PipeMisuse, PipeWord};
use crate::shared_memory::{ForeignMemory, MemoryBlock, SharedMemory};

/// A stream of bytes in each direction between two processes, which write and read without a
/// system call.
///
/// Neither of them waits for the other one. One that is about to sleep
/// [says so](Self::prepare_to_sleep) in its memory; then the other one is asked to ring, which is
/// to end that sleep by other means, such as a byte on a socket.
///
/// The other side is not trusted: it can end the pipe with an error, and write any bytes, but
/// nothing else.
///
/// ```
/// use hemiola_realtime::{ForeignMemory, MemoryPipe, PipePlace, SharedMemory};
/// use std::sync::Arc;
///
/// let (near, far) = (SharedMemory::create(1 << 16)?, SharedMemory::create(1 << 16)?);
/// let place = |memory: &Arc<SharedMemory>| {
///     let ring = memory.block(4096).expect("there is room");
///     (PipePlace { word: 0, offset: ring.offset(), length: 4096 }, ring)
/// };
/// let ((near_place, near_ring), (far_place, far_ring)) = (place(&near), place(&far));
/// // The descriptors go over a Unix socket.
/// let seen = |memory: &Arc<SharedMemory>| {
///     ForeignMemory::open(&memory.descriptor().try_clone_to_owned()?, memory.bytes()).map(Arc::new)
/// };
/// let of_far = (seen(&far)?, far_place);
/// let of_near = (seen(&near)?, near_place);
/// let mut here = MemoryPipe::new((near, near_ring, 0), of_far).expect("it is a place in that memory");
/// let mut there = MemoryPipe::new((far, far_ring, 0), of_near).expect("it is a place in that memory");
///
/// assert!(there.prepare_to_sleep()?);
/// here.write(b"hello")?;
/// assert!(here.send()); // it sleeps: now ring
/// let mut bytes = [0; 100];
/// assert_eq!(there.read(&mut bytes)?, 5);
/// assert_eq!(&bytes[..5], b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MemoryPipe(Pipe<OwnMemory, TheirMemory>);

/// The place of one side of a pipe in its memory.
///
/// See [`MemoryPipe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipePlace {
    /// The first of its [words](PipePlace::WORDS).
    pub word: usize,
    /// The offset of its ring.
    pub offset: u64,
    /// The number of bytes in its ring.
    pub length: u64,
}

struct OwnMemory {
    memory: Arc<SharedMemory>,
    ring: MemoryBlock,
    word: usize,
}

struct TheirMemory {
    memory: Arc<ForeignMemory>,
    place: PipePlace,
}

/// The words in a line of the processor's caches. Words that one side polls are not in a line with
/// those that it need not see.
const LINE: usize = 8;

impl PipePlace {
    /// The number of words that a side has: `read`, `written`, `wanting` and `asleep` are the words
    /// 1, 8, 9 and 16 of them. Word 0 is free for other uses.
    pub const WORDS: usize = 3 * LINE;

    fn word(&self, word: PipeWord) -> usize {
        self.word + offset(word)
    }
}

fn offset(word: PipeWord) -> usize {
    match word {
        PipeWord::Read => 1,
        PipeWord::Written => LINE,
        PipeWord::Wanting => LINE + 1,
        PipeWord::Asleep => 2 * LINE,
    }
}

impl MemoryPipe {
    /// Begins a pipe between this process's memory, of which it takes a ring and the words from
    /// `word` on, and that of another process; `None` if either has no such place. The words must
    /// be 0 before the other process knows of them.
    pub fn new(
        (memory, ring, word): (Arc<SharedMemory>, MemoryBlock, usize),
        (theirs, place): (Arc<ForeignMemory>, PipePlace),
    ) -> Option<Self> {
        let has_words = |word: usize| word.checked_add(PipePlace::WORDS).is_some_and(|end| end <= SharedMemory::WORDS);
        let is_there = place.length > 0 && theirs.part(place.offset, place.length).is_some();
        if !has_words(word) || !has_words(place.word) || !is_there || !ring.is_part_of(&memory) {
            return None;
        }
        Some(Self(Pipe::new(OwnMemory { memory, ring, word }, TheirMemory { memory: theirs, place })))
    }

    /// Copies as many of these bytes into the ring as it has room for, and returns their number.
    /// The other side sees them after [`send`](Self::send).
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn write(&mut self, bytes: &[u8]) -> Result<usize, PipeMisuse> {
        self.0.write(bytes)
    }

    /// Shows the other side what was written. Returns whether it has to be rung for, once for each
    /// of its sleeps.
    #[must_use]
    pub fn send(&mut self) -> bool {
        self.0.send()
    }

    /// Asks the other side, for which there is no room, to ring when it has read something. Returns
    /// whether there is room by now.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn want_room(&mut self) -> Result<bool, PipeMisuse> {
        self.0.want_room()
    }

    /// Returns whether there is room for another byte.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn has_room(&mut self) -> Result<bool, PipeMisuse> {
        self.0.has_room()
    }

    /// Copies what the other side has sent, as much as `into` has room for, and returns how many
    /// bytes these are.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, PipeMisuse> {
        self.0.read(into)
    }

    /// Gives the room of what was read back. Returns whether the other side waits for room, and has
    /// to be rung for.
    #[must_use]
    pub fn give_back(&mut self) -> bool {
        self.0.give_back()
    }

    /// Returns whether there is something to read, by a load of one word.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn has_news(&mut self) -> Result<bool, PipeMisuse> {
        self.0.has_news()
    }

    /// Lets the other side ring when it sends something. Returns `false` if there is something to
    /// read already, for which it has perhaps not rung.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn prepare_to_sleep(&mut self) -> Result<bool, PipeMisuse> {
        self.0.prepare_to_sleep()
    }

    /// Prepares to sleep, unless this side looks by itself, or has prepared since it read or was
    /// rung for last. Returns `false` if there is something to read.
    ///
    /// # Errors
    /// Returns an error if the other side does not keep to the rules.
    pub fn rest(&mut self) -> Result<bool, PipeMisuse> {
        self.0.rest()
    }

    /// Notes that the other side has rung. It rings once for each sleep.
    pub fn note_rung(&mut self) {
        self.0.note_rung();
    }

    /// Lets the other side send without ringing, until this one prepares to sleep: it looks by
    /// itself.
    pub fn stay_awake(&mut self) {
        self.0.stay_awake();
    }
}

impl OwnSide for OwnMemory {
    fn length(&self) -> usize {
        self.ring.len()
    }

    fn put(&mut self, place: usize, bytes: &[u8]) {
        self.ring[place..place + bytes.len()].copy_from_slice(bytes);
    }

    fn set(&self, word: PipeWord, value: u64) {
        self.memory.set_word(self.word + offset(word), value);
    }
}

impl OtherSide for TheirMemory {
    fn length(&self) -> usize {
        self.place.length as usize
    }

    fn copy(&self, place: usize, into: &mut [u8]) {
        // The place is in the memory: `new` has found it there.
        if let Some(bytes) = self.memory.part(self.place.offset + place as u64, into.len() as u64) {
            bytes.copy_to(0, into);
        }
    }

    fn word(&self, word: PipeWord) -> u64 {
        self.memory.word(self.place.word(word)).unwrap_or_default()
    }
}

impl fmt::Debug for MemoryPipe {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pipe { written, read, is_awake, .. } = &self.0;
        let mut pipe = formatter.debug_struct("MemoryPipe");
        pipe.field("written", written).field("read", read).field("is_awake", is_awake).finish_non_exhaustive()
    }
}
