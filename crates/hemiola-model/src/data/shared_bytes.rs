//! Bytes that several values share.
//!
//! # Safety
//! The bytes of a [`SharedBytes`] lie in memory that belongs to its owner, and stay where they are,
//! as they are, for as long as the owner exists: nobody has an exclusive reference to an owner that
//! two refer to, and the bytes were borrowed from a shared one. Each `SharedBytes` refers to the
//! owner of its bytes. Where it gets at its owner exclusively ([`SharedBytes::refill`] and
//! [`clear`](SharedBytes::clear)), it is the only one, and does not look at the old bytes any more.
#![expect(unsafe_code, reason = "a reference into an owner that is held beside it")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::ops::{Deref, Range};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use super::{Data, DataType, FixedLength, ReadError, Reader, Writer};

/// Many bytes, such as the pixels of an image, that are cheap to clone: all clones share them, and
/// nobody changes them. As data it is what a `Vec<u8>` is, `uint8[]`: logs, links and other
/// programs see no difference.
///
/// A field of this type need not be copied when a message comes from another process of the robot:
/// it may refer to the memory in which the sender has written it. That memory can be used for other
/// messages when the last clone is gone, so keep only what you need. Real-time threads may
/// clone and drop such bytes: that neither allocates nor waits, and frees only the memory of a
/// vector whose last clone it was.
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
    Other(Arc<dyn AsRef<[u8]> + Send + Sync>),
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
            Owner::None | Owner::Other(_) => Arc::default(),
        };
        if Arc::get_mut(&mut vector).is_none() {
            vector = Arc::default();
        }
        let filled = fill(Arc::make_mut(&mut vector));
        *self = Self::of_vector(vector);
        filled
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
            Owner::None | Owner::Other(_) => Self::default(),
        };
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
        u8::write_items(self, writer);
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Value;
    use crate::cdr::{CdrReader, LEAST_SHARED, MessageSchema, encode};

    #[derive(Debug, Default, PartialEq)]
    struct Owned(Vec<u8>);

    impl AsRef<[u8]> for Owned {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    #[test]
    fn outside_of_the_process_it_is_a_vector() {
        let (bytes, vector) = (SharedBytes::from(vec![1, 2, 3]), vec![1_u8, 2, 3]);
        assert_eq!(encode(&bytes), encode(&vector));
        assert_eq!(Value::of(&bytes), Value::of(&vector));
        assert_eq!(Value::of(&vector).read::<SharedBytes>().unwrap(), bytes);
        let schema = |data_type| MessageSchema::of("test/Bytes", &data_type);
        let [shared, own] = [SharedBytes::data_type(), <Vec<u8>>::data_type()].map(schema);
        assert_eq!((shared.text, shared.type_hash), (own.text, own.type_hash));
    }

    #[test]
    fn memory_is_used_again_as_soon_as_nobody_else_refers_to_it() {
        let mut bytes = SharedBytes::from(vec![1; 100]);
        let (place, next) = (bytes.as_ptr(), encode(&vec![2_u8; 100]));
        let read = |bytes: &mut SharedBytes| bytes.read_over(&mut CdrReader::new(&next).unwrap()).unwrap();
        let held = bytes.clone();
        read(&mut bytes);
        assert!(bytes.as_ptr() != place && held[..] == [1; 100] && bytes[..] == [2; 100]);
        bytes = held;
        read(&mut bytes);
        assert_eq!((bytes.as_ptr(), &bytes[..]), (place, &[2; 100][..]));
        bytes.restore(&SharedBytes::default());
        assert!(bytes.is_empty());
        read(&mut bytes);
        assert_eq!(bytes.as_ptr(), place);
    }

    #[test]
    fn a_refill_that_panics_leaves_no_bytes() {
        let mut bytes = SharedBytes::from(vec![1; 100]);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            bytes.refill(|bytes| {
                bytes.clear();
                bytes.shrink_to_fit();
                panic!("as code of users may");
            })
        }));
        assert!(panicked.is_err() && bytes.is_empty());
    }

    #[test]
    fn what_is_read_from_shared_bytes_is_a_part_of_them_if_it_is_large() {
        let read = |sent: &(Vec<u8>, u16)| {
            let message = SharedBytes::of(Arc::new(Owned(encode(sent))));
            let mut reader = CdrReader::sharing(&message).unwrap();
            let received = <(SharedBytes, u16)>::read(&mut reader).unwrap();
            reader.finish().unwrap();
            assert_eq!((&received.0[..], received.1), (&sent.0[..], sent.1));
            (message, received.0)
        };
        let (message, bytes) = read(&(vec![5; LEAST_SHARED], 7));
        assert_eq!(bytes.as_ptr(), message[8..].as_ptr());
        assert!(!message.is_sole());
        drop(bytes);
        assert!(message.is_sole());
        assert!(read(&(vec![5; LEAST_SHARED - 1], 7)).0.is_sole(), "that is cheaper to copy");
    }

    proptest! {
        #[test]
        fn garbage_is_an_error_or_bytes_that_are_there(garbage in prop::collection::vec(any::<u8>(), 0..40), length in 0_u32..20_000) {
            let mut bytes = [&[0, 1, 0, 0][..], &length.to_le_bytes(), &garbage].concat();
            bytes.resize(bytes.len() + LEAST_SHARED, 3);
            let message = SharedBytes::from(bytes);
            match SharedBytes::read(&mut CdrReader::sharing(&message).unwrap()) {
                Ok(read) => prop_assert_eq!(&read[..], &message[8..8 + length as usize]),
                Err(_) => prop_assert!(length as usize > message.len() - 8),
            }
        }
    }
}
