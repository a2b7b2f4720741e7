//! The parts of a value, in order, whether it is of a type or was decoded without one.

use std::time::Duration;

use hemiola::data::{Data, FixedLength, VariantContent, VariantHead, Writer};
use hemiola_log::{MessageValue, Numbers, Shape, Value};

/// A part of a value. Numbers are bits, so that NaN equals itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Leaf {
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float32(u32),
    Float64(u64),
    Text(String),
    Length(usize),
}

/// Returns the parts of a value of a type, as in ROS 2's messages.
pub fn of_typed<T: Data>(value: &T) -> Vec<Leaf> {
    let mut writer = Leaves::default();
    value.write(&mut writer);
    writer.leaves
}

/// Returns the parts of a decoded value.
pub fn of_decoded(value: &Value) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    push(value, &mut leaves);
    leaves
}

fn push(value: &Value, leaves: &mut Vec<Leaf>) {
    match value {
        Value::Boolean(value) => leaves.push(Leaf::Boolean(*value)),
        Value::Signed(value) => leaves.push(Leaf::Signed(*value)),
        Value::Unsigned(value) => leaves.push(Leaf::Unsigned(*value)),
        Value::Float32(value) => leaves.push(Leaf::Float32(value.to_bits())),
        Value::Float64(value) => leaves.push(Leaf::Float64(value.to_bits())),
        Value::Text(value) => leaves.push(Leaf::Text(value.clone())),
        Value::List(items) => items.iter().for_each(|item| push(item, leaves)),
        Value::Numbers(numbers) => {
            (0..numbers.len()).filter_map(|index| numbers.get(index)).for_each(|n| push(&n, leaves))
        }
        Value::Message(message) => push_fields(message, leaves),
    }
}

fn push_fields(message: &MessageValue, leaves: &mut Vec<Leaf>) {
    for (field, value) in message.fields() {
        if matches!(field.shape, Shape::Sequence { .. }) {
            leaves.push(Leaf::Length(match value {
                Value::List(items) => items.len(),
                Value::Numbers(numbers) => Numbers::len(numbers),
                other => panic!("{other:?} is no sequence"),
            }));
        }
        push(value, leaves);
    }
}

#[derive(Default)]
struct Leaves {
    leaves: Vec<Leaf>,
    structure_is_empty: bool,
    absent_after: Vec<usize>,
}

impl Leaves {
    fn absent(&mut self, count: usize) {
        self.leaves.extend((0..count).map(|_| Leaf::Length(0)));
    }
}

impl Writer for Leaves {
    fn boolean(&mut self, value: bool) {
        self.leaves.push(Leaf::Boolean(value));
    }
    fn signed(&mut self, value: i64, _: u32) {
        self.leaves.push(Leaf::Signed(value));
    }
    fn unsigned(&mut self, value: u64, _: u32) {
        self.leaves.push(Leaf::Unsigned(value));
    }
    fn float32(&mut self, value: f32) {
        self.leaves.push(Leaf::Float32(value.to_bits()));
    }
    fn float64(&mut self, value: f64) {
        self.leaves.push(Leaf::Float64(value.to_bits()));
    }
    fn string(&mut self, value: &str) {
        self.leaves.push(Leaf::Text(value.to_owned()));
    }
    fn time(&mut self, nanoseconds: i64) {
        self.signed(nanoseconds.div_euclid(1_000_000_000), 32);
        self.unsigned(nanoseconds.rem_euclid(1_000_000_000) as u64, 32);
    }
    fn duration(&mut self, value: Duration) {
        self.signed(value.as_secs() as i64, 32);
        self.unsigned(value.subsec_nanos().into(), 32);
    }
    fn begin_sequence(&mut self, length: usize, fixed: FixedLength) {
        if fixed == FixedLength::No {
            self.leaves.push(Leaf::Length(length));
        }
    }
    fn end_sequence(&mut self) {}
    fn begin_structure(&mut self, _: &str) {
        self.structure_is_empty = true;
    }
    fn field(&mut self, _: &str) {
        self.structure_is_empty = false;
    }
    fn end_structure(&mut self) {
        if std::mem::take(&mut self.structure_is_empty) {
            self.unsigned(0, 8);
        }
    }
    fn none(&mut self) {
        self.absent(1);
    }
    fn some(&mut self) {
        self.leaves.push(Leaf::Length(1));
    }
    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        let with_fields = |variants: &[VariantHead]| {
            variants.iter().filter(|variant| variant.content == VariantContent::Fields).count()
        };
        self.unsigned(index as u64, 8);
        self.absent(with_fields(&variants[..index]));
        if variants[index].content == VariantContent::Fields {
            self.some();
        }
        self.absent_after.push(with_fields(&variants[index + 1..]));
    }
    fn end_variant(&mut self) {
        let count = self.absent_after.pop().expect("it began");
        self.absent(count);
    }
}
