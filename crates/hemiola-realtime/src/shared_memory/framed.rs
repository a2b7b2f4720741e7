//! Bytes with room around them, so that a message can be completed in place.
//!
//! | part of the block | who writes it | who reads it |
//! |---|---|---|
//! | the bytes | whoever has the [`FramedBlock`] exclusively | all who refer to it |
//! | what is before and behind them, the frame | the first one who [frames](FramedBlock::frame) them | all who have a [`Framed`] |
//!
//! The [state](crate::frame) says who writes the frame, and whether it is complete; it does not
//! change any more then, until the block is had exclusively again.
//!
//! # Safety
//! The bytes and the frame do not overlap, and no reference reaches from one into the other before
//! the frame is complete. From then on nobody writes either of them until the block is had
//! exclusively: no `Framed` refers to it then.
#![expect(unsafe_code, reason = "parts of a block are written while others are read")]

use std::fmt;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::{MemoryBlock, SharedMemory};
use crate::frame::{Claim, FrameState};

/// Bytes in memory that other processes can read, between which and the rest of a message nothing
/// need be copied: the message is completed around them.
///
/// ```
/// use hemiola_realtime::{FramedBlock, SharedMemory};
/// use std::sync::Arc;
///
/// let memory = SharedMemory::create(1 << 20)?;
/// let mut pixels = FramedBlock::new(&memory, 5).expect("there is room");
/// pixels.bytes_mut().copy_from_slice(b"hello");
/// let pixels = Arc::new(pixels);
/// let message = pixels.frame(b"<", b">").expect("nobody has framed it otherwise");
/// assert_eq!((pixels.bytes(), &message[..]), (&b"hello"[..], &b"<hello>"[..]));
/// assert!(pixels.frame(b"<", b">").is_some() && pixels.frame(b"[", b"]").is_none());
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FramedBlock {
    block: MemoryBlock,
    /// The number of bytes without the frame.
    length: usize,
    frame: FrameState,
}

/// Bytes with their frame: a message in one piece.
///
/// See [`FramedBlock`].
#[derive(Clone)]
pub struct Framed {
    block: Arc<FramedBlock>,
    range: (usize, usize),
}

impl FramedBlock {
    /// The longest part of a frame on either side of the bytes.
    pub const ROOM: usize = 1 << 10;

    /// Creates a block of `length` bytes, with their previous contents; `None` if there is no room.
    /// Takes a lock.
    pub fn new(memory: &Arc<SharedMemory>, length: usize) -> Option<Self> {
        let block = memory.block(length.checked_add(2 * Self::ROOM)?)?;
        Some(Self { block, length, frame: FrameState::new() })
    }

    /// Changes the number of bytes, and removes the frame. Returns `false` if there is no room.
    pub fn resize(&mut self, length: usize) -> bool {
        let has_room = length <= self.block.length - 2 * Self::ROOM;
        if has_room {
            self.length = length;
            self.frame = FrameState::new();
        }
        has_room
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: see above; the block is that long.
        unsafe { slice::from_raw_parts(self.at(Self::ROOM).as_ptr(), self.length) }
    }

    /// Returns the bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the block is had exclusively.
        unsafe { slice::from_raw_parts_mut(self.at(Self::ROOM).as_ptr(), self.length) }
    }

    /// Puts a frame around the bytes: one part right before them, and one right behind them.
    /// `None` if a part is too long, or somebody has put another frame there since the block was
    /// had exclusively. Does not wait.
    pub fn frame(self: &Arc<Self>, before: &[u8], behind: &[u8]) -> Option<Framed> {
        if before.len().max(behind.len()) > Self::ROOM {
            return None;
        }
        let range = Self::ROOM - before.len()..Self::ROOM + self.length + behind.len();
        let lengths = (before.len() as u16, behind.len() as u16);
        match self.frame.claim() {
            Claim::Granted => {
                // SAFETY: see above: nobody else writes there, and nobody reads it before it is
                // complete. The range is within the block, as both parts are at most as long as the
                // room on their side.
                unsafe {
                    self.at(range.start).copy_from_nonoverlapping(NonNull::from(before).cast(), before.len());
                    let end = self.at(Self::ROOM + self.length);
                    end.copy_from_nonoverlapping(NonNull::from(behind).cast(), behind.len());
                }
                self.frame.complete(lengths.0, lengths.1);
                Some(self.framed(range))
            }
            Claim::Complete(first, second) if (first, second) == lengths => {
                let there = self.framed(range);
                let is_same = there.starts_with(before) && there.ends_with(behind);
                is_same.then_some(there)
            }
            Claim::Complete(..) | Claim::Refused => None,
        }
    }

    fn framed(self: &Arc<Self>, range: Range<usize>) -> Framed {
        Framed { block: self.clone(), range: (range.start, range.end) }
    }

    /// Returns where a byte of the block is.
    fn at(&self, byte: usize) -> NonNull<u8> {
        debug_assert!(byte <= self.block.length, "byte {byte} of {}", self.block.length);
        // SAFETY: the block is within the mapping, and the byte within the block or at its end.
        unsafe { self.block.memory.mapping.address().add(self.block.begin + byte) }
    }
}

impl Framed {
    /// Returns where the message begins in its memory.
    pub fn offset(&self) -> u64 {
        self.block.block.offset() + self.range.0 as u64
    }

    /// Returns whether it is a part of this memory.
    pub fn is_part_of(&self, memory: &Arc<SharedMemory>) -> bool {
        self.block.block.is_part_of(memory)
    }
}

impl Deref for Framed {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let (begin, end) = self.range;
        // SAFETY: see above: this exists since the frame is complete.
        unsafe { slice::from_raw_parts(self.block.at(begin).as_ptr(), end - begin) }
    }
}

impl fmt::Debug for FramedBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FramedBlock").field("length", &self.length).finish_non_exhaustive()
    }
}

impl fmt::Debug for Framed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Framed").field("offset", &self.offset()).field("length", &self.len()).finish()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use proptest::prelude::*;

    use super::super::ForeignMemory;
    use super::*;

    proptest! {
        /// Whatever is written and framed in turn: other processes see each message as it was
        /// framed, and what has no room, or another frame, is refused.
        #[test]
        fn others_read_each_message_as_it_was_framed(
            messages in prop::collection::vec((0_usize..9000, 0_usize..1100, 0_usize..1100, any::<u8>()), 1..8),
        ) {
            let memory = SharedMemory::create(1 << 16).unwrap();
            let seen = ForeignMemory::open(&memory.descriptor().try_clone_to_owned().unwrap(), memory.bytes()).unwrap();
            let mut block = FramedBlock::new(&memory, 8000).unwrap();
            for (length, before, behind, value) in messages {
                let has_room = block.resize(length);
                prop_assert!(has_room || length > 8000);
                block.bytes_mut().fill(value);
                let (before, behind) = (vec![1_u8; before], vec![2_u8; behind]);
                let all = [&before[..], block.bytes(), &behind].concat();
                let shared = Arc::new(block);
                let framed = has_room.then(|| shared.frame(&before, &behind)).flatten();
                let fits = before.len().max(behind.len()) <= FramedBlock::ROOM;
                prop_assert_eq!(framed.is_some(), has_room && fits);
                if let Some(framed) = framed {
                    let mut read = Vec::new();
                    seen.part(framed.offset(), framed.len() as u64).unwrap().append_to(&mut read);
                    prop_assert!(read == all && framed[..] == all && framed.is_part_of(&memory));
                    let again = shared.frame(&before, &behind).map(|again| again.offset());
                    prop_assert_eq!(again, Some(framed.offset()));
                    prop_assert!(shared.frame(&[&before[..], &[9]].concat(), &behind).is_none());
                    if !before.is_empty() {
                        prop_assert!(shared.frame(&vec![3; before.len()], &behind).is_none());
                    }
                }
                block = Arc::try_unwrap(shared).unwrap();
            }
        }
    }
}
