//! Message definitions of ROS 2, as text in a log.

mod data_type;
mod parse;
mod resolve;

use std::fmt;
use std::sync::Arc;

use crate::channel::Schema;
use crate::error::SchemaError;

/// A message type: its fields in the order in which they are encoded.
///
/// ```
/// use hemiola_log::{Definition, Element, NumberType, Shape};
///
/// let text = "geometry_msgs/Point[<=4] corners  # in metres\nuint8 LEFT=1\nuint8 side 1\n\
///             ================================================================================\n\
///             MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n";
/// let definition = Definition::parse("soccer/msg/Goal", text)?;
/// assert_eq!(definition.fields[0].shape, Shape::Sequence { limit: Some(4) });
/// assert_eq!(definition.fields[1].element, Element::Number(NumberType::U8));
/// assert_eq!((definition.constants[0].name.as_str(), definition.constants[0].value.as_str()), ("LEFT", "1"));
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name of the type, `package/Name`.
    pub name: Arc<str>,
    /// The fields in order.
    pub fields: Vec<Field>,
    /// The constants: names for values.
    pub constants: Vec<Constant>,
    /// The number of definitions inside each other, this one included.
    pub(crate) depth: usize,
}

/// The system that a message definition belongs to: definitions look alike, and differ in what
/// `byte` is and in constants that are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Ros1,
    Ros2,
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Ros1 => "ROS 1",
            Self::Ros2 => "ROS 2",
        })
    }
}

/// A field of a message.
///
/// ```
/// use hemiola_log::Definition;
///
/// let definition = Definition::parse("a/msg/B", "string<=10 name \"Ada\"\n")?;
/// assert_eq!(definition.fields[0].default.as_deref(), Some("\"Ada\""));
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the field.
    pub name: Arc<str>,
    /// The type of the field, or of its items.
    pub element: Element,
    /// The number of items.
    pub shape: Shape,
    /// The default value, as it is written.
    pub default: Option<String>,
}

/// The type of a field, or of its items.
///
/// ```
/// use hemiola_log::{Definition, Element};
///
/// let definition = Definition::parse("a/msg/B", "string<=10 name\n")?;
/// assert_eq!(definition.fields[0].element, Element::Text { limit: Some(10) });
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// A `bool`.
    Boolean,
    /// An integer or a floating-point number.
    Number(NumberType),
    /// A `string` or `string<=limit`.
    Text {
        /// The largest number of bytes.
        limit: Option<usize>,
    },
    /// A `wstring`, on whose encoding no two implementations agree.
    WideText,
    /// Another message.
    Message(Arc<Definition>),
}

/// The way in which a number is stored.
///
/// ```
/// use hemiola_log::{Definition, Element, NumberType};
///
/// let definition = Definition::parse("a/msg/B", "byte flags\n")?;
/// assert_eq!(definition.fields[0].element, Element::Number(NumberType::U8));
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its type")]
pub enum NumberType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

/// The number of items of a field.
///
/// ```
/// use hemiola_log::{Definition, Shape};
///
/// let definition = Definition::parse("a/msg/B", "float64[9] covariance\n")?;
/// assert_eq!(definition.fields[0].shape, Shape::Array { length: 9 });
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The field is a single value.
    One,
    /// The field is an array of fixed length, `[length]`.
    Array {
        /// The number of items.
        length: usize,
    },
    /// The field is a sequence, `[]` or `[<=limit]`.
    Sequence {
        /// The largest number of items.
        limit: Option<usize>,
    },
}

/// A name for a value.
///
/// ```
/// use hemiola_log::Definition;
///
/// let definition = Definition::parse("a/msg/B", "string HELLO=\"# no comment\"\n")?;
/// assert_eq!(definition.constants[0].value, "\"# no comment\"");
/// # Ok::<(), hemiola_log::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The name of the constant.
    pub name: String,
    /// The type of the constant, as it is written.
    pub type_name: String,
    /// The value of the constant, as it is written.
    pub value: String,
}

impl Definition {
    /// Parses the definition of the type `name` from its text, which is followed by those of the
    /// types that it needs.
    ///
    /// # Errors
    /// Fails if a line is not a field, constant or comment, if a type is missing, or if types
    /// contain each other.
    pub fn parse(name: &str, text: &str) -> Result<Self, SchemaError> {
        Self::parse_as(name, text, Dialect::Ros2)
    }

    /// Parses a definition of ROS 1, as bags contain it.
    pub(crate) fn parse_ros1(name: &str, text: &str) -> Result<Self, SchemaError> {
        Self::parse_as(name, text, Dialect::Ros1)
    }

    fn parse_as(name: &str, text: &str, dialect: Dialect) -> Result<Self, SchemaError> {
        resolve::resolve(name, &parse::sections(name, text, dialect)?, dialect)
    }

    /// The field that ROS 2 gives a message without fields, because C and C++ have no structures
    /// without members.
    const FILLER: &str = "structure_needs_at_least_one_member";

    /// Returns whether the definition was written without fields.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.fields[..], [only] if only.name.as_ref() == Self::FILLER)
    }

    /// Returns whether the type is a time or a duration.
    pub(crate) fn is_seconds(&self) -> bool {
        matches!(self.name.as_ref(), "builtin_interfaces/Time" | "builtin_interfaces/Duration")
    }
}

impl Schema {
    /// Returns the definition of messages.
    ///
    /// # Errors
    /// Fails if the schema is in another language than `ros2msg`, or wrong.
    pub fn definition(&self) -> Result<Definition, SchemaError> {
        let not_ours = |message| SchemaError { line: 1, message };
        if self.encoding != "ros2msg" {
            return Err(not_ours(format!("it is in `{}`; only `ros2msg` is supported", self.encoding)));
        }
        let text = std::str::from_utf8(&self.data).map_err(|_| not_ours("it is not UTF-8".to_owned()))?;
        Definition::parse(&self.name, text)
    }
}
