//! Modules: their parts, how their updates receive their arguments, and how they register
//! themselves.

mod access;
mod argument;
mod between_runs;
pub mod cell;
mod connector;
mod containment;
mod context;
mod debug;
mod foreign;
mod instance;
mod port;
mod refusal;
pub mod registry;
mod safe_state;
mod scope;
mod source;
mod state;
mod update;

use std::collections::BTreeMap;

pub use argument::{
    Argument, ArgumentDescriptor, ArgumentKind, Arguments, Binding, Fresh, Previous, Samples, SamplesIter,
};
pub use between_runs::BetweenRuns;
pub use connector::{ConnectError, Connector, Wanted};
pub use containment::{Panicked, contain};
pub use context::Context;
pub use debug::{
    Canvas, Color, Debug, DebugContent, DebugImage, DebugKind, DebugRecord, DebugSink, ImageFormat, PixelFormat,
    Plotted, Points, Scene, Shape, ShortText,
};
pub use foreign::{
    ForeignArguments, ForeignDescription, ForeignModule, ForeignOutput, ForeignPublisher, ForeignSubscription,
    ForeignValue, MakeEnd, UntypedEnds, UntypedPublisher, UntypedSubscription,
};
pub use instance::{Alone, CreationError, Instance, PreparedParameters};
use instance::{OfForeign, no_parameters};
pub use port::{Connect, Inlet, Place, Port, PortCell, PortDescriptor, PortRecord, PortRole};
pub use refusal::{Refusal, RefusalReason};
pub use safe_state::SafeState;
use safe_state::SafeStateAction;
pub use scope::{Crew, Scope};
pub use source::{Source, SourceDescriptor, SourceRate};
pub use state::{StateField, StateForm};
pub(crate) use update::Owner;
pub use update::{Access, Failure, IntoOutcome, Outcome, Update};

use crate::data::{ReadError, Reader, Writer};
use crate::{ParameterDescription, Parameters, ParametersError, Value};

/// A unit of a robot's software: state, parameters, and updates. Derive it and put `#[module]` on
/// its `impl`.
///
/// The derive makes every field but the `#[parameters]` one by `Default`; implement the trait by
/// hand where creation does more. Modules are created and dropped outside of the real-time threads.
///
/// ```
/// use hemiola_model::module::Module;
///
/// struct MovingAverage { parameters: (), window: Vec<f32> }
///
/// impl Module for MovingAverage {
///     const NAME: &'static str = "MovingAverage";
///     type Parameters = ();
///
///     fn create((): ()) -> Self {
///         Self { parameters: (), window: Vec::with_capacity(100) }
///     }
///
///     fn parameters_mut(&mut self) -> &mut () {
///         &mut self.parameters
///     }
/// }
/// assert_eq!(MovingAverage::create(()).window.capacity(), 100); // no update has to allocate
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a module",
    note = "add `#[derive(Module)]` to `{Self}`, or implement `Module` by hand"
)]
pub trait Module: Send + 'static {
    /// The name of the module in configuration, logs and traces: the name of the type.
    const NAME: &'static str;

    /// The parameters that can be tuned; `()` for none.
    type Parameters: Parameters;

    /// Creates a module.
    fn create(parameters: Self::Parameters) -> Self;

    /// Returns the parameters in use.
    fn parameters_mut(&mut self) -> &mut Self::Parameters;

    /// Returns whether and how the module's state can be recorded. An implementation of the trait
    /// by hand must provide this and the next two methods, or the module stays opaque: a replay of
    /// it begins where its log does.
    fn state() -> StateForm {
        StateForm::Opaque
    }

    /// Writes the module's state in the form of [`state`](Self::state); parameters are not part of
    /// it. Called on real-time threads between two runs.
    fn write_state(&self, _writer: &mut dyn Writer) {}

    /// Restores a state that was written.
    ///
    /// # Errors
    /// Fails if what the reader holds is not of the form of [`state`](Self::state); nothing is
    /// changed then.
    fn read_state(&mut self, _reader: &mut dyn Reader) -> Result<(), ReadError> {
        Ok(())
    }
}

/// A function that creates an instance with these parameters.
pub(crate) type Create = fn(&BTreeMap<String, Value>) -> Result<Instance, CreationError>;

/// A function that checks parameters without keeping them.
type Check = fn(&BTreeMap<String, Value>) -> Result<(), Vec<ParametersError>>;

/// A module without its type.
///
/// ```
/// use hemiola_model::module::ModuleDescriptor;
/// use hemiola_model::Value;
/// # struct Walk { parameters: () }
/// # impl hemiola_model::module::Module for Walk {
/// #     const NAME: &'static str = "Walk";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self { parameters: () } }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.parameters }
/// # }
///
/// // What `#[module]` registers, here of a module without updates and parameters:
/// let walk = ModuleDescriptor::of::<Walk>("nao::motion", "src/motion.rs:12", Vec::new(), None);
/// let errors = walk.check(&[("speed".into(), Value::Float(0.2))].into()).unwrap_err();
/// assert_eq!(errors[0].to_string(), "there is no parameter `speed`; this module has none");
/// ```
pub struct ModuleDescriptor {
    name: &'static str,
    path: &'static str,
    location: &'static str,
    parameters: Vec<ParameterDescription>,
    updates: Vec<Update>,
    safe_state: Option<SafeStateAction>,
    maker: Maker,
}

/// The way in which instances are created.
enum Maker {
    Rust { create: Create, check: Check, state: fn() -> StateForm },
    Foreign(ForeignDescription),
}

impl ModuleDescriptor {
    /// Describes `M`; `safe_state` is its `#[safe_state]` method, if it has one. An update of
    /// another type than `M` is [refused](Self::refusals).
    pub fn of<M: Module>(
        path: &'static str,
        location: &'static str,
        updates: Vec<Update>,
        safe_state: Option<fn(&mut M) -> Outcome>,
    ) -> Self {
        Self {
            safe_state: safe_state.map(SafeStateAction::new),
            name: M::NAME,
            path,
            location,
            parameters: M::Parameters::describe(),
            updates: updates.into_iter().map(|update| update.owned_by(Owner::of::<M>())).collect(),
            maker: Maker::Rust {
                create: Instance::of_module::<M>,
                check: |values| M::Parameters::with(values).map(|_| ()),
                state: M::state,
            },
        }
    }

    /// Describes a module that is not a Rust type.
    pub fn foreign(description: ForeignDescription) -> Self {
        let updates = description.updates.iter().enumerate();
        let updates = updates.map(|(number, (name, arguments))| Update::foreign(*name, number, arguments.clone()));
        Self {
            safe_state: None,
            name: description.name.as_str(),
            path: "foreign",
            location: description.location.as_str(),
            parameters: Vec::new(),
            updates: updates.collect(),
            maker: Maker::Foreign(description),
        }
    }

    /// Replaces the arguments of a foreign module's updates.
    fn rewrite_foreign(&mut self, rewrite: impl Fn(&ArgumentDescriptor) -> ArgumentDescriptor) {
        let Maker::Foreign(description) = &mut self.maker else { return };
        for (_, arguments) in &mut description.updates {
            arguments.iter_mut().for_each(|argument| *argument = rewrite(argument));
        }
        *self = Self::foreign(description.clone());
    }

    /// Returns the name of the type.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the path of the Rust module that contains the type, such as `nao::motion::balance`.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the file and line of the `#[module]` attribute.
    pub fn location(&self) -> &'static str {
        self.location
    }

    /// Returns the parameters that can be tuned.
    pub fn parameters(&self) -> &[ParameterDescription] {
        &self.parameters
    }

    /// Returns the updates in declaration order.
    pub fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// Returns the updates that cannot be called, and why.
    pub fn refusals(&self) -> impl Iterator<Item = Refusal> + '_ {
        refusals(self.name, self.location, &self.updates)
    }

    /// Returns whether the module has a `#[safe_state]` method, which stops the module's actuators.
    pub fn has_safe_state(&self) -> bool {
        self.safe_state.is_some()
    }

    /// Returns whether and how the module's state can be recorded.
    pub fn state(&self) -> StateForm {
        match &self.maker {
            Maker::Rust { state, .. } => state(),
            Maker::Foreign(description) => description.state.clone(),
        }
    }

    /// Checks whether these parameters can be set.
    ///
    /// # Errors
    /// Fails if there are parameters that cannot be set: an error for each.
    pub fn check(&self, parameters: &BTreeMap<String, Value>) -> Result<(), Vec<ParametersError>> {
        match &self.maker {
            Maker::Rust { check, .. } => check(parameters),
            Maker::Foreign(_) => no_parameters(parameters),
        }
    }

    /// Creates an instance with these parameters.
    ///
    /// # Errors
    /// Fails if there are parameters that cannot be set, or the constructor panics.
    pub fn create(&self, parameters: &BTreeMap<String, Value>) -> Result<Instance, CreationError> {
        match &self.maker {
            Maker::Rust { create, .. } => Ok(create(parameters)?.with_safe_state(self.safe_state.clone())),
            Maker::Foreign(description) => {
                no_parameters(parameters).map_err(CreationError::Parameters)?;
                description.create()
            }
        }
    }
}

/// Returns the updates that cannot be called, and why.
pub(crate) fn refusals<'u>(
    owner: &'static str,
    location: &'static str,
    updates: &'u [Update],
) -> impl Iterator<Item = Refusal> + 'u {
    updates.iter().filter_map(move |update| {
        Some(Refusal {
            owner: owner.to_owned(),
            update: update.name().to_owned(),
            location: location.to_owned(),
            reason: update.refusal()?.clone(),
        })
    })
}
