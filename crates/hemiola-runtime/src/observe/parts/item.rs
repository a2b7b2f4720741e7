//! The items of a part: where each one is, and how it is written.

use std::sync::Arc;

use hemiola_model::RepresentationDescriptor;
use hemiola_model::data::{DataType, FixedLength, Writer};
use hemiola_model::module::{BetweenRuns, StateForm};

use super::page::{Outcome, Page, WrittenView};
use crate::containment::quietly;
use crate::program::{PublisherEnd, SubscriptionEnd, World};
use crate::record::{Piece, PieceKind, View};

/// An item that can be written into a part.
pub struct Item {
    kind: PieceKind,
    pub name: Arc<str>,
    place: Place,
    /// The type of its value; `None` if it is opaque.
    data_type: Option<DataType>,
    /// Set if later runs depend on it, if it exists.
    is_needed: bool,
    /// The maximum number of its values.
    pub depth: usize,
}

/// The place of an item.
#[derive(Clone, Copy)]
enum Place {
    /// A module among the instances of the program, by its name.
    Module(&'static str),
    Store(usize),
    Input {
        import: usize,
        /// The number among all imports.
        imported: usize,
        /// Set if a value is written even if a source has just delivered it.
        always: bool,
    },
    /// Samples of a representation, by its number among all imports.
    Samples(usize),
    /// Messages of a topic, by the number of earlier subscriptions to the same topic.
    Messages(&'static str, u32),
}

/// The items that a cycle's parts can have, which are known before anything runs.
pub struct Inventory {
    modules: Vec<(&'static str, StateForm)>,
    /// The stores by their numbers, and whether later runs depend on each.
    stores: Vec<(&'static RepresentationDescriptor, bool)>,
    inputs: Vec<Input>,
    subscriptions: Vec<SubscriptionEnd>,
    pub publishers: Arc<[PublisherEnd]>,
    pub sources: usize,
}

/// A representation that comes from elsewhere.
struct Input {
    descriptor: &'static RepresentationDescriptor,
    import: usize,
    /// The number among all imports.
    imported: usize,
    /// The maximum number of its samples that are read, if samples are read.
    samples: Option<usize>,
    is_from_source: bool,
}

impl Inventory {
    /// Creates the inventory of a cycle with these modules and imports, in a robot with that many
    /// sources. Nothing runs yet.
    pub fn of(
        modules: Vec<(&'static str, StateForm)>,
        World { blackboard, program, imports }: World<'_>,
        sources: usize,
        between: &mut BetweenRuns<'_>,
    ) -> Self {
        let needed = |index| program.ages(index) || blackboard.exports_store(index);
        let stores = blackboard.stores().iter().enumerate();
        let mut inputs = Vec::new();
        for (number, import) in imports.iter().enumerate() {
            inputs.extend(import.import.representations().map(|(imported, has_samples)| Input {
                descriptor: blackboard.imported(imported).cell().descriptor(),
                import: number,
                imported,
                samples: has_samples.then(|| blackboard.imported(imported).capacity(between)),
                is_from_source: import.source.is_some(),
            }));
        }
        Self {
            modules,
            stores: stores.map(|(index, store)| (store.descriptor(), needed(index))).collect(),
            inputs,
            subscriptions: program.subscriptions(between),
            publishers: program.publishers(between).into(),
            sources,
        }
    }

    /// Returns all items; those that come from sources only if `with_sources`.
    pub fn items(&self, with_sources: bool) -> Vec<Item> {
        let of = |kind, descriptor: &RepresentationDescriptor, place, data_type, is_needed, depth| Item {
            kind,
            name: descriptor.name().into(),
            place,
            data_type,
            is_needed,
            depth,
        };
        let module = |(name, form): &(&'static str, StateForm)| {
            let remembers = !form.is_data() || form.data_type().is_some();
            remembers.then(|| Item {
                kind: PieceKind::Module,
                name: (*name).into(),
                place: Place::Module(name),
                data_type: form.data_type().cloned(),
                is_needed: true,
                depth: 0,
            })
        };
        let mut items: Vec<Item> = self.modules.iter().filter_map(module).collect();
        for (index, &(descriptor, is_needed)) in self.stores.iter().enumerate() {
            items.push(of(PieceKind::Value, descriptor, Place::Store(index), descriptor.data_type(), is_needed, 1));
        }
        for &Input { descriptor, import, imported, samples, is_from_source } in &self.inputs {
            let data_type = descriptor.data_type();
            let place = Place::Input { import, imported, always: with_sources };
            items.push(of(PieceKind::Input, descriptor, place, data_type.clone(), true, 1));
            // Samples of sources are in the log.
            if let Some(depth) = samples.filter(|_| with_sources || !is_from_source) {
                let data_type = data_type.map(|data_type| DataType::Sequence(Box::new(data_type)));
                items.push(of(PieceKind::Samples, descriptor, Place::Samples(imported), data_type, true, depth));
            }
        }
        items.extend(self.subscriptions.iter().map(|SubscriptionEnd { topic, number, data_type }| Item {
            kind: PieceKind::Messages,
            name: (*topic).into(),
            place: Place::Messages(topic, *number),
            data_type: data_type.clone().map(|data_type| DataType::Sequence(Box::new(data_type))),
            is_needed: true,
            depth: 0,
        }));
        items
    }
}

impl Item {
    /// Writes the item, unless it needs more room than the page has. No allocation, no lock, no
    /// system call.
    pub fn write_down(&self, page: &mut Page, run: u32, world: World<'_>, between: &BetweenRuns<'_>) {
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
        World { blackboard, program, imports }: World<'_>,
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
                let Some(record) = port.record() else { return Outcome::Missing };
                record.write_received(bytes);
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

    /// Returns what was written.
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
