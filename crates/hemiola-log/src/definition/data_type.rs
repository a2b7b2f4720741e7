//! A definition as the schema of a representation.

use hemiola_model::data::{DataType, Field, TypeName};

use super::{Definition, Element, NumberType, SchemaError, Shape};

impl Definition {
    /// Returns the schema of messages, for
    /// [`RepresentationDescriptor::dynamic`](hemiola_model::RepresentationDescriptor::dynamic).
    /// Default values of fields and bounds of texts are not in it.
    ///
    /// ```
    /// use hemiola_log::Definition;
    /// use hemiola_model::cdr::MessageSchema;
    ///
    /// let text = "geometry_msgs/Point[<=4] corners\nbuiltin_interfaces/Time seen\n\
    ///             ================================================================================\n\
    ///             MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n\
    ///             ================================================================================\n\
    ///             MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
    /// let schema = Definition::parse("soccer/msg/Goal", text)?.data_type()?;
    /// assert_eq!(MessageSchema::of("Goal", &schema).name, "soccer/msg/Goal");
    /// # Ok::<(), hemiola_log::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there is a `wstring`, on whose encoding no two implementations agree.
    pub fn data_type(&self) -> Result<DataType, SchemaError> {
        match self.name.as_ref() {
            "builtin_interfaces/Time" => return Ok(DataType::Time),
            "builtin_interfaces/Duration" => return Ok(DataType::Duration),
            _ => {}
        }
        let field = |field: &super::Field| Ok(Field::new(&field.name, shaped(element(field)?, field.shape), ""));
        let fields = self.fields.iter().map(field).collect::<Result<_, SchemaError>>()?;
        Ok(DataType::structure(TypeName::from(self.name.as_ref()), fields))
    }
}

fn element(field: &super::Field) -> Result<DataType, SchemaError> {
    Ok(match &field.element {
        Element::Boolean => DataType::Boolean,
        Element::Number(number) => match number {
            NumberType::U8 => DataType::Unsigned(8),
            NumberType::I8 => DataType::Signed(8),
            NumberType::U16 => DataType::Unsigned(16),
            NumberType::I16 => DataType::Signed(16),
            NumberType::U32 => DataType::Unsigned(32),
            NumberType::I32 => DataType::Signed(32),
            NumberType::U64 => DataType::Unsigned(64),
            NumberType::I64 => DataType::Signed(64),
            NumberType::F32 => DataType::Float32,
            NumberType::F64 => DataType::Float64,
        },
        Element::Text { .. } => DataType::Text,
        Element::WideText => {
            let message = format!("`{}` is a wstring, whose encoding differs between implementations", field.name);
            return Err(SchemaError { line: 1, message });
        }
        Element::Message(definition) => definition.data_type()?,
    })
}

fn shaped(element: DataType, shape: Shape) -> DataType {
    match shape {
        Shape::One => element,
        Shape::Array { length } => DataType::Array(Box::new(element), length),
        Shape::Sequence { limit: None } => DataType::Sequence(Box::new(element)),
        Shape::Sequence { limit: Some(limit) } => DataType::Bounded(Box::new(element), limit),
    }
}
