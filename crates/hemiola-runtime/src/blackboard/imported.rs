//! The values that another blackboard's store holds, as the updates of this one see them.
//!
//! Invariant behind the `unsafe` blocks: what the cell shows is held by what stands beside it, and
//! both change only between two runs ([`BetweenRuns`]).

#![expect(unsafe_code, reason = "what a cell shows is kept beside it, and shared by tasks")]

use std::cell::UnsafeCell;

use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::BetweenRuns;
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::{RepresentationDescriptor, Time};

use super::slot::Held;

/// An imported representation: its cell, and what holds the values in it.
pub struct Imported {
    cell: Cell,
    holds: UnsafeCell<Holds>,
    /// The value that is shown where nothing has arrived.
    default: Held,
}

/// The holds that keep values as the cell shows them.
struct Holds {
    /// The value that is shown; `None` if that is the default, or what was restored in its place.
    current: Option<Held>,
    /// The samples that arrived since the last run, oldest first.
    samples: Vec<Held>,
    /// The values that a robot began with when it resumed from a checkpoint; they are kept until
    /// all else is dropped.
    restored: Vec<Held>,
}

// SAFETY: see the module's invariant; within a run all is only read.
unsafe impl Sync for Imported {}

impl Imported {
    /// Makes a representation that shows `default` where nothing has arrived. All cells of the
    /// robot that show it can share one.
    pub fn new(descriptor: &'static RepresentationDescriptor, default: Held) -> Self {
        Self {
            cell: Cell::new(descriptor, default.view()),
            holds: UnsafeCell::new(Holds { current: None, samples: Vec::new(), restored: Vec::new() }),
            default,
        }
    }

    /// Returns the cell in which updates find it.
    pub fn cell(&self) -> &Cell {
        &self.cell
    }

    /// Shows another value, and releases the last one.
    #[inline]
    pub fn show(&self, held: Held, between: &mut BetweenRuns<'_>) {
        self.point_at(held.view(), between);
        self.holds(between).current = Some(held);
    }

    /// Shows the default, as stale: there is no such value at present. The value that was shown
    /// goes back to its store.
    pub fn show_default(&self, between: &mut BetweenRuns<'_>) {
        if self.holds(between).current.is_some() || !self.cell.view().stale {
            self.point_at(View { stale: true, ..self.default.view() }, between);
            self.holds(between).current = None;
        }
    }

    /// Returns whether a value has arrived that is still shown.
    pub fn has_arrived(&self, between: &mut BetweenRuns<'_>) -> bool {
        self.holds(between).current.is_some()
    }

    /// Makes room for that many samples, so that collecting them allocates nothing.
    pub fn reserve(&self, samples: usize, between: &mut BetweenRuns<'_>) {
        self.holds(between).samples.reserve(samples);
        self.views(between).reserve(samples);
    }

    /// Returns how many samples there is room for.
    pub fn capacity(&self, between: &mut BetweenRuns<'_>) -> usize {
        self.views(between).capacity()
    }

    /// Forgets the samples of the last run.
    pub fn forget_samples(&self, between: &mut BetweenRuns<'_>) {
        self.views(between).clear();
        self.holds(between).samples.clear();
    }

    /// Shows one sample more.
    pub fn collect(&self, sample: Held, between: &mut BetweenRuns<'_>) {
        self.views(between).push(sample.view());
        self.holds(between).samples.push(sample);
    }

    /// Shows a value from a reader as if it had arrived. Allocates.
    pub fn restore(
        &self,
        reader: &mut dyn Reader,
        view: (Time, bool),
        between: &mut BetweenRuns<'_>,
    ) -> Result<(), ReadError> {
        let value = self.read(reader, view)?;
        self.point_at(value.view(), between);
        let holds = self.holds(between);
        // A value without a stamp is the default, which was shown because nothing had arrived.
        holds.current = (value.stamp != Time::ZERO).then(|| value.clone());
        holds.restored.push(value);
        Ok(())
    }

    /// Shows one sample more, from a reader. Allocates.
    pub fn restore_sample(
        &self,
        reader: &mut dyn Reader,
        view: (Time, bool),
        between: &mut BetweenRuns<'_>,
    ) -> Result<(), ReadError> {
        let value = self.read(reader, view)?;
        self.views(between).push(value.view());
        self.holds(between).restored.push(value);
        Ok(())
    }

    fn read(&self, reader: &mut dyn Reader, (stamp, stale): (Time, bool)) -> Result<Held, ReadError> {
        let mut value = self.cell.descriptor().create();
        value.read(reader)?;
        let mut held = Held::new(value);
        (held.stamp, held.stale) = (stamp, stale);
        Ok(held)
    }

    #[inline]
    fn point_at(&self, view: View, between: &mut BetweenRuns<'_>) {
        // SAFETY: between two runs; the value is held by this.
        unsafe { self.cell.set_current(view) };
        self.cell.age(between);
    }

    #[inline]
    fn holds<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut Holds {
        // SAFETY: between two runs, and the witness is borrowed as long as this.
        unsafe { &mut *self.holds.get() }
    }

    #[inline]
    fn views<'b>(&'b self, between: &'b mut BetweenRuns<'_>) -> &'b mut Vec<View> {
        // SAFETY: what is added is held by this.
        unsafe { self.cell.collected_mut(between) }
    }
}
