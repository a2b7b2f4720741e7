//! Bytes of another process that are read in place.
//!
//! # Safety
//! Whoever borrows them knows that no process writes them meanwhile. The place was found in the
//! mapping, which these bytes keep alive.
#![expect(unsafe_code, reason = "references into memory of another process")]

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::ForeignMemory;

/// Bytes of another process that it does not change while they are borrowed. They stay in memory
/// even if that process ends.
///
/// See [`ForeignMemory::borrow`].
pub struct BorrowedBytes {
    memory: Arc<ForeignMemory>,
    begin: usize,
    length: usize,
}

impl ForeignMemory {
    /// Borrows the bytes of a place; `None` if there is no such place.
    ///
    /// ```
    /// use hemiola_realtime::{ForeignMemory, SharedMemory};
    /// use std::sync::Arc;
    ///
    /// let memory = SharedMemory::create(1 << 20)?;
    /// let mut block = memory.block(5000).expect("there is room");
    /// block[..5].copy_from_slice(b"hello");
    /// let seen = ForeignMemory::open(&memory.descriptor().try_clone_to_owned()?, memory.bytes())?;
    /// // SAFETY: the block is not written any more.
    /// let bytes = unsafe { Arc::new(seen).borrow(block.offset(), 5) }.expect("it is there");
    /// drop((block, memory));
    /// assert_eq!(&bytes[..], b"hello");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Safety
    /// No process writes these bytes until the result is dropped, and what was written before is
    /// visible to this thread.
    pub unsafe fn borrow(self: &Arc<Self>, offset: u64, length: u64) -> Option<BorrowedBytes> {
        let place = self.part(offset, length)?;
        Some(BorrowedBytes { memory: self.clone(), begin: place.begin, length: place.length })
    }
}

impl Deref for BorrowedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: see above.
        unsafe { std::slice::from_raw_parts(self.memory.0.address().add(self.begin).as_ptr(), self.length) }
    }
}

impl fmt::Debug for BorrowedBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { begin, length, .. } = self;
        formatter.debug_struct("BorrowedBytes").field("offset", begin).field("length", length).finish_non_exhaustive()
    }
}
