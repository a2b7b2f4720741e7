//! Messages in the form in which they leave the process, read in place.
//!
//! A [`Wire<T>`](Wire) is the message of a `T` in CDR: one buffer, which a link sends, a log stores
//! and all subscribers read. What is in it is read in place, as the [view](InPlace::View) of `T`.
//!
//! | file | what |
//! |---|---|
//! | `in_place` | the types that can be read in place, and what their values look like then |
//! | `sequence` | sequences and arrays in place |
//! | `view_reader` | reads a message, and refers to its bytes |

mod in_place;
mod sequence;
#[cfg(test)]
mod tests;
mod view_reader;

pub use in_place::InPlace;
pub use sequence::{Array, Sequence, SequenceIter};
pub use view_reader::{Alternative, ViewReader};

use std::fmt;
use std::marker::PhantomData;

use crate::cdr::{CdrReader, CdrWriter, HEADER};
use crate::data::{Data, DataType, ReadError, Reader, SharedBytes, Writer};
use crate::{Form, Representation};

/// A message of type `T` in CDR, in a buffer that all clones share.
///
/// A topic of `Wire<T>` carries what a topic of `T` carries: to links, logs, tools and other
/// programs its messages have the name, the schema and the hash of `T`, so that each side of a link
/// has the one or the other. But a message is encoded once, where it is made, and for nobody again:
/// a link sends these bytes, a log stores them, and all subscribers read them where they are. A
/// message that comes in through a link stays as it came. Within a process a topic carries either,
/// not both.
///
/// The bytes are checked when the message is made; then a [view](Self::view) has every field at
/// hand: numbers are copied from their places, texts and sequences refer to the buffer. `T` derives
/// [`InPlace`] for that.
///
/// ```
/// use hemiola_model::Wire;
///
/// let ranges = Wire::encode(&(7_u64, "front".to_owned(), vec![1.5_f32, 2.0]));
/// let kept = ranges.clone(); // the same buffer
///
/// let (number, name, metres) = ranges.view(); // allocates nothing
/// assert_eq!((number, name, metres.len()), (7, "front", 2));
/// assert_eq!(metres.iter().sum::<f32>(), 3.5);
///
/// assert_eq!(kept.message().as_ptr(), ranges.message().as_ptr());
/// assert_eq!(kept.decode(), (7, "front".to_owned(), vec![1.5, 2.0]));
/// ```
///
/// # On real-time threads
/// Viewing, cloning and dropping neither allocate nor wait, except that the last clone frees the
/// buffer. [`overwrite`](Self::overwrite) writes into the buffer that there is if no clone has it;
/// then it allocates only where the buffer has to grow, and, as all that writes CDR, for enums with
/// data. [`encode`](Self::encode) allocates a buffer, and so does `default`, for the default of
/// `T`.
pub struct Wire<T> {
    /// A message that [`InPlace::view`] of `T` has found to be one; empty only if a panic of `T`
    /// has kept it from being written.
    message: SharedBytes,
    content: PhantomData<fn() -> T>,
}

impl<T: InPlace> Wire<T> {
    /// Encodes a value. Of a time beyond the 68 years that CDR counts in each direction, the last
    /// moment in range is written.
    ///
    /// # Panics
    /// Panics if a sequence has more than 4,294,967,295 items.
    pub fn encode(value: &T) -> Self {
        let mut wire = Self::of(SharedBytes::default());
        wire.overwrite(value);
        wire
    }

    /// Replaces the message by that of a value. It is written into the same buffer if no clone
    /// shares it.
    ///
    /// ```
    /// use hemiola_model::Wire;
    ///
    /// let mut wire = Wire::encode(&[1_u16, 2, 3]);
    /// let (place, kept) = (wire.message().as_ptr(), wire.clone());
    /// wire.overwrite(&[4, 5, 6]); // `kept` has the old buffer
    /// assert_eq!((kept.decode(), wire.decode()), ([1, 2, 3], [4, 5, 6]));
    /// let next = wire.message().as_ptr();
    /// wire.overwrite(&[7, 8, 9]);
    /// assert!(next != place && next == wire.message().as_ptr());
    /// ```
    ///
    /// # Panics
    /// Panics as [`encode`](Self::encode) does.
    pub fn overwrite(&mut self, value: &T) {
        let is_exact = self.message.refill(|bytes| {
            bytes.clear();
            let mut writer = CdrWriter::append_to(bytes);
            value.write(&mut writer);
            writer.is_exact()
        });
        if !is_exact {
            // A time was clamped, or there are more items than can be counted.
            viewed(Self::end(&self.message));
        }
    }

    /// Checks that the bytes are a message, of either byte order, and wraps them.
    ///
    /// ```
    /// use hemiola_model::Wire;
    /// use hemiola_model::data::SharedBytes;
    ///
    /// let arrived = SharedBytes::from(vec![0, 1, 0, 0, 7, 0, 0, 0]);
    /// let wire = Wire::<u32>::checked(arrived.clone())?;
    /// assert_eq!((wire.view(), wire.message().as_ptr()), (7, arrived.as_ptr()));
    ///
    /// let error = Wire::<u64>::checked(arrived).unwrap_err();
    /// assert_eq!(error.to_string(), "byte 8: the message ends here, 4 bytes too early");
    /// # Ok::<(), hemiola_model::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the bytes do not hold a `T`, or hold more than it, as
    /// [`decode`](crate::cdr::decode) does. Nothing is allocated but the error.
    pub fn checked(message: SharedBytes) -> Result<Self, ReadError> {
        let mut reader = ViewReader::new(&message)?;
        T::view(&mut reader)?;
        reader.finish()?;
        Ok(Self::of(message))
    }

    /// Returns the value in place. This goes once through the fields, and through sequences whose
    /// items take different numbers of bytes; keep the view while you look at several fields.
    pub fn view(&self) -> T::View<'_> {
        viewed(ViewReader::new(&self.message).and_then(|mut reader| T::view(&mut reader)))
    }

    /// Decodes the whole value. Allocates what the value owns; large fields of the type
    /// [`SharedBytes`] share the buffer of the message.
    pub fn decode(&self) -> T {
        viewed(CdrReader::sharing(&self.message).and_then(|mut reader| T::read(&mut reader)))
    }

    /// Returns the bytes of the message, in CDR with its header.
    pub fn message(&self) -> &SharedBytes {
        &self.message
    }

    fn of(message: SharedBytes) -> Self {
        Self { message, content: PhantomData }
    }

    /// Returns where the value ends with which a message begins.
    fn end(message: &[u8]) -> Result<usize, ReadError> {
        let mut reader = ViewReader::new(message)?;
        T::view(&mut reader)?;
        Ok(reader.position())
    }
}

/// Returns what is read from a message that was found to be one.
///
/// # Panics
/// Panics if it is none: a value was too long for CDR, or panicked while it was written, or an
/// implementation of `InPlace` or `Data` by hand does not fit the other.
fn viewed<V>(view: Result<V, ReadError>) -> V {
    view.unwrap_or_else(|error| panic!("a message in place cannot be read: {error}"))
}

impl<T: InPlace> Data for Wire<T> {
    fn data_type() -> DataType {
        T::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        if !writer.message(&self.message) {
            self.decode().write(writer);
        }
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        let mut wire = Self::of(SharedBytes::default());
        wire.read_over(reader)?;
        Ok(wire)
    }

    fn read_over(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        if !reader.message(&mut self.message, Self::end)? {
            self.overwrite(&T::read(reader)?);
        }
        Ok(())
    }

    fn restore(&mut self, default: &Self) -> bool {
        self.message = default.message.clone();
        true
    }
}

// Who forgot a derive is not helped by a way to carry values in their wire form.
#[diagnostic::do_not_recommend]
impl<T: InPlace + Representation> Representation for Wire<T> {
    const NAME: &'static str = T::NAME;

    fn form() -> Form<Self> {
        Form::of_messages(|wire| Some(&wire.message).filter(|message| message.starts_with(&HEADER[..2])))
    }

    fn reset(&mut self) {
        self.overwrite(&T::default());
    }
}

impl<T: InPlace> InPlace for Wire<T> {
    type View<'w> = T::View<'w>;

    fn view<'w>(reader: &mut ViewReader<'w>) -> Result<Self::View<'w>, ReadError> {
        T::view(reader)
    }
}

impl<T> Clone for Wire<T> {
    fn clone(&self) -> Self {
        Self { message: self.message.clone(), content: PhantomData }
    }
}

impl<T: InPlace + Default> Default for Wire<T> {
    /// Encodes the default value. Allocates.
    fn default() -> Self {
        Self::encode(&T::default())
    }
}

/// Messages are equal if their bytes are.
impl<T> PartialEq for Wire<T> {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl<T> Eq for Wire<T> {}

impl<T: InPlace> fmt::Debug for Wire<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Wire").field(&self.view()).finish()
    }
}
