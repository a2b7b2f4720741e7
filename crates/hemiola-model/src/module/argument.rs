//! The arguments of updates, by type.
//!
//! An [`Argument`] describes itself and fetches itself, both from its type: the description is true
//! by construction, and nobody can change it. So the framework always binds to an argument what the
//! argument expects.
#![expect(
    unsafe_code,
    reason = "what an update borrows lives on a blackboard that is shared; the descriptors and their contract say how"
)]

mod descriptor;
mod values;

pub use descriptor::{ArgumentDescriptor, ArgumentKind};
pub use values::{Fresh, Previous, Samples, SamplesIter};

use super::cell::Cell;
use super::{Context, Debug, Port, PortCell, SafeState, Scope};
use crate::{Clock, Representation};

/// A type that can be an argument of an update.
///
/// | argument | meaning |
/// |---|---|
/// | `&T` | requires: this run's value, after its provider |
/// | `Fresh<T>` | the same with time stamp, age and stale mark |
/// | `Previous<T>` | uses: the value at the end of the previous run; no ordering |
/// | `Samples<T>` | everything that arrived from another cycle or a source since the last run |
/// | `&mut T` | provides |
/// | `&Clock`, `&Scope`, `&Debug`, `&SafeState` | services |
/// | `&mut Publisher<T>`, `&Subscription<T>` | ends of topics (`hemiola-bus`) |
/// | `&mut Requests<T, A>` | calls a service, and receives answers of type `A` in later runs (`hemiola-bus`) |
///
/// ```
/// use hemiola_model::module::{Argument, ArgumentKind, Previous};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Pose(f32);
/// # impl Representation for Pose { const NAME: &'static str = "Pose"; fn form() -> Form<Self> { Form::opaque() } }
///
/// // The type alone tells what the plan must know:
/// assert_eq!(<&Pose>::describe().kind(), ArgumentKind::Requires);
/// assert_eq!(<Previous<Pose>>::describe().kind(), ArgumentKind::Uses);
/// ```
///
/// # Safety
/// The framework relies on the description when it orders updates and binds their arguments, so it
/// must be true:
/// - [`describe`](Self::describe) always returns the same description;
/// - [`fetch`](Self::fetch) uses of its binding what the description asks for and nothing else: the
///   cell of that representation, as the type of its values and in the way that the kind says (only
///   `Provides` may write), or the port that the described `connect` made;
/// - an item does not let anybody reach what it borrows after `'f`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of an update",
    label = "not an argument of an update",
    note = "an update takes `&T`, `&mut T`, `Previous<T>`, `Fresh<T>` or `Samples<T>` of representations, the services `&Clock`, `&Scope`, `&Debug`, `&SafeState`, and ends of topics and services: `&mut Publisher<T>`, `&Subscription<T>`, `&mut Requests<T, A>`"
)]
pub unsafe trait Argument {
    /// The type of the argument, borrowed for one call.
    type Item<'f>;

    /// Returns the description of the argument, which the plan needs.
    fn describe() -> ArgumentDescriptor;

    /// Returns the argument for one call.
    ///
    /// # Safety
    /// `binding` is what [`describe`](Self::describe) asks for: the cell of its representation, or
    /// its port; services take none. The invariants of both ([`super::cell`], [`PortCell`]) hold
    /// for the whole call.
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Self::Item<'f>;
}

/// The cell or port that an argument is bound to.
///
/// ```
/// use hemiola_model::module::{Binding, Port, PortCell};
///
/// struct Horn;
/// impl Port for Horn {}
///
/// let cell = PortCell::new(Box::new(Horn));
/// assert!(matches!(Binding::Port(&cell), Binding::Port(_)));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Binding<'f> {
    /// Nothing: services come with the context.
    Service,
    /// The cell of a representation.
    Cell(&'f Cell),
    /// An end of a topic or a service.
    Port(&'f PortCell),
}

impl<'f> Binding<'f> {
    /// Returns the cell of an argument that names a representation.
    pub(in crate::module) fn cell(self) -> &'f Cell {
        match self {
            Binding::Cell(cell) => cell,
            _ => unreachable!("the runtime binds a cell to every argument that names a representation"),
        }
    }

    /// Returns the port of an argument that has one of type `P`.
    ///
    /// # Panics
    /// Panics if there is no such port: the runtime binds a port to every argument that describes
    /// one.
    ///
    /// # Safety
    /// The caller must keep the promises of [`PortCell::get`].
    #[inline]
    pub unsafe fn port<P: Port>(self) -> &'f mut P {
        let Binding::Port(cell) = self else {
            unreachable!("the runtime binds a port to every argument that describes one")
        };
        // SAFETY: promised by the caller.
        unsafe { cell.get() }.expect("the runtime makes ports as their descriptors say")
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's current value as a T.
unsafe impl<T: Representation> Argument for &T {
    type Item<'f> = &'f T;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Requires)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> &'f T {
        // SAFETY: the cell holds T by the caller's promise, and `current` does not change while its
        // readers run.
        unsafe { &*binding.cell().view().value.cast() }
    }
}

// SAFETY: the description is of T, and `fetch` gives the place where its provider writes a T.
unsafe impl<T: Representation> Argument for &mut T {
    type Item<'f> = &'f mut T;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Provides)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> &'f mut T {
        // SAFETY: the cell holds T by the caller's promise, and nobody else sees what `writing`
        // points at.
        unsafe { &mut *binding.cell().writing().cast() }
    }
}

macro_rules! services {
    ($($service:ty: $method:ident, $descriptor:ident;)*) => { $(
        // SAFETY: a service takes nothing of its binding.
        unsafe impl Argument for &$service {
            type Item<'f> = &'f $service;

            fn describe() -> ArgumentDescriptor {
                ArgumentDescriptor::$descriptor
            }

            #[inline]
            unsafe fn fetch<'f>(_: Binding<'f>, context: &'f Context<'f>) -> &'f $service {
                context.$method()
            }
        }
    )* };
}

services! {
    Clock: clock, SERVICE;
    SafeState: safe_state, SAFE_STATE;
}

// SAFETY: a service takes nothing of its binding, and the item ends with the context.
unsafe impl Argument for &Scope<'_> {
    type Item<'f> = &'f Scope<'f>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::SERVICE
    }

    #[inline]
    unsafe fn fetch<'f>(_: Binding<'f>, context: &'f Context<'f>) -> &'f Scope<'f> {
        context.scope()
    }
}

// SAFETY: a service takes nothing of its binding, and the item ends with the context.
unsafe impl Argument for &Debug<'_> {
    type Item<'f> = &'f Debug<'f>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::SERVICE
    }

    #[inline]
    unsafe fn fetch<'f>(_: Binding<'f>, context: &'f Context<'f>) -> &'f Debug<'f> {
        context.debug()
    }
}

/// The arguments of one update: a list `(A, (B, (C, ())))`, so that any number of them works.
///
/// ```
/// use hemiola_model::Clock;
/// use hemiola_model::module::{Arguments, SafeState};
///
/// let mut descriptors = Vec::new();
/// <(&Clock, (&SafeState, ()))>::describe(&mut descriptors);
/// assert_eq!(descriptors.len(), 2);
/// ```
///
/// # Safety
/// Each argument is as [`Argument`] demands: `describe` appends one descriptor per argument, in the
/// order in which `fetch` takes the bindings.
pub unsafe trait Arguments: 'static {
    /// The types of the arguments, borrowed for one call.
    type Items<'f>;

    /// Appends the descriptions of the arguments, which the plan needs.
    fn describe(descriptors: &mut Vec<ArgumentDescriptor>);

    /// Returns the arguments for one call.
    ///
    /// # Safety
    /// `bindings` has one entry per argument in order, each as [`Argument::fetch`] asks.
    unsafe fn fetch<'f>(bindings: &'f [Binding<'f>], context: &'f Context<'f>) -> Self::Items<'f>;
}

// SAFETY: there are none.
unsafe impl Arguments for () {
    type Items<'f> = ();

    fn describe(_: &mut Vec<ArgumentDescriptor>) {}

    #[inline]
    unsafe fn fetch<'f>(_: &'f [Binding<'f>], _: &'f Context<'f>) {}
}

// SAFETY: the first describes and takes the first binding, all others do the same with the rest.
unsafe impl<A: Argument + 'static, Rest: Arguments> Arguments for (A, Rest) {
    type Items<'f> = (A::Item<'f>, Rest::Items<'f>);

    fn describe(descriptors: &mut Vec<ArgumentDescriptor>) {
        descriptors.push(A::describe());
        Rest::describe(descriptors);
    }

    #[inline]
    unsafe fn fetch<'f>(bindings: &'f [Binding<'f>], context: &'f Context<'f>) -> Self::Items<'f> {
        // SAFETY: promised by the caller for each entry.
        unsafe { (A::fetch(bindings[0], context), Rest::fetch(&bindings[1..], context)) }
    }
}
