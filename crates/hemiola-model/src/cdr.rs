//! Data outside the process: bytes in CDR, schemas in ros2msg, and hashes of types, as ROS 2,
//! Foxglove, PlotJuggler and similar tools read them.
//!
//! Encoding: CDR as of DDS-XTypes 1.3, section 7.4 (XCDR version 1, PLAIN_CDR, little endian, with
//! its header of four bytes). Schemas: ROS 2's message definitions ([`MessageSchema`]), two of
//! which are a service ([`ServiceSchema`]), three of which are an action ([`ActionSchema`]), and
//! many of which are packages ([`RosPackages`]). Hashes: REP-2016.
//!
//! | Rust | ROS 2 message | CDR |
//! |---|---|---|
//! | `bool`, `u8` ... `i64`, `f32`, `f64` | `bool`, `uint8` ... `float64` | the number, aligned to its size |
//! | `usize` | `uint64` | as `u64` |
//! | `String` | `string` | length with the terminating zero, bytes, zero |
//! | `[T; N]` | `T[N]` | the items |
//! | `Vec<T>` | `T[]` | length, items |
//! | `ArrayVec<T, N>` | `T[<=N]` | length, items |
//! | `Option<T>` | `T[<=1]` | length 0 or 1, item |
//! | [`Time`](crate::Time), [`Duration`](std::time::Duration) | `builtin_interfaces/Time`, `builtin_interfaces/Duration` | `i32` seconds, `u32` nanoseconds |
//! | a structure | a message | its fields; without any, a byte |
//! | an enum without data | `uint8`, after a constant for each variant | the variant's index |
//! | an enum with data | a message: `uint8 kind`, and a field of type `[<=1]` for each variant that has fields | the same |
//! | a sequence in a sequence or option | a message with one field, `items` or `value`, in between, which takes no bytes | as if it were not there |
//!
//! ```
//! use hemiola_model::Data;
//! use hemiola_model::cdr::{self, MessageSchema};
//!
//! let bytes = cdr::encode(&vec![1.5_f32, 2.0]);
//! assert_eq!(bytes, [0, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0x40]); // header, length, two numbers
//! assert_eq!(cdr::decode::<Vec<f32>>(&bytes), Ok(vec![1.5, 2.0]));
//!
//! let schema = MessageSchema::of("Gains", &<Vec<f32>>::data_type());
//! assert_eq!((schema.name.as_str(), schema.text.as_str()), ("hemiola/msg/Gains", "float32[] data\n"));
//! ```

mod action;
mod bytes;
mod package;
mod reader;
mod room;
mod schema;
mod seconds;
mod service;
mod type_hash;
mod writer;

#[cfg(test)]
mod tests;

pub use action::ActionSchema;
pub use bytes::CopiedBytes;
pub use package::{PackageAuthor, PackageError, RosPackages};
pub use reader::CdrReader;
pub(crate) use reader::{LEAST_SHARED, at};
pub use room::{FixedRoom, Room, RoomAround};
pub use schema::{MessageSchema, field_name};
pub(crate) use seconds::Seconds;
pub use service::ServiceSchema;
pub use writer::CdrWriter;

use crate::data::{Data, PlainSource, ReadError};

/// The header of all bytes that are written here: plain CDR, little endian.
pub(crate) const HEADER: [u8; 4] = [0, 1, 0, 0];

/// Encodes a value as bytes. Allocates; to write many values, keep a [`CdrWriter`], which also
/// returns whether the bytes hold all of the value ([`CdrWriter::is_exact`]).
pub fn encode<T: Data>(value: &T) -> Vec<u8> {
    let mut writer = CdrWriter::default();
    value.write(&mut writer);
    writer.finish()
}

/// Decodes a value from bytes, of either byte order.
///
/// # Errors
/// Fails if the bytes do not hold such a value, or hold more than it. Memory is allocated only for
/// items that are really there.
#[inline]
pub fn decode<T: Data>(bytes: &[u8]) -> Result<T, ReadError> {
    // A reader costs more than a few numbers.
    if let Some(value) = decode_plain(bytes) {
        return Ok(value);
    }
    let mut reader = CdrReader::new(bytes)?;
    let value = T::read(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

/// Decodes a value in one piece, if its type allows that and the bytes are such a value.
#[inline]
fn decode_plain<T: Data>(bytes: &[u8]) -> Option<T> {
    let plain = T::PLAIN?;
    let (header, body) = bytes.split_first_chunk::<{ HEADER.len() }>()?;
    // As much padding as a reader allows may follow.
    let padding = body.len().checked_sub(plain.taken(0))?;
    if header[..2] != HEADER[..2] || padding >= HEADER.len() {
        return None;
    }
    PlainSource::new(body, 0, &mut 0).read()
}
