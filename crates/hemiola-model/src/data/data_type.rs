use std::fmt;

/// The schema of a [`Data`](super::Data) type.
///
/// ```
/// use hemiola_model::Data;
///
/// assert_eq!(<Vec<[f32; 3]>>::data_type().to_string(), "[float32; 3][]");
/// assert_eq!(<Option<String>>::data_type().to_string(), "string?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bool`
    Boolean,
    /// A signed integer of 8, 16, 32 or 64 bits.
    Signed(u32),
    /// An unsigned integer of 8, 16, 32 or 64 bits.
    Unsigned(u32),
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// `String`
    Text,
    /// `Option<T>`
    Optional(Box<DataType>),
    /// `[T; N]`
    Array(Box<DataType>, usize),
    /// `Vec<T>`
    Sequence(Box<DataType>),
    /// A structure with named fields.
    Structure {
        /// The type's name.
        name: String,
        /// Its fields in declaration order.
        fields: Vec<Field>,
    },
    /// One of several variants.
    Enumeration {
        /// The type's name.
        name: String,
        /// Its variants in declaration order.
        variants: Vec<Variant>,
    },
}

/// A field of a structure.
///
/// ```
/// use hemiola_model::data::{Data, DataType, Field};
///
/// let radius = Field::new("radius", f32::data_type(), "In metres.");
/// assert_eq!(radius.data_type, DataType::Float32);
/// assert_eq!(DataType::structure("Ball", vec![radius]).to_string(), "Ball");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name.
    pub name: String,
    /// Its schema.
    pub data_type: DataType,
    /// Its documentation; empty when there is none.
    pub documentation: String,
}

/// A variant of an enumeration.
///
/// ```
/// use hemiola_model::data::{Data, DataType, Field, Variant};
///
/// let stand = Variant::new("Stand", Vec::new());
/// let kick = Variant::new("Kick", vec![Field::new("angle", f32::data_type(), "In radians.")]);
/// assert_eq!(DataType::enumeration("Action", vec![stand, kick]).to_string(), "Action");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The variant's name.
    pub name: String,
    /// The fields it carries; unnamed ones are called `0`, `1`, ...
    pub fields: Vec<Field>,
}

impl DataType {
    /// A structure.
    pub fn structure(name: &str, fields: Vec<Field>) -> Self {
        Self::Structure { name: name.to_owned(), fields }
    }

    /// An enumeration.
    pub fn enumeration(name: &str, variants: Vec<Variant>) -> Self {
        Self::Enumeration { name: name.to_owned(), variants }
    }
}

impl Field {
    /// A field.
    pub fn new(name: &str, data_type: DataType, documentation: &str) -> Self {
        Self { name: name.to_owned(), data_type, documentation: documentation.to_owned() }
    }
}

impl Variant {
    /// A variant.
    pub fn new(name: &str, fields: Vec<Field>) -> Self {
        Self { name: name.to_owned(), fields }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => formatter.write_str("bool"),
            Self::Signed(bits) => write!(formatter, "int{bits}"),
            Self::Unsigned(bits) => write!(formatter, "uint{bits}"),
            Self::Float32 => formatter.write_str("float32"),
            Self::Float64 => formatter.write_str("float64"),
            Self::Text => formatter.write_str("string"),
            Self::Optional(inner) => write!(formatter, "{inner}?"),
            Self::Array(inner, length) => write!(formatter, "[{inner}; {length}]"),
            Self::Sequence(inner) => write!(formatter, "{inner}[]"),
            Self::Structure { name, .. } | Self::Enumeration { name, .. } => formatter.write_str(name),
        }
    }
}
