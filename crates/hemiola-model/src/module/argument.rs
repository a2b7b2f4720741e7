//! What updates take, by type.
//!
//! An [`Argument`] describes itself and fetches itself, both from its type: the description is true by construction, and nobody can
//! change it. So what the framework binds to an argument is what the argument expects.
#![expect(
    unsafe_code,
    reason = "what an update borrows lives on a blackboard that is shared; the descriptors and their contract say how"
)]

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use super::cell::{Cell, View};
use super::{Context, Debug, Port, PortCell, PortDescriptor, SafeState, Scope};
use crate::{Clock, Representation, RepresentationDescriptor, Time};

/// What an update may take as an argument.
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
/// | `&mut Requests<T, A>` | asks a service, and gets answers of type `A` in later runs (`hemiola-bus`) |
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
/// The description is what the framework goes by when it orders updates and binds their arguments, so it must be true:
/// - [`describe`](Self::describe) always gives the same description;
/// - [`fetch`](Self::fetch) uses of its binding what the description asks for and nothing else: the cell of that representation, as the
///   type of its values and in the way that the kind says (only `Provides` may write), or the port that the described `connect` made;
/// - an item does not let anybody reach what it borrows after `'f`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of an update",
    label = "not an argument of an update",
    note = "an update takes `&T`, `&mut T`, `Previous<T>`, `Fresh<T>` or `Samples<T>` of representations, the services `&Clock`, `&Scope`, `&Debug`, `&SafeState`, and ends of topics and services: `&mut Publisher<T>`, `&Subscription<T>`, `&mut Requests<T, A>`"
)]
pub unsafe trait Argument {
    /// The argument, borrowed for one call.
    type Item<'f>;

    /// What the plan must know.
    fn describe() -> ArgumentDescriptor;

    /// The argument for one call.
    ///
    /// # Safety
    /// `binding` is what [`describe`](Self::describe) asks for: the cell of its representation, or its port; services take none. The
    /// invariants of both ([`super::cell`], [`PortCell`]) hold for the whole call.
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Self::Item<'f>;
}

/// An argument without its type.
///
/// ```
/// use hemiola_model::Clock;
/// use hemiola_model::module::{Argument, ArgumentDescriptor, ArgumentKind};
///
/// let clock: ArgumentDescriptor = <&Clock>::describe();
/// assert_eq!(clock.kind(), ArgumentKind::Service);
/// assert!(clock.representation().is_none() && clock.port().is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArgumentDescriptor {
    kind: ArgumentKind,
    representation: Option<&'static RepresentationDescriptor>,
    port: Option<PortDescriptor>,
}

/// What an argument asks for.
///
/// ```
/// use hemiola_model::module::{Argument, ArgumentKind, Samples};
/// # use hemiola_model::{Form, Representation};
/// # #[derive(Default)] struct Imu(f32);
/// # impl Representation for Imu { const NAME: &'static str = "Imu"; fn form() -> Form<Self> { Form::opaque() } }
///
/// assert_eq!(<&mut Imu>::describe().kind(), ArgumentKind::Provides);
/// assert_eq!(<Samples<Imu>>::describe().kind(), ArgumentKind::Collects);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// `&T` or `Fresh<T>`
    Requires,
    /// `Previous<T>`
    Uses,
    /// `Samples<T>`
    Collects,
    /// `&mut T`
    Provides,
    /// Something of the framework's.
    Service,
    /// An end of a topic or a service.
    Port,
}

impl ArgumentKind {
    /// How an argument of this kind for that representation is written.
    pub(super) fn written(self, representation: &str) -> String {
        match self {
            Self::Requires => format!("&{representation}"),
            Self::Uses => format!("Previous<{representation}>"),
            Self::Collects => format!("Samples<{representation}>"),
            Self::Provides => format!("&mut {representation}"),
            Self::Service | Self::Port => "a service".to_owned(),
        }
    }
}

impl ArgumentDescriptor {
    fn of<T: Representation>(kind: ArgumentKind) -> Self {
        Self { kind, representation: Some(RepresentationDescriptor::of::<T>()), port: None }
    }

    const SERVICE: Self = Self { kind: ArgumentKind::Service, representation: None, port: None };

    /// An end of a topic or a service.
    pub const fn of_port(port: PortDescriptor) -> Self {
        Self { kind: ArgumentKind::Port, representation: None, port: Some(port) }
    }

    /// Reads this run's value: for modules that are described at run time. Rust modules say it by their types.
    pub fn requires(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Requires, representation: Some(representation), port: None }
    }

    /// Reads the value of the previous run: for modules that are described at run time.
    pub fn uses(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Uses, ..Self::requires(representation) }
    }

    /// Reads all samples since the last run: for modules that are described at run time.
    pub fn collects(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Collects, ..Self::requires(representation) }
    }

    /// Provides the value: for modules that are described at run time.
    pub fn provides(representation: &'static RepresentationDescriptor) -> Self {
        Self { kind: ArgumentKind::Provides, ..Self::requires(representation) }
    }

    /// The same for a representation of the same name and schema.
    pub(super) fn with_representation(self, representation: &'static RepresentationDescriptor) -> Self {
        Self { representation: Some(representation), ..self }
    }

    /// What it asks for.
    pub fn kind(&self) -> ArgumentKind {
        self.kind
    }

    /// The representation that it asks for; `None` for services and ports.
    pub fn representation(&self) -> Option<&'static RepresentationDescriptor> {
        self.representation
    }

    /// The end of a topic or a service that it asks for.
    pub fn port(&self) -> Option<PortDescriptor> {
        self.port
    }
}

/// Where an argument finds what it asks for.
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
    /// Services come with the context.
    Service,
    /// A representation's.
    Cell(&'f Cell),
    /// An end of a topic or a service.
    Port(&'f PortCell),
}

impl<'f> Binding<'f> {
    /// The cell of an argument that names a representation.
    pub(super) fn cell(self) -> &'f Cell {
        match self {
            Binding::Cell(cell) => cell,
            _ => unreachable!("the runtime binds a cell to every argument that names a representation"),
        }
    }

    /// The port of an argument that has one of that type.
    ///
    /// # Panics
    /// If there is none: the runtime binds a port to every argument that describes one.
    ///
    /// # Safety
    /// As for [`PortCell::get`].
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
        // SAFETY: the cell holds T by the caller's promise, and `current` does not change while its readers run.
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
        // SAFETY: the cell holds T by the caller's promise, and nobody else sees what `writing` points at.
        unsafe { &mut *binding.cell().writing().cast() }
    }
}

/// The value at the end of the previous run of the cycle; the default value in the first run.
///
/// It imposes no order, so it is how a circle of dependencies is cut. Reads like `&T`.
///
/// ```
/// use hemiola_model::module::Previous;
///
/// // In a unit test of an update:
/// let previous: Previous<f32> = Previous::new(&3.0);
/// assert_eq!(*previous, 3.0);
/// ```
pub struct Previous<'f, T>(&'f T);

impl<'f, T> Previous<'f, T> {
    /// Takes `value` for the previous one, to test an update by hand.
    pub fn new(value: &'f T) -> Self {
        Self(value)
    }
}

impl<T> Deref for Previous<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's previous value as a T.
unsafe impl<T: Representation> Argument for Previous<'_, T> {
    type Item<'f> = Previous<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Uses)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, _: &'f Context<'f>) -> Previous<'f, T> {
        // SAFETY: the cell holds T by the caller's promise, and `previous` does not change during a run.
        Previous(unsafe { &*binding.cell().previous().value.cast() })
    }
}

/// A value together with where it comes from in time. Reads like `&T`.
///
/// ```
/// use hemiola_model::{Time, module::Fresh};
/// use std::time::Duration;
///
/// let pose = Fresh::new(&7.0_f64, Time::from_seconds(1.0), Time::from_seconds(1.25));
/// assert_eq!((*pose, pose.age(), pose.is_stale()), (7.0, Duration::from_millis(250), false));
/// ```
pub struct Fresh<'f, T> {
    value: &'f T,
    stamp: Time,
    now: Time,
    stale: bool,
}

impl<'f, T> Fresh<'f, T> {
    /// A value whose newest sensor sample was taken at `stamp`, seen at `now`.
    pub fn new(value: &'f T, stamp: Time, now: Time) -> Self {
        Self { value, stamp, now, stale: false }
    }

    /// When the newest sensor sample that this value derives from was taken.
    pub fn stamp(&self) -> Time {
        self.stamp
    }

    /// How old that sample is now.
    pub fn age(&self) -> Duration {
        self.now.since(self.stamp)
    }

    /// The provider failed in this run, so this is an older value.
    pub fn is_stale(&self) -> bool {
        self.stale
    }
}

impl<T> Deref for Fresh<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's current value as a T.
unsafe impl<T: Representation> Argument for Fresh<'_, T> {
    type Item<'f> = Fresh<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Requires)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Fresh<'f, T> {
        // SAFETY: the cell holds T by the caller's promise, and `current` does not change while its readers run.
        unsafe { fresh(binding.cell().view(), context.clock().now()) }
    }
}

/// # Safety
/// The view shows a `T` that stays unchanged for `'f`.
unsafe fn fresh<'f, T>(view: View, now: Time) -> Fresh<'f, T> {
    // SAFETY: promised by the caller.
    Fresh { value: unsafe { &*view.value.cast() }, stamp: view.stamp, now, stale: view.stale }
}

/// Everything that arrived since the last run, oldest first: 200 Hz samples in a 30 Hz cycle.
///
/// The queue is bounded (32 values, or what `robot.toml` says); what does not fit is dropped and counted.
///
/// ```
/// use hemiola_model::module::Samples;
///
/// let samples = Samples::of(&[1.0, 2.0, 4.0]);
/// assert_eq!(samples.iter().map(|sample| *sample).sum::<f32>(), 7.0);
/// ```
pub struct Samples<'f, T> {
    from: From<'f, T>,
    now: Time,
}

enum From<'f, T> {
    Cell(&'f [View]),
    Slice(&'f [T]),
}

impl<'f, T> Samples<'f, T> {
    /// Takes `values` for what arrived, to test an update by hand.
    pub fn of(values: &'f [T]) -> Self {
        Self { from: From::Slice(values), now: Time::ZERO }
    }

    /// How many arrived.
    pub fn len(&self) -> usize {
        match self.from {
            From::Cell(views) => views.len(),
            From::Slice(values) => values.len(),
        }
    }

    /// Whether nothing arrived.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The samples, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Fresh<'f, T>> + '_ {
        (0..self.len()).map(|index| match self.from {
            // SAFETY: `fetch` made this from a cell of T whose collected values stay unchanged for 'f.
            From::Cell(views) => unsafe { fresh(views[index], self.now) },
            From::Slice(values) => Fresh::new(&values[index], self.now, self.now),
        })
    }

    /// The newest sample.
    pub fn last(&self) -> Option<Fresh<'f, T>> {
        self.iter().nth(self.len().checked_sub(1)?)
    }
}

// SAFETY: the description is of T, and `fetch` reads the cell's collected values as values of T.
unsafe impl<T: Representation> Argument for Samples<'_, T> {
    type Item<'f> = Samples<'f, T>;

    fn describe() -> ArgumentDescriptor {
        ArgumentDescriptor::of::<T>(ArgumentKind::Collects)
    }

    #[inline]
    unsafe fn fetch<'f>(binding: Binding<'f>, context: &'f Context<'f>) -> Samples<'f, T> {
        Samples { from: From::Cell(binding.cell().collected()), now: context.clock().now() }
    }
}

macro_rules! services {
    ($($service:ty: $method:ident;)*) => { $(
        // SAFETY: a service takes nothing of its binding.
        unsafe impl Argument for &$service {
            type Item<'f> = &'f $service;

            fn describe() -> ArgumentDescriptor {
                ArgumentDescriptor::SERVICE
            }

            #[inline]
            unsafe fn fetch<'f>(_: Binding<'f>, context: &'f Context<'f>) -> &'f $service {
                context.$method()
            }
        }
    )* };
}

services! {
    Clock: clock;
    SafeState: safe_state;
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
/// As for [`Argument`], of each of them: `describe` appends one descriptor per argument, in the order in which `fetch` takes the bindings.
pub unsafe trait Arguments: 'static {
    /// The arguments, borrowed for one call.
    type Items<'f>;

    /// Appends what the plan must know.
    fn describe(descriptors: &mut Vec<ArgumentDescriptor>);

    /// The arguments for one call.
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

impl<T: fmt::Debug> fmt::Debug for Previous<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
