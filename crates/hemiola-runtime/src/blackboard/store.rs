//! One representation: a few values that take turns, so that nobody ever copies or waits.
//!
//! At any time a value is one of: the current one, the previous one (often the same), the one being written, held by somebody
//! outside (a snapshot, a sample queue, a pin), or free. A provider gets a free one; a failed provider's value is simply not
//! made current, so that the last good one stays.
//!
//! Invariant behind the `unsafe` blocks:
//! - the provider of a representation runs at most once in a run, so there is one writer at a time;
//! - a value is only written while it is neither current, nor previous, nor held, and readers only see those;
//! - holds are taken for the current value by tasks ordered after its provider, and given back at any time later;
//! - slot [`OVERRIDE`] is changed only between two runs, and only while nobody holds it and it is not current or previous.
//!
//! There are enough values for all of that at once (see [`Store::new`]), so that a free one always exists.

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use hemiola_model::module::cell::{Cell, View};
use hemiola_model::{AnyRepresentation, RepresentationDescriptor, Time};

/// The slot of the value that takes the place of all others while the representation is overridden.
const OVERRIDE: u32 = 0;
/// The current, the previous and the one being written; a pinned one; the override.
const OWN_SLOTS: usize = 5;

/// See the module.
pub struct Store {
    cell: Cell,
    slots: Box<[Slot]>,
    current: AtomicU32,
    previous: AtomicU32,
    writing: AtomicU32,
    /// How often a value was made current.
    commits: AtomicU32,
    overridden: AtomicBool,
    pinned: AtomicBool,
}

struct Slot {
    value: UnsafeCell<AnyRepresentation>,
    holds: AtomicU32,
}

// SAFETY: see the module's invariant; the values are Send and Sync.
unsafe impl Send for Store {}
// SAFETY: as above.
unsafe impl Sync for Store {}

/// A value that stays as it is until it is released.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub slot: u32,
    pub view: View,
}

// SAFETY: the view leads to a value of a Send and Sync type that does not change while it is held.
unsafe impl Send for Held {}

impl Store {
    /// A store from which others can hold up to `holds` values at the same time.
    pub fn new(descriptor: &'static RepresentationDescriptor, holds: usize) -> Self {
        let slots: Box<[Slot]> = (0..OWN_SLOTS + holds)
            .map(|_| Slot { value: UnsafeCell::new(descriptor.create()), holds: AtomicU32::new(0) })
            .collect();
        // SAFETY: nobody else has it yet.
        let initial = View::of(unsafe { &*slots[1].value.get() });
        Self {
            cell: Cell::new(descriptor, initial),
            slots,
            current: AtomicU32::new(1),
            previous: AtomicU32::new(1),
            writing: AtomicU32::new(1),
            commits: AtomicU32::new(0),
            overridden: AtomicBool::new(false),
            pinned: AtomicBool::new(false),
        }
    }

    /// What it holds.
    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.cell.descriptor()
    }

    /// Where updates find it.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Gives the provider a free value, reset to its default. `false` when there is none (which the sizes rule out).
    ///
    /// # Safety
    /// By the provider's task, before it calls the update.
    pub unsafe fn begin_write(&self) -> bool {
        let (current, previous) = (self.current.load(Ordering::Relaxed), self.previous.load(Ordering::Relaxed));
        // Acquire: whoever gave the last hold back has stopped reading.
        let is_free = |slot: u32| {
            slot != current && slot != previous && self.slots[slot as usize].holds.load(Ordering::Acquire) == 0
        };
        let Some(free) = (1..self.slots.len() as u32).find(|&slot| is_free(slot)) else { return false };
        self.writing.store(free, Ordering::Relaxed);
        // SAFETY: the value is free, so nobody sees it; the caller is the one writer.
        unsafe {
            let value = &mut *self.slots[free as usize].value.get();
            value.reset();
            self.cell.set_writing(value.as_ptr());
        }
        true
    }

    /// The value that is being written.
    ///
    /// # Safety
    /// By the provider's task, between [`begin_write`](Self::begin_write) and [`commit`](Self::commit), and once at a time.
    #[expect(clippy::mut_from_ref, reason = "the caller promises exclusive use")]
    pub unsafe fn writing(&self) -> &mut AnyRepresentation {
        // SAFETY: nobody else sees the value, as promised by the caller.
        unsafe { &mut *self.slots[self.writing.load(Ordering::Relaxed) as usize].value.get() }
    }

    /// Makes what was written the current value.
    ///
    /// # Safety
    /// By the provider's task, after the update.
    pub unsafe fn commit(&self, stamp: Time) {
        let slot =
            if self.overridden.load(Ordering::Relaxed) { OVERRIDE } else { self.writing.load(Ordering::Relaxed) };
        self.current.store(slot, Ordering::Relaxed);
        // One writer at a time: no addition that others could disturb.
        self.commits.store(self.commits.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        // SAFETY: the provider is done, and the executor starts no reader before this task has ended.
        unsafe { self.cell.set_current(View { value: self.address(slot), stamp, stale: false }) };
    }

    /// Changes whenever a value is provided.
    pub fn commits(&self) -> u32 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Keeps the last value and marks it as stale.
    ///
    /// # Safety
    /// By the provider's task, after the update.
    pub unsafe fn keep_last(&self) {
        // SAFETY: as in `commit`.
        unsafe { self.cell.set_stale() };
    }

    /// Makes the current value the previous one.
    ///
    /// # Safety
    /// Between two runs.
    pub unsafe fn age(&self) {
        self.previous.store(self.current.load(Ordering::Relaxed), Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe { self.cell.age() };
    }

    /// Holds the current value.
    ///
    /// # Safety
    /// By a task that is ordered after the provider, or between two runs.
    pub unsafe fn hold(&self) -> Held {
        let slot = self.current.load(Ordering::Relaxed);
        self.slots[slot as usize].holds.fetch_add(1, Ordering::Relaxed);
        Held { slot, view: self.cell.view() }
    }

    /// Gives a held value back. Release: what was read from it was read before.
    pub fn release(&self, slot: u32) {
        self.slots[slot as usize].holds.fetch_sub(1, Ordering::Release);
    }

    /// Holds the current value for somebody outside of all cycles, if nobody does: there is one slot for that.
    ///
    /// # Safety
    /// As for [`hold`](Self::hold).
    pub unsafe fn pin(&self) -> Option<Held> {
        if self.pinned.swap(true, Ordering::Acquire) {
            return None;
        }
        // SAFETY: promised by the caller.
        Some(unsafe { self.hold() })
    }

    /// Gives a pinned value back.
    pub fn unpin(&self, slot: u32) {
        self.release(slot);
        // Release: who pins next has seen the slot released.
        self.pinned.store(false, Ordering::Release);
    }

    /// Exchanges the value that overrides for `value`, and overrides with it from now on. `false` when the last one is still
    /// held by somebody: try again in the next run.
    ///
    /// # Safety
    /// Between two runs; `value` is of this representation.
    pub unsafe fn set_override(&self, value: &mut AnyRepresentation) -> bool {
        let slot = &self.slots[OVERRIDE as usize];
        let used = [&self.current, &self.previous].iter().any(|used| used.load(Ordering::Relaxed) == OVERRIDE);
        if used {
            // Let go first: the last value that was written is as good as any until the next commit.
            // SAFETY: between two runs.
            unsafe { self.show(self.writing.load(Ordering::Relaxed)) };
        }
        if slot.holds.load(Ordering::Acquire) != 0 {
            return false;
        }
        // SAFETY: nobody sees the slot's value.
        unsafe {
            ptr::swap(slot.value.get(), value);
            self.show(OVERRIDE);
        }
        self.overridden.store(true, Ordering::Relaxed);
        true
    }

    /// Ends overriding; the next run's value is the provider's again.
    pub fn end_override(&self) {
        self.overridden.store(false, Ordering::Relaxed);
    }

    /// A held value.
    ///
    /// # Safety
    /// It is held as long as the reference lives.
    pub unsafe fn value(&self, slot: u32) -> &AnyRepresentation {
        // SAFETY: a held value does not change.
        unsafe { &*self.slots[slot as usize].value.get() }
    }

    /// The current value.
    ///
    /// # Safety
    /// Between two runs, and not longer.
    pub unsafe fn current(&self) -> &AnyRepresentation {
        // SAFETY: promised by the caller.
        unsafe { self.value(self.current.load(Ordering::Relaxed)) }
    }

    /// # Safety
    /// Between two runs.
    unsafe fn show(&self, slot: u32) {
        let view = View { value: self.address(slot), ..self.cell.view() };
        self.current.store(slot, Ordering::Relaxed);
        self.previous.store(slot, Ordering::Relaxed);
        // SAFETY: promised by the caller.
        unsafe {
            self.cell.set_current(view);
            self.cell.age();
        }
    }

    fn address(&self, slot: u32) -> *const () {
        // SAFETY: only the address is taken, which never changes except by `set_override` between two runs.
        unsafe { (*self.slots[slot as usize].value.get()).as_ptr() }
    }
}
