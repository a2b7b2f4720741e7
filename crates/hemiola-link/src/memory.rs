//! The memory of this process that peers read, and the words in it.
//!
//! Peers that run the same program share one memory of the process with all of its links, so that
//! what one module writes there reaches each of them without a copy. Others, which may belong to
//! other users, see only what their link sends them.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hemiola_model::data::{BytesBlock, offer_memory};
use hemiola_realtime::{FramedBlock, PipePlace, SharedMemory};

/// Memory that peers read, and which of its words belong to a conversation.
pub struct PeerMemory {
    memory: Arc<SharedMemory>,
    taken: Mutex<[bool; CONVERSATIONS]>,
    /// The blocks that peers may still read, although their conversations have ended. Other links
    /// may use the memory longer than the one of such a conversation.
    left_behind: Mutex<Vec<LeftBehind>>,
}

/// Drops the blocks that have been returned, and returns whether these were all.
type LeftBehind = Box<dyn FnMut() -> bool + Send>;

/// The words of a conversation, which belong to it as long as this exists.
pub struct Words {
    of: Arc<PeerMemory>,
    number: usize,
}

/// Bytes of messages in the memory of the process.
pub struct SharedBlock {
    framed: Arc<FramedBlock>,
    of: Weak<PeerMemory>,
}

/// The size of a memory. Unused parts of it occupy no physical memory.
pub const BYTES: usize = 64 << 20;
/// The number of conversations for which there are words.
const CONVERSATIONS: usize = SharedMemory::WORDS / PipePlace::WORDS;

/// The memory that the links of this process share with peers that run the same program, as long as
/// one of the links has it.
static OF_THE_PROCESS: Mutex<Weak<PeerMemory>> = Mutex::new(Weak::new());

impl PeerMemory {
    /// Creates memory.
    ///
    /// # Errors
    /// Returns an error if the system has no such memory.
    pub fn create() -> io::Result<Arc<Self>> {
        let memory = SharedMemory::create(BYTES)?;
        Ok(Arc::new(Self { memory, taken: Mutex::new([false; CONVERSATIONS]), left_behind: Mutex::default() }))
    }

    /// Returns the memory of the process, which is created if there is none. From then on, large
    /// bytes of its modules are written there.
    pub fn of_the_process() -> Option<Arc<Self>> {
        let mut shared = lock(&OF_THE_PROCESS);
        if let Some(memory) = shared.upgrade() {
            return Some(memory);
        }
        let memory = Self::create().ok()?;
        *shared = Arc::downgrade(&memory);
        offer_memory(SharedBlock::offered);
        Some(memory)
    }

    /// Returns words for one more conversation, which are all 0; `None` if there are none left.
    pub fn words(self: &Arc<Self>) -> Option<Words> {
        let mut taken = lock(&self.taken);
        let number = taken.iter().position(|is_taken| !is_taken)?;
        taken[number] = true;
        let words = Words { of: self.clone(), number };
        (words.first()..words.first() + PipePlace::WORDS).for_each(|word| self.memory.set_word(word, 0));
        Some(words)
    }

    /// Drops the blocks that were returned after the end of their conversations. Returns whether
    /// that were all.
    pub fn collect(&self) -> bool {
        let mut left_behind = lock(&self.left_behind);
        left_behind.retain_mut(|collect| !collect());
        left_behind.is_empty()
    }
}

/// Locks what is consistent even if a thread has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Words {
    /// Returns the memory.
    pub fn memory(&self) -> &Arc<SharedMemory> {
        &self.of.memory
    }

    /// Leaves blocks behind for a peer that may still read them. `collect` drops those that have
    /// been returned, and returns whether these were all.
    pub fn leave(&self, collect: impl FnMut() -> bool + Send + 'static) {
        lock(&self.of.left_behind).push(Box::new(collect));
    }

    /// Returns the index of the first of the words.
    pub fn first(&self) -> usize {
        self.number * PipePlace::WORDS
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        lock(&self.of.taken)[self.number] = false;
    }
}

impl SharedBlock {
    fn offered(length: usize) -> Option<Arc<dyn BytesBlock>> {
        let of = lock(&OF_THE_PROCESS).upgrade()?;
        let framed = Arc::new(FramedBlock::new(&of.memory, length)?);
        Some(Arc::new(Self { framed, of: Arc::downgrade(&of) }))
    }

    /// Returns the bytes, around which a message can be completed.
    pub fn framed(&self) -> &Arc<FramedBlock> {
        &self.framed
    }
}

impl BytesBlock for SharedBlock {
    fn bytes(&self) -> &[u8] {
        self.framed.bytes()
    }

    /// Returns nothing as long as a message around the bytes is on its way, which
    /// [`resize`](Self::resize) finds out.
    fn bytes_mut(&mut self) -> &mut [u8] {
        Arc::get_mut(&mut self.framed).map(FramedBlock::bytes_mut).unwrap_or_default()
    }

    /// Changes the number of bytes, unless a message around them is on its way, or no link has the
    /// memory any more. Does not lock.
    fn resize(&mut self, length: usize) -> bool {
        let Some(block) = Arc::get_mut(&mut self.framed) else { return false };
        // In this order: when the memory is dropped, what was left behind with it is dropped after
        // the last reference is gone. If that is why the block is had exclusively, this is seen
        // here, and the block, which a peer may still read, is not written any more.
        self.of.strong_count() > 0 && block.resize(length)
    }
}
