//! Memory that one process writes and others read.
//!
//! | what | who writes it | how it is read |
//! |---|---|---|
//! | [`MemoryBlock`]: a part of one's own memory | who holds the block | by its holder, as any slice |
//! | [`FramedBlock`]: such a part, between whose bytes and the rest of a message nothing is copied | who holds it exclusively; the rest, who frames it first | by all who refer to it |
//! | a word of one's own memory | anybody, by [`SharedMemory::set_word`] or [`SharedWords::set`] | by other processes |
//! | [`ForeignMemory`]: that of another process | the other process, at any time, anything | copied |
//! | [`BorrowedBytes`]: a part of that | nobody: who borrows it promises so | in place |
//!
//! # Safety
//! - No other process can write a byte of this process's own memory: its file is sealed before any
//!   other process sees it (`os::mapping`). The words at its beginning are only ever accessed as
//!   atomics; each byte behind them belongs to one block at most (`free`), whose holder has
//!   exclusive access.
//! - Foreign memory changes while it is read. It is read by atomic loads of words, which are copied
//!   into memory of this process before they are used. The copied bytes are arbitrary: code that
//!   makes values of them has to check them.
//! - The one exception is [`ForeignMemory::borrow`], which is unsafe to call: its caller knows that
//!   the other process does not write there (`hemiola-link` says how).
#![expect(unsafe_code, reason = "memory that other processes see")]

mod borrowed;
mod framed;
mod free;
mod words;

pub use borrowed::BorrowedBytes;
pub use framed::{Framed, FramedBlock};
pub use words::SharedWords;

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use crate::os::Mapping;
use crate::word::{Word, acquire};
use free::Free;

/// Memory of this process that other processes can read but not write: blocks that come and go, and
/// words. It has no name, and is freed with the last process that has it, even if that is killed.
///
/// ```
/// use hemiola_realtime::{ForeignMemory, SharedMemory};
///
/// let memory = SharedMemory::create(1 << 20)?;
/// let mut block = memory.block(5000).expect("there is room");
/// block[..5].copy_from_slice(b"hello");
/// memory.set_word(3, 7);
///
/// // Another process gets the descriptor, over a Unix socket.
/// let seen = ForeignMemory::open(&memory.descriptor().try_clone_to_owned()?, memory.bytes())?;
/// let mut bytes = Vec::new();
/// seen.part(block.offset(), 5).expect("it is there").append_to(&mut bytes);
/// assert_eq!((&bytes[..], seen.word(3)), (&b"hello"[..], Some(7)));
/// assert!(seen.part(4_000_000_000, 5).is_none()); // there is no such place
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct SharedMemory {
    mapping: Mapping,
    descriptor: OwnedFd,
    free: Mutex<Free>,
}

/// A part of a [`SharedMemory`], to which its holder has exclusive access until it is dropped.
pub struct MemoryBlock {
    memory: Arc<SharedMemory>,
    begin: usize,
    length: usize,
}

/// The memory of another process, which may change while it is read.
///
/// See [`SharedMemory`].
pub struct ForeignMemory(Mapping);

/// Bytes of another process, each of which is some byte, whenever it is copied.
///
/// See [`ForeignMemory::part`].
#[derive(Clone, Copy, Debug)]
pub struct ForeignBytes<'m> {
    memory: &'m ForeignMemory,
    begin: usize,
    length: usize,
}

/// The size in bytes of the words at the beginning.
const WORDS: usize = PAGE;
/// The size in bytes to whose multiples blocks are rounded up.
const PAGE: usize = 4096;

impl SharedMemory {
    /// The number of words.
    pub const WORDS: usize = WORDS / size_of::<u64>();

    /// Creates memory of that many bytes, rounded up to pages, including those of the words. Pages
    /// that are never used occupy no memory.
    ///
    /// # Errors
    /// Returns an error if the system has no such memory: other systems than Linux, and Linux
    /// before 5.1.
    pub fn create(bytes: usize) -> io::Result<Arc<Self>> {
        let bytes = bytes.max(WORDS).checked_next_multiple_of(PAGE).ok_or(io::ErrorKind::OutOfMemory)?;
        let (mapping, descriptor) = Mapping::create(bytes)?;
        Ok(Arc::new(Self { mapping, descriptor, free: Mutex::new(Free::of(WORDS..bytes)) }))
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.mapping.length()
    }

    /// Returns the file to be passed to other processes, which can only read it.
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }

    /// Sets a word that others read. A process that reads the value sees everything that this
    /// thread did before.
    ///
    /// # Panics
    /// Panics if there is no such word.
    pub fn set_word(&self, word: usize, value: u64) {
        assert!(word < Self::WORDS, "there are {} words", Self::WORDS);
        // SAFETY: the words are at the beginning, which is aligned to a page, and nobody accesses
        // them otherwise.
        unsafe { self.mapping.address().cast::<Word>().add(word).as_ref() }.set(value);
    }

    /// Returns a block of at least that many bytes, with its previous contents; `None` if there is
    /// no room. Takes a lock.
    pub fn block(self: &Arc<Self>, bytes: usize) -> Option<MemoryBlock> {
        let length = bytes.max(1).checked_next_multiple_of(PAGE)?;
        // The free parts stay consistent even if a thread has panicked.
        let begin = self.free.lock().unwrap_or_else(PoisonError::into_inner).take(length)?;
        Some(MemoryBlock { memory: self.clone(), begin, length })
    }
}

impl MemoryBlock {
    /// Returns where the block begins in its memory.
    pub fn offset(&self) -> u64 {
        self.begin as u64
    }

    /// Returns whether the block is a part of this memory.
    pub fn is_part_of(&self, memory: &Arc<SharedMemory>) -> bool {
        Arc::ptr_eq(&self.memory, memory)
    }
}

impl Deref for MemoryBlock {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the bytes belong to this block alone, and no other process can write them; they
        // were zero when they were created.
        unsafe { std::slice::from_raw_parts(self.memory.mapping.address().add(self.begin).as_ptr(), self.length) }
    }
}

impl DerefMut for MemoryBlock {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; a mutable borrow of the block is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.memory.mapping.address().add(self.begin).as_ptr(), self.length) }
    }
}

impl Drop for MemoryBlock {
    fn drop(&mut self) {
        let mut free = self.memory.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.give_back(self.begin..self.begin + self.length);
    }
}

impl ForeignMemory {
    /// Opens the memory of another process, of that many bytes.
    ///
    /// # Errors
    /// Returns an error if it was not created by [`SharedMemory::create`], or has another length:
    /// reading it might then end this process.
    pub fn open(descriptor: &OwnedFd, bytes: usize) -> io::Result<Self> {
        if bytes < WORDS || !bytes.is_multiple_of(PAGE) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its length is none of whole pages"));
        }
        Mapping::open(descriptor, bytes).map(Self)
    }

    /// Returns a word, as the other process has set it ([`SharedMemory::set_word`],
    /// [`SharedWords::set`]); `None` if there is no such word.
    pub fn word(&self, word: usize) -> Option<u64> {
        let value = (word < self.0.length() / size_of::<Word>()).then(|| self.load(word));
        acquire();
        value
    }

    /// Returns the bytes of a place, to be copied; `None` if there is no such place.
    pub fn part(&self, offset: u64, length: u64) -> Option<ForeignBytes<'_>> {
        offset.checked_add(length).filter(|end| *end <= self.0.length() as u64)?;
        let (begin, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
        Some(ForeignBytes { memory: self, begin, length })
    }

    #[inline]
    fn load(&self, word: usize) -> u64 {
        debug_assert!(word < self.0.length() / size_of::<Word>(), "whoever calls this has checked it");
        // SAFETY: the memory is that long, aligned to a page, and cannot shrink; it is accessed by
        // atomic loads only.
        unsafe { self.0.address().cast::<Word>().add(word).as_ref() }.get()
    }
}

impl ForeignBytes<'_> {
    /// Returns how many bytes these are.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Copies the bytes from `begin` on, as many as `into` has room for.
    ///
    /// # Panics
    /// Panics if there are fewer.
    pub fn copy_to(&self, begin: usize, into: &mut [u8]) {
        self.check(begin, into.len());
        // SAFETY: there are so many bytes, and `into` has room for them.
        unsafe { self.copy(begin, into.len(), into.as_mut_ptr()) }
    }

    /// Appends a copy of all bytes.
    pub fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.reserve(self.length);
        let room = bytes.spare_capacity_mut().as_mut_ptr().cast::<u8>();
        // SAFETY: room for `length` bytes was just reserved, and all of them are written.
        unsafe {
            self.copy(0, self.length, room);
            bytes.set_len(bytes.len() + self.length);
        }
    }

    fn check(&self, begin: usize, count: usize) {
        let is_there = begin.checked_add(count).is_some_and(|end| end <= self.length);
        assert!(is_there, "{count} bytes from byte {begin} on, of {}", self.length);
    }

    /// Copies `count` bytes from `begin` on to `room`.
    ///
    /// # Safety
    /// There are so many bytes from there on, and at `room` there is room for them.
    #[inline]
    unsafe fn copy(&self, begin: usize, count: usize, room: *mut u8) {
        const WORD: usize = size_of::<u64>();
        let (mut done, mut at) = (0, self.begin + begin);
        while done < count {
            let (first, skipped, left) = (at / WORD, at % WORD, count - done);
            // The first word and the last one may be copied in part; those between them are copied
            // in a run.
            let copied = if skipped == 0 && left >= WORD {
                for word in 0..left / WORD {
                    let bytes = self.memory.load(first + word).to_ne_bytes();
                    // SAFETY: behind `done` there is room for `left` bytes.
                    unsafe { room.add(done + WORD * word).cast::<[u8; WORD]>().write(bytes) }
                }
                left / WORD * WORD
            } else {
                let (bytes, copied) = (self.memory.load(first).to_ne_bytes(), left.min(WORD - skipped));
                // SAFETY: as above, and `skipped + copied` is at most the size of a word.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().add(skipped), room.add(done), copied) }
                copied
            };
            (done, at) = (done + copied, at + copied);
        }
    }
}

impl fmt::Debug for SharedMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SharedMemory").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl fmt::Debug for MemoryBlock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { begin, length, .. } = self;
        formatter.debug_struct("MemoryBlock").field("offset", begin).field("length", length).finish_non_exhaustive()
    }
}

impl fmt::Debug for ForeignMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ForeignMemory").field("bytes", &self.0.length()).finish()
    }
}

#[cfg(test)]
mod tests;
