//! The memory into which a piece of a part is written; it comes from the recorder, and goes back to
//! it.

use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::module::{BetweenRuns, Inlet};

use crate::blackboard::provenance::Provenance;

/// The maximum number of publishers whose messages are recorded.
const MOST_INLETS: usize = 16;

/// The memory into which an item is written.
pub struct Page {
    pub bytes: CdrWriter,
    pub views: Vec<WrittenView>,
    pub inlets: Vec<Inlet>,
    pub outcome: Outcome,
}

/// The facts about a value that are written beside it.
pub struct WrittenView {
    pub stamp: Time,
    pub is_stale: bool,
    pub provenance: Provenance,
}

/// The outcome of writing an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The item does not exist, or is in the log anyway.
    Absent,
    Written,
    Opaque,
    /// There was no room for the item, or the module was in use.
    Missing,
}

impl Page {
    pub fn new(bytes: CdrWriter, depth: usize, sources: usize) -> Self {
        let view = || WrittenView { stamp: Time::ZERO, is_stale: false, provenance: Provenance::none(sources) };
        let views = (0..depth).map(|_| view()).collect();
        Self { bytes, views, inlets: Vec::with_capacity(MOST_INLETS), outcome: Outcome::Absent }
    }

    /// Writes the current value of a cell.
    pub fn write_value(&mut self, cell: &Cell, provenance: Option<&Provenance>, between: &BetweenRuns<'_>) -> Outcome {
        self.note(0, cell.view(), provenance);
        cell.write_current(between, &mut self.bytes);
        Outcome::Written
    }

    pub fn note(&mut self, index: usize, view: View, provenance: Option<&Provenance>) {
        let Some(written) = self.views.get_mut(index) else { return };
        (written.stamp, written.is_stale) = (view.stamp, view.stale);
        match provenance {
            Some(provenance) => written.provenance.flatten(provenance),
            None => written.provenance.clear(),
        }
    }
}
