//! Words that other processes read, as many as one needs.
//!
//! # Safety
//! The words take a whole block, which is aligned to a page, belongs to nobody else, and is only
//! ever accessed as atomics from its creation on.
#![expect(unsafe_code, reason = "atomics in memory that other processes see")]

use std::fmt;
use std::sync::Arc;

use super::{MemoryBlock, SharedMemory};
use crate::word::Word;

/// Words of a [`SharedMemory`] besides those at its beginning, which are all accessed as atomics,
/// until these are dropped.
///
/// ```
/// use hemiola_realtime::{ForeignMemory, SharedMemory};
///
/// let memory = SharedMemory::create(1 << 20)?;
/// let words = memory.words().expect("there is room");
/// words.set(3, 7);
/// let seen = ForeignMemory::open(&memory.descriptor().try_clone_to_owned()?, memory.bytes())?;
/// assert_eq!(seen.word(words.first() + 3), Some(7));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct SharedWords(MemoryBlock);

impl SharedWords {
    /// The number of words.
    pub const COUNT: usize = SharedMemory::WORDS;

    /// Makes words of a block of that many.
    pub(super) fn new(mut block: MemoryBlock) -> Self {
        block.fill(0);
        Self(block)
    }

    /// Returns the index in the memory of the first of these words.
    pub fn first(&self) -> usize {
        self.0.begin / size_of::<Word>()
    }

    /// Sets one of the words. A process that reads the value sees everything that this thread did
    /// before.
    ///
    /// # Panics
    /// Panics if there is no such word.
    pub fn set(&self, word: usize, value: u64) {
        assert!(word < Self::COUNT, "there are {} words", Self::COUNT);
        let first = self.0.memory.mapping.address().cast::<Word>();
        // SAFETY: see above; the block is as long as these words.
        unsafe { first.add(self.first() + word).as_ref() }.set(value);
    }
}

impl SharedMemory {
    /// Returns words, all of which are 0; `None` if there is no room. Takes a lock.
    pub fn words(self: &Arc<Self>) -> Option<SharedWords> {
        self.block(size_of::<Word>() * SharedWords::COUNT).map(SharedWords::new)
    }
}

impl fmt::Debug for SharedWords {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SharedWords").field("first", &self.first()).finish_non_exhaustive()
    }
}
