//! Bytes that several values share.
//!
//! # Safety
//! The bytes of a [`SharedBytes`] lie in memory that belongs to its owner, and stay where they are,
//! as they are, for as long as the owner exists: nobody has an exclusive reference to an owner that
//! two refer to, and the bytes were borrowed from a shared one. Each `SharedBytes` refers to the
//! owner of its bytes. Where it gets at its owner exclusively ([`SharedBytes::refill`],
//! [`overwrite`](SharedBytes::overwrite), [`clear`](SharedBytes::clear)), it is the only one, and
//! does not look at the old bytes any more.
#![expect(unsafe_code, reason = "a reference into an owner that is held beside it")]

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::slice;
use std::sync::{Arc, OnceLock};

use super::{Data, DataType, FixedLength, ReadError, Reader, Writer};
use crate::cdr::LEAST_SHARED;

/// Many bytes, such as the pixels of an image, that are cheap to clone: all clones share them, and
/// nobody changes them. As data it is what a `Vec<u8>` is, `uint8[]`: logs, links and other
/// programs see no difference.
///
/// A field of this type need not be copied on its way to another process of the robot: where the
/// sender has [written it into memory](Self::overwrite) that the other process can read, the
/// received message refers to that. This memory can be used for other messages when the last clone
/// is gone, so keep only what you need. Real-time threads may clone and drop such bytes: that
/// neither allocates nor waits, except that the last clone frees memory which is of this process.
///
/// Where single bytes are read in a loop, borrow the slice once: `let pixels = &image.pixels[..]`.
///
/// ```
/// use hemiola_model::data::{Data, SharedBytes};
///
/// let mut pixels = SharedBytes::from(vec![128; 640 * 480]);
/// let kept = pixels.clone(); // the same memory
/// assert_eq!(kept.as_ptr(), pixels.as_ptr());
///
/// // The next image has memory of its own, because the last one is still used.
/// pixels.refill(|pixels| pixels.resize(640 * 480, 7));
/// assert_eq!((kept[0], pixels[0]), (128, 7));
/// assert_eq!(SharedBytes::data_type(), <Vec<u8>>::data_type());
/// ```
pub struct SharedBytes {
    begin: NonNull<u8>,
    length: usize,
    owner: Owner,
}

/// The memory in which bytes lie.
#[derive(Clone, Default)]
enum Owner {
    /// There are no bytes.
    #[default]
    None,
    Vector(Arc<Vec<u8>>),
    Block(Arc<dyn BytesBlock>),
    Other(Arc<dyn AsRef<[u8]> + Send + Sync>),
}

/// A block of memory for the bytes of a [`SharedBytes`], which is not that of a vector: of memory
/// that other processes can read, for example.
///
/// See [`SharedBytes::overwrite`] and [`offer_memory`].
pub trait BytesBlock: Any + Send + Sync {
    /// Returns the bytes.
    fn bytes(&self) -> &[u8];

    /// Returns the bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Changes the number of bytes. Those that are added have any value. Returns `false` if there
    /// is no room.
    fn resize(&mut self, length: usize) -> bool;
}

/// Returns a block of that many bytes, which have any value; `None` if there is no room.
pub type BytesMemory = fn(usize) -> Option<Arc<dyn BytesBlock>>;

/// The source of memory for [`SharedBytes::overwrite`], as soon as somebody has offered one.
static MEMORY: OnceLock<BytesMemory> = OnceLock::new();

/// Offers memory for the large bytes that [`SharedBytes::overwrite`] writes in this process. The
/// memory that is offered first is used from then on; links of a robot offer theirs, so that nobody
/// else need do that.
pub fn offer_memory(memory: BytesMemory) {
    MEMORY.get_or_init(|| memory);
}

// SAFETY: the owner can be used and dropped by every thread, and the bytes are only read.
unsafe impl Send for SharedBytes {}
// SAFETY: as above.
unsafe impl Sync for SharedBytes {}

impl SharedBytes {
    /// Creates bytes that lie in the memory of an owner: all those that it refers to now. The owner
    /// is dropped with the last value that refers to it.
    ///
    /// ```
    /// use hemiola_model::data::SharedBytes;
    /// use std::sync::Arc;
    ///
    /// let owner = Arc::new([1, 2, 3]);
    /// let bytes = SharedBytes::of(owner.clone());
    /// assert_eq!(bytes.as_ptr(), owner.as_ptr());
    /// ```
    pub fn of<O: AsRef<[u8]> + Send + Sync + 'static>(owner: Arc<O>) -> Self {
        let (begin, length) = place((*owner).as_ref());
        Self { begin, length, owner: Owner::Other(owner) }
    }

    /// Returns a part of the bytes, which shares their memory.
    ///
    /// ```
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let message = SharedBytes::from(vec![1, 2, 3, 4]);
    /// assert_eq!(message.part(1..3)[..], [2, 3]);
    /// ```
    ///
    /// # Panics
    /// Panics if the range ends behind the bytes, or before it begins.
    pub fn part(&self, range: Range<usize>) -> Self {
        let (begin, length) = place(&self[range]);
        Self { begin, length, owner: self.owner.clone() }
    }

    /// Returns whether no other value refers to the memory of these bytes, or there are none.
    ///
    /// ```
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let bytes = SharedBytes::from(vec![1]);
    /// assert!(bytes.clone() == bytes && bytes.is_sole());
    /// ```
    pub fn is_sole(&self) -> bool {
        match &self.owner {
            Owner::None => true,
            Owner::Vector(owner) => Arc::strong_count(owner) == 1,
            Owner::Block(owner) => Arc::strong_count(owner) == 1,
            Owner::Other(owner) => Arc::strong_count(owner) == 1,
        }
    }

    /// Replaces the bytes by those that `fill` leaves in a vector. If no other value refers to the
    /// memory of these bytes, and it was that of a vector, the vector has them and their memory;
    /// otherwise it is a new one.
    ///
    /// ```
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let mut pixels = SharedBytes::from(vec![0; 640 * 480]);
    /// let place = pixels.as_ptr();
    /// pixels.refill(|pixels| pixels.fill(7)); // allocates nothing
    /// assert_eq!((pixels[0], pixels.as_ptr()), (7, place));
    /// ```
    pub fn refill<R>(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        // The bytes are not referred to while their memory changes, even if `fill` panics.
        let mut vector = match mem::take(self).owner {
            Owner::Vector(vector) => vector,
            Owner::None | Owner::Block(_) | Owner::Other(_) => Arc::default(),
        };
        if Arc::get_mut(&mut vector).is_none() {
            vector = Arc::default();
        }
        let filled = fill(Arc::make_mut(&mut vector));
        *self = Self::of_vector(vector);
        filled
    }

    /// Replaces the bytes by `length` others, which `fill` writes; until then they have any value.
    ///
    /// If links have memory that other processes of the robot can read, the bytes are written
    /// there, and a message with this field is sent to those processes without a copy. This is the
    /// memory that the bytes have now if no other value refers to it and it is long enough, and
    /// that of a new block otherwise, which is found under a lock. Without such memory, and for
    /// less than 4 KiB, the bytes are those of a vector, as with [`refill`](Self::refill).
    ///
    /// ```
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let mut pixels = SharedBytes::default();
    /// pixels.overwrite(640 * 480, |pixels| pixels.fill(7)); // as a camera's driver would
    /// assert_eq!((pixels.len(), pixels[0]), (640 * 480, 7));
    /// ```
    pub fn overwrite<R>(&mut self, length: usize, fill: impl FnOnce(&mut [u8]) -> R) -> R {
        if let Some(mut block) = self.take_block(length)
            && let Some(sole) = Arc::get_mut(&mut block)
        {
            let filled = fill(sole.bytes_mut());
            *self = Self::of_block(block);
            return filled;
        }
        self.refill(|bytes| {
            bytes.resize(length, 0);
            fill(bytes)
        })
    }

    /// Returns a block of that many bytes: the one of these bytes if no other value refers to it,
    /// which are removed then, or a new one. `None` if there is none.
    fn take_block(&mut self, length: usize) -> Option<Arc<dyn BytesBlock>> {
        if length < LEAST_SHARED {
            return None;
        }
        if let Owner::Block(_) = self.owner
            && let Owner::Block(mut block) = mem::take(self).owner
            && Arc::get_mut(&mut block).is_some_and(|block| block.resize(length))
        {
            return Some(block);
        }
        MEMORY.get().and_then(|memory| memory(length))
    }

    /// Returns the block that has exactly these bytes, if it is of this type.
    pub fn block<B: BytesBlock>(&self) -> Option<Arc<B>> {
        let Owner::Block(block) = &self.owner else { return None };
        let is_whole = place(block.bytes()) == (self.begin, self.length);
        let block: Arc<dyn Any + Send + Sync> = block.clone();
        block.downcast().ok().filter(|_| is_whole)
    }

    /// Removes all bytes. Their memory is kept if it can be used for the next ones.
    ///
    /// ```
    /// let mut pixels = hemiola_model::data::SharedBytes::from(vec![1, 2]);
    /// pixels.clear();
    /// assert!(pixels.is_empty());
    /// ```
    pub fn clear(&mut self) {
        *self = match mem::take(self).owner {
            Owner::Vector(mut vector) => match Arc::get_mut(&mut vector) {
                Some(bytes) => {
                    bytes.clear();
                    Self::of_vector(vector)
                }
                None => Self::default(),
            },
            Owner::Block(mut block) => match Arc::get_mut(&mut block) {
                Some(_) => Self { length: 0, ..Self::of_block(block) },
                None => Self::default(),
            },
            Owner::None | Owner::Other(_) => Self::default(),
        };
    }

    fn of_block(block: Arc<dyn BytesBlock>) -> Self {
        let (begin, length) = place(block.bytes());
        Self { begin, length, owner: Owner::Block(block) }
    }

    fn of_vector(vector: Arc<Vec<u8>>) -> Self {
        let (begin, length) = place(&vector);
        Self { begin, length, owner: Owner::Vector(vector) }
    }
}

/// Returns where bytes begin, and how many they are.
fn place(bytes: &[u8]) -> (NonNull<u8>, usize) {
    (NonNull::from(bytes).cast(), bytes.len())
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: see above: the owner, to which this refers, has so many bytes there.
        unsafe { slice::from_raw_parts(self.begin.as_ptr(), self.length) }
    }
}

impl Data for SharedBytes {
    fn data_type() -> DataType {
        <Vec<u8>>::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_sequence(self.len(), FixedLength::No);
        writer.shared(self);
        writer.end_sequence();
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let mut bytes = Self::default();
        bytes.read_over(reader)?;
        Ok(bytes)
    }

    fn read_over(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        let length = reader.begin_sequence()?;
        match reader.share(length) {
            Some(shared) => *self = shared,
            None => self.refill(|bytes| u8::read_items_over(bytes, length, reader))?,
        }
        reader.end_sequence()
    }

    fn replace(&mut self, fresh: Self) {
        if fresh.is_empty() {
            self.clear();
        } else {
            *self = fresh;
        }
    }

    fn restore(&mut self, default: &Self) -> bool {
        self.replace(default.clone());
        true
    }
}

impl Clone for SharedBytes {
    fn clone(&self) -> Self {
        let Self { begin, length, owner } = self;
        Self { begin: *begin, length: *length, owner: owner.clone() }
    }
}

impl Default for SharedBytes {
    /// Returns no bytes, without allocating anything.
    fn default() -> Self {
        Self { begin: NonNull::dangling(), length: 0, owner: Owner::None }
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::of_vector(Arc::new(bytes))
    }
}

impl From<Arc<[u8]>> for SharedBytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::of(Arc::new(bytes))
    }
}

impl From<&[u8]> for SharedBytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl Hash for SharedBytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

#[cfg(test)]
mod tests;
