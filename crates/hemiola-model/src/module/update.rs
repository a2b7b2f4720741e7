//! Updates, without their types.
//!
//! Invariant of an [`Update`]: `call` expects exactly what the other fields describe. `owner` is
//! the type that it takes for its module, `arguments` are those that it fetches, and they passed an
//! [`AccessSet`]; an update that did not pass is never called with anything. All of it is made from
//! types in one place ([`Update::new`]) and cannot be changed afterwards.
#![expect(unsafe_code, reason = "a call casts what is bound back to its types")]

use std::any::{TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use super::access::{AccessSet, Conflict};
use super::{
    ArgumentDescriptor, ArgumentKind, Arguments, Binding, Context, ForeignArguments, Instance, OfForeign, RefusalReason,
};
use crate::{Name, Time};

/// One update of a module, or the sample method of a source, without its types.
///
/// ```
/// use hemiola_model::Clock;
/// use hemiola_model::module::{ArgumentKind, Update};
///
/// struct Walk { phase: f32 }
///
/// impl Walk {
///     fn joints(&mut self, clock: &Clock) {
///         self.phase += clock.step_seconds();
///     }
/// }
///
/// // What `#[update]` writes:
/// let update = Update::exclusive::<Walk, (&Clock, ()), _>("joints", |walk, (clock, ())| walk.joints(clock));
/// assert_eq!(update.arguments()[0].kind(), ArgumentKind::Service);
/// ```
#[derive(Clone)]
pub struct Update {
    name: &'static str,
    access: Access,
    arguments: Vec<ArgumentDescriptor>,
    signature: &'static [&'static str],
    owner: Owner,
    refused: Option<RefusalReason>,
    call: Arc<dyn Call>,
}

/// The type that an update expects as its module, or the type of an instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    id: fn() -> TypeId,
    name: fn() -> &'static str,
}

impl Owner {
    pub(crate) const fn of<M: 'static>() -> Self {
        Self { id: TypeId::of::<M>, name: type_name::<M> }
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        (self.id)() == (other.id)()
    }
}

/// The way in which an update borrows its module.
///
/// ```
/// use hemiola_model::module::{Access, Update};
///
/// struct Map;
///
/// let update = Update::concurrent::<Map, (), _>("free_path", |_, ()| ());
/// assert_eq!(update.access(), Access::Concurrent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `&mut self`: alone among the updates of its module.
    Exclusive,
    /// `&self`: may run beside other `&self` updates of its module.
    Concurrent,
}

/// The result of a call.
///
/// ```
/// use hemiola_model::module::{IntoOutcome, Outcome};
///
/// let returned: Result<(), &str> = Err("no horizon in the image");
/// let Outcome::Failed(failure) = returned.into_outcome() else { panic!("an error is a failure") };
/// assert_eq!(failure.to_string(), "no horizon in the image");
/// ```
#[derive(Debug)]
pub enum Outcome {
    /// The update did its work.
    Done,
    /// The source took a sample at that time.
    Sampled(Time),
    /// The source has no more samples.
    Ended,
    /// The update returned an error.
    Failed(Failure),
}

/// The error that an update returned; it is formatted later, outside of the real-time threads.
///
/// ```
/// use hemiola_model::module::Failure;
///
/// let error = "12".parse::<f32>().and("1,5".parse::<f32>()).unwrap_err();
/// assert_eq!(Failure::new(error).to_string(), "invalid float literal");
/// ```
pub struct Failure(Box<dyn fmt::Display + Send>);

impl Failure {
    /// Wraps an error. Allocates, unless the error has no size.
    pub fn new(error: impl fmt::Display + Send + 'static) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Failure({})", self.0)
    }
}

/// A type that an update may return: `()` or `Result<(), E>`; for a source's sample method also
/// `Option<Time>`.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_model::module::{IntoOutcome, Outcome};
///
/// assert!(matches!(().into_outcome(), Outcome::Done));
/// assert!(matches!(Some(Time::ZERO).into_outcome(), Outcome::Sampled(Time::ZERO)));
/// assert!(matches!(None::<Time>.into_outcome(), Outcome::Ended));
/// ```
#[diagnostic::on_unimplemented(
    message = "an update cannot return `{Self}`",
    note = "an update returns nothing or `Result<(), E>` with an error that can be displayed; results go into `&mut T` arguments"
)]
pub trait IntoOutcome {
    /// Converts the returned value into the result of the call.
    fn into_outcome(self) -> Outcome;
}

impl IntoOutcome for () {
    #[inline]
    fn into_outcome(self) -> Outcome {
        Outcome::Done
    }
}

impl IntoOutcome for Option<Time> {
    fn into_outcome(self) -> Outcome {
        self.map_or(Outcome::Ended, Outcome::Sampled)
    }
}

impl<T: IntoOutcome, E: fmt::Display + Send + 'static> IntoOutcome for Result<T, E> {
    #[inline]
    fn into_outcome(self) -> Outcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => Outcome::Failed(Failure::new(error)),
        }
    }
}

trait Call: Send + Sync {
    fn call(&self, called: Called<'_>) -> Outcome;
}

/// The operands of a call. It is created by [`Update::call`] alone, whose caller promises that all
/// of it is as the update describes; so a call has nothing left to promise.
struct Called<'f> {
    instance: *mut (),
    bindings: &'f [Binding<'f>],
    context: &'f Context<'f>,
}

struct Exclusive<M, A: Arguments, R>(for<'m, 'f> fn(&'m mut M, A::Items<'f>) -> R);

struct Concurrent<M, A: Arguments, R>(for<'m, 'f> fn(&'m M, A::Items<'f>) -> R);

impl<M, A: Arguments, R: IntoOutcome> Call for Exclusive<M, A, R> {
    #[inline]
    fn call(&self, Called { instance, bindings, context }: Called<'_>) -> Outcome {
        // SAFETY: the instance is an M that nobody else uses, and the bindings fit the arguments:
        // see `Called`.
        unsafe { (self.0)(&mut *instance.cast(), A::fetch(bindings, context)) }.into_outcome()
    }
}

impl<M, A: Arguments, R: IntoOutcome> Call for Concurrent<M, A, R> {
    #[inline]
    fn call(&self, Called { instance, bindings, context }: Called<'_>) -> Outcome {
        // SAFETY: the instance is an M that nobody uses exclusively, and the bindings fit the
        // arguments: see `Called`.
        unsafe { (self.0)(&*instance.cast(), A::fetch(bindings, context)) }.into_outcome()
    }
}

/// The call of an update of a module that is not a Rust type.
struct Foreign {
    number: usize,
    arguments: Arc<[ArgumentDescriptor]>,
}

impl Call for Foreign {
    fn call(&self, Called { instance, bindings, context }: Called<'_>) -> Outcome {
        // SAFETY: the instance is a foreign module that nobody else uses: see `Called`.
        let module = unsafe { &mut *instance.cast::<OfForeign>() };
        // SAFETY: the bindings fit the arguments, and these passed an access set, else this is not
        // called.
        let arguments = unsafe { ForeignArguments::new(bindings, &self.arguments) };
        module.0.call(self.number, arguments, context)
    }
}

/// The call of an update that must not be called: it fails.
struct Refused(RefusalReason);

impl Call for Refused {
    fn call(&self, _: Called<'_>) -> Outcome {
        Outcome::Failed(Failure::new(self.0.clone()))
    }
}

impl Update {
    /// Creates an update that takes its module by `&mut self`.
    pub fn exclusive<M: Send + 'static, A: Arguments, R: IntoOutcome + 'static>(
        name: &'static str,
        call: for<'m, 'f> fn(&'m mut M, A::Items<'f>) -> R,
    ) -> Self {
        Self::new::<M, A>(name, Access::Exclusive, Arc::new(Exclusive::<M, A, R>(call)))
    }

    /// Creates an update that takes its module by `&self`.
    pub fn concurrent<M: Send + Sync + 'static, A: Arguments, R: IntoOutcome + 'static>(
        name: &'static str,
        call: for<'m, 'f> fn(&'m M, A::Items<'f>) -> R,
    ) -> Self {
        Self::new::<M, A>(name, Access::Concurrent, Arc::new(Concurrent::<M, A, R>(call)))
    }

    /// Creates the update with that number and these arguments of a module that is not a Rust type.
    /// Its calls fetch what the arguments describe.
    pub(super) fn foreign(name: Name, number: usize, arguments: Vec<ArgumentDescriptor>) -> Self {
        let call = Arc::new(Foreign { number, arguments: arguments.clone().into() });
        Self::checked(name.as_str(), Access::Exclusive, arguments, Owner::of::<OfForeign>(), call)
    }

    fn new<M: 'static, A: Arguments>(name: &'static str, access: Access, call: Arc<dyn Call>) -> Self {
        let mut arguments = Vec::new();
        A::describe(&mut arguments);
        Self::checked(name, access, arguments, Owner::of::<M>(), call)
    }

    fn checked(
        name: &'static str,
        access: Access,
        arguments: Vec<ArgumentDescriptor>,
        owner: Owner,
        call: Arc<dyn Call>,
    ) -> Self {
        let update = Self { name, access, arguments, signature: &[], owner, refused: None, call };
        match AccessSet::check(&update.arguments) {
            Ok(()) => update,
            Err(conflict) => {
                let reason = update.conflict(conflict);
                update.refuse(reason)
            }
        }
    }

    /// Sets the arguments as their author wrote them, for messages.
    #[must_use]
    pub fn with_signature(mut self, signature: &'static [&'static str]) -> Self {
        self.signature = signature;
        if let Some(RefusalReason::Conflict { places: (first, second), .. }) = self.refused {
            self.refused = Some(self.conflict(Conflict { first, second }));
        }
        self
    }

    fn conflict(&self, Conflict { first, second }: Conflict) -> RefusalReason {
        let (one, other) = (self.arguments[first], self.arguments[second]);
        let representation = one.representation().map(|it| it.name().to_owned()).unwrap_or_default();
        let written = |index: usize| match self.signature.get(index) {
            Some(written) => (*written).to_owned(),
            None => self.arguments[index].kind().written(&representation),
        };
        let remedy = match (one.kind(), other.kind()) {
            (ArgumentKind::Provides, ArgumentKind::Provides) => "one `&mut` is enough",
            (ArgumentKind::Provides, ArgumentKind::Collects) | (ArgumentKind::Collects, ArgumentKind::Provides) => {
                "`Samples` come from another cycle or a source"
            }
            (ArgumentKind::Provides, _) | (_, ArgumentKind::Provides) => {
                "an update cannot run before itself; for the value of the previous run take `Previous`"
            }
            _ => "ask for it once",
        };
        RefusalReason::Conflict {
            first: written(first),
            second: written(second),
            places: (first, second),
            remedy,
            representation,
        }
    }

    /// Returns an update to replace this one, whose calls only fail with the reason.
    fn refuse(self, reason: RefusalReason) -> Self {
        Self { call: Arc::new(Refused(reason.clone())), refused: Some(reason), ..self }
    }

    /// Declares `owner` the update's owner: an update of another type is refused.
    pub(crate) fn owned_by(self, owner: Owner) -> Self {
        if self.owner == owner {
            return self;
        }
        let reason =
            RefusalReason::OtherOwner { of: (self.owner.name)().to_owned(), given_to: (owner.name)().to_owned() };
        // From now on it belongs to `owner`, which it never touches.
        Self { owner, ..self.refuse(reason) }
    }

    /// Returns the name of the method.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether the update takes `&self` or `&mut self`.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the arguments in order.
    pub fn arguments(&self) -> &[ArgumentDescriptor] {
        &self.arguments
    }

    /// Returns whether the update takes `&SafeState`, and so is called in the safe state even if
    /// its module has a `#[safe_state]` method.
    pub fn heeds_safe_state(&self) -> bool {
        self.arguments.iter().any(|argument| argument.kind() == ArgumentKind::SafeState)
    }

    /// Returns the reason why the update cannot be called, if it cannot: a call fails and changes
    /// nothing.
    pub fn refusal(&self) -> Option<&RefusalReason> {
        self.refused.as_ref()
    }

    /// Returns whether `instance` is of the module that this update belongs to.
    pub fn belongs_to(&self, instance: &Instance) -> bool {
        self.owner == instance.owner()
    }

    pub(crate) fn is_owned_by(&self, owner: Owner) -> bool {
        self.owner == owner
    }

    /// Runs the update.
    ///
    /// # Safety
    /// - `instance` is an instance of the module that this update belongs to; nobody else uses it
    ///   meanwhile, or, for a concurrent update, nobody uses it exclusively;
    /// - `bindings` has one entry per argument, in order, each as the argument describes;
    /// - the invariants of [`cell`](super::cell) and [`PortCell`](super::PortCell) hold for all of
    ///   them.
    #[inline]
    pub unsafe fn call<'f>(
        &self,
        instance: &Instance,
        bindings: &'f [Binding<'f>],
        context: &'f Context<'f>,
    ) -> Outcome {
        self.call.call(Called { instance: instance.as_ptr(), bindings, context })
    }
}

impl fmt::Debug for Update {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Update({})", self.name)
    }
}
