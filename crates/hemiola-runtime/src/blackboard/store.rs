//! The store of one representation: a few values that take turns, so that none is ever copied or
//! waited for.
//!
//! At any time a value is one of: the current one, the previous one (often the same), the one being
//! written, held by somebody outside (a snapshot, a cell of another cycle, a sample queue, an
//! observer), or free. A provider gets a free one; the value of a failed provider is simply not
//! made current, so that the last good one stays.
//!
//! Invariant behind the `unsafe` blocks:
//! - the provider of a representation runs at most once in a run, so there is one writer at a time:
//!   the owner of the [`Writing`];
//! - a value is only written while it is neither current, nor previous, nor held
//!   ([`slot`](super::slot)), and readers only see those;
//! - the current value is held by tasks ordered after its provider, or between two runs;
//! - the list of slots is accessed by the provider, by tasks ordered after it, and between two
//!   runs; so the provider may append to it before it is called, and slots stay in place, because
//!   the list only refers to them;
//! - slot [`OVERRIDE`] is changed only between two runs, and only while nobody holds it and it is
//!   neither current nor previous.
//!
//! There is room for all these values at once (see [`Store::new`]), so that a free one always
//! exists. Values that are not needed as long as everybody keeps pace are created when they are
//! first needed, by the provider before it is called ([`Store::make_one_more`]).

#![expect(unsafe_code, reason = "values take turns; see the invariant")]

use std::cell::UnsafeCell;

use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::BetweenRuns;
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::{AnyRepresentation, Form, Representation, RepresentationDescriptor, Time, ValueMut};

use super::slot::{Held, Slot};
use crate::containment::quietly;
use crate::sync::{AtomicBool, AtomicU32, Ordering};

/// The slot of the value that replaces all others while the representation is overridden.
const OVERRIDE: u32 = 0;
/// The number that stands for no slot: the previous value has not been requested yet.
const NONE: u32 = u32::MAX;
/// The slots of a store itself: for the current, the previous and the value being written; a spare
/// one; the override.
const OWN_SLOTS: usize = 5;
/// The slots of a store itself that are created at first: for the current value, the one being
/// written, and the override. When a provider begins, the previous value is the current one.
const OWN_SLOTS_AT_FIRST: usize = 3;

/// The value in the slot of the override before there is one. It is never seen.
#[derive(Default)]
struct NotOverridden;

impl Representation for NotOverridden {
    const NAME: &'static str = "NotOverridden";

    fn form() -> Form<Self> {
        Form::opaque()
    }
}

/// The number of values of a store that others hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// The maximum number of values that are held at the same time, in any situation.
    pub most: usize,
    /// The number of values that are held as long as everything that is provided is published.
    pub usual: usize,
}

impl std::ops::AddAssign for Holds {
    fn add_assign(&mut self, more: Self) {
        self.most += more.most;
        self.usual += more.usual;
    }
}

/// A store: the values of one representation, and the cell in which updates find the current one.
pub struct Store {
    cell: Cell,
    /// The slots. The list grows between two runs, or where the provider finds no free slot; it has
    /// capacity for all of them.
    slots: UnsafeCell<Vec<Slot>>,
    /// The number of slots that there may be, without those that were added.
    first_slots: usize,
    /// The number of these that have not been created yet. Only the provider changes it.
    unmade: AtomicU32,
    current: AtomicU32,
    previous: AtomicU32,
    writing: AtomicU32,
    /// The number of times that a value has become current.
    commits: AtomicU32,
    overridden: AtomicBool,
}

// SAFETY: see the invariant; the list of slots belongs to the provider's cycle or source.
unsafe impl Sync for Store {}

/// Slots that will be added to a store, and memory for the list of all slots.
pub struct NewSlots {
    list: Vec<Slot>,
    new: Vec<Slot>,
}

impl NewSlots {
    /// Allocates the list for all slots of a store to which `before` others were added. Not for
    /// real-time threads.
    pub fn make_room(&mut self, store: &Store, before: usize) {
        self.list = Vec::with_capacity(store.first_slots + before + self.new.len());
    }

    /// Returns the number of slots.
    pub fn count(&self) -> usize {
        self.new.len()
    }
}

impl Store {
    /// Creates a store from which others can hold that many values. The usual number is created
    /// here, the others when they are needed.
    pub fn new(descriptor: &'static RepresentationDescriptor, holds: Holds) -> Self {
        let first_slots = OWN_SLOTS + holds.most;
        let at_first = (OWN_SLOTS_AT_FIRST + holds.usual).min(first_slots);
        let mut slots: Vec<Slot> = Vec::with_capacity(first_slots);
        slots.push(Slot::new(RepresentationDescriptor::of::<NotOverridden>().create()));
        slots.extend((1..at_first).map(|_| Slot::new(descriptor.create())));
        // SAFETY: nobody else has it yet.
        let initial = View::of(unsafe { slots[1].value() });
        Self {
            cell: Cell::new(descriptor, initial),
            first_slots,
            unmade: AtomicU32::new((first_slots - at_first) as u32),
            slots: UnsafeCell::new(slots),
            current: AtomicU32::new(1),
            previous: AtomicU32::new(NONE),
            writing: AtomicU32::new(1),
            commits: AtomicU32::new(0),
            overridden: AtomicBool::new(false),
        }
    }

    /// Returns the descriptor of the representation.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.cell.descriptor()
    }

    /// Returns the cell in which updates find the values.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Returns a number that changes whenever a value is provided.
    pub fn commits(&self) -> u32 {
        self.commits.load(Ordering::Relaxed)
    }

    fn count_commit(&self) {
        // There is one writer at a time, so that no atomic addition is needed.
        self.commits.store(self.commits.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Makes the current value the previous one. A program that uses previous values calls this
    /// before every run; as long as none does, no previous value is kept.
    pub fn age(&self, between: &mut BetweenRuns<'_>) {
        self.previous.store(self.current.load(Ordering::Relaxed), Ordering::Relaxed);
        self.cell.age(between);
    }

    /// Holds the current value.
    pub fn hold(&self, _: &BetweenRuns<'_>) -> Held {
        // SAFETY: between two runs nobody writes.
        unsafe { self.hold_in_run() }
    }

    /// Holds the current value within a run.
    ///
    /// # Safety
    /// Only a task that is ordered after the provider may call this.
    pub unsafe fn hold_in_run(&self) -> Held {
        let View { stamp, stale, .. } = self.cell.view();
        // SAFETY: the current value is not written, and the provider's next task is ordered after
        // the caller.
        unsafe { self.slot(self.current.load(Ordering::Relaxed)).hold(stamp, stale) }
    }

    /// Creates that many slots. Not for real-time threads.
    pub fn make_slots(&self, count: usize) -> NewSlots {
        NewSlots { list: Vec::new(), new: (0..count).map(|_| Slot::new(self.descriptor().create())).collect() }
    }

    /// Adds slots, in the order in which they were created; the rest of `slots` is to be dropped
    /// off the real-time threads. Does not allocate.
    pub fn add_slots(&self, slots: &mut NewSlots, _: &mut BetweenRuns<'_>) {
        // SAFETY: between two runs only the caller has the list.
        let present = unsafe { &mut *self.slots.get() };
        slots.list.append(present);
        slots.list.append(&mut slots.new);
        std::mem::swap(present, &mut slots.list);
    }

    /// Exchanges the present override, if there is one, for `value`, and overrides with it from now
    /// on. Returns `false` if the previous override is still held, or `value` is of another
    /// representation: the caller tries again before the next run.
    pub fn set_override(&self, value: &mut AnyRepresentation, between: &mut BetweenRuns<'_>) -> bool {
        if value.descriptor() != self.descriptor() {
            return false;
        }
        let used = [&self.current, &self.previous].iter().any(|used| used.load(Ordering::Relaxed) == OVERRIDE);
        if used {
            // The override is released first: the last value that was written will do until the
            // next commit.
            self.show(self.writing.load(Ordering::Relaxed), between);
        }
        let slot = self.slot(OVERRIDE);
        if !slot.is_free() {
            return false;
        }
        // SAFETY: it is free, and not shown any more.
        std::mem::swap(unsafe { slot.value_mut() }, value);
        self.show(OVERRIDE, between);
        self.overridden.store(true, Ordering::Relaxed);
        true
    }

    /// Reads a value as if it had been provided, for a robot that resumes from a checkpoint.
    pub fn restore(
        &self,
        reader: &mut dyn Reader,
        (stamp, stale): (Time, bool),
        _: &mut BetweenRuns<'_>,
    ) -> Result<(), ReadError> {
        let stores = [self];
        // SAFETY: between two runs nobody else writes.
        let Some(mut writing) = (unsafe { Writing::begin(&stores) }) else { return Ok(()) };
        writing.reset();
        writing.values().try_for_each(|mut value| value.read_over(reader).map(|_| ()))?;
        writing.commit(stamp);
        if stale {
            // SAFETY: between two runs.
            unsafe { self.cell.set_stale() };
        }
        Ok(())
    }

    /// Ends overriding; the value of the next run is the provider's again.
    pub fn end_override(&self) {
        self.overridden.store(false, Ordering::Relaxed);
    }

    /// Returns the current value.
    pub fn current<'b>(&'b self, _: &'b BetweenRuns<'_>) -> &'b AnyRepresentation {
        // SAFETY: the current value does not change between two runs.
        unsafe { self.slot(self.current.load(Ordering::Relaxed)).value() }
    }

    fn show(&self, slot: u32, between: &mut BetweenRuns<'_>) {
        let view = View { value: self.address(slot), ..self.cell.view() };
        self.current.store(slot, Ordering::Relaxed);
        self.previous.store(slot, Ordering::Relaxed);
        // SAFETY: between two runs; the store has the value.
        unsafe { self.cell.set_current(view) };
        self.cell.age(between);
    }

    /// Creates one more slot, for a provider that finds none free: a reader holds values longer
    /// than usual. Returns `None` if all exist already, or if the type's `Default` panics.
    ///
    /// # Safety
    /// This is called in the provider's task before the provider itself is called, or between two
    /// runs.
    #[cold]
    unsafe fn make_one_more(&self) -> Option<u32> {
        let unmade = self.unmade.load(Ordering::Relaxed).checked_sub(1)?;
        let slot = quietly(|| Slot::new(self.descriptor().create()))?;
        self.unmade.store(unmade, Ordering::Relaxed);
        // SAFETY: promised by the caller; nobody else looks at the list at present.
        let slots = unsafe { &mut *self.slots.get() };
        slots.push(slot);
        Some((slots.len() - 1) as u32)
    }

    fn slots(&self) -> &[Slot] {
        // SAFETY: the list changes between two runs and before the provider is called; whoever
        // accesses it is the provider, comes after it in the run, or is the one that changes it.
        unsafe { &*self.slots.get() }
    }

    fn slot(&self, slot: u32) -> &Slot {
        &self.slots()[slot as usize]
    }

    fn address(&self, slot: u32) -> *const () {
        // SAFETY: only the address is taken, which never changes except by `set_override` between
        // two runs.
        unsafe { self.slot(slot).value() }.as_ptr()
    }
}

/// The provider's right to write the next values of what it provides. If it is dropped without
/// [`commit`](Self::commit), the last values stay and are marked as stale, however the provider
/// ended.
pub struct Writing<'s> {
    stores: &'s [&'s Store],
}

impl<'s> Writing<'s> {
    /// Gives the provider free values; returns `None`, and everything is stale, if there are none
    /// (which the sizes rule out).
    ///
    /// # Safety
    /// Only the provider's task or thread may call this, and it has no other `Writing` of one of
    /// these stores. What it provides is not read before that task has ended, and no store occurs
    /// twice.
    #[inline]
    pub unsafe fn begin(stores: &'s [&'s Store]) -> Option<Self> {
        let writing = Self { stores };
        stores.iter().all(|store| writing.choose(store)).then_some(writing)
    }

    /// Finds a free value and lets the provider's cell point to it. Returns `false` if there is
    /// none.
    fn choose(&self, store: &Store) -> bool {
        let (current, previous) = (store.current.load(Ordering::Relaxed), store.previous.load(Ordering::Relaxed));
        let is_free = |slot: u32| slot != current && slot != previous && store.slot(slot).is_free();
        // The first free value is chosen, so that values that were created for an exception are
        // used only in exceptions.
        let free = (1..store.slots().len() as u32).find(|&slot| is_free(slot));
        // SAFETY: the provider has not been called yet.
        let Some(free) = free.or_else(|| unsafe { store.make_one_more() }) else { return false };
        store.writing.store(free, Ordering::Relaxed);
        // SAFETY: the value is free, so nobody sees it, and there is only one writer.
        unsafe { store.cell.set_writing(store.address(free).cast_mut()) };
        true
    }

    /// Resets the values to their defaults, keeping buffers. This runs user code, so it may panic:
    /// a value that was partly reset can be reset again.
    #[inline]
    pub fn reset(&mut self) {
        self.values().for_each(|mut value| value.reset());
    }

    /// Iterates over the values that are being written.
    pub fn values(&mut self) -> impl Iterator<Item = ValueMut<'_>> {
        self.stores.iter().map(|store| {
            // SAFETY: `begin` found them free, they are shown only when this is gone, and no store
            // occurs twice.
            ValueMut::of(unsafe { store.slot(store.writing.load(Ordering::Relaxed)).value_mut() })
        })
    }

    /// Makes the written values the current ones.
    #[inline]
    pub fn commit(self, stamp: Time) {
        self.show((stamp, false));
    }

    /// Makes the written values the current ones, which are stale at once: as if they had been
    /// committed before, and had [lapsed](Self::lapse) then.
    pub fn commit_lapsed(self, stamp: Time) {
        self.show((stamp, true));
    }

    /// Keeps the last values as the current ones, marked as stale, and counts that as provided: it
    /// is new for those who observe them.
    pub fn lapse(self) {
        for store in self.stores {
            store.count_commit();
            // SAFETY: as in `show`.
            unsafe { store.cell.set_stale() };
        }
        std::mem::forget(self);
    }

    /// Shows what was written, with this stamp, stale or not.
    #[inline]
    fn show(self, (stamp, stale): (Time, bool)) {
        for store in self.stores {
            let is_overridden = store.overridden.load(Ordering::Relaxed);
            let slot = if is_overridden { OVERRIDE } else { store.writing.load(Ordering::Relaxed) };
            store.current.store(slot, Ordering::Relaxed);
            store.count_commit();
            // SAFETY: the provider has returned, and the executor starts no reader before its task
            // has ended.
            unsafe { store.cell.set_current(View { value: store.address(slot), stamp, stale }) };
        }
        std::mem::forget(self);
    }
}

impl Drop for Writing<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as in `show`.
        self.stores.iter().for_each(|store| unsafe { store.cell.set_stale() });
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
