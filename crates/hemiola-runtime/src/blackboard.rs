//! The memory in which the values of one cycle (or source) live, and the channels to others.
//!
//! - [`slot`]: one value, which does not change as long as anybody holds it.
//! - [`store`]: one representation that is provided here: a few values that take turns.
//! - [`imported`]: one that is provided elsewhere: the values that updates see, and their holds.
//! - [`channel`]: hands values that stay in their stores to one other blackboard, as one consistent
//!   snapshot.
//! - [`snapshots`]: how snapshots are handed over.
//! - [`Blackboard`]: all stores, and the cells of what is provided elsewhere.

#![expect(unsafe_code, reason = "the frame and the exports are shared by tasks; the plan and `BetweenRuns` order them")]

pub mod channel;
pub mod feedback;
pub mod imported;
#[cfg(all(test, loom))]
mod model;
pub mod provenance;
pub mod slot;
mod snapshots;
pub mod store;

use std::cell::UnsafeCell;
use std::collections::BTreeMap;

use hemiola_model::Clock;
use hemiola_model::module::{BetweenRuns, SafeState};
use hemiola_trace::{Event, Ticks};

use channel::Export;
use feedback::Shape;
use imported::Imported;
use provenance::Provenance;
use store::Store;

/// All values that the updates of one cycle, or the sample method of one source, can see.
pub struct Blackboard {
    stores: Box<[Store]>,
    store_of: BTreeMap<&'static str, usize>,
    imported: Box<[Imported]>,
    imported_of: BTreeMap<&'static str, usize>,
    exports: Box<[UnsafeCell<Export>]>,
    /// The stores of the lines of each export, which never change.
    export_stores: Box<[Vec<usize>]>,
    frame: UnsafeCell<Frame>,
}

/// The values that are the same for all tasks of one run.
pub struct Frame {
    /// The clock that updates see.
    pub clock: Clock,
    /// The safe state of the robot.
    pub safe_state: SafeState,
    /// The number of the run in traces.
    pub run: u32,
    /// The samples from which each imported representation derives.
    pub imported: Box<[Provenance]>,
}

// SAFETY: stores and cells follow their own invariants. An export is used by the one task that
// publishes it, which runs once in a run; the frame is changed by worker 0 between two runs and
// only read within a run. The executor orders runs and tasks.
unsafe impl Sync for Blackboard {}
// SAFETY: as above; all values are Send.
unsafe impl Send for Blackboard {}

impl Blackboard {
    /// Creates a blackboard with these stores, imports and exports.
    pub fn new(stores: Vec<Store>, imported: Vec<Imported>, exports: Vec<Export>, shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        let store_of = stores.iter().enumerate().map(|(index, store)| (store.descriptor().name(), index)).collect();
        let name = |imported: &Imported| imported.cell().descriptor().name();
        let imported_of = imported.iter().enumerate().map(|(index, imported)| (name(imported), index)).collect();
        let frame = Frame {
            clock: Clock::default(),
            safe_state: SafeState::Inactive,
            run: 0,
            imported: imported.iter().map(|_| Provenance::shaped(shape)).collect(),
        };
        Self {
            stores: stores.into(),
            store_of,
            imported: imported.into(),
            imported_of,
            export_stores: exports.iter().map(Export::stores).collect(),
            exports: exports.into_iter().map(UnsafeCell::new).collect(),
            frame: UnsafeCell::new(frame),
        }
    }

    /// Returns the store with that number.
    pub fn store(&self, index: usize) -> &Store {
        &self.stores[index]
    }

    /// Returns the number of the store of a representation, if it is provided here.
    pub fn store_of(&self, representation: &str) -> Option<usize> {
        self.store_of.get(representation).copied()
    }

    /// Returns all stores.
    pub fn stores(&self) -> &[Store] {
        &self.stores
    }

    /// Returns the number of an imported representation.
    pub fn imported_of(&self, representation: &str) -> Option<usize> {
        self.imported_of.get(representation).copied()
    }

    /// Returns an imported representation.
    pub fn imported(&self, index: usize) -> &Imported {
        &self.imported[index]
    }

    /// Returns the number of exports.
    pub fn exports(&self) -> usize {
        self.exports.len()
    }

    /// Returns the stores of the lines of an export.
    pub fn stores_of_export(&self, export: usize) -> &[usize] {
        &self.export_stores[export]
    }

    /// Returns whether the values of a store are exported.
    pub fn exports_store(&self, store: usize) -> bool {
        self.export_stores.iter().any(|stores| stores.contains(&store))
    }

    /// Returns the line of an export that carries a store.
    pub fn line_of(&self, export: usize, store: usize) -> Option<usize> {
        self.export_stores[export].iter().position(|known| *known == store)
    }

    /// Returns the number of lines of an export.
    pub fn lines(&self, export: usize) -> usize {
        self.export_stores[export].len()
    }

    /// Publishes the current values of these lines, with their provenance, as one snapshot. Returns
    /// the event for the trace.
    ///
    /// # Safety
    /// Only the one task or thread that publishes this export may call this, ordered after the
    /// providers of the lines.
    pub unsafe fn publish<'p>(
        &self,
        export: usize,
        lines: impl Iterator<Item = (usize, &'p Provenance)>,
        run: u32,
        now: Ticks,
    ) -> Event {
        // SAFETY: promised by the caller.
        let export = unsafe { &mut *self.exports[export].get() };
        // SAFETY: as above.
        export.publish(|store| unsafe { self.store(store).hold_in_run() }, lines, run, now)
    }

    /// Notes that the last values of an export's lines will not be replaced: their provider is
    /// gone, and their ages are not bounded.
    pub fn lapse_export(&self, export: usize, _: &mut BetweenRuns<'_>) {
        // SAFETY: between two runs nobody publishes.
        unsafe { (*self.exports[export].get()).lapse() }
    }

    /// Restores the origins of the last values of an export's lines, when a robot resumes from a
    /// checkpoint.
    pub fn restore_export(&self, export: usize, origins: &[Provenance], _: &mut BetweenRuns<'_>) {
        // SAFETY: between two runs nobody publishes.
        unsafe { (*self.exports[export].get()).restore(origins) }
    }

    /// Returns the values that are the same for all tasks of this run.
    pub fn frame(&self) -> &Frame {
        // SAFETY: it changes only between two runs.
        unsafe { &*self.frame.get() }
    }

    /// Returns the frame for changes.
    pub fn frame_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut Frame {
        // SAFETY: this is between two runs, and the witness is borrowed for as long as the
        // reference lives.
        unsafe { &mut *self.frame.get() }
    }
}
