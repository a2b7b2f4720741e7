//! Values of any representation.
#![expect(unsafe_code, reason = "values without their type are handled by pointer; the descriptor knows the type")]

use std::any::TypeId;
use std::fmt;

use super::{Representation, RepresentationDescriptor};
use crate::data::{Hash, ReadError, Reader, Value, ValueWriter, Writer};

/// An owned value of some representation, which is dropped with the right destructor.
///
/// ```
/// # use hemiola_model::{Form, Representation, RepresentationDescriptor};
/// # #[derive(Default)] struct Count(u32);
/// # impl Representation for Count { const NAME: &'static str = "Count"; fn form() -> Form<Self> { Form::opaque() } }
/// let mut value = RepresentationDescriptor::of::<Count>().create();
/// value.downcast_mut::<Count>().unwrap().0 = 3;
/// value.reset();
/// assert_eq!(value.downcast_ref::<Count>().unwrap().0, 0);
/// ```
pub struct AnyRepresentation {
    pub(super) descriptor: &'static RepresentationDescriptor,
    pub(super) value: *mut (),
    pub(super) default: *const (),
}

// SAFETY: the pointer owns a value of a type that is Send + Sync (a supertrait bound of
// Representation), or plain memory.
unsafe impl Send for AnyRepresentation {}
// SAFETY: as above; shared access only gives shared references.
unsafe impl Sync for AnyRepresentation {}

impl AnyRepresentation {
    /// Returns the descriptor of the value's representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Returns the value, if it is a `T`.
    pub fn downcast_ref<T: Representation>(&self) -> Option<&T> {
        // SAFETY: the descriptor's type is T, so `create` made a T here.
        (self.descriptor.type_id() == Some(TypeId::of::<T>())).then(|| unsafe { &*self.value.cast::<T>() })
    }

    /// Returns the value, if it is a `T`.
    pub fn downcast_mut<T: Representation>(&mut self) -> Option<&mut T> {
        // SAFETY: the descriptor's type is T, so `create` made a T here.
        (self.descriptor.type_id() == Some(TypeId::of::<T>())).then(|| unsafe { &mut *self.value.cast::<T>() })
    }

    /// Resets the value to the default, keeping buffers.
    pub fn reset(&mut self) {
        // SAFETY: `value` was made by `create` of this descriptor.
        unsafe { (self.descriptor.reset)(self.descriptor, self.value, self.default) }
    }

    /// Writes the value; returns `false`, and writes nothing, if the representation is opaque.
    pub fn write(&self, writer: &mut dyn Writer) -> bool {
        // SAFETY: `value` was made by `create` of this descriptor.
        unsafe { (self.descriptor.write)(self.descriptor, self.value, writer) }
    }

    /// Replaces the value by one that is read from `reader`; returns `Ok(false)` if the
    /// representation is opaque.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value is then unchanged.
    pub fn read(&mut self, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        // SAFETY: `value` was made by `create` of this descriptor.
        unsafe { (self.descriptor.read)(self.descriptor, self.value, reader) }
    }

    /// Replaces the value as [`read`](Self::read) does, and [keeps its
    /// buffers](crate::Data::read_over) where possible.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value may then be a mixture of
    /// the old one and the new one.
    pub fn read_over(&mut self, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        // SAFETY: `value` was made by `create` of this descriptor.
        unsafe { (self.descriptor.read_over)(self.descriptor, self.value, reader) }
    }

    /// Returns a 64-bit fingerprint of every bit of the value; `None` if the representation is
    /// opaque.
    ///
    /// Equal bits have equal fingerprints on every machine; `0.0` and `-0.0` differ, as they should
    /// when replays are compared. It does not protect against collisions that are constructed on
    /// purpose.
    pub fn fingerprint(&self) -> Option<u64> {
        let mut hash = Hash::new();
        self.write(&mut hash).then(|| hash.finish())
    }

    /// Returns the value in its text form; `None` if the representation is opaque.
    pub fn to_value(&self) -> Option<Value> {
        let mut builder = ValueWriter::default();
        self.write(&mut builder).then(|| builder.finish())
    }

    /// Returns the address of the value, for the cells of a blackboard; valid as long as this
    /// lives.
    pub fn as_ptr(&self) -> *mut () {
        self.value
    }
}

impl Drop for AnyRepresentation {
    fn drop(&mut self) {
        // SAFETY: `value` was made by `create` of this descriptor and is dropped once.
        unsafe { (self.descriptor.drop)(self.descriptor, self.value) }
    }
}

/// A borrowed value, to be filled. It stays where it is: nobody can put another one in its place,
/// which might be of another representation.
///
/// ```
/// use hemiola_model::{RepresentationDescriptor, ValueMut};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Count(u32);
/// # impl Representation for Count { const NAME: &'static str = "Count"; fn form() -> Form<Self> { Form::opaque() } }
///
/// let mut count = RepresentationDescriptor::of::<Count>().create();
/// let mut value = ValueMut::of(&mut count);
/// value.downcast_mut::<Count>().unwrap().0 = 3;
/// assert_eq!(count.downcast_ref::<Count>().unwrap().0, 3);
/// ```
pub struct ValueMut<'v>(&'v mut AnyRepresentation);

impl<'v> ValueMut<'v> {
    /// Borrows a value to be filled.
    pub fn of(value: &'v mut AnyRepresentation) -> Self {
        Self(value)
    }

    /// Returns the descriptor of the value's representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.0.descriptor()
    }

    /// Returns the value, if it is a `T`.
    pub fn downcast_mut<T: Representation>(&mut self) -> Option<&mut T> {
        self.0.downcast_mut()
    }

    /// Resets the value to the default, keeping buffers.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// Replaces the value by one that is read, like [`AnyRepresentation::read_over`].
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value may then be a mixture of
    /// the old one and the new one.
    pub fn read_over(&mut self, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        self.0.read_over(reader)
    }
}

impl fmt::Debug for ValueMut<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for AnyRepresentation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_value() {
            Some(value) => write!(formatter, "{} {value}", self.descriptor.name),
            None => write!(formatter, "{} (opaque)", self.descriptor.name),
        }
    }
}
