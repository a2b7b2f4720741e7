use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use hemiola_realtime::MemoryBlock;

/// A message in CDR, which may wait for several peers. It is in memory of its own, or where other
/// processes can read it.
///
/// ```
/// use hemiola_link::ends::Cdr;
///
/// let message = Cdr::from(hemiola_model::cdr::encode(&7_u16));
/// assert_eq!((&message[..], message.block().is_some()), (&[0, 1, 0, 0, 7, 0][..], false));
/// ```
#[derive(Clone)]
pub struct Cdr(Bytes);

#[derive(Clone)]
enum Bytes {
    Own(Arc<Vec<u8>>),
    Shared(Arc<MemoryBlock>, usize),
}

impl Cdr {
    /// Creates a message that is in the first `length` bytes of a block.
    ///
    /// # Panics
    /// Panics if the block is shorter.
    pub(crate) fn within(block: MemoryBlock, length: usize) -> Self {
        assert!(length <= block.len(), "a message of {length} bytes in a block of {}", block.len());
        Self(Bytes::Shared(Arc::new(block), length))
    }

    /// Returns the block that the message is in, from its beginning on, if other processes can read
    /// it there.
    pub fn block(&self) -> Option<&MemoryBlock> {
        match &self.0 {
            Bytes::Own(_) => None,
            Bytes::Shared(block, _) => Some(block),
        }
    }
}

impl Deref for Cdr {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Own(bytes) => bytes,
            Bytes::Shared(block, length) => &block[..*length],
        }
    }
}

impl From<Arc<Vec<u8>>> for Cdr {
    fn from(bytes: Arc<Vec<u8>>) -> Self {
        Self(Bytes::Own(bytes))
    }
}

impl From<Vec<u8>> for Cdr {
    fn from(bytes: Vec<u8>) -> Self {
        Arc::new(bytes).into()
    }
}

impl Default for Cdr {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl PartialEq for Cdr {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Cdr {}

impl fmt::Debug for Cdr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Cdr").field(&&**self).finish()
    }
}
