use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{ReadError, Reader, Value, VariantHead};

/// Reads values from their text form.
///
/// ```
/// use hemiola_model::data::{Data, Value, ValueReader};
///
/// let value = Value::List(vec![Value::Integer(1), Value::Integer(2)]);
/// assert_eq!(<[u8; 2]>::read(&mut ValueReader::new(&value)), Ok([1, 2]));
/// ```
#[derive(Debug)]
pub struct ValueReader<'v> {
    open: Vec<Open<'v>>,
    next: Option<&'v Value>,
    /// Set if the field that was requested last is absent: only an option can then be read.
    absent: bool,
}

#[derive(Debug)]
enum Open<'v> {
    List { items: &'v [Value], position: usize },
    Table { entries: &'v BTreeMap<String, Value>, field: String, known: Vec<String> },
    Variant(&'v str),
}

impl<'v> ValueReader<'v> {
    /// Creates a reader that starts at `value`.
    pub fn new(value: &'v Value) -> Self {
        Self { open: Vec::new(), next: Some(value), absent: false }
    }

    fn take(&mut self) -> Result<&'v Value, ReadError> {
        if std::mem::take(&mut self.absent) {
            return Err(self.error("is missing".into()));
        }
        if let Some(value) = self.next.take() {
            return Ok(value);
        }
        match self.open.last_mut() {
            Some(Open::List { items, position }) if *position < items.len() => {
                let value = &items[*position];
                *position += 1;
                Ok(value)
            }
            _ => Err(self.error("a value is missing".into())),
        }
    }

    fn wrong(&self, expected: &str, found: &Value) -> ReadError {
        self.error(format!("expected {expected}, found {}", found.describe()))
    }
}

impl Reader for ValueReader<'_> {
    fn boolean(&mut self) -> Result<bool, ReadError> {
        match self.take()? {
            Value::Boolean(value) => Ok(*value),
            other => Err(self.wrong("true or false", other)),
        }
    }

    fn signed(&mut self, bits: u32) -> Result<i64, ReadError> {
        match self.take()? {
            Value::Integer(value) if bits >= 64 || (-(1_i64 << (bits - 1))..1 << (bits - 1)).contains(value) => {
                Ok(*value)
            }
            other => Err(self.wrong(&format!("a whole number of {bits} bits"), other)),
        }
    }

    fn unsigned(&mut self, bits: u32) -> Result<u64, ReadError> {
        let value = self.take()?;
        let number = match value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            Value::Unsigned(number) => Some(*number),
            _ => None,
        };
        number
            .filter(|&number| bits >= 64 || number < 1 << bits)
            .ok_or_else(|| self.wrong(&format!("a whole number from 0 of {bits} bits"), value))
    }

    fn float32(&mut self) -> Result<f32, ReadError> {
        self.float64().map(|value| value as f32)
    }

    fn float64(&mut self) -> Result<f64, ReadError> {
        match self.take()? {
            Value::Float(value) => Ok(*value),
            Value::Integer(value) => Ok(*value as f64),
            Value::Unsigned(value) => Ok(*value as f64),
            // JSON has no NaN and no infinities: its writers write null instead.
            Value::Nothing => Ok(f64::NAN),
            other => Err(self.wrong("a number", other)),
        }
    }

    fn string(&mut self) -> Result<String, ReadError> {
        match self.take()? {
            Value::Text(value) => Ok(value.clone()),
            other => Err(self.wrong("a text", other)),
        }
    }

    fn begin_sequence(&mut self) -> Result<usize, ReadError> {
        match self.take()? {
            Value::List(items) => {
                self.open.push(Open::List { items, position: 0 });
                Ok(items.len())
            }
            other => Err(self.wrong("a list", other)),
        }
    }

    fn end_sequence(&mut self) -> Result<(), ReadError> {
        self.open.pop();
        Ok(())
    }

    fn begin_structure(&mut self, name: &str) -> Result<(), ReadError> {
        match self.take()? {
            Value::Table(entries) => {
                self.open.push(Open::Table { entries, field: String::new(), known: Vec::new() });
                Ok(())
            }
            other => Err(self.wrong(&format!("a table for {name}"), other)),
        }
    }

    fn optional_field(&mut self, name: &str) -> Result<bool, ReadError> {
        let Some(Open::Table { entries, field, known }) = self.open.last_mut() else {
            return Err(self.error(format!("field `{name}` outside of a table")));
        };
        name.clone_into(field);
        known.push(name.to_owned());
        self.next = entries.get(name);
        self.absent = self.next.is_none();
        Ok(!self.absent)
    }

    fn field(&mut self, name: &str) -> Result<(), ReadError> {
        // An absent field is an error for all types that are then read, except options.
        self.optional_field(name).map(|_| ())
    }

    fn end_structure(&mut self) -> Result<(), ReadError> {
        let Some(Open::Table { entries, field, known }) = self.open.last_mut() else { return Ok(()) };
        field.clear();
        let unknown = entries.keys().find(|key| !known.contains(key)).cloned();
        if let Some(unknown) = unknown {
            let known = known.join(", ");
            return Err(self.error(format!("unknown field `{unknown}`; known are: {known}")));
        }
        self.next = None;
        self.open.pop();
        Ok(())
    }

    fn option(&mut self) -> Result<bool, ReadError> {
        if std::mem::take(&mut self.absent) {
            return Ok(false);
        }
        let value = self.take()?;
        if *value == Value::Nothing {
            return Ok(false);
        }
        self.next = Some(value);
        Ok(true)
    }

    fn begin_variant(&mut self, variants: &[VariantHead]) -> Result<usize, ReadError> {
        let names = || variants.iter().map(|variant| variant.name).collect::<Vec<_>>().join(", ");
        let value = self.take()?;
        let (name, content) = match value {
            Value::Text(name) => (name, None),
            Value::Table(entries) if entries.len() == 1 => {
                let (name, content) = entries.iter().next().ok_or_else(|| self.error("an empty table".into()))?;
                (name, Some(content))
            }
            other => return Err(self.wrong(&format!("one of {}", names()), other)),
        };
        let index = variants
            .iter()
            .position(|known| known.name == name)
            .ok_or_else(|| self.error(format!("expected one of {}, found {name:?}", names())))?;
        self.next = content;
        self.open.push(Open::Variant(name));
        Ok(index)
    }

    fn end_variant(&mut self) -> Result<(), ReadError> {
        if self.next.take().is_some() {
            return Err(self.error("this variant has no fields".into()));
        }
        self.open.pop();
        Ok(())
    }

    fn error(&self, message: String) -> ReadError {
        let mut path = String::new();
        for open in &self.open {
            match open {
                Open::List { position, .. } => _ = write!(path, "[{}]", position.saturating_sub(1)),
                Open::Table { field, .. } if field.is_empty() => {}
                Open::Table { field, .. } if path.is_empty() => path.push_str(field),
                Open::Table { field, .. } => _ = write!(path, ".{field}"),
                Open::Variant(name) => _ = write!(path, "{}{name}", if path.is_empty() { "" } else { "." }),
            }
        }
        ReadError { path, message }
    }
}
