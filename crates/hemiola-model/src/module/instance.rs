//! Instances of modules and sources, without their types.
//!
//! Invariant, kept by the code that runs updates (`unsafe` is needed to do so): the value behind an
//! [`Instance`] is used by one side at a time: by updates, as their [`Access`](super::Access)
//! permits, or, between them, by the caller of the methods here.
#![expect(
    unsafe_code,
    reason = "an instance is shared by who runs its updates; the module's invariant orders every use"
)]

use std::any::Any;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use super::{ForeignModule, Module, Outcome, Owner, Panicked, SafeStateAction, StateForm, contain};
use crate::data::{ReadError, Reader, Writer};
use crate::{Name, Parameters, ParametersError, Source, Value};

/// An instance of a module or source, without its type.
///
/// ```
/// use hemiola_model::module::ModuleDescriptor;
/// # struct Walk { parameters: () }
/// # impl hemiola_model::module::Module for Walk {
/// #     const NAME: &'static str = "Walk";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self { parameters: () } }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.parameters }
/// # }
///
/// let descriptor = ModuleDescriptor::of::<Walk>("nao::motion", "src/motion.rs:12", Vec::new(), None);
/// let walk = descriptor.create(&Default::default()).expect("every parameter has a default");
/// assert_eq!(walk.name(), "Walk");
/// ```
pub struct Instance {
    value: Box<UnsafeCell<dyn Remembered>>,
    operations: Operations,
    safe_state: Option<SafeStateAction>,
}

/// Parameters that were created and checked, ready to be put into an instance.
///
/// ```
/// # use hemiola_model::module::ModuleDescriptor;
/// # struct Walk { parameters: () }
/// # impl hemiola_model::module::Module for Walk {
/// #     const NAME: &'static str = "Walk";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self { parameters: () } }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.parameters }
/// # }
/// # let walk = ModuleDescriptor::of::<Walk>("nao::motion", "", Vec::new(), None).create(&Default::default()).unwrap();
/// let mut prepared = walk.prepare(&Default::default()).expect("every parameter has a default");
/// // SAFETY: nothing else uses this instance.
/// assert!(unsafe { walk.alone() }.exchange_parameters(&mut prepared)); // `prepared` now holds the old ones, to be dropped elsewhere
/// ```
pub struct PreparedParameters(Box<dyn Any + Send>);

/// Exclusive access to a module or source that nobody else uses, for everything besides calling its
/// updates.
///
/// [`PreparedParameters`] has an example.
pub struct Alone<'i> {
    value: &'i mut dyn Remembered,
    safe_state: Option<&'i SafeStateAction>,
}

/// The reason why an instance could not be created.
///
/// ```
/// use hemiola_model::module::{CreationError, ModuleDescriptor};
/// # struct Walk(());
/// # impl hemiola_model::module::Module for Walk {
/// #     const NAME: &'static str = "Walk";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { panic!("no gait table") }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.0 }
/// # }
///
/// let walk = ModuleDescriptor::of::<Walk>("nao::motion", "src/motion.rs:12", Vec::new(), None);
/// let error = walk.create(&Default::default()).unwrap_err(); // its `create` does: `panic!("no gait table")`
/// assert!(matches!(&error, CreationError::Panicked(panicked) if panicked.message() == "no gait table"));
/// ```
#[derive(Debug, Error)]
pub enum CreationError {
    /// Some parameters cannot be set.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Parameters(Vec<ParametersError>),
    /// The constructor, or the creation of its parameters, panicked.
    #[error("it panicked while it was made: {0}")]
    Panicked(Panicked),
}

struct Operations {
    name: &'static str,
    owner: Owner,
    prepare: Prepare,
    state: State,
}

enum State {
    OfType(fn() -> StateForm),
    Described(StateForm),
}

/// A function that creates and checks parameters.
type Prepare = fn(&BTreeMap<String, Value>) -> Result<PreparedParameters, Vec<ParametersError>>;

/// The operations on the value of an instance besides calling its updates.
trait Remembered: Send {
    fn exchange(&mut self, prepared: &mut PreparedParameters) -> bool;
    fn write_state(&self, writer: &mut dyn Writer);
    fn read_state(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError>;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// A module. Updates are called with its address, as that of an `M`.
#[repr(transparent)]
struct OfModule<M>(M);

impl<M: Module> Remembered for OfModule<M> {
    fn exchange(&mut self, prepared: &mut PreparedParameters) -> bool {
        exchange(self.0.parameters_mut(), prepared)
    }

    fn write_state(&self, writer: &mut dyn Writer) {
        self.0.write_state(writer);
    }

    fn read_state(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        self.0.read_state(reader)
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

/// A source. Sample methods are called with its address, as that of an `S`.
#[repr(transparent)]
struct OfSource<S>(S);

impl<S: Source> Remembered for OfSource<S> {
    fn exchange(&mut self, prepared: &mut PreparedParameters) -> bool {
        exchange(self.0.parameters_mut(), prepared)
    }

    // A log holds the samples of a source: no replay has to begin it in the middle.
    fn write_state(&self, _: &mut dyn Writer) {}

    fn read_state(&mut self, _: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }
}

/// A foreign module. Updates are called with its address.
pub(super) struct OfForeign(pub(super) Box<dyn ForeignModule>);

impl Remembered for OfForeign {
    fn exchange(&mut self, prepared: &mut PreparedParameters) -> bool {
        exchange(&mut (), prepared)
    }

    fn write_state(&self, writer: &mut dyn Writer) {
        self.0.write_state(writer);
    }

    fn read_state(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        self.0.read_state(reader)
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// The value of an instance after it was dropped.
struct Nothing;

impl Remembered for Nothing {
    fn exchange(&mut self, _: &mut PreparedParameters) -> bool {
        false
    }

    fn write_state(&self, _: &mut dyn Writer) {}

    fn read_state(&mut self, _: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

// SAFETY: an `&Instance` only gives the address of its value away; whoever uses it promises to do
// so alone (see the module).
unsafe impl Sync for Instance {}

impl Instance {
    pub(crate) fn of_module<M: Module>(values: &BTreeMap<String, Value>) -> Result<Self, CreationError> {
        let operations = Operations {
            name: M::NAME,
            owner: Owner::of::<M>(),
            prepare: |values| M::Parameters::with(values).map(|made| PreparedParameters(Box::new(made))),
            state: State::OfType(M::state),
        };
        Self::create(operations, || {
            M::Parameters::with(values).map(|made| Box::new(UnsafeCell::new(OfModule(M::create(made)))) as _)
        })
    }

    pub(crate) fn of_source<S: Source>(
        values: &BTreeMap<String, Value>,
        create: impl FnOnce(S::Parameters) -> S,
    ) -> Result<Self, CreationError> {
        let operations = Operations {
            name: S::NAME,
            owner: Owner::of::<S>(),
            prepare: |values| S::Parameters::with(values).map(|made| PreparedParameters(Box::new(made))),
            state: State::OfType(|| StateForm::Opaque),
        };
        Self::create(operations, || {
            S::Parameters::with(values).map(|made| Box::new(UnsafeCell::new(OfSource(create(made)))) as _)
        })
    }

    pub(super) fn of_foreign(
        name: Name,
        state: StateForm,
        create: impl FnOnce() -> Box<dyn ForeignModule>,
    ) -> Result<Self, CreationError> {
        let operations = Operations {
            name: name.as_str(),
            owner: Owner::of::<OfForeign>(),
            prepare: |values| no_parameters(values).map(|()| PreparedParameters(Box::new(()))),
            state: State::Described(state),
        };
        Self::create(operations, || Ok(Box::new(UnsafeCell::new(OfForeign(create()))) as _))
    }

    fn create(
        operations: Operations,
        create: impl FnOnce() -> Result<Box<UnsafeCell<dyn Remembered>>, Vec<ParametersError>>,
    ) -> Result<Self, CreationError> {
        let made = contain(create).map_err(CreationError::Panicked)?;
        Ok(Self { value: made.map_err(CreationError::Parameters)?, operations, safe_state: None })
    }

    /// Sets the safe state action, which must be the module's own: descriptors guarantee that.
    pub(super) fn with_safe_state(mut self, safe_state: Option<SafeStateAction>) -> Self {
        self.safe_state = safe_state;
        self
    }

    /// Returns the name of the module or source.
    pub fn name(&self) -> &'static str {
        self.operations.name
    }

    pub(crate) fn owner(&self) -> Owner {
        self.operations.owner
    }

    /// Creates and checks parameters. Not for real-time threads.
    ///
    /// # Errors
    /// Fails if there are values that cannot be set: an error for each.
    pub fn prepare(&self, values: &BTreeMap<String, Value>) -> Result<PreparedParameters, Vec<ParametersError>> {
        (self.operations.prepare)(values)
    }

    /// Gives exclusive access to the module or source.
    ///
    /// # Safety
    /// Nobody else uses the instance as long as the result lives.
    pub unsafe fn alone(&self) -> Alone<'_> {
        // SAFETY: promised by the caller.
        Alone { value: unsafe { &mut *self.value.get() }, safe_state: self.safe_state.as_ref() }
    }

    /// Returns whether and how the module's state can be recorded.
    pub fn state(&self) -> StateForm {
        match &self.operations.state {
            State::OfType(state) => state(),
            State::Described(state) => state.clone(),
        }
    }

    /// Writes the module's state in the form of [`state`](Self::state).
    ///
    /// # Safety
    /// Nobody uses the instance exclusively in the meantime.
    pub unsafe fn write_state(&self, writer: &mut dyn Writer) {
        // SAFETY: promised by the caller.
        unsafe { &*self.value.get() }.write_state(writer);
    }

    /// Writes the state of a module whose instance nobody else holds.
    pub fn into_state(mut self, writer: &mut dyn Writer) {
        self.value.get_mut().write_state(writer);
    }

    /// Returns whether the module has an action for the robot's safe state.
    pub fn has_safe_state(&self) -> bool {
        self.safe_state.is_some()
    }

    /// Drops the module. If an instance is merely dropped, a panic of the module's `Drop` is
    /// ignored.
    ///
    /// # Errors
    /// Fails if the module's `Drop` panicked.
    pub fn end(mut self) -> Result<(), Panicked> {
        self.drop_value()
    }

    fn drop_value(&mut self) -> Result<(), Panicked> {
        let value = std::mem::replace(&mut self.value, Box::new(UnsafeCell::new(Nothing)));
        contain(|| drop(value))
    }

    /// Returns the address of the module or source, for its updates.
    pub(crate) fn as_ptr(&self) -> *mut () {
        self.value.get().cast()
    }
}

impl Alone<'_> {
    /// Exchanges the parameters in use and the prepared ones, without allocating or dropping
    /// anything. Returns `false`, and changes nothing, if the prepared ones are another module's.
    pub fn exchange_parameters(&mut self, prepared: &mut PreparedParameters) -> bool {
        self.value.exchange(prepared)
    }

    /// Restores a state of the module that was written.
    ///
    /// # Errors
    /// Fails if what the reader holds is not of the form of [`Instance::state`]; nothing is changed
    /// then.
    pub fn read_state(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        self.value.read_state(reader)
    }

    /// Calls the module's `#[safe_state]` method, if it has one.
    pub fn enter_safe_state(&mut self) -> Outcome {
        self.safe_state.map_or(Outcome::Done, |action| action.call(self.value.as_any_mut()))
    }
}

/// Checks the parameters for a module that has none.
pub(super) fn no_parameters(values: &BTreeMap<String, Value>) -> Result<(), Vec<ParametersError>> {
    let unknown = |name: &String| ParametersError::Unknown { name: name.clone(), known: Vec::new() };
    if values.is_empty() { Ok(()) } else { Err(values.keys().map(unknown).collect()) }
}

fn exchange<P: Parameters>(in_use: &mut P, prepared: &mut PreparedParameters) -> bool {
    match prepared.0.downcast_mut::<P>() {
        Some(prepared) => {
            std::mem::swap(in_use, prepared);
            true
        }
        None => false,
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The panic is returned by `end` only.
        _ = self.drop_value();
    }
}

impl fmt::Debug for Alone<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Alone")
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Instance({})", self.name())
    }
}
