//! Where the values of one cycle (or source) live, and how they get to others.
//!
//! - [`store`]: one representation that is filled here: a few values that take turns.
//! - [`channel`]: hands values that stay in their stores to one other blackboard, as one consistent snapshot.
//! - [`snapshots`]: how these get across.
//! - [`Blackboard`]: all stores, and the cells of what comes from elsewhere.

pub mod channel;
pub mod provenance;
mod snapshots;
pub mod store;

use std::cell::UnsafeCell;
use std::collections::BTreeMap;

use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::SafeState;
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::{AnyRepresentation, Clock, RepresentationDescriptor, Time};

use channel::Export;
use provenance::Provenance;
use store::Store;

/// All values that the updates of one cycle, or the sample method of one source, can see.
pub struct Blackboard {
    stores: Box<[Store]>,
    store_of: BTreeMap<&'static str, usize>,
    imported: Box<[Imported]>,
    imported_of: BTreeMap<&'static str, usize>,
    exports: Box<[UnsafeCell<Export>]>,
    /// Per export: the stores of its lines, which never change.
    export_stores: Box<[Vec<usize>]>,
    frame: UnsafeCell<Frame>,
}

/// A value that another blackboard's store holds.
struct Imported {
    cell: Cell,
    /// What the cell shows before anything has arrived.
    initial: UnsafeCell<AnyRepresentation>,
    /// What its first run found in the queue, if it resumes from a checkpoint.
    samples: UnsafeCell<Vec<AnyRepresentation>>,
}

/// What is the same for all tasks of one run.
pub struct Frame {
    /// The clock as updates see it.
    pub clock: Clock,
    /// Whether the robot is in its safe state.
    pub safe_state: SafeState,
    /// The number of the run, as traces have it.
    pub run: u32,
    /// Per imported representation: the samples that it comes from.
    pub imported: Box<[Provenance]>,
}

// SAFETY: stores and cells follow their own invariants. What a cell shows before anything has arrived changes before anything runs. An export is used by the one task that publishes it, which runs once in a
// run; the frame is changed by worker 0 between two runs and only read within one. The executor orders runs and tasks.
unsafe impl Sync for Blackboard {}
// SAFETY: as above; all values are Send.
unsafe impl Send for Blackboard {}

impl Blackboard {
    /// A blackboard with these stores, imports and exports.
    pub fn new(
        stores: Vec<Store>,
        imported: &[&'static RepresentationDescriptor],
        exports: Vec<Export>,
        sources: usize,
    ) -> Self {
        let store_of = stores.iter().enumerate().map(|(index, store)| (store.descriptor().name(), index)).collect();
        let imported_of = imported.iter().enumerate().map(|(index, descriptor)| (descriptor.name(), index)).collect();
        let frame = Frame {
            clock: Clock::default(),
            safe_state: SafeState::Inactive,
            run: 0,
            imported: imported.iter().map(|_| Provenance::none(sources)).collect(),
        };
        Self {
            stores: stores.into(),
            store_of,
            imported: imported
                .iter()
                .map(|descriptor| {
                    let initial = descriptor.create();
                    Imported {
                        cell: Cell::new(descriptor, View::of(&initial)),
                        initial: UnsafeCell::new(initial),
                        samples: UnsafeCell::default(),
                    }
                })
                .collect(),
            imported_of,
            export_stores: exports.iter().map(Export::stores).collect(),
            exports: exports.into_iter().map(UnsafeCell::new).collect(),
            frame: UnsafeCell::new(frame),
        }
    }

    /// The store of that number.
    pub fn store(&self, index: usize) -> &Store {
        &self.stores[index]
    }

    /// The number of the store of a representation, if it is filled here.
    pub fn store_of(&self, representation: &str) -> Option<usize> {
        self.store_of.get(representation).copied()
    }

    /// All stores.
    pub fn stores(&self) -> &[Store] {
        &self.stores
    }

    /// The number of an imported representation.
    pub fn imported_of(&self, representation: &str) -> Option<usize> {
        self.imported_of.get(representation).copied()
    }

    /// The cell of an imported representation.
    pub fn imported(&self, index: usize) -> &Cell {
        &self.imported[index].cell
    }

    /// Shows a value that is read as what has been imported.
    ///
    /// # Safety
    /// Before anything runs.
    pub unsafe fn restore_imported(
        &self,
        index: usize,
        reader: &mut dyn Reader,
        (stamp, stale): (Time, bool),
    ) -> Result<(), ReadError> {
        let Imported { cell, initial, .. } = &self.imported[index];
        // SAFETY: promised by the caller; only the address of the value is known to others.
        unsafe {
            let initial = &mut *initial.get();
            initial.read(reader)?;
            cell.set_current(View { value: initial.as_ptr(), stamp, stale });
            cell.age();
        }
        Ok(())
    }

    /// Shows one sample more that is read.
    ///
    /// # Safety
    /// Before anything runs.
    pub unsafe fn restore_sample(
        &self,
        index: usize,
        reader: &mut dyn Reader,
        (stamp, stale): (Time, bool),
    ) -> Result<(), ReadError> {
        let Imported { cell, samples, .. } = &self.imported[index];
        let mut value = cell.descriptor().create();
        value.read(reader)?;
        // SAFETY: promised by the caller. The value stays where it is, and as long as the blackboard.
        unsafe {
            cell.collected_mut().push(View { value: value.as_ptr(), stamp, stale });
            (*samples.get()).push(value);
        }
        Ok(())
    }

    /// How many exports there are.
    pub fn exports(&self) -> usize {
        self.exports.len()
    }

    /// The stores of the lines of an export.
    pub fn stores_of_export(&self, export: usize) -> &[usize] {
        &self.export_stores[export]
    }

    /// Whether a store's values go elsewhere.
    pub fn exports_store(&self, store: usize) -> bool {
        self.export_stores.iter().any(|stores| stores.contains(&store))
    }

    /// The line of an export that carries a store.
    pub fn line_of(&self, export: usize, store: usize) -> Option<usize> {
        self.export_stores[export].iter().position(|known| *known == store)
    }

    /// How many lines an export has.
    pub fn lines(&self, export: usize) -> usize {
        self.export_stores[export].len()
    }

    /// An export, to be published.
    ///
    /// # Safety
    /// By the one task that publishes it.
    #[expect(clippy::mut_from_ref, reason = "the caller promises exclusive use")]
    pub unsafe fn export(&self, index: usize) -> &mut Export {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.exports[index].get() }
    }

    /// What is the same for all tasks of this run.
    pub fn frame(&self) -> &Frame {
        // SAFETY: it changes only between two runs.
        unsafe { &*self.frame.get() }
    }

    /// The frame, to be changed.
    ///
    /// # Safety
    /// By worker 0, between two runs.
    #[expect(clippy::mut_from_ref, reason = "the caller promises exclusive use")]
    pub unsafe fn frame_mut(&self) -> &mut Frame {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.frame.get() }
    }
}
