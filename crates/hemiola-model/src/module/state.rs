//! The state that a module keeps from run to run, as it is recorded in logs.

use crate::data::{Data, DataType, ReadError, Reader, Writer};

/// The form in which a module's state can be recorded, if it can, so that a replay can begin in the
/// middle of a log.
///
/// ```
/// use hemiola_model::data::{Data, DataType, Field};
/// use hemiola_model::module::StateForm;
///
/// let filter = StateForm::Data(DataType::structure("Filter", vec![Field::new("estimate", f32::data_type(), "")]));
/// assert!(filter.is_data() && !StateForm::Opaque.is_data());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateForm {
    /// The state is recorded as a structure. A module with a structure without fields has no state.
    Data(DataType),
    /// The state cannot be recorded: a replay begins where its log does.
    Opaque,
}

impl StateForm {
    /// Returns whether the state can be recorded.
    pub fn is_data(&self) -> bool {
        matches!(self, Self::Data(_))
    }

    /// Returns the structure, if the module has a state that can be recorded.
    pub fn data_type(&self) -> Option<&DataType> {
        match self {
            Self::Data(DataType::Structure { fields, .. }) if fields.is_empty() => None,
            Self::Data(data_type) => Some(data_type),
            Self::Opaque => None,
        }
    }
}

/// A field of a module whose value can be written to a log: everything that is [`Data`].
///
/// ```
/// use hemiola_model::data::DataType;
/// use hemiola_model::module::StateField;
///
/// assert_eq!(<Option<f32> as StateField>::data_type().to_string(), "float32?");
/// ```
#[diagnostic::on_unimplemented(
    message = "the state of a module cannot be written to a log: `{Self}` is not `Data`",
    label = "what this field holds would be missing when a replay begins in the middle of a log",
    note = "add `#[derive(Data)]` to the type, or to those that it consists of; a `Time` is data and an `Instant` is not, a `BTreeMap` is and a `HashMap`, whose order is never the same, is not",
    note = "or say what the field is: `#[stateless]` when no later run depends on it (scratch memory, what is made from parameters), `#[opaque]` when one does: replays of this module then begin where their log does"
)]
pub trait StateField: Sized {
    /// Returns the schema.
    fn data_type() -> DataType;

    /// Writes the value, field by field.
    fn write(&self, writer: &mut dyn Writer);

    /// Builds a value from what a reader holds, field by field.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema.
    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError>;
}

#[diagnostic::do_not_recommend]
impl<T: Data> StateField for T {
    fn data_type() -> DataType {
        T::data_type()
    }

    fn write(&self, writer: &mut dyn Writer) {
        Data::write(self, writer);
    }

    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        T::read(reader)
    }
}
