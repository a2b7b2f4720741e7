//! Data that can leave the process: its schema, its text form, and how it is walked field by field.
//!
//! One pair of walks serves every form: [`Data::write`] drives a [`Writer`] (text, hash, later CDR) and [`Data::read`] a
//! [`Reader`]. The derives write both.

mod arrays;
mod data_type;
mod hash;
mod primitives;
mod value;
mod value_reader;
mod value_writer;

#[cfg(feature = "glam")]
mod glam;

pub use data_type::{DataType, Field, Variant};
pub use hash::fingerprint;
pub use value::Value;
pub use value_reader::ValueReader;
pub use value_writer::ValueWriter;

use thiserror::Error;

/// A type whose values can be shown, recorded, compared and read back. Derive it for nested structures and enums;
/// [`Representation`](crate::Representation)'s derive includes it.
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
    note = "add `#[derive(Data)]` to `{Self}`, or make the representation `#[representation(opaque)]`"
)]
pub trait Data: Sized {
    /// The schema.
    fn data_type() -> DataType;

    /// Walks the value.
    fn write(&self, writer: &mut dyn Writer);

    /// Builds a value from a walk.
    ///
    /// # Errors
    /// What the reader holds does not fit the schema.
    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError>;

    /// Replaces the value by `fresh`, keeping buffers where that is possible.
    fn replace(&mut self, fresh: Self) {
        *self = fresh;
    }

    /// Walks a run of values; plain numbers override it to hand them over in one piece.
    #[doc(hidden)]
    fn write_items(items: &[Self], writer: &mut dyn Writer) {
        for item in items {
            item.write(writer);
        }
    }
}

/// What a value is written to, one primitive at a time. Calls are balanced: every `begin_` has its `end_`.
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
    /// A truth value.
    fn boolean(&mut self, value: bool);
    /// A signed integer of `bits` bits.
    fn signed(&mut self, value: i64, bits: u32);
    /// An unsigned integer of `bits` bits.
    fn unsigned(&mut self, value: u64, bits: u32);
    /// A 32-bit number.
    fn float32(&mut self, value: f32);
    /// A 64-bit number.
    fn float64(&mut self, value: f64);
    /// A text.
    fn string(&mut self, value: &str);
    /// A run of bytes inside a sequence: the same as `unsigned(.., 8)` for each.
    fn bytes(&mut self, values: &[u8]) {
        for &value in values {
            self.unsigned(value.into(), 8);
        }
    }
    /// A sequence of `length` items follows; `fixed` when the schema knows the length.
    fn begin_sequence(&mut self, length: usize, fixed: FixedLength);
    /// The sequence ends.
    fn end_sequence(&mut self);
    /// A structure of that name follows, field by field.
    fn begin_structure(&mut self, name: &str);
    /// The next value belongs to this field.
    fn field(&mut self, name: &str);
    /// The structure ends.
    fn end_structure(&mut self);
    /// An absent optional value.
    fn none(&mut self);
    /// A present optional value follows.
    fn some(&mut self);
    /// A variant of an enum; its fields follow as a structure when it has any.
    fn variant(&mut self, name: &str, index: u32, content: VariantContent);
}

/// Whether a sequence's length is part of its type.
///
/// ```
/// use hemiola_model::data::{FixedLength, ValueWriter, Writer};
///
/// let mut writer = ValueWriter::default();
/// writer.begin_sequence(2, FixedLength::No); // a vector; CDR will write its length, and not that of an array
/// writer.bytes(&[7, 9]);
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

/// Whether a variant carries fields.
///
/// ```
/// use hemiola_model::data::{ValueWriter, VariantContent, Writer};
///
/// let mut writer = ValueWriter::default();
/// writer.variant("Stand", 0, VariantContent::Empty);
/// assert_eq!(writer.finish().to_string(), "\"Stand\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariantContent {
    /// A name only.
    Empty,
    /// A structure of fields follows.
    Fields,
}

/// What a value is read from, in the order in which it would be written.
///
/// # Errors
/// Every method: something else than what is asked for stands there; [`ReadError::path`] says where.
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
    /// A truth value.
    fn boolean(&mut self) -> Result<bool, ReadError>;
    /// A signed integer that fits `bits` bits.
    fn signed(&mut self, bits: u32) -> Result<i64, ReadError>;
    /// An unsigned integer that fits `bits` bits.
    fn unsigned(&mut self, bits: u32) -> Result<u64, ReadError>;
    /// A 32-bit number.
    fn float32(&mut self) -> Result<f32, ReadError>;
    /// A 64-bit number.
    fn float64(&mut self) -> Result<f64, ReadError>;
    /// A text.
    fn string(&mut self) -> Result<String, ReadError>;
    /// Starts a sequence and tells its length.
    fn begin_sequence(&mut self) -> Result<usize, ReadError>;
    /// The sequence must end here.
    fn end_sequence(&mut self) -> Result<(), ReadError>;
    /// Starts a structure.
    fn begin_structure(&mut self, name: &str) -> Result<(), ReadError>;
    /// Moves to a field; `Ok(false)` when it is absent.
    fn optional_field(&mut self, name: &str) -> Result<bool, ReadError>;
    /// Moves to a field.
    fn field(&mut self, name: &str) -> Result<(), ReadError> {
        if self.optional_field(name)? { Ok(()) } else { Err(self.error(format!("field `{name}` is missing"))) }
    }
    /// The structure must end here; unknown fields are errors.
    fn end_structure(&mut self) -> Result<(), ReadError>;
    /// Whether an optional value is present.
    fn option(&mut self) -> Result<bool, ReadError>;
    /// The index in `names` of the variant that follows.
    fn variant(&mut self, names: &[&str]) -> Result<usize, ReadError>;
    /// The variant's content ends here.
    fn end_variant(&mut self) -> Result<(), ReadError>;
    /// An error at the present place.
    fn error(&self, message: String) -> ReadError;
}

/// Something that was read does not fit its schema.
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
    /// Where in the value: `walk.step_size` or `corners[3].x`; empty at the top.
    pub path: String,
    /// What is wrong.
    pub message: String,
}
