//! Modules that are not Rust types: a loader of another language or of a plug-in describes them
//! when the program runs.
//!
//! The values that they read and provide are described by the same descriptors, checked by the same
//! access set and bound by the same runtime as the arguments of Rust modules. A foreign module
//! receives its arguments one by one, through [`ForeignArguments`], whose methods keep the promises
//! of the descriptors: an input cannot be written, and an output is borrowed once at a time.
#![expect(unsafe_code, reason = "values are handled by pointer, as their descriptors say")]

mod ends;

pub use ends::{ForeignPublisher, ForeignSubscription, MakeEnd, UntypedEnds, UntypedPublisher, UntypedSubscription};

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::cell::View;
use super::{
    ArgumentDescriptor, ArgumentKind, Binding, Context, CreationError, Instance, ModuleDescriptor, Outcome, Port,
    PortDescriptor, StateForm, Update,
};
use crate::data::{ReadError, Reader, ValueReader, ValueWriter, Writer};
use crate::{Name, RepresentationDescriptor, SourceDescriptor, Time, Value};

/// An instance of a module that is not a Rust type; [`ForeignDescription`] has an example.
pub trait ForeignModule: Send + 'static {
    /// Runs the update with that number. It is called on a real-time thread: it should not
    /// allocate, lock or wait more than necessary.
    fn call(&mut self, update: usize, arguments: ForeignArguments<'_>, context: &Context<'_>) -> Outcome;

    /// Writes the module's state in the form of the description.
    fn write_state(&self, _writer: &mut dyn Writer) {}

    /// Restores a state that was written.
    ///
    /// # Errors
    /// Fails if what the reader holds is not of the form of the description; nothing is changed
    /// then.
    fn read_state(&mut self, _reader: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }
}

/// The description of a module that is not a Rust type, for [`ModuleDescriptor::foreign`]. It has
/// no parameters, and uses no services.
///
/// ```
/// use hemiola_model::data::{Data, DataType, Field, Value};
/// use hemiola_model::module::{
///     ArgumentDescriptor, Context, ForeignArguments, ForeignDescription, ForeignModule, ModuleDescriptor, Outcome,
/// };
/// use hemiola_model::{Name, RepresentationDescriptor};
///
/// /// Passes values on as they are.
/// struct Copying;
///
/// impl ForeignModule for Copying {
///     fn call(&mut self, _update: usize, mut arguments: ForeignArguments<'_>, _: &Context<'_>) -> Outcome {
///         let value = arguments.input(0).and_then(|seen| seen.to_value()).unwrap_or_default();
///         _ = arguments.output(1).map(|mut copy| copy.set(&value));
///         Outcome::Done
///     }
/// }
///
/// let schema = DataType::structure("soccer/Ball", vec![Field::new("radius", f32::data_type(), "")]);
/// let seen = RepresentationDescriptor::dynamic(Name::intern("SeenBall"), &schema)?;
/// let copy = RepresentationDescriptor::dynamic(Name::intern("CopiedBall"), &schema)?;
/// let arguments = vec![ArgumentDescriptor::requires(seen), ArgumentDescriptor::provides(copy)];
/// let description = ForeignDescription::new(Name::intern("Copying"), "copying.py:7", || Box::new(Copying));
/// let module = ModuleDescriptor::foreign(description.with_update(Name::intern("copy"), arguments));
/// assert_eq!((module.name(), module.updates()[0].name()), ("Copying", "copy"));
/// # Ok::<(), hemiola_model::LayoutError>(())
/// ```
#[derive(Clone)]
pub struct ForeignDescription {
    pub(super) name: Name,
    pub(super) location: Name,
    pub(super) updates: Vec<(Name, Vec<ArgumentDescriptor>)>,
    pub(super) state: StateForm,
    create: Arc<dyn Fn() -> Box<dyn ForeignModule> + Send + Sync>,
}

impl ForeignDescription {
    /// Creates the description of a module of that name at that location (a file and a line, for
    /// messages), whose instances are created by `create`.
    pub fn new(
        name: Name,
        location: &str,
        create: impl Fn() -> Box<dyn ForeignModule> + Send + Sync + 'static,
    ) -> Self {
        let location = Name::intern(location);
        Self { name, location, updates: Vec::new(), state: StateForm::Opaque, create: Arc::new(create) }
    }

    /// Adds an update with these arguments. Updates are numbered as they are added.
    #[must_use]
    pub fn with_update(mut self, name: Name, arguments: Vec<ArgumentDescriptor>) -> Self {
        self.updates.push((name, arguments));
        self
    }

    /// Sets the form of an instance's state; without it, replays begin where their logs do.
    #[must_use]
    pub fn with_state(mut self, state: StateForm) -> Self {
        self.state = state;
        self
    }

    pub(super) fn create(&self) -> Result<Instance, CreationError> {
        Instance::of_foreign(self.name, self.state.clone(), || (self.create)())
    }
}

impl fmt::Debug for ForeignDescription {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ForeignDescription").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The arguments of one call of a foreign module, by their numbers; [`ForeignDescription`] has an
/// example.
pub struct ForeignArguments<'f> {
    bindings: &'f [Binding<'f>],
    arguments: &'f [ArgumentDescriptor],
}

/// A value that a foreign module reads; [`ForeignArguments::input`] returns it.
pub struct ForeignValue<'v> {
    descriptor: &'static RepresentationDescriptor,
    view: View,
    borrowed: PhantomData<&'v ()>,
}

/// A value that a foreign module provides; [`ForeignArguments::output`] returns it. It begins with
/// the default value.
pub struct ForeignOutput<'v> {
    descriptor: &'static RepresentationDescriptor,
    value: *mut (),
    borrowed: PhantomData<&'v mut ()>,
}

impl<'f> ForeignArguments<'f> {
    /// # Safety
    /// Each binding is what the argument asks for, and the invariant of [`cell`](super::cell) holds
    /// for all of them during `'f`. The arguments passed an access set.
    pub(super) unsafe fn new(bindings: &'f [Binding<'f>], arguments: &'f [ArgumentDescriptor]) -> Self {
        Self { bindings, arguments }
    }

    /// Returns the descriptors of the arguments.
    pub fn descriptors(&self) -> &'f [ArgumentDescriptor] {
        self.arguments
    }

    fn at(&self, index: usize) -> Option<(ArgumentKind, &'static RepresentationDescriptor, Binding<'f>)> {
        let argument = self.arguments.get(index)?;
        Some((argument.kind(), argument.representation()?, *self.bindings.get(index)?))
    }

    /// Returns the value of an argument that requires or uses it.
    pub fn input(&self, index: usize) -> Option<ForeignValue<'_>> {
        let (kind, descriptor, binding) = self.at(index)?;
        let view = match kind {
            ArgumentKind::Requires => binding.cell().view(),
            ArgumentKind::Uses => binding.cell().previous(),
            _ => return None,
        };
        Some(ForeignValue { descriptor, view, borrowed: PhantomData })
    }

    /// Returns the samples of an argument that collects them, oldest first.
    pub fn samples(&self, index: usize) -> impl Iterator<Item = ForeignValue<'_>> {
        let collected = self.at(index).filter(|(kind, ..)| *kind == ArgumentKind::Collects);
        collected.into_iter().flat_map(|(_, descriptor, binding)| {
            let views = binding.cell().collected().iter();
            views.map(move |&view| ForeignValue { descriptor, view, borrowed: PhantomData })
        })
    }

    /// Returns the value of an argument that provides it; it can be borrowed once at a time.
    pub fn output(&mut self, index: usize) -> Option<ForeignOutput<'_>> {
        let (ArgumentKind::Provides, descriptor, binding) = self.at(index)? else { return None };
        Some(ForeignOutput { descriptor, value: binding.cell().writing(), borrowed: PhantomData })
    }

    /// Returns the end of an argument that publishes to a topic.
    pub fn publisher(&mut self, index: usize) -> Option<&mut ForeignPublisher> {
        self.port(index)
    }

    /// Returns the end of an argument that subscribes to a topic.
    pub fn subscription(&mut self, index: usize) -> Option<&ForeignSubscription> {
        self.port(index).map(|port| &*port)
    }

    /// Returns the port of an argument; it can be borrowed once at a time.
    fn port<P: Port>(&mut self, index: usize) -> Option<&mut P> {
        let Binding::Port(cell) = *self.bindings.get(index)? else { return None };
        // SAFETY: this is the port's update (see `new`), and no other borrow is made while this one
        // lives.
        unsafe { cell.get() }
    }
}

impl ForeignValue<'_> {
    /// Returns the descriptor of the value's representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Returns when the newest sensor sample that the value derives from was taken.
    pub fn stamp(&self) -> Time {
        self.view.stamp
    }

    /// Returns whether the provider failed in the latest run, so that this is an older value.
    pub fn is_stale(&self) -> bool {
        self.view.stale
    }

    /// Writes the value; returns `false`, and writes nothing, if the representation is opaque.
    pub fn write(&self, writer: &mut dyn Writer) -> bool {
        // SAFETY: the cell shows a value of this representation, which stays unchanged while this
        // is borrowed (see `new`).
        unsafe { self.descriptor.write_at(self.view.value, writer) }
    }

    /// Returns the text form of the value; `None` if the representation is opaque.
    pub fn to_value(&self) -> Option<Value> {
        let mut writer = ValueWriter::default();
        self.write(&mut writer).then(|| writer.finish())
    }

    /// Returns the address of the value, for code that knows its [`Layout`](crate::Layout): valid,
    /// and unchanged, as long as this is borrowed.
    pub fn as_ptr(&self) -> *const () {
        self.view.value
    }
}

impl ForeignOutput<'_> {
    /// Returns the descriptor of the value's representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Replaces the value by one that is read from `reader`; returns `Ok(false)` if the
    /// representation is opaque.
    ///
    /// # Errors
    /// Fails if what the reader holds does not fit the schema; the value is then unchanged.
    pub fn read(&mut self, reader: &mut dyn Reader) -> Result<bool, ReadError> {
        // SAFETY: the cell's provider writes a value of this representation there, and nobody else
        // sees it (see `new`).
        unsafe { self.descriptor.read_at(self.value, reader) }
    }

    /// Replaces the value by one in text form.
    ///
    /// # Errors
    /// Fails if the text form does not fit the schema; the value is then unchanged.
    pub fn set(&mut self, value: &Value) -> Result<bool, ReadError> {
        self.read(&mut ValueReader::new(value))
    }

    /// Returns the address of the value, for code that knows its [`Layout`](crate::Layout) and
    /// stores a value there: valid, and not used by anybody else, as long as this is borrowed.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        self.value
    }
}

impl ModuleDescriptor {
    /// Makes foreign modules share the values and topics of Rust modules and sources: if there is a
    /// Rust type of the same name and schema, they use its values and topics. The code that
    /// assembles a robot calls this before anything is bound.
    pub fn share(modules: &mut [Self], sources: &[SourceDescriptor]) {
        let updates = modules.iter().flat_map(Self::updates).chain(sources.iter().map(SourceDescriptor::sample));
        let all: Vec<_> = updates.flat_map(Update::arguments).collect();
        let known = all.iter().filter_map(|argument| argument.representation());
        let known: Vec<_> = known.filter(|representation| representation.type_id().is_some()).collect();
        let ends: Vec<_> = all.iter().filter_map(|it| it.port()).filter(|port| !port.is_untyped()).collect();
        for module in modules {
            module.rewrite_foreign(|argument| match argument.port() {
                Some(port) => ArgumentDescriptor::of_port(shared_port(port, &ends)),
                None => shared_value(argument, &known),
            });
        }
    }
}

fn shared_value(argument: &ArgumentDescriptor, known: &[&'static RepresentationDescriptor]) -> ArgumentDescriptor {
    let same = argument
        .representation()
        .filter(|own| own.layout().is_some())
        .and_then(|own| known.iter().find(|known| known.name() == own.name() && known.is_like(own)));
    same.map_or(*argument, |&known| argument.with_representation(known))
}

fn shared_port(port: PortDescriptor, typed: &[PortDescriptor]) -> PortDescriptor {
    let is_same = |other: &&PortDescriptor| {
        let messages = other.message().zip(port.message());
        other.name() == port.name() && messages.is_some_and(|(one, other)| one.is_like(other))
    };
    let same = typed.iter().find(is_same).filter(|_| port.is_untyped());
    same.map_or(port, |typed| port.shared_with(typed))
}
