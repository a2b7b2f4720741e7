//! The place where updates access a value.
//!
//! A [`Cell`] is one representation on one blackboard, seen from updates: where the current value
//! is, where the previous one is, and where a provider writes. It owns nothing; the blackboard
//! points it at values and moves the pointers between and around updates.
//!
//! Invariant, kept by the code that runs updates (`unsafe` is needed to do so):
//! - `writing` is used by one provider at a time, and never points at a value that `current`,
//!   `previous` or `collected`, or a reader in another cycle, can see;
//! - `current` changes only after its provider has ended and before any of its readers begins (the
//!   plan's edges, with the executor's release and acquire, order them);
//! - `previous` and `collected` change only between two runs of the cycle;
//! - all pointers point at values of the cell's representation that live as long as the cell is
//!   bound.

#![expect(unsafe_code, reason = "a cell is shared by updates; its invariant orders them")]

use std::cell::UnsafeCell;
use std::ptr;

use super::BetweenRuns;
use crate::data::Writer;
use crate::{RepresentationDescriptor, Time};

/// One representation on one blackboard, as updates see it.
///
/// ```
/// use hemiola_model::module::cell::{Cell, View};
/// # use hemiola_model::{Form, Representation, RepresentationDescriptor};
/// # #[derive(Default)] struct Count(u32);
/// # impl Representation for Count { const NAME: &'static str = "Count"; fn form() -> Form<Self> { Form::opaque() } }
///
/// let value = RepresentationDescriptor::of::<Count>().create();
/// let cell = Cell::new(RepresentationDescriptor::of::<Count>(), View::of(&value));
/// assert!(!cell.view().stale);
/// ```
#[derive(Debug)]
pub struct Cell {
    descriptor: &'static RepresentationDescriptor,
    current: UnsafeCell<View>,
    previous: UnsafeCell<View>,
    writing: UnsafeCell<*mut ()>,
    collected: UnsafeCell<Vec<View>>,
}

// SAFETY: the pointers lead to values of Send + Sync types, and the module's invariant orders every
// access.
unsafe impl Send for Cell {}
// SAFETY: as above.
unsafe impl Sync for Cell {}

/// A value as a reader sees it.
///
/// ```
/// use hemiola_model::Time;
/// use hemiola_model::module::cell::View;
/// # use hemiola_model::{Form, Representation, RepresentationDescriptor};
/// # #[derive(Default)] struct Count(u32);
/// # impl Representation for Count { const NAME: &'static str = "Count"; fn form() -> Form<Self> { Form::opaque() } }
///
/// let value = RepresentationDescriptor::of::<Count>().create();
/// let view = View { stamp: Time::from_seconds(2.0), ..View::of(&value) };
/// assert!(!view.stale);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The address of the value.
    pub value: *const (),
    /// The time stamp of the newest sensor sample that the value derives from.
    pub stamp: Time,
    /// Set if the provider failed in the latest run, so that this is an older value.
    pub stale: bool,
}

impl View {
    /// Creates a view of a value that derives from no sample yet.
    pub fn of(value: &crate::representation::AnyRepresentation) -> Self {
        Self { value: value.as_ptr(), stamp: Time::ZERO, stale: false }
    }
}

impl Cell {
    /// Creates a cell that shows `initial` as current and previous value.
    pub fn new(descriptor: &'static RepresentationDescriptor, initial: View) -> Self {
        Self {
            descriptor,
            current: UnsafeCell::new(initial),
            previous: UnsafeCell::new(initial),
            writing: UnsafeCell::new(ptr::null_mut()),
            collected: UnsafeCell::new(Vec::new()),
        }
    }

    /// Returns the descriptor of the cell's representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Returns the current value.
    #[inline]
    pub fn view(&self) -> View {
        // SAFETY: the module's invariant orders this after the last change of `current`.
        unsafe { *self.current.get() }
    }

    /// Returns the value at the end of the previous run.
    #[inline]
    pub fn previous(&self) -> View {
        // SAFETY: `previous` changes only between two runs.
        unsafe { *self.previous.get() }
    }

    /// Returns the values that arrived since the last run, oldest first.
    #[inline]
    pub fn collected(&self) -> &[View] {
        // SAFETY: `collected` changes only between two runs.
        unsafe { &*self.collected.get() }
    }

    /// Returns the address to which the provider writes.
    #[inline]
    pub(crate) fn writing(&self) -> *mut () {
        // SAFETY: only the provider and whoever prepares it look here, one after the other.
        unsafe { *self.writing.get() }
    }

    /// Writes the current value; returns `false`, and writes nothing, if the representation is
    /// opaque.
    pub fn write_current(&self, _: &BetweenRuns<'_>, writer: &mut dyn Writer) -> bool {
        self.write_view(self.view(), writer)
    }

    /// Writes one of the values that arrived; returns `false`, and writes nothing, if there is none
    /// or the representation is opaque.
    pub fn write_collected(&self, index: usize, _: &BetweenRuns<'_>, writer: &mut dyn Writer) -> bool {
        let Some(view) = self.collected().get(index) else { return false };
        self.write_view(*view, writer)
    }

    fn write_view(&self, view: View, writer: &mut dyn Writer) -> bool {
        // SAFETY: the view is one that the cell shows, and between two runs, as both callers are,
        // nobody changes its value.
        unsafe { self.descriptor.write_at(view.value, writer) }
    }

    /// Shows `view` as the current value.
    ///
    /// # Safety
    /// The module's invariant holds: this is called after the provider and before its readers, and
    /// the view's value outlives its use.
    #[inline]
    pub unsafe fn set_current(&self, view: View) {
        // SAFETY: promised by the caller.
        unsafe { *self.current.get() = view }
    }

    /// Marks the current value as an older one.
    ///
    /// # Safety
    /// The caller must keep the promises of [`set_current`](Self::set_current).
    #[inline]
    pub unsafe fn set_stale(&self) {
        // SAFETY: promised by the caller.
        unsafe { (*self.current.get()).stale = true }
    }

    /// Makes the current value the previous one.
    #[inline]
    pub fn age(&self, _: &mut BetweenRuns<'_>) {
        // SAFETY: between two runs.
        unsafe { *self.previous.get() = *self.current.get() }
    }

    /// Sets the address to which the provider writes.
    ///
    /// # Safety
    /// The module's invariant holds: nobody else can see the value behind `value`.
    #[inline]
    pub unsafe fn set_writing(&self, value: *mut ()) {
        // SAFETY: promised by the caller.
        unsafe { *self.writing.get() = value }
    }

    /// Returns the list of collected values, to change it.
    ///
    /// # Safety
    /// Each view added to it is of a value of the representation that lives as long as the view is
    /// in the list.
    pub unsafe fn collected_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut Vec<View> {
        // SAFETY: between two runs, and the witness is borrowed as long as this.
        unsafe { &mut *self.collected.get() }
    }
}
