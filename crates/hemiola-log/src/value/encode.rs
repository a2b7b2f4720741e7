//! Encoding of values without generated types.

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::{FixedLength, Items, Writer};

use super::{MessageValue, Numbers, Value};
use crate::definition::{Element, NumberType, Shape};

impl MessageValue {
    /// Writes the message as CDR, from which [`Value::decode`] reads the same.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use hemiola_log::{Definition, Value};
    /// use hemiola_model::cdr::CdrWriter;
    ///
    /// let definition = Arc::new(Definition::parse("a/msg/Ball", "bool seen\nfloat32[2] position\n")?);
    /// let bytes = [0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40];
    /// let Value::Message(ball) = Value::decode(&definition, &bytes)? else { unreachable!("a definition is one of a message") };
    /// let mut writer = CdrWriter::default();
    /// ball.encode(&mut writer);
    /// assert_eq!(writer.bytes(), bytes);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode(&self, writer: &mut CdrWriter) {
        for (field, value) in self.fields() {
            match (field.shape, value) {
                (Shape::One, value) => one(writer, &field.element, value),
                (_, Value::Numbers(numbers)) => {
                    begin(writer, field.shape, numbers.len());
                    writer.items(numbers.items());
                }
                (_, Value::List(items)) => {
                    begin(writer, field.shape, items.len());
                    items.iter().for_each(|item| one(writer, &field.element, item));
                }
                // Whatever makes messages puts runs into fields that hold runs.
                (_, one) => self::one(writer, &field.element, one),
            }
        }
    }
}

fn begin(writer: &mut CdrWriter, shape: Shape, length: usize) {
    if let Shape::Sequence { .. } = shape {
        writer.begin_sequence(length, FixedLength::No);
    }
}

fn one(writer: &mut CdrWriter, element: &Element, value: &Value) {
    let bits = match element {
        Element::Number(NumberType::U8 | NumberType::I8) => 8,
        Element::Number(NumberType::U16 | NumberType::I16) => 16,
        Element::Number(NumberType::U32 | NumberType::I32) => 32,
        _ => 64,
    };
    match value {
        Value::Boolean(value) => writer.boolean(*value),
        Value::Signed(value) => writer.signed(*value, bits),
        Value::Unsigned(value) => writer.unsigned(*value, bits),
        Value::Float32(value) => writer.float32(*value),
        Value::Float64(value) => writer.float64(*value),
        Value::Text(text) => writer.string(text),
        Value::Message(message) => message.encode(writer),
        Value::Numbers(numbers) => writer.items(numbers.items()),
        Value::List(items) => items.iter().for_each(|item| one(writer, element, item)),
    }
}

impl Numbers {
    fn items(&self) -> Items<'_> {
        match self {
            Self::U8(items) => Items::U8(items),
            Self::I8(items) => Items::I8(items),
            Self::U16(items) => Items::U16(items),
            Self::I16(items) => Items::I16(items),
            Self::U32(items) => Items::U32(items),
            Self::I32(items) => Items::I32(items),
            Self::U64(items) => Items::U64(items),
            Self::I64(items) => Items::I64(items),
            Self::F32(items) => Items::F32(items),
            Self::F64(items) => Items::F64(items),
        }
    }
}
