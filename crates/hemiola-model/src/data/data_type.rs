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
    /// [`Time`](crate::Time)
    Time,
    /// [`Duration`](std::time::Duration)
    Duration,
    /// `Option<T>`
    Optional(Box<DataType>),
    /// `[T; N]`
    Array(Box<DataType>, usize),
    /// `Vec<T>`
    Sequence(Box<DataType>),
    /// A sequence with a maximum number of items, such as `ArrayVec<T, N>` (feature `arrayvec`).
    Bounded(Box<DataType>, usize),
    /// A structure with named fields.
    Structure {
        /// The type's name.
        name: TypeName,
        /// The fields in declaration order.
        fields: Vec<Field>,
    },
    /// One of several variants.
    Enumeration {
        /// The type's name.
        name: TypeName,
        /// The variants in declaration order.
        variants: Vec<Variant>,
    },
}

/// The name of a structure or enumeration, and the package that it belongs to: two packages may
/// have a type of the same name.
///
/// ```
/// use hemiola_model::data::TypeName;
///
/// let name = TypeName::from("sensor_msgs/Imu");
/// assert_eq!((name.package.as_str(), name.name.as_str()), ("sensor_msgs", "Imu"));
/// assert_eq!(name.to_string(), "Imu"); // what people read
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName {
    /// The package; empty for types that belong to none, such as a pair.
    pub package: String,
    /// The name, which is unique within the package.
    pub name: String,
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
    /// The schema of the field's values.
    pub data_type: DataType,
    /// The field's documentation; empty if it has none.
    pub documentation: String,
    /// The former names of the field, which older logs may have.
    pub was: Vec<String>,
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
    /// The fields that the variant carries; unnamed ones are called `0`, `1`, ...
    pub fields: Vec<Field>,
    /// The former names of the variant, which older logs may have.
    pub was: Vec<String>,
}

impl DataType {
    /// Creates the schema of a structure.
    pub fn structure(name: impl Into<TypeName>, fields: Vec<Field>) -> Self {
        Self::Structure { name: name.into(), fields }
    }

    /// Creates the schema of an enumeration.
    pub fn enumeration(name: impl Into<TypeName>, variants: Vec<Variant>) -> Self {
        Self::Enumeration { name: name.into(), variants }
    }

    /// Returns a word for the type that can be part of another type's name: `Float32`,
    /// `OptionalVec2`.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Boolean => "Bool".to_owned(),
            Self::Signed(bits) => format!("Int{bits}"),
            Self::Unsigned(bits) => format!("Uint{bits}"),
            Self::Float32 => "Float32".to_owned(),
            Self::Float64 => "Float64".to_owned(),
            Self::Text => "String".to_owned(),
            Self::Time => "Time".to_owned(),
            Self::Duration => "Duration".to_owned(),
            Self::Optional(inner) => format!("Optional{}", inner.label()),
            Self::Array(inner, length) => format!("{}Array{length}", inner.label()),
            Self::Sequence(inner) => format!("{}Sequence", inner.label()),
            Self::Bounded(inner, limit) => format!("{}Sequence{limit}", inner.label()),
            Self::Structure { name, .. } | Self::Enumeration { name, .. } => name.name.clone(),
        }
    }
}

impl TypeName {
    /// Creates the name of a type in a package.
    pub fn new(package: &str, name: &str) -> Self {
        Self { package: package.to_owned(), name: name.to_owned() }
    }

    /// Returns the name of a generic type for an argument of type `data_type`: `LowPassFloat64`.
    ///
    /// ```
    /// use hemiola_model::data::{Data, TypeName};
    ///
    /// assert_eq!(TypeName::new("soccer", "LowPass").of(&f64::data_type()).name, "LowPassFloat64");
    /// ```
    #[must_use]
    pub fn of(mut self, data_type: &DataType) -> Self {
        self.name += &data_type.label();
        self
    }
}

/// Parses `package/Name`, `package/msg/Name` as in ROS 2, or a name that belongs to no package.
impl From<&str> for TypeName {
    fn from(text: &str) -> Self {
        let (path, name) = text.rsplit_once('/').unwrap_or(("", text));
        Self::new(path.strip_suffix("/msg").unwrap_or(path), name)
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl Field {
    /// Creates a field.
    pub fn new(name: &str, data_type: DataType, documentation: &str) -> Self {
        Self { name: name.to_owned(), data_type, documentation: documentation.to_owned(), was: Vec::new() }
    }

    /// Adds a former name of the field.
    #[must_use]
    pub fn formerly(mut self, name: &str) -> Self {
        self.was.push(name.to_owned());
        self
    }
}

impl Variant {
    /// Creates a variant.
    pub fn new(name: &str, fields: Vec<Field>) -> Self {
        Self { name: name.to_owned(), fields, was: Vec::new() }
    }

    /// Adds a former name of the variant.
    #[must_use]
    pub fn formerly(mut self, name: &str) -> Self {
        self.was.push(name.to_owned());
        self
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
            Self::Time => formatter.write_str("time"),
            Self::Duration => formatter.write_str("duration"),
            Self::Optional(inner) => write!(formatter, "{inner}?"),
            Self::Array(inner, length) => write!(formatter, "[{inner}; {length}]"),
            Self::Sequence(inner) => write!(formatter, "{inner}[]"),
            Self::Bounded(inner, limit) => write!(formatter, "{inner}[<={limit}]"),
            Self::Structure { name, .. } | Self::Enumeration { name, .. } => name.fmt(formatter),
        }
    }
}
