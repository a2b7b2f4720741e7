use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use hemiola_model::cdr::{CdrReader, CopiedBytes};
use hemiola_model::data::{ReadError, SharedBytes};
use hemiola_realtime::{Framed, MemoryBlock, SharedMemory};

/// A message in CDR, which may wait for several peers. It is in memory of its own, in memory that
/// other processes can read, or where it was published in this form.
///
/// ```
/// use hemiola_link::ends::Cdr;
///
/// let message = Cdr::from(hemiola_model::cdr::encode(&7_u16));
/// assert_eq!(message[..], [0, 1, 0, 0, 7, 0]);
/// let memory = hemiola_realtime::SharedMemory::create(1 << 20)?;
/// assert_eq!(message.place_in(&memory), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Cdr(Bytes);

#[derive(Clone)]
enum Bytes {
    Own(Arc<Vec<u8>>),
    Shared(Arc<MemoryBlock>, usize),
    Framed(Framed),
    /// The bytes of a message that is in CDR already.
    Published(SharedBytes),
}

/// A received message in CDR, in the form that [`Topics::publish`](super::Topics::publish) accepts.
///
/// ```
/// use hemiola_link::ends::Contents;
///
/// let arrived = [0, 1, 0, 0, 7];
/// assert_eq!(Contents::from(&arrived[..]).length(), 5);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Contents<'c> {
    /// The message is in memory of this process.
    Own(&'c [u8]),
    /// The message is in memory of another process, which may change it at any time.
    Lent(&'c dyn CopiedBytes),
    /// The message does not change, and values may refer to parts of it.
    Shared(&'c SharedBytes),
}

impl<'c> Contents<'c> {
    /// Returns the number of bytes.
    pub fn length(self) -> usize {
        match self {
            Self::Own(bytes) => bytes.len(),
            Self::Lent(bytes) => bytes.length(),
            Self::Shared(bytes) => bytes.len(),
        }
    }

    /// Returns the bytes in memory of this process; copies them if necessary.
    pub fn bytes(self) -> Cow<'c, [u8]> {
        match self {
            Self::Own(bytes) => Cow::Borrowed(bytes),
            Self::Shared(bytes) => Cow::Borrowed(bytes),
            Self::Lent(lent) => {
                let mut bytes = Vec::new();
                lent.append_to(&mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// Returns a reader of the message.
    ///
    /// # Errors
    /// Returns an error if the message does not begin with a CDR header.
    pub(super) fn reader(self) -> Result<CdrReader<'c>, ReadError> {
        match self {
            Self::Own(bytes) => CdrReader::new(bytes),
            Self::Lent(bytes) => CdrReader::copying(bytes),
            Self::Shared(bytes) => CdrReader::sharing(bytes),
        }
    }
}

impl<'c> From<&'c [u8]> for Contents<'c> {
    fn from(bytes: &'c [u8]) -> Self {
        Self::Own(bytes)
    }
}

impl<'c> From<&'c Vec<u8>> for Contents<'c> {
    fn from(bytes: &'c Vec<u8>) -> Self {
        Self::Own(bytes)
    }
}

impl Cdr {
    /// Creates a message from the first `length` bytes of a block.
    ///
    /// # Panics
    /// Panics if the block is shorter.
    pub(crate) fn within(block: MemoryBlock, length: usize) -> Self {
        assert!(length <= block.len(), "a message of {length} bytes in a block of {}", block.len());
        Self(Bytes::Shared(Arc::new(block), length))
    }

    /// Returns where the message begins in this memory, which other processes can read; `None` if
    /// it is not there.
    pub fn place_in(&self, memory: &Arc<SharedMemory>) -> Option<u64> {
        match &self.0 {
            Bytes::Own(_) | Bytes::Published(_) => None,
            Bytes::Shared(block, _) => block.is_part_of(memory).then(|| block.offset()),
            Bytes::Framed(framed) => framed.is_part_of(memory).then(|| framed.offset()),
        }
    }
}

impl Deref for Cdr {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Own(bytes) => bytes,
            Bytes::Shared(block, length) => &block[..*length],
            Bytes::Framed(framed) => framed,
            Bytes::Published(bytes) => bytes,
        }
    }
}

impl From<Framed> for Cdr {
    fn from(framed: Framed) -> Self {
        Self(Bytes::Framed(framed))
    }
}

impl From<SharedBytes> for Cdr {
    fn from(bytes: SharedBytes) -> Self {
        Self(Bytes::Published(bytes))
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
