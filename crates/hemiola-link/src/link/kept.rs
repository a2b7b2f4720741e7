//! The receiver's side of what is lent: the blocks of the peer's memory that values refer to.
//!
//! | step | sender | receiver |
//! |---|---|---|
//! | allow | says with a lent message that it may be kept, once the receiver has said where its words are | |
//! | read | | sets the word of a place to the message's number, and decodes the message where it is |
//! | keep | | counts the message as read; if no value refers to it, it is returned before that |
//! | return | | when it finds that no value refers to the block any more, sets that word to 0 |
//! | use again | reads the count, then the words: what was read and is in none of them | |
//!
//! Whoever drops the last value that refers to a block only counts that: the block stays in its
//! place here, and the links' thread finds out when it has its next turn. So a real-time thread may
//! drop such values. After the links are gone, the last value takes its block with it.
//!
//! # Safety
//! The bytes of a block are borrowed from another process, which must not write them meanwhile.
//! - The kernel says that the process belongs to this user and runs this executable ([`Kin`]), so
//!   that its links are this code. Who can make such a process do something else can also change
//!   the memory of this one.
//! - A block is written by whoever has it exclusively (`MemoryBlock`, `FramedBlock`), before it is
//!   lent; the message around the bytes of a `FramedBlock` is complete before. From then on a
//!   [`Lending`](super::lending::Lending) refers to it, until it was read and is in no word of the
//!   receiver, or the receiver's process has ended. That holds if the sender knows of these words
//!   when it lends the block, and it says so with the message. It holds beyond the end of the
//!   conversation: what is [left behind](super::lending::LeftBehind) stays with the memory
//!   ([`PeerMemory`](crate::memory::PeerMemory)), which all links of the process have. If they or
//!   the process end, nobody writes the memory any more, and it stays mapped here.
//! - The place and the number come with one frame. Frames come in the order in which they were
//!   sent, and whole, so both are as the sender has written them, and its head was visible to this
//!   thread after the block was.
#![expect(unsafe_code, reason = "bytes of another process are borrowed")]

use std::mem;
use std::sync::Arc;

use hemiola_model::data::SharedBytes;
use hemiola_realtime::{BorrowedBytes, ForeignMemory, SharedMemory, SharedWords};

use crate::kin::Kin;

/// The blocks of a peer's memory that are kept here.
pub struct Keeping {
    words: Arc<SharedWords>,
    places: [Option<Arc<Kept>>; PLACES],
    bytes: usize,
}

/// A block of a peer's memory. When it is dropped, it is returned.
#[derive(Debug)]
pub struct Kept {
    block: BorrowedBytes,
    words: Arc<SharedWords>,
    word: usize,
}

/// The number of blocks of a peer that can be kept at a time.
pub const PLACES: usize = 64;
/// The number of bytes of a peer that can be kept at a time: half of its memory.
const MOST_BYTES: usize = 32 << 20;
/// The word that says whether the receiver goes on with the conversation; those of the places
/// follow.
pub const STATE: usize = 0;
/// The value of that word during the conversation.
pub const IN_CONVERSATION: u64 = 1;

impl Keeping {
    /// Begins to keep blocks of a peer; `None` if there is no room for the words.
    pub fn new(memory: &Arc<SharedMemory>, _: &Kin) -> Option<Self> {
        let words = memory.words()?;
        words.set(STATE, IN_CONVERSATION);
        Some(Self { words: Arc::new(words), places: [const { None }; PLACES], bytes: 0 })
    }

    /// Returns the index of the first of the words.
    pub fn word(&self) -> u32 {
        self.words.first() as u32
    }

    /// Borrows the block of a message that the peer has said may be kept, and returns its place and
    /// its bytes; `None` if there is no such block, or enough is kept. The message is counted as
    /// read after that.
    pub fn borrow(
        &mut self,
        number: u64,
        memory: &Arc<ForeignMemory>,
        (offset, length): (u64, u64),
    ) -> Option<(usize, SharedBytes)> {
        self.collect();
        let place = self.places.iter().position(Option::is_none)?;
        let bytes = self.bytes.checked_add(usize::try_from(length).ok()?).filter(|bytes| *bytes <= MOST_BYTES)?;
        // SAFETY: see above.
        let block = unsafe { memory.borrow(offset, length) }?;
        self.bytes = bytes;
        let kept = Arc::new(Kept { block, words: self.words.clone(), word: STATE + 1 + place });
        self.words.set(kept.word, number);
        let shared = SharedBytes::of(kept.clone());
        self.places[place] = Some(kept);
        Some((place, shared))
    }

    /// Returns the block at a place if no value refers to it. Returns whether it is kept.
    pub fn settle(&mut self, place: usize) -> bool {
        self.collect_place(place);
        self.places[place].is_some()
    }

    /// Returns the blocks that no value refers to any more.
    pub fn collect(&mut self) {
        (0..PLACES).for_each(|place| self.collect_place(place));
    }

    /// Ends the conversation. Returns the blocks that are still kept.
    pub fn end(mut self) -> Vec<Arc<Kept>> {
        self.collect();
        mem::replace(&mut self.places, [const { None }; PLACES]).into_iter().flatten().collect()
    }

    fn collect_place(&mut self, place: usize) {
        // `get_mut` acquires: all reads of the block are done.
        if let Some(kept) = self.places[place].as_mut().and_then(Arc::get_mut) {
            self.bytes -= kept.block.len();
            self.places[place] = None;
        }
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.words.set(STATE, 0);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // The word is set with release semantics.
        self.words.set(self.word, 0);
    }
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.block
    }
}
