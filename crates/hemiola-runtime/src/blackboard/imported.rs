//! The values that another blackboard's store holds, as the updates of this one see them.
//!
//! Invariant behind the `unsafe` blocks: what the cell shows is held by the holds beside it, and
//! both change only between two runs ([`BetweenRuns`]).

#![expect(unsafe_code, reason = "what a cell shows is kept beside it, and shared by tasks")]

use std::cell::UnsafeCell;

use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::BetweenRuns;
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::{RepresentationDescriptor, Time};

use super::slot::Held;

/// An imported representation: its cell, and the holds of the values in it.
pub struct Imported {
    cell: Cell,
    holds: UnsafeCell<Holds>,
    /// The value that is shown until one arrives.
    default: Held,
}

/// The holds that keep values as the cell shows them.
struct Holds {
    /// The value that is shown; `None` if that is the default, or what was restored in its place.
    current: Option<Held>,
    /// The samples that arrived since the last run, oldest first.
    samples: Vec<Held>,
    /// The values with which a robot began when it resumed from a checkpoint; they are kept until
    /// everything else is dropped.
    restored: Vec<Held>,
}

// SAFETY: see the module's invariant; within a run everything is only read.
unsafe impl Sync for Imported {}

impl Imported {
    /// Creates a representation that shows `default` until a value arrives. All cells of the robot
    /// that show this default can share it.
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

    /// Shows another value, and releases the previous one.
    #[inline]
    pub fn show(&self, held: Held, between: &mut BetweenRuns<'_>) {
        self.point_at(held.view(), between);
        self.holds(between).current = Some(held);
    }

    /// Shows the default, as stale: there is no such value at present. The value that was shown
    /// returns to its store.
    pub fn show_default(&self, between: &mut BetweenRuns<'_>) {
        if self.holds(between).current.is_some() || !self.cell.view().stale {
            self.point_at(View { stale: true, ..self.default.view() }, between);
            self.holds(between).current = None;
        }
    }

    /// Returns whether the value that is shown has arrived from elsewhere.
    pub fn has_arrived(&self, between: &mut BetweenRuns<'_>) -> bool {
        self.holds(between).current.is_some()
    }

    /// Reserves memory for that many samples, so that collecting them allocates nothing.
    pub fn reserve(&self, samples: usize, between: &mut BetweenRuns<'_>) {
        self.holds(between).samples.reserve(samples);
        self.views(between).reserve(samples);
    }

    /// Returns the number of samples for which there is room.
    pub fn capacity(&self, between: &mut BetweenRuns<'_>) -> usize {
        self.views(between).capacity()
    }

    /// Forgets the samples of the last run.
    pub fn forget_samples(&self, between: &mut BetweenRuns<'_>) {
        self.views(between).clear();
        self.holds(between).samples.clear();
    }

    /// Shows one more sample.
    pub fn collect(&self, sample: Held, between: &mut BetweenRuns<'_>) {
        self.views(between).push(sample.view());
        self.holds(between).samples.push(sample);
    }

    /// Reads a value as if it had arrived, and shows it. Allocates.
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

    /// Reads one more sample, and shows it. Allocates.
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
        // SAFETY: this is between two runs, and the witness is borrowed for as long as the
        // reference lives.
        unsafe { &mut *self.holds.get() }
    }

    #[inline]
    fn views<'b>(&'b self, between: &'b mut BetweenRuns<'_>) -> &'b mut Vec<View> {
        // SAFETY: what is added is held by this.
        unsafe { self.cell.collected_mut(between) }
    }
}
