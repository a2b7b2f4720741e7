mod encode;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hemiola_model::cdr::CdrReader;
use hemiola_model::data::{Data, ReadError, Reader};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::definition::{Definition, Element, Field, NumberType, Shape};

/// A message whose type was not known when this program was built.
///
/// Fields keep their order; runs of numbers take no more memory than in the message. `Display`
/// shortens long runs, serde (JSON) does not.
///
/// ```
/// use std::sync::Arc;
/// use hemiola_log::{Definition, Value};
///
/// let definition = Arc::new(Definition::parse("a/msg/Ball", "bool seen\nfloat32[2] position\n")?);
/// let value = Value::decode(&definition, &[0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40])?;
/// assert_eq!(value.to_string(), "{seen: true, position: [1.0, 2.0]}");
/// assert_eq!(value.get("position[1]").as_deref(), Some(&Value::Float32(2.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A truth value.
    Boolean(bool),
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A 32-bit number.
    Float32(f32),
    /// A 64-bit number.
    Float64(f64),
    /// A text; bytes that are not UTF-8 are replaced.
    Text(String),
    /// A run of numbers.
    Numbers(Numbers),
    /// A sequence or array of anything else.
    List(Vec<Value>),
    /// A message.
    Message(MessageValue),
}

/// A message: values for the fields of a definition.
///
/// ```
/// # use std::sync::Arc;
/// # use hemiola_log::{Definition, Value};
/// let definition = Arc::new(Definition::parse("a/msg/B", "uint8 x\n")?);
/// let Value::Message(message) = Value::decode(&definition, &[0, 1, 0, 0, 7])? else { unreachable!() };
/// let fields: Vec<_> = message.fields().map(|(field, value)| (field.name.to_string(), value.clone())).collect();
/// assert_eq!(fields, [("x".to_owned(), Value::Unsigned(7))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MessageValue {
    /// The type of the message.
    pub definition: Arc<Definition>,
    values: Vec<Value>,
}

impl MessageValue {
    /// Returns the fields and their values, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&Field, &Value)> {
        self.definition.fields.iter().zip(&self.values)
    }

    /// Creates a message. The values must be those of the definition's fields.
    pub(crate) fn new(definition: Arc<Definition>, values: Vec<Value>) -> Self {
        Self { definition, values }
    }

    pub(crate) fn into_values(self) -> Vec<Value> {
        self.values
    }

    pub(crate) fn value_mut(&mut self, index: usize) -> &mut Value {
        &mut self.values[index]
    }

    pub(crate) fn field_mut(&mut self, name: &str) -> Option<(Field, &mut Value)> {
        let index = self.definition.fields.iter().position(|field| field.name.as_ref() == name)?;
        Some((self.definition.fields[index].clone(), self.values.get_mut(index)?))
    }
}

impl Value {
    /// Decodes a message from CDR, of either byte order.
    ///
    /// # Errors
    /// Fails if the bytes do not hold exactly one such message. Memory is allocated only for what
    /// is really there.
    pub fn decode(definition: &Arc<Definition>, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = CdrReader::new(bytes)?;
        let value = message(&mut reader, definition)?;
        reader.finish()?;
        Ok(value)
    }

    /// Returns the part at a path: `pose.position.x`, `ranges[3]`, `transforms[0].header`. An empty
    /// path is the value itself.
    pub fn get(&self, path: &str) -> Option<Cow<'_, Value>> {
        let (mut value, mut path) = (self, path);
        while !path.is_empty() {
            if let Some(indexed) = path.strip_prefix('[') {
                let (index, rest) = indexed.split_once(']')?;
                let index = index.parse().ok()?;
                match value {
                    Self::List(items) => value = items.get(index)?,
                    // A number has no parts.
                    Self::Numbers(numbers) if rest.is_empty() => return numbers.get(index).map(Cow::Owned),
                    _ => return None,
                }
                path = rest;
            } else {
                let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
                let Self::Message(message) = value else { return None };
                value = message.fields().find(|(field, _)| field.name.as_ref() == name)?.1;
                path = rest;
            }
            path = path.strip_prefix('.').unwrap_or(path);
        }
        Some(Cow::Borrowed(value))
    }

    /// Returns the value as a number, if it is one; a truth value is 0 or 1, a time its seconds.
    pub fn number(&self) -> Option<f64> {
        Some(match self {
            Self::Boolean(value) => f64::from(u8::from(*value)),
            Self::Signed(value) => *value as f64,
            Self::Unsigned(value) => *value as f64,
            Self::Float32(value) => f64::from(*value),
            Self::Float64(value) => *value,
            Self::Message(message) => {
                let (seconds, nanoseconds) = message.seconds()?;
                seconds as f64 + nanoseconds as f64 / 1e9
            }
            Self::Text(_) | Self::Numbers(_) | Self::List(_) => return None,
        })
    }
}

impl MessageValue {
    /// Returns whether the message is a time or a duration.
    pub(crate) fn is_seconds(&self) -> bool {
        self.seconds().is_some()
    }

    /// Returns the seconds and nanoseconds of a message of `builtin_interfaces`.
    pub(crate) fn seconds(&self) -> Option<(i64, u64)> {
        match self.values.as_slice() {
            [Value::Signed(seconds), Value::Unsigned(nanoseconds)] if self.definition.is_seconds() => {
                Some((*seconds, *nanoseconds))
            }
            _ => None,
        }
    }
}

fn message(reader: &mut CdrReader<'_>, definition: &Arc<Definition>) -> Result<Value, ReadError> {
    let mut values = Vec::with_capacity(definition.fields.len());
    for field in &definition.fields {
        values.push(
            self::field(reader, field).map_err(|error| ReadError {
                path: format!("{}: {}", field.name, error.path),
                message: error.message,
            })?,
        );
    }
    Ok(Value::Message(MessageValue { definition: Arc::clone(definition), values }))
}

fn field(reader: &mut CdrReader<'_>, field: &Field) -> Result<Value, ReadError> {
    let length = match field.shape {
        Shape::One => return one(reader, &field.element),
        Shape::Array { length } => length,
        Shape::Sequence { limit } => {
            let length = reader.begin_sequence()?;
            if limit.is_some_and(|limit| length > limit) {
                return Err(reader.error(format!("{length} items, but at most {} are allowed", limit.unwrap_or(0))));
            }
            length
        }
    };
    if let Element::Number(number_type) = field.element {
        return Numbers::read(number_type, length, reader).map(Value::Numbers);
    }
    // The length is a claim: memory grows with what is really there.
    let mut items = Vec::with_capacity(length.min(64));
    for _ in 0..length {
        items.push(one(reader, &field.element)?);
    }
    Ok(Value::List(items))
}

fn one(reader: &mut CdrReader<'_>, element: &Element) -> Result<Value, ReadError> {
    Ok(match element {
        Element::Boolean => Value::Boolean(reader.boolean()?),
        Element::Number(number_type) => match number_type {
            NumberType::U8 => Value::Unsigned(reader.unsigned(8)?),
            NumberType::I8 => Value::Signed(reader.signed(8)?),
            NumberType::U16 => Value::Unsigned(reader.unsigned(16)?),
            NumberType::I16 => Value::Signed(reader.signed(16)?),
            NumberType::U32 => Value::Unsigned(reader.unsigned(32)?),
            NumberType::I32 => Value::Signed(reader.signed(32)?),
            NumberType::U64 => Value::Unsigned(reader.unsigned(64)?),
            NumberType::I64 => Value::Signed(reader.signed(64)?),
            NumberType::F32 => Value::Float32(reader.float32()?),
            NumberType::F64 => Value::Float64(reader.float64()?),
        },
        Element::Text { limit } => {
            let length = reader.begin_sequence()?;
            let mut bytes = u8::read_items(length, reader)?;
            // Some writers omit the zero of an empty text.
            if bytes.pop().is_some_and(|last| last != 0) {
                return Err(reader.error("the text does not end with a zero".to_owned()));
            }
            if limit.is_some_and(|limit| bytes.len() > limit) {
                return Err(reader.error(format!(
                    "{} bytes, but at most {} are allowed",
                    bytes.len(),
                    limit.unwrap_or(0)
                )));
            }
            Value::Text(
                String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into()),
            )
        }
        Element::WideText => {
            let message = "a `wstring` cannot be read: its encoding differs between implementations; use `string`";
            return Err(reader.error(message.to_owned()));
        }
        Element::Message(definition) => message(reader, definition)?,
    })
}

macro_rules! numbers {
    ($($variant:ident $number:ty: $one:ident $(as $wide:ty)?;)*) => {
        /// A run of numbers of one type.
        ///
        /// ```
        /// use hemiola_log::{Numbers, Value};
        ///
        /// let numbers = Numbers::U8(vec![3, 4]);
        /// assert_eq!((numbers.len(), numbers.get(1)), (2, Some(Value::Unsigned(4))));
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs, reason = "each is named after its type")]
        pub enum Numbers {
            $($variant(Vec<$number>),)*
        }

        impl Numbers {
            fn read(number_type: NumberType, length: usize, reader: &mut CdrReader<'_>) -> Result<Self, ReadError> {
                Ok(match number_type {
                    $(NumberType::$variant => Self::$variant(<$number>::read_items(length, reader)?),)*
                })
            }

            /// Collects numbers, which must be of that type.
            pub(crate) fn collect(number_type: NumberType, numbers: &[Value]) -> Self {
                match number_type {
                    $(NumberType::$variant => {
                        let number = |value: &Value| match value {
                            Value::$one(number) => Some(*number as $number),
                            _ => None,
                        };
                        Self::$variant(numbers.iter().filter_map(number).collect())
                    })*
                }
            }

            pub(crate) fn number_type(&self) -> NumberType {
                match self {
                    $(Self::$variant(_) => NumberType::$variant,)*
                }
            }

            /// Sets an item to a number of their type. Returns `false` if the value is not one.
            pub(crate) fn set(&mut self, index: usize, value: &Value) -> bool {
                match (self, value) {
                    $((Self::$variant(numbers), Value::$one(number)) => match numbers.get_mut(index) {
                        Some(place) => *place = *number as $number,
                        None => return false,
                    },)*
                    _ => return false,
                }
                true
            }

            /// Returns how many numbers there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$variant(numbers) => numbers.len(),)*
                }
            }

            /// Returns one of the numbers.
            pub fn get(&self, index: usize) -> Option<Value> {
                Some(match self {
                    $(Self::$variant(numbers) => Value::$one(*numbers.get(index)? $(as $wide)?),)*
                })
            }
        }

        impl Serialize for Numbers {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(numbers) => numbers.serialize(serializer),)*
                }
            }
        }
    };
}

numbers! {
    U8 u8: Unsigned as u64;
    I8 i8: Signed as i64;
    U16 u16: Unsigned as u64;
    I16 i16: Signed as i64;
    U32 u32: Unsigned as u64;
    I32 i32: Signed as i64;
    U64 u64: Unsigned;
    I64 i64: Signed;
    F32 f32: Float32;
    F64 f64: Float64;
}

impl Numbers {
    /// Returns whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The number of items of a long run that `Display` shows.
const SHOWN: usize = 16;

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(formatter, "{value}"),
            Self::Signed(value) => write!(formatter, "{value}"),
            Self::Unsigned(value) => write!(formatter, "{value}"),
            Self::Float32(value) => write!(formatter, "{value:?}"),
            Self::Float64(value) => write!(formatter, "{value:?}"),
            Self::Text(value) => write!(formatter, "{value:?}"),
            Self::Numbers(numbers) => list(formatter, numbers.len(), |index| numbers.get(index)),
            Self::List(items) => list(formatter, items.len(), |index| items.get(index)),
            Self::Message(message) => {
                if let Some((seconds, nanoseconds)) = message.seconds() {
                    return write!(formatter, "{seconds}.{nanoseconds:09}");
                }
                formatter.write_str("{")?;
                for (index, (field, value)) in message.fields().enumerate() {
                    write!(formatter, "{}{}: {value}", if index > 0 { ", " } else { "" }, field.name)?;
                }
                formatter.write_str("}")
            }
        }
    }
}

fn list<T: fmt::Display>(
    formatter: &mut fmt::Formatter<'_>,
    length: usize,
    item: impl Fn(usize) -> Option<T>,
) -> fmt::Result {
    let shown = if length > 2 * SHOWN { SHOWN } else { length };
    formatter.write_str("[")?;
    for (index, item) in (0..shown).map_while(item).enumerate() {
        write!(formatter, "{}{item}", if index > 0 { ", " } else { "" })?;
    }
    if shown < length {
        write!(formatter, ", ... {length} in all")?;
    }
    formatter.write_str("]")
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Float32(value) => serializer.serialize_f32(*value),
            Self::Float64(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Numbers(numbers) => numbers.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Message(message) => {
                let mut map = serializer.serialize_map(Some(message.values.len()))?;
                for (field, value) in message.fields() {
                    map.serialize_entry(field.name.as_ref(), value)?;
                }
                map.end()
            }
        }
    }
}
