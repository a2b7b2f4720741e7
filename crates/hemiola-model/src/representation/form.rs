//! The form of representations outside the process.

use crate::data::{Data, DataType, ReadError, Reader, SharedBytes, Writer};

/// The form in which values of a representation can be seen from outside: as data, or not at all.
///
/// ```
/// use hemiola_model::{Form, Representation, RepresentationDescriptor, data::DataType};
/// # use hemiola_model::data::{Data, ReadError, Reader, Writer};
///
/// #[derive(Default)]
/// struct Distance(f32);
/// # impl Data for Distance {
/// #     fn data_type() -> DataType { f32::data_type() }
/// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
/// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { f32::read(reader).map(Self) }
/// # }
///
/// impl Representation for Distance {
///     const NAME: &'static str = "Distance";
///     fn form() -> Form<Self> { Form::data() } // `Distance` is `Data`
/// }
///
/// assert_eq!(RepresentationDescriptor::of::<Distance>().data_type(), Some(DataType::Float32));
/// ```
pub struct Form<T: ?Sized> {
    pub(super) data: Option<DataForm<T>>,
}

pub(super) struct DataForm<T: ?Sized> {
    pub(super) data_type: fn() -> DataType,
    write: fn(&T, &mut dyn Writer),
    read: fn(&mut T, &mut dyn Reader) -> Result<(), ReadError>,
    read_over: fn(&mut T, &mut dyn Reader) -> Result<(), ReadError>,
    message: fn(&T) -> Option<&SharedBytes>,
}

impl<T: Data> Form<T> {
    /// Returns the form of a type with a schema.
    pub const fn data() -> Self {
        Self {
            data: Some(DataForm {
                data_type: T::data_type,
                write: T::write,
                read: |value, reader| {
                    *value = T::read(reader)?;
                    Ok(())
                },
                read_over: T::read_over,
                message: |_| None,
            }),
        }
    }

    /// Returns the form of a type whose values are messages in CDR already: `message` returns the
    /// bytes, unless they are to be written anew.
    pub(crate) fn of_messages(message: fn(&T) -> Option<&SharedBytes>) -> Self {
        Self { data: Self::data().data.map(|form| DataForm { message, ..form }) }
    }
}

impl<T> Form<T> {
    /// Returns the form of a type that cannot leave the process: handles, models, caches.
    pub const fn opaque() -> Self {
        Self { data: None }
    }
}

impl<T> Form<T> {
    /// Writes a value; returns `false`, and writes nothing, if the type is opaque.
    pub fn write(&self, value: &T, writer: &mut dyn Writer) -> bool {
        match &self.data {
            Some(form) => {
                (form.write)(value, writer);
                true
            }
            None => false,
        }
    }

    /// Returns the message in CDR that a value is already: that of a [`Wire`](crate::Wire).
    pub fn message<'v>(&self, value: &'v T) -> Option<&'v SharedBytes> {
        self.data.as_ref().and_then(|form| (form.message)(value))
    }

    /// Replaces a value by one that is read; returns `Ok(false)` if the type is opaque.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value is then unchanged.
    pub fn read(&self, value: &mut T, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        match &self.data {
            Some(form) => (form.read)(value, reader).map(|()| true),
            None => Ok(false),
        }
    }

    /// Replaces a value as [`read`](Self::read) does, and [keeps its buffers](Data::read_over).
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value may then be a mixture of
    /// the old one and the new one.
    pub fn read_over(&self, value: &mut T, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        match &self.data {
            Some(form) => (form.read_over)(value, reader).map(|()| true),
            None => Ok(false),
        }
    }
}
