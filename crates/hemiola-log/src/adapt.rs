//! Messages of another version of a type, brought into the present one.

use std::fmt;
use std::sync::Arc;

use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::{FixedLength, ReadError, Writer};

use crate::channel::Channel;
use crate::definition::{Definition, Element, Field, NumberType, Shape};
use crate::error::LogError;
use crate::value::{MessageValue, Value};

/// Reads messages that were recorded before a field was added, removed or changed: fields keep their values by their names, and what was not
/// recorded has the type's default.
///
/// ```no_run
/// use hemiola_log::{Adapter, LogReader};
/// use hemiola_model::Data;
/// use hemiola_model::cdr::{self, MessageSchema};
///
/// let log = LogReader::open("last-year.mcap".as_ref())?;
/// let channel = log.channels().find(|channel| channel.topic == "/motion/Height").ok_or("it is not there")?;
/// let adapter = Adapter::new(channel, &MessageSchema::of("Height", &f64::data_type()), &cdr::encode(&0.0_f64))?;
/// adapter.changes().for_each(|change| println!("{change}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Adapter {
    from: Arc<Definition>,
    to: Arc<Definition>,
    default: Value,
}

/// What is different between two versions of a type.
///
/// ```
/// use hemiola_log::FieldChange;
///
/// assert_eq!(FieldChange::Added("radius".into()).to_string(), "`radius` was not recorded and has its default");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldChange {
    /// It was not recorded.
    Added(String),
    /// It is not there any more.
    Removed(String),
    /// It was something else, which does not fit.
    Changed(String),
}

impl fmt::Display for FieldChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(field) => write!(formatter, "`{field}` was not recorded and has its default"),
            Self::Removed(field) => write!(formatter, "`{field}` was recorded and is not there any more"),
            Self::Changed(field) => write!(formatter, "`{field}` was of another type and has its default"),
        }
    }
}

impl Adapter {
    /// From what a channel has to a type, of whose default these are the bytes.
    ///
    /// # Errors
    /// The channel has no schema that is understood.
    pub fn new(channel: &Channel, schema: &MessageSchema, default: &[u8]) -> Result<Self, LogError> {
        let unusable =
            |reason: String| LogError::Schema { topic: channel.topic.clone(), schema: schema.name.clone(), reason };
        let from = channel.definition()?.clone();
        let to = Definition::parse(&schema.name, &schema.text).map_err(|error| unusable(error.to_string()))?;
        let to = Arc::new(to);
        let default = Value::decode(&to, default).map_err(|error| unusable(error.to_string()))?;
        Ok(Self { from, to, default })
    }

    /// What is different.
    pub fn changes(&self) -> impl Iterator<Item = FieldChange> {
        let mut changes = Vec::new();
        compare(&self.from, &self.to, "", &mut changes);
        changes.into_iter()
    }

    /// A message in the present version.
    ///
    /// # Errors
    /// The bytes hold no message of the channel.
    pub fn adapt(&self, message: &[u8]) -> Result<Vec<u8>, ReadError> {
        let recorded = Value::decode(&self.from, message)?;
        let mut writer = CdrWriter::default();
        if let (Value::Message(recorded), Value::Message(default)) = (&recorded, &self.default) {
            write_message(&mut writer, &self.to, Some(recorded), Some(default));
        }
        Ok(writer.finish())
    }
}

fn find<'v>(message: Option<&'v MessageValue>, name: &str) -> Option<(&'v Field, &'v Value)> {
    message?.fields().find(|(field, _)| *field.name == *name)
}

fn compare(from: &Definition, to: &Definition, path: &str, changes: &mut Vec<FieldChange>) {
    let of = |field: &Field| format!("{path}{}", field.name);
    for field in &to.fields {
        let Some(recorded) = from.fields.iter().find(|known| known.name == field.name) else {
            changes.push(FieldChange::Added(of(field)));
            continue;
        };
        match (&recorded.element, &field.element) {
            (Element::Message(from), Element::Message(to)) => compare(from, to, &format!("{}.", of(field)), changes),
            (from, to) if !fits(from, to) => changes.push(FieldChange::Changed(of(field))),
            _ => {}
        }
    }
    let removed = from.fields.iter().filter(|field| to.fields.iter().all(|known| known.name != field.name));
    changes.extend(removed.map(|field| FieldChange::Removed(of(field))));
}

/// Whether values of one may be values of the other.
fn fits(from: &Element, to: &Element) -> bool {
    matches!(
        (from, to),
        (Element::Boolean, Element::Boolean)
            | (Element::Number(_), Element::Number(_))
            | (Element::Text { .. }, Element::Text { .. })
            | (Element::Message(_), Element::Message(_))
    )
}

/// Writes all fields of a definition, with what was recorded of them, or the default.
fn write_message(
    writer: &mut CdrWriter,
    to: &Definition,
    recorded: Option<&MessageValue>,
    default: Option<&MessageValue>,
) {
    for field in &to.fields {
        let default = find(default, &field.name).map(|(_, value)| value);
        let found = find(recorded, &field.name).filter(|(known, _)| fits(&known.element, &field.element));
        let names = |(known, value): (&Field, &Value)| {
            let renumber = Renumber::of(recorded.map(|recorded| &*recorded.definition), to, known, field);
            items(value).into_iter().map(|item| renumber.apply(item)).collect::<Option<Vec<_>>>()
        };
        let values = found.and_then(names).filter(|values| is_possible(field, values));
        let values = values.unwrap_or_else(|| default.map(items).unwrap_or_else(|| absent(field)));
        match field.shape {
            Shape::Sequence { .. } => writer.begin_sequence(values.len(), FixedLength::No),
            Shape::One | Shape::Array { .. } => {}
        }
        for value in &values {
            // Items of a sequence have no default of their own.
            let default = default.filter(|_| field.shape == Shape::One);
            write_one(writer, &field.element, value, default);
        }
    }
}

/// What a field has, one after the other.
fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.clone(),
        Value::Numbers(numbers) => (0..numbers.len()).filter_map(|index| numbers.get(index)).collect(),
        one => vec![one.clone()],
    }
}

/// Whether a field can have so many values, and these.
fn is_possible(field: &Field, values: &[Value]) -> bool {
    let count = match field.shape {
        Shape::One => values.len() == 1,
        Shape::Array { length } => values.len() == length,
        Shape::Sequence { limit } => limit.is_none_or(|limit| values.len() <= limit),
    };
    count
        && match field.element {
            Element::Number(number) => values.iter().all(|value| holds(number, value)),
            _ => true,
        }
}

fn holds(number: NumberType, value: &Value) -> bool {
    let integer = match value {
        Value::Signed(value) => i128::from(*value),
        Value::Unsigned(value) => i128::from(*value),
        Value::Float32(_) | Value::Float64(_) => return matches!(number, NumberType::F32 | NumberType::F64),
        _ => return false,
    };
    let (bits, is_signed) = match number {
        NumberType::F32 | NumberType::F64 => return true,
        NumberType::U8 => (8, false),
        NumberType::I8 => (8, true),
        NumberType::U16 => (16, false),
        NumberType::I16 => (16, true),
        NumberType::U32 => (32, false),
        NumberType::I32 => (32, true),
        NumberType::U64 => (64, false),
        NumberType::I64 => (64, true),
    };
    let range = if is_signed { -(1_i128 << (bits - 1))..1_i128 << (bits - 1) } else { 0..1_i128 << bits };
    range.contains(&integer)
}

/// What a field has of which nothing is known.
fn absent(field: &Field) -> Vec<Value> {
    let count = match field.shape {
        Shape::One => 1,
        Shape::Array { length } => length,
        Shape::Sequence { .. } => 0,
    };
    let zero = match &field.element {
        Element::Boolean => Value::Boolean(false),
        Element::Number(NumberType::F32 | NumberType::F64) => Value::Float64(0.0),
        Element::Number(_) => Value::Unsigned(0),
        // Of a message, its fields are looked for, and not found.
        Element::Text { .. } | Element::WideText | Element::Message(_) => Value::Text(String::new()),
    };
    vec![zero; count]
}

fn write_one(writer: &mut CdrWriter, element: &Element, value: &Value, default: Option<&Value>) {
    let message = |value: &Value| match value {
        Value::Message(message) => Some(message.clone()),
        _ => None,
    };
    match (element, value) {
        (Element::Message(definition), value) => {
            let (recorded, default) = (message(value), default.and_then(message));
            write_message(writer, definition, recorded.as_ref(), default.as_ref());
        }
        (Element::Boolean, Value::Boolean(value)) => writer.boolean(*value),
        (Element::Number(number), value) => write_number(writer, *number, value),
        (_, Value::Text(text)) => writer.string(text),
        // What does not fit was not chosen.
        _ => {}
    }
}

fn write_number(writer: &mut CdrWriter, number: NumberType, value: &Value) {
    let float = value.number().unwrap_or_default();
    let integer = match value {
        Value::Signed(value) => *value as u64,
        Value::Unsigned(value) => *value,
        _ => 0,
    };
    match number {
        NumberType::U8 | NumberType::I8 => writer.unsigned(integer, 8),
        NumberType::U16 | NumberType::I16 => writer.unsigned(integer, 16),
        NumberType::U32 | NumberType::I32 => writer.unsigned(integer, 32),
        NumberType::U64 | NumberType::I64 => writer.unsigned(integer, 64),
        // The very bits, also of numbers that are none.
        NumberType::F32 => writer.float32(if let Value::Float32(value) = value { *value } else { float as f32 }),
        NumberType::F64 => writer.float64(if let Value::Float64(value) = value { *value } else { float }),
    }
}

/// Variants of an enum that have other numbers now; they are known by their names.
struct Renumber(Vec<(String, Option<u64>)>);

impl Renumber {
    fn of(from: Option<&Definition>, to: &Definition, known: &Field, field: &Field) -> Self {
        let prefix = format!("{}_", field.name.to_uppercase());
        let names = |definition: &Definition| -> Vec<(String, String)> {
            let constants = definition.constants.iter().filter(|constant| constant.name.starts_with(&prefix));
            constants.map(|constant| (constant.name.clone(), constant.value.clone())).collect()
        };
        let is_enum = |field: &Field| field.element == Element::Number(NumberType::U8);
        let Some(from) = from.filter(|_| is_enum(known) && is_enum(field)) else { return Self(Vec::new()) };
        let (from, to) = (names(from), names(to));
        let now = |name: &str| to.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.parse().ok());
        Self(from.into_iter().map(|(name, value)| (value, now(&name))).collect())
    }

    /// `None` for a variant that is not there any more.
    fn apply(&self, value: Value) -> Option<Value> {
        let Value::Unsigned(number) = value else { return Some(value) };
        match self.0.iter().find(|(known, _)| *known == number.to_string()) {
            Some((_, now)) => now.map(Value::Unsigned),
            None => Some(value),
        }
    }
}
