use std::collections::BTreeMap;

use super::{FixedLength, Value, VariantContent, VariantHead, Writer};

/// Builds the text form of a value that is written to it.
///
/// ```
/// use hemiola_model::data::{Data, Value, ValueWriter};
///
/// let mut writer = ValueWriter::default();
/// 7_u32.write(&mut writer);
/// assert_eq!(writer.finish(), Value::Integer(7));
/// ```
#[derive(Debug, Default)]
pub struct ValueWriter {
    open: Vec<Open>,
    finished: Value,
}

#[derive(Debug)]
enum Open {
    List(Vec<Value>),
    Table {
        entries: BTreeMap<String, Value>,
        field: String,
    },
    /// A variant whose fields are being written; it becomes `{ Name: { fields } }`.
    Variant(String),
}

impl ValueWriter {
    /// Returns the value that was written.
    pub fn finish(self) -> Value {
        self.finished
    }

    fn put(&mut self, value: Value) {
        match self.open.pop() {
            None => self.finished = value,
            Some(Open::List(mut items)) => {
                items.push(value);
                self.open.push(Open::List(items));
            }
            Some(Open::Table { mut entries, field }) => {
                // A table omits `Nothing`, so that TOML, which has no null, can hold it.
                if value != Value::Nothing {
                    entries.insert(field, value);
                }
                self.open.push(Open::Table { entries, field: String::new() });
            }
            Some(Open::Variant(name)) => self.put(Value::Table(BTreeMap::from([(name, value)]))),
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::List(items)) => self.put(Value::List(items)),
            Some(Open::Table { entries, .. }) => self.put(Value::Table(entries)),
            Some(variant @ Open::Variant(_)) => self.open.push(variant),
            None => {}
        }
    }
}

impl Writer for ValueWriter {
    fn boolean(&mut self, value: bool) {
        self.put(Value::Boolean(value));
    }

    fn signed(&mut self, value: i64, _: u32) {
        self.put(Value::Integer(value));
    }

    fn unsigned(&mut self, value: u64, _: u32) {
        self.put(i64::try_from(value).map_or(Value::Unsigned(value), Value::Integer));
    }

    fn float32(&mut self, value: f32) {
        // Writes the shortest decimal that is this f32, so that 0.1 is shown as 0.1.
        self.put(Value::Float(value.to_string().parse().unwrap_or(f64::from(value))));
    }

    fn float64(&mut self, value: f64) {
        self.put(Value::Float(value));
    }

    fn string(&mut self, value: &str) {
        self.put(Value::Text(value.to_owned()));
    }

    fn begin_sequence(&mut self, length: usize, _: FixedLength) {
        self.open.push(Open::List(Vec::with_capacity(length)));
    }

    fn end_sequence(&mut self) {
        self.close();
    }

    fn begin_structure(&mut self, _: &str) {
        self.open.push(Open::Table { entries: BTreeMap::new(), field: String::new() });
    }

    fn field(&mut self, name: &str) {
        if let Some(Open::Table { field, .. }) = self.open.last_mut() {
            name.clone_into(field);
        }
    }

    fn end_structure(&mut self) {
        self.close();
    }

    fn none(&mut self) {
        self.put(Value::Nothing);
    }

    fn some(&mut self) {}

    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        let VariantHead { name, content } = variants[index];
        match content {
            VariantContent::Empty => self.put(Value::Text(name.to_owned())),
            VariantContent::Fields => self.open.push(Open::Variant(name.to_owned())),
        }
    }

    fn end_variant(&mut self) {}
}
