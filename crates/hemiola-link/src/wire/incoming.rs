//! The frames in a stream of bytes, in which each frame follows its length.

use super::{Frame, WireError, check_length};

/// The number of bytes of the length before a frame.
pub(crate) const LENGTH: usize = 4;

/// Returns the first frame of a stream, and the number of bytes that it takes including its length;
/// `None` if more bytes must arrive.
///
/// ```
/// use hemiola_link::wire::{Frame, split};
///
/// let stream = [2, 0, 0, 0]; // a frame of two bytes, which are on their way
/// assert_eq!(split(&stream), Ok(None));
/// let stream = [6, 0, 0, 0, 5, 1, 0, 0, 0, b'x', 9]; // a goodbye of one letter, and more
/// assert_eq!(split(&stream), Ok(Some((Frame::Goodbye { reason: "x" }, 10))));
/// ```
///
/// # Errors
/// Returns an error if the bytes do not begin with a frame. The stream cannot be read any further
/// then.
pub fn split(stream: &[u8]) -> Result<Option<(Frame<'_>, usize)>, WireError> {
    let Some((length, rest)) = stream.split_first_chunk::<LENGTH>() else { return Ok(None) };
    let length = u32::from_le_bytes(*length) as usize;
    if length == 0 {
        return Err(WireError::TooShort);
    }
    let Some(&kind) = rest.first() else { return Ok(None) };
    check_length(kind, length)?;
    let Some(frame) = rest.get(..length) else { return Ok(None) };
    Ok(Some((Frame::read(frame)?, LENGTH + length)))
}

/// The bytes of a stream that have not been read yet, because their frame has not arrived
/// completely.
///
/// ```
/// use hemiola_link::wire::{Frame, Incoming};
///
/// let mut incoming = Incoming::default();
/// incoming.push(&[6, 0, 0, 0, 5, 1, 0, 0]); // a goodbye of one letter, which is on its way
/// assert_eq!(incoming.next(), Ok(None));
/// incoming.push(&[0, b'x']);
/// assert_eq!(incoming.next(), Ok(Some(Frame::Goodbye { reason: "x" })));
/// incoming.push(&[0xff, 0xff, 0xff, 0xff, 4]); // 4 GB
/// assert!(incoming.next().is_err());
/// ```
#[derive(Debug, Default)]
pub struct Incoming {
    pub(super) bytes: Vec<u8>,
    /// The number of `bytes` that have been read.
    read: usize,
}

/// The least room for bytes that are appended in place.
const ROOM: usize = 64 << 10;
/// The most memory that is kept for bytes that arrive later.
const MOST_KEPT: usize = 8 << 20;

impl Incoming {
    /// Appends bytes that have arrived. Memory is allocated only for these, not for the length that
    /// they claim.
    pub fn push(&mut self, bytes: &[u8]) {
        self.let_go();
        self.bytes.extend_from_slice(bytes);
    }

    /// Lets `read` append bytes that have arrived, so that they need not be copied. There is room
    /// for as many as have arrived already, but at least for 64 KiB, whatever length they claim.
    ///
    /// ```
    /// use hemiola_link::wire::{Frame, Incoming};
    ///
    /// let mut incoming = Incoming::default();
    /// incoming.fill(|bytes| bytes.extend_from_slice(&[6, 0, 0, 0, 5, 1, 0, 0, 0, b'x']));
    /// assert_eq!(incoming.next(), Ok(Some(Frame::Goodbye { reason: "x" })));
    /// ```
    pub fn fill<R>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        self.let_go();
        self.bytes.reserve(self.bytes.len().max(ROOM));
        read(&mut self.bytes)
    }

    /// Returns whether there is memory into which bytes can be read in place, which is the case
    /// after a frame has arrived in pieces.
    pub(crate) fn has_memory(&self) -> bool {
        self.bytes.capacity() > 0
    }

    /// Returns the next complete frame.
    ///
    /// # Errors
    /// Returns an error if the next bytes are not a frame. The stream cannot be read any further
    /// then.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, WireError> {
        let Some((frame, length)) = split(self.bytes.get(self.read..).unwrap_or_default())? else { return Ok(None) };
        self.read += length;
        Ok(Some(frame))
    }

    /// Discards all bytes.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.read = 0;
    }

    /// Discards the bytes that have been read.
    fn let_go(&mut self) {
        if self.read == 0 {
            return;
        }
        self.bytes.drain(..self.read.min(self.bytes.len()));
        self.read = 0;
        if self.bytes.is_empty() && self.bytes.capacity() > MOST_KEPT {
            self.bytes = Vec::new();
        }
    }
}

/// Returns a frame with its length before it, in its form on a stream.
pub(crate) fn with_length(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = vec![0; LENGTH];
    frame.write(&mut bytes);
    let length = length_of(bytes.len() - LENGTH);
    bytes[..LENGTH].copy_from_slice(&length);
    bytes
}

/// Returns the length that precedes a frame with this number of bytes, which must not exceed the
/// limit of the frame's kind.
pub(crate) fn length_of(frame: usize) -> [u8; LENGTH] {
    u32::try_from(frame).unwrap_or(u32::MAX).to_le_bytes()
}
