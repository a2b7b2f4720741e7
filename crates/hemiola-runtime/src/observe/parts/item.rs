//! What a part consists of: where it stands, and how it is written.

use std::sync::Arc;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::data::{DataType, FixedLength, Writer};
use hemiola_model::module::{BetweenRuns, StateForm};

use super::page::{Outcome, Page, WrittenView};
use crate::blackboard::Blackboard;
use crate::containment::quietly;
use crate::program::Program;
use crate::record::{Piece, PieceKind, View};
use crate::run::CycleImport;

/// What can be written down.
pub struct Item {
    kind: PieceKind,
    pub name: Arc<str>,
    place: Place,
    /// `None`: it is opaque.
    data_type: Option<DataType>,
    /// Later runs depend on it, if it exists.
    is_needed: bool,
}

/// Where it stands.
#[derive(Clone, Copy)]
enum Place {
    /// Among the instances of the program, by its name.
    Module(&'static str),
    Store(usize),
    Input {
        import: usize,
        /// Among all that is imported.
        imported: usize,
        /// Also what a source has just brought.
        always: bool,
    },
    /// Of the representation.
    Samples(usize),
    /// Topic, and how many subscriptions of the same topic come before.
    Messages(&'static str, u32),
}

/// All of a cycle with these modules and imports.
pub fn items(
    modules: &[(&'static str, StateForm)],
    blackboard: &Blackboard,
    program: &Program,
    imports: &[CycleImport],
    with_sources: bool,
    between: &BetweenRuns<'_>,
) -> Vec<Item> {
    let module = |(name, form): &(&'static str, StateForm)| {
        let remembers = !form.is_data() || form.data_type().is_some();
        remembers.then(|| Item {
            kind: PieceKind::Module,
            name: (*name).into(),
            place: Place::Module(name),
            data_type: form.data_type().cloned(),
            is_needed: true,
        })
    };
    let of = |kind, descriptor: &RepresentationDescriptor, place, data_type, is_needed| Item {
        kind,
        name: descriptor.name().into(),
        place,
        data_type,
        is_needed,
    };
    let mut items: Vec<Item> = modules.iter().filter_map(module).collect();
    for (index, store) in blackboard.stores().iter().enumerate() {
        let data_type = store.descriptor().data_type();
        let is_needed = program.ages(index) || blackboard.exports_store(index);
        items.push(of(PieceKind::Value, store.descriptor(), Place::Store(index), data_type, is_needed));
    }
    for (number, import) in imports.iter().enumerate() {
        for (imported, has_samples) in import.import.representations() {
            let descriptor = blackboard.imported(imported).cell().descriptor();
            let data_type = descriptor.data_type();
            let place = Place::Input { import: number, imported, always: with_sources };
            items.push(of(PieceKind::Input, descriptor, place, data_type.clone(), true));
            // Those of sources are in the log.
            if has_samples && (with_sources || import.source.is_none()) {
                let data_type = data_type.map(|data_type| DataType::Sequence(Box::new(data_type)));
                items.push(of(PieceKind::Samples, descriptor, Place::Samples(imported), data_type, true));
            }
        }
    }
    items.extend(program.subscriptions(between).into_iter().map(|(topic, number, data_type)| Item {
        kind: PieceKind::Messages,
        name: topic.into(),
        place: Place::Messages(topic, number),
        data_type: data_type.map(|data_type| DataType::Sequence(Box::new(data_type))),
        is_needed: true,
    }));
    items
}

impl Item {
    /// How many values of it there are at most.
    pub fn depth(&self, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) -> usize {
        self.place.depth(blackboard, between)
    }

    /// Writes it down, unless it needs more room than the page has. No allocation, no lock, no system call.
    pub fn write_down(
        &self,
        page: &mut Page,
        run: u32,
        world: (&Blackboard, &Program, &[CycleImport]),
        between: &BetweenRuns<'_>,
    ) {
        page.bytes.clear();
        page.inlets.clear();
        // A type that panics when it is written must not end the cycle.
        page.outcome = quietly(|| self.write(page, run, world, between)).unwrap_or(Outcome::Missing);
        if page.bytes.is_full() {
            page.outcome = Outcome::Missing;
        }
    }

    fn write(
        &self,
        page: &mut Page,
        run: u32,
        (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
        between: &BetweenRuns<'_>,
    ) -> Outcome {
        if let Place::Module(name) = self.place {
            let Some(instance) = program.instance(name) else { return Outcome::Absent };
            if self.data_type.is_none() {
                return Outcome::Opaque;
            }
            let is_written = instance.write_state(&mut page.bytes, between);
            return if is_written { Outcome::Written } else { Outcome::Missing };
        }
        if self.data_type.is_none() {
            return if self.is_needed { Outcome::Opaque } else { Outcome::Absent };
        }
        match self.place {
            Place::Module(_) => Outcome::Absent,
            Place::Messages(topic, number) => {
                let Page { bytes, inlets, .. } = page;
                let mut fits = true;
                let mut note = |inlet| {
                    fits &= inlets.len() < inlets.capacity();
                    if fits {
                        inlets.push(inlet);
                    }
                };
                let Some(port) = program.port_cell(topic, number) else { return Outcome::Missing };
                let port = port.port(between);
                port.inlets(&mut note);
                port.write_received(bytes);
                if fits { Outcome::Written } else { Outcome::Missing }
            }
            Place::Store(index) => {
                let provenance = program.provenance_before(index, run, between);
                page.write_value(blackboard.store(index).cell(), provenance, between)
            }
            Place::Input { import, imported, always } => {
                let import = &imports[import];
                if !always && import.source.is_some() && import.import.has_taken() {
                    return Outcome::Absent;
                }
                let (cell, provenance) = (blackboard.imported(imported).cell(), &blackboard.frame().imported[imported]);
                page.write_value(cell, Some(provenance), between)
            }
            Place::Samples(imported) => {
                let cell = blackboard.imported(imported).cell();
                let collected = cell.collected();
                page.bytes.begin_sequence(collected.len(), FixedLength::No);
                for (index, &view) in collected.iter().enumerate() {
                    page.note(index, view, None);
                    cell.write_collected(index, between, &mut page.bytes);
                }
                page.bytes.end_sequence();
                if collected.len() <= page.views.len() { Outcome::Written } else { Outcome::Missing }
            }
        }
    }

    /// What was written.
    pub fn piece(&self, page: &Page) -> Option<Piece> {
        let count = match self.place {
            Place::Module(_) | Place::Messages(..) => 0,
            Place::Store(_) | Place::Input { .. } => 1,
            // The length of the sequence comes first.
            Place::Samples(..) => u32::from_le_bytes(page.bytes.bytes().get(4..8)?.try_into().ok()?).try_into().ok()?,
        };
        let view = |view: &WrittenView| View {
            stamp: view.stamp,
            is_stale: view.is_stale,
            origins: (0..view.provenance.sources()).map(|source| view.provenance.span(source)).collect(),
        };
        Some(Piece {
            kind: self.kind,
            name: self.name.clone(),
            number: if let Place::Messages(_, number) = self.place { number } else { 0 },
            data_type: self.data_type.clone()?,
            views: page.views.iter().take(count).map(view).collect(),
            inlets: page.inlets.clone(),
            bytes: page.bytes.bytes().to_vec(),
        })
    }
}

impl Place {
    /// How many values there are at most.
    fn depth(self, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) -> usize {
        match self {
            Self::Module(_) | Self::Messages(..) => 0,
            Self::Store(_) | Self::Input { .. } => 1,
            Self::Samples(imported) => blackboard.imported(imported).capacity(between),
        }
    }
}
