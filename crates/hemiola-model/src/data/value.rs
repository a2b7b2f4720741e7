use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Data, ReadError, ValueReader, ValueWriter};

/// The text form of a value: everything that JSON and TOML can express.
///
/// ```
/// use hemiola_model::{Data, Value};
///
/// let value = Value::of(&vec![1.5_f32, 2.0]);
/// assert_eq!(value.to_string(), "[1.5, 2.0]");
/// assert_eq!(value.read::<Vec<f32>>().unwrap(), [1.5, 2.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Nothing: an absent option.
    #[default]
    Nothing,
    /// A truth value.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// An integer beyond `i64`.
    Unsigned(u64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Named values.
    Table(BTreeMap<String, Value>),
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl Value {
    /// Returns the text form of a value.
    pub fn of<T: Data>(value: &T) -> Self {
        let mut writer = ValueWriter::default();
        value.write(&mut writer);
        writer.finish()
    }

    /// Reads a value back.
    ///
    /// # Errors
    /// Fails if the value does not fit the schema; the error states the place.
    pub fn read<T: Data>(&self) -> Result<T, ReadError> {
        T::read(&mut ValueReader::new(self))
    }

    /// Returns an entry of a table.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Table(entries) => entries.get(name),
            _ => None,
        }
    }

    /// Returns a description of the value, with an article, for messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Nothing => "nothing".into(),
            Self::Boolean(value) => format!("`{value}`"),
            Self::Integer(value) => format!("the number {value}"),
            Self::Unsigned(value) => format!("the number {value}"),
            Self::Float(value) => format!("the number {value:?}"),
            Self::Text(value) => format!("the text {value:?}"),
            Self::List(items) => format!("a list of {} items", items.len()),
            Self::Table(_) => "a table".into(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("none"),
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Integer(value) => write!(formatter, "{value}"),
            Self::Unsigned(value) => write!(formatter, "{value}"),
            Self::Float(value) => write!(formatter, "{value:?}"),
            Self::Text(value) => write!(formatter, "{value:?}"),
            Self::List(items) => {
                formatter.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(formatter, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                formatter.write_str("]")
            }
            Self::Table(entries) => {
                formatter.write_str("{")?;
                for (index, (name, value)) in entries.iter().enumerate() {
                    write!(formatter, "{}{name}: {value}", if index > 0 { ", " } else { "" })?;
                }
                formatter.write_str("}")
            }
        }
    }
}
