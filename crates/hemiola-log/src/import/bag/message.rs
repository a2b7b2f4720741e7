//! ROS 1's serialisation: numbers follow each other without alignment, texts and sequences have a
//! length in front, and there is no header.

use std::collections::HashMap;

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::{DataType, FixedLength, Items, Writer};

use crate::definition::{Definition, Element, Field, NumberType, Shape};
use crate::error::SchemaError;

/// The largest number of fields of a message; those of a message inside it count each time that it
/// occurs. The largest message of ROS has a few hundred.
const MOST_FIELDS: u64 = 10_000;

/// The number of messages without fields that may be in a message, beyond one for each byte.
const MOST_EMPTY: u64 = 1 << 16;

/// Returns the schema of messages in the log.
///
/// # Errors
/// Fails if there are more fields than memory should be allocated for.
pub fn data_type(definition: &Definition) -> Result<DataType, SchemaError> {
    let fields = count(definition, &mut HashMap::new());
    if fields > MOST_FIELDS {
        return Err(SchemaError {
            line: 1,
            message: format!("it has {fields} fields, but at most {MOST_FIELDS} are allowed"),
        });
    }
    without_sequence(definition).data_type()
}

/// Counts the fields of a message and of those in it.
fn count(definition: &Definition, known: &mut HashMap<*const Definition, u64>) -> u64 {
    if let Some(&known) = known.get(&std::ptr::from_ref(definition)) {
        return known;
    }
    let inside = |field: &Field, known: &mut _| match &field.element {
        Element::Message(inner) => count(inner, known),
        _ => 0,
    };
    let fields =
        definition.fields.iter().fold(1_u64, |sum, field| sum.saturating_add(1).saturating_add(inside(field, known)));
    known.insert(std::ptr::from_ref(definition), fields);
    fields
}

/// Returns whether a field is the `seq` that headers have in ROS 1 only.
fn is_sequence(definition: &Definition, field: &Field) -> bool {
    definition.name.as_ref() == "std_msgs/Header" && field.name.as_ref() == "seq" && definition.fields.len() == 3
}

fn without_sequence(definition: &Definition) -> Definition {
    let mut target = definition.clone();
    target.fields.retain(|field| !is_sequence(definition, field));
    for field in &mut target.fields {
        if let Element::Message(inner) = &mut field.element {
            *inner = without_sequence(inner).into();
        }
    }
    target
}

/// Writes a message of ROS 1 as CDR.
///
/// # Errors
/// Fails if the bytes do not hold exactly one such message. Memory is allocated only for what is
/// really there.
pub fn write(definition: &Definition, bytes: &[u8], writer: &mut CdrWriter) -> Result<(), String> {
    let mut reader = Reader { bytes, position: 0, empty: MOST_EMPTY + bytes.len() as u64 };
    reader.message(definition, writer)?;
    match bytes.len() - reader.position {
        _ if !writer.is_exact() => {
            Err("it has a time after 2038, which does not fit into the seconds of ROS 2".to_owned())
        }
        0 => Ok(()),
        left => Err(format!("{left} bytes follow it")),
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    position: usize,
    /// The number of messages without fields that may still come.
    empty: u64,
}

impl<'b> Reader<'b> {
    fn message(&mut self, definition: &Definition, writer: &mut CdrWriter) -> Result<(), String> {
        if definition.is_seconds() {
            let is_time = definition.name.ends_with("Time");
            let (seconds, nanoseconds) = (self.take::<4>()?, self.take::<4>()?);
            // Durations have signs, in both parts.
            let nanoseconds = match is_time {
                true => {
                    i64::from(u32::from_le_bytes(seconds)) * 1_000_000_000 + i64::from(u32::from_le_bytes(nanoseconds))
                }
                false => {
                    i64::from(i32::from_le_bytes(seconds)) * 1_000_000_000 + i64::from(i32::from_le_bytes(nanoseconds))
                }
            };
            writer.time(nanoseconds);
            return Ok(());
        }
        if definition.is_empty() {
            self.empty = self.empty.checked_sub(1).ok_or("it has more empty messages than bytes")?;
            writer.unsigned(0, 8);
            return Ok(());
        }
        for field in &definition.fields {
            let read =
                if is_sequence(definition, field) { self.take::<4>().map(|_| ()) } else { self.field(field, writer) };
            read.map_err(|reason| format!("{}: {reason}", field.name))?;
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, writer: &mut CdrWriter) -> Result<(), String> {
        let length = match field.shape {
            Shape::One => return self.one(&field.element, writer),
            Shape::Array { length } => length,
            Shape::Sequence { limit } => {
                let length = u32::from_le_bytes(self.take()?) as usize;
                if let Some(limit) = limit.filter(|&limit| length > limit) {
                    return Err(format!("{length} items, but at most {limit} are allowed"));
                }
                length
            }
        };
        if let Element::Number(number_type) = field.element {
            return self.numbers(number_type, length, field.shape, writer);
        }
        begin(field.shape, length, writer);
        for _ in 0..length {
            self.one(&field.element, writer)?;
        }
        Ok(())
    }

    fn one(&mut self, element: &Element, writer: &mut CdrWriter) -> Result<(), String> {
        match element {
            Element::Boolean => writer.boolean(self.take::<1>()? != [0]),
            Element::Number(number_type) => self.numbers(*number_type, 1, Shape::One, writer)?,
            Element::Text { .. } => {
                let length = u32::from_le_bytes(self.take()?) as usize;
                writer.string(&String::from_utf8_lossy(self.run(length)?));
            }
            Element::WideText => return Err("a `wstring`, which ROS 1 does not have".to_owned()),
            Element::Message(definition) => self.message(definition, writer)?,
        }
        Ok(())
    }

    fn numbers(
        &mut self,
        number_type: NumberType,
        length: usize,
        shape: Shape,
        writer: &mut CdrWriter,
    ) -> Result<(), String> {
        let size = match number_type {
            NumberType::U8 | NumberType::I8 => 1,
            NumberType::U16 | NumberType::I16 => 2,
            NumberType::U32 | NumberType::I32 | NumberType::F32 => 4,
            NumberType::U64 | NumberType::I64 | NumberType::F64 => 8,
        };
        let bytes = self.run(length.saturating_mul(size))?;
        begin(shape, length, writer);
        match number_type {
            NumberType::U8 => writer.items(Items::U8(bytes)),
            NumberType::I8 => writer.items(Items::I8(&collect(bytes, i8::from_le_bytes))),
            NumberType::U16 => writer.items(Items::U16(&collect(bytes, u16::from_le_bytes))),
            NumberType::I16 => writer.items(Items::I16(&collect(bytes, i16::from_le_bytes))),
            NumberType::U32 => writer.items(Items::U32(&collect(bytes, u32::from_le_bytes))),
            NumberType::I32 => writer.items(Items::I32(&collect(bytes, i32::from_le_bytes))),
            NumberType::U64 => writer.items(Items::U64(&collect(bytes, u64::from_le_bytes))),
            NumberType::I64 => writer.items(Items::I64(&collect(bytes, i64::from_le_bytes))),
            NumberType::F32 => writer.items(Items::F32(&collect(bytes, f32::from_le_bytes))),
            NumberType::F64 => writer.items(Items::F64(&collect(bytes, f64::from_le_bytes))),
        }
        Ok(())
    }

    fn take<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], String> {
        self.run(COUNT).map(|bytes| bytes.try_into().unwrap_or([0; COUNT]))
    }

    fn run(&mut self, count: usize) -> Result<&'b [u8], String> {
        let left = &self.bytes[self.position..];
        let bytes = left
            .get(..count)
            .ok_or_else(|| format!("byte {}: {count} bytes are needed, and {} are left", self.position, left.len()))?;
        self.position += count;
        Ok(bytes)
    }
}

fn begin(shape: Shape, length: usize, writer: &mut CdrWriter) {
    if let Shape::Sequence { .. } = shape {
        writer.begin_sequence(length, FixedLength::No);
    }
}

fn collect<T, const SIZE: usize>(bytes: &[u8], from_bytes: fn([u8; SIZE]) -> T) -> Vec<T> {
    bytes.as_chunks::<SIZE>().0.iter().map(|bytes| from_bytes(*bytes)).collect()
}
