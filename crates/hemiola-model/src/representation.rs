//! Representations, and their descriptors without their types.
//!
//! Invariant of a [`RepresentationDescriptor`]: everything in it is of one type. It is created from
//! that type alone ([`RepresentationDescriptor::of`]) and cannot be changed or replaced, so two
//! equal descriptors are of one type.
#![expect(unsafe_code, reason = "values without their type are handled by pointer; the descriptor knows the type")]

mod any;
mod dynamic;
mod form;
mod large;
mod layout;

pub use any::{AnyRepresentation, ValueMut};
pub use form::Form;
pub use layout::{Layout, LayoutError, Member, SequenceHeader};

use std::any::TypeId;
use std::fmt;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::Name;
use crate::cdr::MessageSchema;
use crate::data::{DataType, ReadError, Reader, Writer};

/// A plain data type that modules exchange. Derive it.
///
/// A cycle holds one current value of each representation; an update fills it anew in every run: it
/// starts from `T::default()` with the buffers of its vectors and strings kept, so nothing stale
/// survives and nothing is allocated.
///
/// ```
/// use hemiola_model::{Form, Representation};
///
/// #[derive(Default)]
/// struct PointCloud(Vec<[f32; 3]>);
///
/// impl Representation for PointCloud {
///     const NAME: &'static str = "PointCloud";
///
///     fn form() -> Form<Self> {
///         Form::opaque()
///     }
///
///     fn reset(&mut self) {
///         self.0.clear();
///     }
/// }
///
/// let mut cloud = PointCloud(vec![[0.0; 3]; 1000]);
/// cloud.reset();
/// assert!(cloud.0.is_empty() && cloud.0.capacity() >= 1000); // the next run need not allocate
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a representation",
    label = "updates exchange representations, and this is none",
    note = "add `#[derive(Representation, Clone, Default)]` to `{Self}`; for a type that cannot leave the process add `#[representation(opaque)]`"
)]
pub trait Representation: Default + Send + Sync + 'static {
    /// The name of the representation in configuration, logs and traces: the name of the type.
    const NAME: &'static str;

    /// Returns whether and how values can leave the process.
    fn form() -> Form<Self>;

    /// Resets this to the default value, keeping buffers where it can.
    fn reset(&mut self) {
        *self = Self::default();
    }

    /// Makes this equal to `default`, a default value, in place and keeping buffers; returns
    /// `false` if it cannot, and then [`reset`](Self::reset) is called.
    ///
    /// Of values above 16 KiB the framework keeps one default value, and calls this to restore
    /// others from it, because `T::default()` would cost a run that much stack, and more in builds
    /// that are not optimised. The derive writes it. An implementation of `Representation` by hand
    /// for a large type needs this, too, field by field, or a `reset` that does not use
    /// `Self::default()`.
    ///
    /// ```
    /// use hemiola_model::{AnyRepresentation, Form, Representation, RepresentationDescriptor};
    ///
    /// struct HeightMap { cells: [u8; 1 << 20] }
    ///
    /// impl Default for HeightMap {
    ///     fn default() -> Self { Self { cells: [7; 1 << 20] } }
    /// }
    ///
    /// impl Representation for HeightMap {
    ///     const NAME: &'static str = "HeightMap";
    ///     fn form() -> Form<Self> { Form::opaque() }
    ///     fn restore(&mut self, default: &Self) -> bool {
    ///         self.cells.copy_from_slice(&default.cells);
    ///         true
    ///     }
    /// }
    ///
    /// let mut map: AnyRepresentation = RepresentationDescriptor::of::<HeightMap>().create();
    /// map.downcast_mut::<HeightMap>().unwrap().cells[1000] = 0;
    /// map.reset();
    /// assert_eq!(map.downcast_ref::<HeightMap>().unwrap().cells[1000], 7);
    /// ```
    fn restore(&mut self, default: &Self) -> bool {
        _ = default;
        false
    }
}

/// The descriptor of a representation, without its type: registries, blackboards and recorders work
/// with it.
///
/// ```
/// use hemiola_model::{Form, Representation, RepresentationDescriptor};
///
/// #[derive(Default)]
/// struct NeuralNetwork(Vec<f32>);
/// impl Representation for NeuralNetwork {
///     const NAME: &'static str = "NeuralNetwork";
///     fn form() -> Form<Self> { Form::opaque() }
/// }
///
/// let descriptor = RepresentationDescriptor::of::<NeuralNetwork>();
/// assert_eq!(descriptor.name(), "NeuralNetwork");
/// assert!(descriptor.data_type().is_none());
/// ```
pub struct RepresentationDescriptor {
    name: Name,
    type_id: fn() -> TypeId,
    data_type: fn() -> Option<DataType>,
    /// The type of the values of a representation that is not a Rust type.
    dynamic: Option<&'static Dynamic>,
    create: fn(&Self) -> *mut (),
    drop: unsafe fn(&Self, *mut ()),
    /// Returns the value from which others are restored; null if they are small.
    default: fn() -> *const (),
    reset: unsafe fn(&Self, *mut (), *const ()),
    write: unsafe fn(&Self, *const (), &mut dyn Writer) -> bool,
    read: unsafe fn(&Self, *mut (), &mut dyn Reader) -> Result<bool, ReadError>,
    read_over: unsafe fn(&Self, *mut (), &mut dyn Reader) -> Result<bool, ReadError>,
}

/// A schema, and the memory layout of its values.
struct Dynamic {
    data_type: DataType,
    layout: Layout,
    /// The hash that identifies it, together with its name.
    type_hash: String,
}

/// A placeholder where there is no Rust type.
struct NoRustType;

impl RepresentationDescriptor {
    /// Returns the descriptor of `T`, which is made from that type alone.
    pub const fn of<T: Representation>() -> &'static Self {
        const { &Self::new::<T>() }
    }

    const fn new<T: Representation>() -> Self {
        Self {
            name: Name::new(T::NAME),
            type_id: TypeId::of::<T>,
            dynamic: None,
            data_type: || T::form().data.map(|form| (form.data_type)()),
            create: |_| {
                let value = if Self::is_large::<T>() { large::create::<T>() } else { Box::default() };
                Box::into_raw(value).cast()
            },
            default: || {
                if Self::is_large::<T>() { ptr::from_ref(large::default_of::<T>()).cast() } else { ptr::null() }
            },
            // SAFETY: AnyRepresentation passes a pointer that `create` of the same descriptor made;
            // so in all of these.
            drop: |_, value| drop(unsafe { Box::from_raw(value.cast::<T>()) }),
            reset: |_, value, default| {
                // SAFETY: see above.
                let value = unsafe { &mut *value.cast::<T>() };
                // SAFETY: of a large type it points at a value that is never freed.
                if !Self::is_large::<T>() || !value.restore(unsafe { &*default.cast::<T>() }) {
                    value.reset();
                }
            },
            // SAFETY: see above.
            write: |_, value, writer| T::form().write(unsafe { &*value.cast::<T>() }, writer),
            // SAFETY: see above.
            read: |_, value, reader| T::form().read(unsafe { &mut *value.cast::<T>() }, reader),
            // SAFETY: see above.
            read_over: |_, value, reader| T::form().read_over(unsafe { &mut *value.cast::<T>() }, reader),
        }
    }

    /// Returns the descriptor of a representation that is not a Rust type, from its name and its
    /// schema; values lie in memory as their [`Layout`] describes. There is one for each name and
    /// schema, which is never freed.
    ///
    /// If there is a Rust type of the same name and schema in the robot, a module that is described
    /// at run time uses the values of that type.
    ///
    /// ```
    /// use hemiola_model::data::{Data, DataType, Field, Value, ValueReader};
    /// use hemiola_model::{Name, RepresentationDescriptor};
    ///
    /// let schema = DataType::structure("soccer/Ball", vec![Field::new("radius", f32::data_type(), "")]);
    /// let ball = RepresentationDescriptor::dynamic(Name::intern("Ball"), &schema)?;
    /// let mut value = ball.create();
    /// value.read(&mut ValueReader::new(&Value::Table([("radius".to_owned(), Value::Float(0.5))].into())))?;
    /// assert_eq!(value.to_value().unwrap().to_string(), "{radius: 0.5}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if no values of the schema can be laid out.
    pub fn dynamic(name: Name, schema: &DataType) -> Result<&'static Self, LayoutError> {
        static KNOWN: Mutex<Vec<&'static RepresentationDescriptor>> = Mutex::new(Vec::new());
        let type_hash = MessageSchema::of(&name, schema).type_hash;
        // The list is intact even if another thread panicked while it held the lock.
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |it: &&&'static Self| it.name == name && it.dynamic.is_some_and(|it| it.type_hash == type_hash);
        if let Some(same) = known.iter().find(is_same) {
            return Ok(*same);
        }
        let layout = Layout::of(schema)?;
        let dynamic: &'static Dynamic = Box::leak(Box::new(Dynamic { data_type: schema.clone(), layout, type_hash }));
        let made: &'static Self = Box::leak(Box::new(Self::of_dynamic(name, dynamic)));
        known.push(made);
        Ok(made)
    }

    fn of_dynamic(name: Name, dynamic: &'static Dynamic) -> Self {
        /// Returns the layout, which all descriptors made here have.
        fn layout(descriptor: &RepresentationDescriptor) -> &'static Layout {
            match descriptor.dynamic {
                Some(dynamic) => &dynamic.layout,
                None => unreachable!("a descriptor of a schema has a layout"),
            }
        }
        Self {
            name,
            type_id: TypeId::of::<NoRustType>,
            data_type: || None,
            dynamic: Some(dynamic),
            create: |this| dynamic::create(layout(this)).cast(),
            // SAFETY: AnyRepresentation passes a pointer that `create` of the same descriptor made;
            // so in all of these.
            drop: |this, value| unsafe { dynamic::drop(layout(this), value.cast()) },
            default: ptr::null,
            // SAFETY: see above.
            reset: |this, value, _| unsafe { dynamic::clear(layout(this), value.cast()) },
            write: |this, value, writer| {
                // SAFETY: see above.
                unsafe { dynamic::write(layout(this), value.cast(), writer) };
                true
            },
            // SAFETY: see above.
            read: |this, value, reader| unsafe { dynamic::replace(layout(this), value.cast(), reader) }.map(|()| true),
            read_over: |this, value, reader| {
                // SAFETY: see above.
                unsafe { dynamic::replace(layout(this), value.cast(), reader) }.map(|()| true)
            },
        }
    }

    /// Returns the memory layout of values, if the representation is not a Rust type.
    pub fn layout(&self) -> Option<&'static Layout> {
        self.dynamic.map(|dynamic| &dynamic.layout)
    }

    /// Returns whether both are the same outside of the process: the same name and the same schema.
    pub fn is_like(&self, other: &Self) -> bool {
        let hash = |it: &Self| it.data_type().map(|data_type| MessageSchema::of(&it.name, &data_type).type_hash);
        self == other || (self.name == other.name && hash(self).is_some() && hash(self) == hash(other))
    }

    const fn is_large<T>() -> bool {
        size_of::<T>() > large::LARGE
    }

    /// Returns the name of the representation.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// Returns the identifier of the Rust type that this describes, if it describes one.
    pub fn type_id(&self) -> Option<TypeId> {
        self.dynamic.is_none().then(self.type_id)
    }

    /// Returns the schema; `None` for an opaque representation.
    pub fn data_type(&self) -> Option<DataType> {
        match self.dynamic {
            Some(dynamic) => Some(dynamic.data_type.clone()),
            None => (self.data_type)(),
        }
    }

    /// Writes the value at that address; returns `false`, and writes nothing, if the representation
    /// is opaque.
    ///
    /// # Safety
    /// There is a value of this representation at that address, and nobody changes it in the
    /// meantime.
    pub unsafe fn write_at(&self, value: *const (), writer: &mut dyn Writer) -> bool {
        // SAFETY: promised by the caller.
        unsafe { (self.write)(self, value, writer) }
    }

    /// Replaces the value at that address by one that is read from `reader`; returns `Ok(false)` if
    /// the representation is opaque.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value is then unchanged.
    ///
    /// # Safety
    /// There is a value of this representation at that address, and nobody else uses it in the
    /// meantime.
    pub unsafe fn read_at(&self, value: *mut (), reader: &mut dyn Reader) -> Result<bool, ReadError> {
        // SAFETY: promised by the caller.
        unsafe { (self.read)(self, value, reader) }
    }

    /// Creates a default value. Allocates, and creates large values on a thread with enough stack:
    /// not for real-time threads.
    ///
    /// # Panics
    /// Panics if the type's `Default` does.
    pub fn create(&'static self) -> AnyRepresentation {
        AnyRepresentation { descriptor: self, default: (self.default)(), value: (self.create)(self) }
    }
}

impl PartialEq for RepresentationDescriptor {
    fn eq(&self, other: &Self) -> bool {
        match (self.dynamic, other.dynamic) {
            (None, None) => (self.type_id)() == (other.type_id)(),
            (Some(one), Some(other)) => ptr::eq(one, other),
            _ => false,
        }
    }
}

impl fmt::Debug for RepresentationDescriptor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests;
