use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use super::{Module, SafeStateAction, StateForm};
use crate::data::{ReadError, Reader, Writer};
use crate::{Parameters, ParametersError, Source, Value};

/// A module or source that was created, without its type.
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
    value: *mut (),
    operations: &'static Operations,
    safe_state: Option<SafeStateAction>,
}

/// Parameters that were made and checked, ready to be put into an instance.
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
/// assert!(unsafe { walk.exchange_parameters(&mut prepared) }); // `prepared` now holds the old ones, to be dropped elsewhere
/// ```
pub struct PreparedParameters(Box<dyn Any + Send>);

struct Operations {
    name: &'static str,
    drop: unsafe fn(*mut ()),
    prepare: Prepare,
    exchange: unsafe fn(*mut (), &mut PreparedParameters) -> bool,
    state: fn() -> StateForm,
    write_state: unsafe fn(*const (), &mut dyn Writer),
    read_state: unsafe fn(*mut (), &mut dyn Reader) -> Result<(), ReadError>,
}

/// Makes and checks parameters.
type Prepare = fn(&BTreeMap<String, Value>) -> Result<PreparedParameters, Vec<ParametersError>>;

// SAFETY: the pointer owns a value of a type that is Send (a supertrait bound of Module and Source).
unsafe impl Send for Instance {}
// SAFETY: an `&Instance` only gives the address away; whoever uses it promises exclusiveness (see `Update::call`).
unsafe impl Sync for Instance {}

impl Instance {
    pub(crate) fn of_module<M: Module>(parameters: M::Parameters) -> Self {
        Self {
            value: Box::into_raw(Box::new(M::create(parameters))).cast(),
            operations: const {
                &Operations {
                    name: M::NAME,
                    // SAFETY: `value` was made from a Box<M> just above, and callers promise exclusive use.
                    drop: |value| drop(unsafe { Box::from_raw(value.cast::<M>()) }),
                    prepare: |values| M::Parameters::with(values).map(|made| PreparedParameters(Box::new(made))),
                    // SAFETY: see above.
                    exchange: |value, prepared| exchange(unsafe { &mut *value.cast::<M>() }.parameters_mut(), prepared),
                    state: M::state,
                    // SAFETY: see above.
                    write_state: |value, writer| unsafe { &*value.cast::<M>() }.write_state(writer),
                    // SAFETY: see above.
                    read_state: |value, reader| unsafe { &mut *value.cast::<M>() }.read_state(reader),
                }
            },
            safe_state: None,
        }
    }

    pub(crate) fn of_source<S: Source>(parameters: S::Parameters) -> Self {
        Self {
            value: Box::into_raw(Box::new(S::create(parameters))).cast(),
            operations: const {
                &Operations {
                    name: S::NAME,
                    // SAFETY: `value` was made from a Box<S> just above, and callers promise exclusive use.
                    drop: |value| drop(unsafe { Box::from_raw(value.cast::<S>()) }),
                    prepare: |values| S::Parameters::with(values).map(|made| PreparedParameters(Box::new(made))),
                    // SAFETY: see above.
                    exchange: |value, prepared| exchange(unsafe { &mut *value.cast::<S>() }.parameters_mut(), prepared),
                    // A log has what a source brings: nobody has to begin it in the middle.
                    state: || StateForm::Opaque,
                    write_state: |_, _| {},
                    read_state: |_, _| Ok(()),
                }
            },
            safe_state: None,
        }
    }

    /// The action must be the module's own: descriptors see to that.
    pub(super) fn with_safe_state(mut self, safe_state: Option<SafeStateAction>) -> Self {
        self.safe_state = safe_state;
        self
    }

    /// The module's or source's name.
    pub fn name(&self) -> &'static str {
        self.operations.name
    }

    /// Makes and checks parameters; off the real-time threads.
    ///
    /// # Errors
    /// Every value that cannot be set.
    pub fn prepare(&self, values: &BTreeMap<String, Value>) -> Result<PreparedParameters, Vec<ParametersError>> {
        (self.operations.prepare)(values)
    }

    /// Exchanges the parameters in use and the prepared ones: no allocation, nothing dropped. `false`, and nothing changed,
    /// when they are another module's.
    ///
    /// # Safety
    /// Nobody else uses the instance meanwhile.
    pub unsafe fn exchange_parameters(&self, prepared: &mut PreparedParameters) -> bool {
        // SAFETY: promised by the caller.
        unsafe { (self.operations.exchange)(self.value, prepared) }
    }

    /// Whether and how what the module remembers can be written down.
    pub fn state(&self) -> StateForm {
        (self.operations.state)()
    }

    /// Writes down what the module remembers, as [`state`](Self::state) says.
    ///
    /// # Safety
    /// Nobody uses the instance exclusively meanwhile.
    pub unsafe fn write_state(&self, writer: &mut dyn Writer) {
        // SAFETY: promised by the caller.
        unsafe { (self.operations.write_state)(self.value, writer) }
    }

    /// The same of an instance that nobody else has.
    pub fn into_state(self, writer: &mut dyn Writer) {
        // SAFETY: it is owned, and given up.
        unsafe { self.write_state(writer) }
    }

    /// Has the module remember what was written down.
    ///
    /// # Errors
    /// What the reader holds is not what [`state`](Self::state) says; nothing is changed then.
    ///
    /// # Safety
    /// Nobody else uses the instance meanwhile.
    pub unsafe fn read_state(&self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        // SAFETY: promised by the caller.
        unsafe { (self.operations.read_state)(self.value, reader) }
    }

    /// Whether the module does something when the robot enters its safe state.
    pub fn has_safe_state(&self) -> bool {
        self.safe_state.is_some()
    }

    /// Calls the module's `#[safe_state]` method, if it has one.
    ///
    /// # Safety
    /// Nobody else uses the instance meanwhile.
    pub unsafe fn enter_safe_state(&self) {
        if let Some(action) = &self.safe_state {
            // SAFETY: promised by the caller; the action is this module's.
            unsafe { action.call(self.value) }
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut () {
        self.value
    }
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
        // SAFETY: the value is owned and dropped once.
        unsafe { (self.operations.drop)(self.value) }
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Instance({})", self.name())
    }
}
