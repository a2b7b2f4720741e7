//! Data that can leave the process: its schema, its text form, and its traversal field by field.
//!
//! One pair of traversals serves every form: [`Data::write`] drives a [`Writer`] (text, hash,
//! [CDR](crate::cdr)) and [`Data::read`] a [`Reader`]. The derives write both.

mod arrays;
mod collections;
mod data_type;
mod hash;
mod items;
mod plain;
mod primitives;
mod result;
mod shared_bytes;
mod value;
mod value_reader;
mod value_writer;

#[cfg(feature = "arrayvec")]
mod arrayvec;
#[cfg(feature = "glam")]
mod glam;

pub use data_type::{DataType, Field, TypeName, Variant};
pub(crate) use hash::Hash;
pub use items::{Items, ItemsMut};
#[doc(hidden)]
pub use plain::{Plain, PlainReader, PlainSource, PlainWriter, read_plain, write_plain};
pub use shared_bytes::{BytesBlock, BytesMemory, SharedBytes, offer_memory};
pub use value::Value;
pub use value_reader::ValueReader;
pub use value_writer::ValueWriter;

use std::time::Duration;

use thiserror::Error;

/// A type whose values can be shown, recorded, compared and read back. Derive it for nested
/// structures and enums; [`Representation`](crate::Representation)'s derive includes it.
///
/// ```
/// use hemiola_model::Data;
///
/// assert_eq!(<Vec<[f32; 2]>>::data_type().to_string(), "[float32; 2][]");
///
/// let mut corners = vec![[0.0_f32, 1.0], [2.0, 3.0]];
/// corners.replace(Vec::new());
/// assert!(corners.is_empty() && corners.capacity() >= 2); // the buffer was kept
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a representation's data",
    label = "no schema is known for this type",
    note = "add `#[derive(Data)]` to `{Self}`, or make the representation `#[representation(opaque)]`",
    note = "types of glam and arrayvec are data in the versions of `hemiola::glam` and `hemiola::arrayvec`"
)]
pub trait Data: Sized {
    /// The bytes in CDR, where all values take as many.
    #[doc(hidden)]
    const PLAIN: Option<Plain> = None;

    /// Returns the schema.
    fn data_type() -> DataType;

    /// Writes the value, field by field.
    fn write(&self, writer: &mut dyn Writer);

    /// Builds a value from what a reader holds, field by field.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema.
    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError>;

    /// Replaces the value by one that is read, keeping buffers where possible: those of sequences
    /// are not even cleared before numbers are read into them. After an error the value may be a
    /// mixture of the old one and the new one.
    ///
    /// ```
    /// use hemiola_model::Data;
    /// use hemiola_model::cdr::{CdrReader, encode};
    ///
    /// let (mut image, next) = (vec![0_u8; 614_400], encode(&vec![1_u8; 614_400]));
    /// let place = image.as_ptr();
    /// image.read_over(&mut CdrReader::new(&next)?)?;
    /// assert_eq!((image[614_399], image.as_ptr()), (1, place));
    /// # Ok::<(), hemiola_model::data::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema.
    fn read_over(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        *self = Self::read(reader)?;
        Ok(())
    }

    /// Replaces the value by `fresh`, keeping buffers where possible.
    fn replace(&mut self, fresh: Self) {
        *self = fresh;
    }

    /// Makes this equal to `default` in place, keeping buffers; returns `false`, and leaves an
    /// intermediate value, where that is not possible.
    #[doc(hidden)]
    fn restore(&mut self, default: &Self) -> bool {
        _ = default;
        false
    }

    /// Restores a run of values; plain numbers override it to copy them in one piece.
    #[doc(hidden)]
    fn restore_items(items: &mut [Self], defaults: &[Self]) -> bool {
        items.len() == defaults.len() && items.iter_mut().zip(defaults).all(|(item, default)| item.restore(default))
    }

    /// Writes a run of values; plain numbers override it to pass them in one piece.
    #[doc(hidden)]
    fn write_items(items: &[Self], writer: &mut dyn Writer) {
        for item in items {
            item.write(writer);
        }
    }

    /// Reads a run of values; plain numbers override it to read them in pieces.
    #[doc(hidden)]
    fn read_items(length: usize, reader: &mut dyn Reader) -> Result<Vec<Self>, ReadError> {
        // The length is a claim of the data's writer: memory grows with the items that are really
        // there.
        let mut items = Vec::with_capacity(length.min(4096));
        if const { Self::PLAIN.is_some() }
            && let Some(mut source) = reader.plain()
        {
            items.extend((0..length).map_while(|_| source.read::<Self>()));
        }
        for _ in items.len()..length {
            items.push(Self::read(reader)?);
        }
        Ok(items)
    }

    /// Reads a value of a type that is [`PLAIN`](Self::PLAIN), unless the bytes are none.
    #[doc(hidden)]
    fn read_plain(bytes: &mut PlainReader<'_>) -> Option<Self> {
        _ = bytes;
        None
    }

    /// Writes a value of a type that is [`PLAIN`](Self::PLAIN).
    #[doc(hidden)]
    fn write_plain(&self, bytes: &mut PlainWriter<'_>) {
        _ = bytes;
    }

    /// Reads a run of values in the place of others.
    #[doc(hidden)]
    fn read_items_over(items: &mut Vec<Self>, length: usize, reader: &mut dyn Reader) -> Result<(), ReadError> {
        items.truncate(length);
        items.iter_mut().try_for_each(|item| item.read_over(reader))?;
        let further = Self::read_items(length - items.len(), reader)?;
        items.extend(further);
        Ok(())
    }
}

/// The destination of a value, which is written one primitive at a time. Calls are balanced: every
/// `begin_` has its `end_`.
///
/// ```
/// use hemiola_model::data::{ValueWriter, Writer};
///
/// let mut writer = ValueWriter::default();
/// writer.begin_structure("Ball");
/// writer.field("radius");
/// writer.float32(0.05);
/// writer.end_structure();
/// assert_eq!(writer.finish().to_string(), "{radius: 0.05}");
/// ```
pub trait Writer {
    /// Writes a truth value.
    fn boolean(&mut self, value: bool);
    /// Writes a signed integer of `bits` bits.
    fn signed(&mut self, value: i64, bits: u32);
    /// Writes an unsigned integer of `bits` bits.
    fn unsigned(&mut self, value: u64, bits: u32);
    /// Writes a 32-bit number.
    fn float32(&mut self, value: f32);
    /// Writes a 64-bit number.
    fn float64(&mut self, value: f64);
    /// Writes a text.
    fn string(&mut self, value: &str);
    /// Writes a point in time, in nanoseconds of the framework's clock.
    fn time(&mut self, nanoseconds: i64) {
        self.signed(nanoseconds, 64);
    }
    /// Writes a span of time.
    fn duration(&mut self, value: Duration) {
        self.float64(value.as_secs_f64());
    }
    /// Writes a run of numbers inside a sequence, as if each was written by itself.
    fn items(&mut self, items: Items<'_>) {
        items.write_each(self);
    }
    /// Writes the bytes inside a sequence, as [`items`](Self::items) does; or leaves them where
    /// they are, and refers to them.
    fn shared(&mut self, bytes: &SharedBytes) {
        self.items(Items::U8(bytes));
    }
    /// Writes a value whose whole message in CDR is there already, if it can be copied to this
    /// place; otherwise writes nothing, and returns `false`.
    #[doc(hidden)]
    fn message(&mut self, message: &[u8]) -> bool {
        _ = message;
        false
    }
    /// Returns the place of a value that is written in one piece, where there is room for it.
    #[doc(hidden)]
    fn plain(&mut self, plain: &Plain) -> Option<PlainWriter<'_>> {
        _ = plain;
        None
    }
    /// Begins a sequence of `length` items; `fixed` states whether the schema knows the length.
    fn begin_sequence(&mut self, length: usize, fixed: FixedLength);
    /// Ends the sequence.
    fn end_sequence(&mut self);
    /// Begins a structure of that name, which follows field by field.
    fn begin_structure(&mut self, name: &str);
    /// Begins a field, to which the next value belongs.
    fn field(&mut self, name: &str);
    /// Ends the structure.
    fn end_structure(&mut self);
    /// Writes an absent optional value.
    fn none(&mut self);
    /// Begins a present optional value.
    fn some(&mut self);
    /// Begins the variant at `index` of an enum with these variants; its fields follow as a
    /// structure if it has any.
    fn begin_variant(&mut self, variants: &[VariantHead], index: usize);
    /// Ends the variant.
    fn end_variant(&mut self);
}

/// States whether a sequence's length is part of its type.
///
/// ```
/// use hemiola_model::data::{FixedLength, Items, ValueWriter, Writer};
///
/// let mut writer = ValueWriter::default();
/// writer.begin_sequence(2, FixedLength::No); // a vector; CDR writes its length, and not that of an array
/// writer.items(Items::U8(&[7, 9]));
/// writer.end_sequence();
/// assert_eq!(writer.finish().to_string(), "[7, 9]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedLength {
    /// `[T; N]`
    Yes,
    /// `Vec<T>`
    No,
}

/// The name and content of a variant, as writers and readers need them.
///
/// ```
/// use hemiola_model::data::{ValueWriter, VariantContent, VariantHead, Writer};
///
/// const ACTION: &[VariantHead] = &[
///     VariantHead { name: "Stand", content: VariantContent::Empty },
///     VariantHead { name: "Kick", content: VariantContent::Fields },
/// ];
/// let mut writer = ValueWriter::default();
/// writer.begin_variant(ACTION, 0);
/// writer.end_variant();
/// assert_eq!(writer.finish().to_string(), "\"Stand\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantHead {
    /// The name of the variant.
    pub name: &'static str,
    /// States whether the variant carries fields.
    pub content: VariantContent,
}

/// States whether a variant carries fields.
///
/// See [`VariantHead`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantContent {
    /// A name only.
    Empty,
    /// A structure of fields follows.
    Fields,
}

/// The origin of a value, which is read in the order in which it would be written.
///
/// # Errors
/// Every method fails if the next value is not the expected one; [`ReadError::path`] is its place.
///
/// ```
/// use hemiola_model::data::{ReadError, Reader, Value, ValueReader};
///
/// let value = Value::List(vec![Value::Float(0.5), Value::Float(1.5)]);
/// let mut reader = ValueReader::new(&value);
/// let mut sum = 0.0;
/// for _ in 0..reader.begin_sequence()? {
///     sum += reader.float64()?;
/// }
/// reader.end_sequence()?;
/// assert_eq!(sum, 2.0);
/// # Ok::<(), ReadError>(())
/// ```
pub trait Reader {
    /// Reads a truth value.
    fn boolean(&mut self) -> Result<bool, ReadError>;
    /// Reads a signed integer that fits `bits` bits.
    fn signed(&mut self, bits: u32) -> Result<i64, ReadError>;
    /// Reads an unsigned integer that fits `bits` bits.
    fn unsigned(&mut self, bits: u32) -> Result<u64, ReadError>;
    /// Reads a 32-bit number.
    fn float32(&mut self) -> Result<f32, ReadError>;
    /// Reads a 64-bit number.
    fn float64(&mut self) -> Result<f64, ReadError>;
    /// Reads a point in time, in nanoseconds of the framework's clock.
    fn time(&mut self) -> Result<i64, ReadError> {
        self.signed(64)
    }
    /// Reads a span of time.
    fn duration(&mut self) -> Result<Duration, ReadError> {
        let seconds = self.float64()?;
        Duration::try_from_secs_f64(seconds).map_err(|_| self.error(format!("{seconds} s is not a duration")))
    }
    /// Reads a text.
    fn string(&mut self) -> Result<String, ReadError>;
    /// Reads a run of numbers inside a sequence, as many as `items` has room for.
    fn items(&mut self, items: ItemsMut<'_>) -> Result<(), ReadError> {
        items.read_each(self)
    }
    /// Returns the source of values that are read in one piece, where there is one.
    #[doc(hidden)]
    fn plain(&mut self) -> Option<PlainSource<'_>> {
        None
    }
    /// Reads so many bytes of the sequence that has begun without copying them, if they are there
    /// and can be shared; otherwise reads nothing.
    #[doc(hidden)]
    fn share(&mut self, length: usize) -> Option<SharedBytes> {
        _ = length;
        None
    }
    /// Replaces `message` by the message in CDR of which the next value is the first, if there is
    /// one: its bytes up to the end of the value, which `end` finds. They are not copied if they
    /// can be shared. Otherwise this reads nothing, and returns `false`.
    #[doc(hidden)]
    fn message(
        &mut self,
        message: &mut SharedBytes,
        end: fn(&[u8]) -> Result<usize, ReadError>,
    ) -> Result<bool, ReadError> {
        _ = (message, end);
        Ok(false)
    }
    /// Begins a sequence and returns its length.
    fn begin_sequence(&mut self) -> Result<usize, ReadError>;
    /// Begins a sequence whose length the schema knows.
    fn begin_array(&mut self, length: usize) -> Result<(), ReadError> {
        match self.begin_sequence()? {
            found if found == length => Ok(()),
            found => Err(self.error(format!("expected {length} items, found {found}"))),
        }
    }
    /// Ends a sequence, all items of which must have been read.
    fn end_sequence(&mut self) -> Result<(), ReadError>;
    /// Begins a structure.
    fn begin_structure(&mut self, name: &str) -> Result<(), ReadError>;
    /// Moves to a field; returns `Ok(false)` if it is absent.
    fn optional_field(&mut self, name: &str) -> Result<bool, ReadError>;
    /// Moves to a field.
    fn field(&mut self, name: &str) -> Result<(), ReadError> {
        if self.optional_field(name)? { Ok(()) } else { Err(self.error(format!("field `{name}` is missing"))) }
    }
    /// Ends a structure; unknown fields are errors.
    fn end_structure(&mut self) -> Result<(), ReadError>;
    /// Returns whether an optional value is present.
    fn option(&mut self) -> Result<bool, ReadError>;
    /// Returns the index in `variants` of the variant that follows.
    fn begin_variant(&mut self, variants: &[VariantHead]) -> Result<usize, ReadError>;
    /// Ends the content of the variant.
    fn end_variant(&mut self) -> Result<(), ReadError>;
    /// Creates an error at the current place.
    fn error(&self, message: String) -> ReadError;
}

/// The error of data that does not fit the schema with which it was read.
///
/// ```
/// use hemiola_model::{Value, Data};
///
/// let error = Value::Text("three".into()).read::<f32>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a number, found the text \"three\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", if path.is_empty() { String::new() } else { format!("{path}: ") })]
pub struct ReadError {
    /// The place in the value, such as `walk.step_size` or `corners[3].x`; empty at the top.
    pub path: String,
    /// A description of the error.
    pub message: String,
}
