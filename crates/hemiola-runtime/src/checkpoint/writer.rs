//! A cycle's end, which writes parts down, and the recorder's, which takes them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::time::Duration;

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::{DataType, FixedLength, Writer};
use hemiola_model::module::{Inlet, StateForm, cell};
use hemiola_model::{RepresentationDescriptor, Time};

use super::cut::Cut;
use super::part::{CyclePart, Piece, PieceKind, Published, View};
use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::cycle::{Beginning, CycleImport};
use crate::program::Program;
use crate::sync::Ordering;
use crate::tap::{State, WhenFull};

/// So many parts can be on their way to the recorder. With one, what found no room in a part has it in the next.
const DEPTH: usize = 1;
/// And for one that found none: so many times as much, for the next part comes only after seconds.
const MORE_ROOM: usize = 64;
/// So many publishers' messages are written down.
const MOST_INLETS: usize = 16;
/// Room for a piece at first.
const ROOM: usize = 4096;

/// Writes the parts of one cycle, at its end.
pub struct CheckpointWriter {
    pages: QueueWriter<Note>,
    spare: QueueReader<Box<Pages>>,
    items: Arc<[Item]>,
    publishers: Arc<[PublisherPlace]>,
    shared: Arc<Shared>,
    when: When,
    full: WhenFull,
}

/// Which runs are first after a cut.
pub enum When {
    /// Those that come when so much time has passed again.
    Every(Cut, Duration),
    /// This one and the next; what sources brought is written down, too.
    Runs(u32),
}

/// What can be written down.
pub struct Item {
    kind: PieceKind,
    name: Arc<str>,
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

/// A publisher, by its topic, how many ends of the same topic the cycle has before it, and its place.
type PublisherPlace = (&'static str, u32, u32);

/// A part on its way to the recorder.
struct Note {
    number: u32,
    run: u32,
    now: Time,
    before: Option<Time>,
    is_safe: bool,
    pages: Box<Pages>,
}

/// Goes back to be filled again.
struct Pages {
    items: Box<[Page]>,
    /// The number of the next message of each publisher.
    published: Box<[u64]>,
}

/// Where an item is written.
struct Page {
    bytes: CdrWriter,
    views: Vec<WrittenView>,
    inlets: Vec<Inlet>,
    outcome: Outcome,
}

struct WrittenView {
    stamp: Time,
    is_stale: bool,
    provenance: Provenance,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It does not exist, or is in the log anyway.
    Absent,
    Written,
    Opaque,
    /// There was no room, or somebody else had the module.
    Missing,
}

struct Shared {
    state: AtomicU8,
    dropped: AtomicU64,
}

impl Shared {
    fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Relaxed) == state as u8
    }
}

/// The recorder's end.
pub struct CheckpointLine {
    cycle: Arc<str>,
    items: Arc<[Item]>,
    publishers: Arc<[PublisherPlace]>,
    pages: QueueReader<Note>,
    spare: QueueWriter<Box<Pages>>,
    shared: Arc<Shared>,
    /// How much room each item gets in the next page.
    rooms: Vec<usize>,
}

/// Both ends for a cycle with these modules and imports.
pub fn checkpoints(
    cycle: &str,
    modules: &[(&'static str, StateForm)],
    (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
    sources: usize,
    when: When,
    full: WhenFull,
) -> (CheckpointWriter, CheckpointLine) {
    let with_sources = matches!(when, When::Runs(_));
    let items: Arc<[Item]> = items(modules, blackboard, program, imports, with_sources).into();
    let publishers: Arc<[PublisherPlace]> = program.publishers().into();
    let rooms = vec![ROOM; items.len()];
    let (pages, reader) = queue(DEPTH);
    let (mut spare, spare_reader) = queue(DEPTH);
    for _ in 0..DEPTH {
        let depths = items.iter().map(|item| item.place.depth(blackboard));
        let pages = depths.zip(&rooms).map(|(depth, &room)| Page::new(room, depth, sources));
        let pages = Pages { items: pages.collect(), published: vec![0; publishers.len()].into() };
        // There is room for all.
        _ = spare.push(Box::new(pages));
    }
    let shared = Arc::new(Shared { state: AtomicU8::new(State::Untaken as u8), dropped: AtomicU64::new(0) });
    let line = CheckpointLine {
        cycle: cycle.into(),
        items: items.clone(),
        publishers: publishers.clone(),
        pages: reader,
        spare,
        shared,
        rooms,
    };
    let shared = line.shared.clone();
    (CheckpointWriter { pages, spare: spare_reader, items, publishers, shared, when, full }, line)
}

fn items(
    modules: &[(&'static str, StateForm)],
    blackboard: &Blackboard,
    program: &Program,
    imports: &[CycleImport],
    with_sources: bool,
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
            let descriptor = blackboard.imported(imported).descriptor();
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
    items.extend(program.subscriptions().into_iter().map(|(topic, number, data_type)| Item {
        kind: PieceKind::Messages,
        name: topic.into(),
        place: Place::Messages(topic, number),
        data_type: data_type.map(|data_type| DataType::Sequence(Box::new(data_type))),
        is_needed: true,
    }));
    items
}

impl Place {
    /// How many values there are at most.
    fn depth(self, blackboard: &Blackboard) -> usize {
        match self {
            Self::Module(_) | Self::Messages(..) => 0,
            Self::Store(_) | Self::Input { .. } => 1,
            // SAFETY: nothing runs yet.
            Self::Samples(imported) => unsafe { blackboard.imported(imported).collected_mut() }.capacity(),
        }
    }
}

impl Page {
    fn new(room: usize, depth: usize, sources: usize) -> Self {
        let view = || WrittenView { stamp: Time::ZERO, is_stale: false, provenance: Provenance::none(sources) };
        let views = (0..depth).map(|_| view()).collect();
        Self {
            bytes: CdrWriter::bounded(room),
            views,
            inlets: Vec::with_capacity(MOST_INLETS),
            outcome: Outcome::Absent,
        }
    }

    /// Writes a value.
    ///
    /// # Safety
    /// The view leads to a value of this representation that nobody changes meanwhile.
    unsafe fn write_value(
        &mut self,
        descriptor: &RepresentationDescriptor,
        view: cell::View,
        provenance: Option<&Provenance>,
    ) -> Outcome {
        self.note(0, view, provenance);
        // SAFETY: promised by the caller.
        unsafe { descriptor.write_at(view.value, &mut self.bytes) };
        Outcome::Written
    }

    fn note(&mut self, index: usize, view: cell::View, provenance: Option<&Provenance>) {
        let Some(written) = self.views.get_mut(index) else { return };
        (written.stamp, written.is_stale) = (view.stamp, view.stale);
        match provenance {
            Some(provenance) => written.provenance.copy_from(provenance),
            None => written.provenance.clear(),
        }
    }
}

impl CheckpointWriter {
    /// Whether the run that begins is the first after a cut. At the beginning of each run, before it takes its inputs: see the module.
    pub fn is_due(&mut self, run: u32, now: Time) -> bool {
        match &mut self.when {
            When::Every(cut, period) => {
                let elapsed = now.since(Time::ZERO).as_nanos() / period.as_nanos().max(1);
                cut.is_due(u32::try_from(elapsed).unwrap_or(u32::MAX))
            }
            When::Runs(first) => run == *first || run == first.wrapping_add(1),
        }
    }

    /// Of the present one.
    fn number(&self) -> u32 {
        match &self.when {
            When::Every(cut, _) => cut.number(),
            When::Runs(_) => 0,
        }
    }

    /// Writes the cycle's part. No allocation, no lock, no system call.
    ///
    /// # Safety
    /// By worker 0 of the cycle, when the inputs have been taken and the tasks have not begun.
    pub unsafe fn write_down(
        &mut self,
        beginning: &Beginning<'_>,
        (before, is_safe): (Option<Time>, bool),
        (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
    ) {
        if self.shared.is(State::Closed) {
            return;
        }
        let mut spare = self.spare.pop();
        while spare.is_none() && self.full == WhenFull::Wait && self.shared.is(State::Taken) {
            std::thread::yield_now();
            spare = self.spare.pop();
        }
        let Some(mut pages) = spare else {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        for (&(topic, number, _), next) in self.publishers.iter().zip(&mut pages.published) {
            // SAFETY: promised by the caller.
            *next = unsafe { program.published(topic, number) };
        }
        for (item, page) in self.items.iter().zip(&mut pages.items) {
            page.bytes.clear();
            page.inlets.clear();
            // A type that panics when it is written must not end the cycle.
            let written = catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: promised by the caller.
                unsafe { item.write(page, beginning.run, (blackboard, program, imports)) }
            }));
            page.outcome = written.unwrap_or(Outcome::Missing);
            if page.bytes.is_full() {
                page.outcome = Outcome::Missing;
            }
        }
        let &Beginning { run, due: now, .. } = beginning;
        // There is room for all.
        _ = self.pages.push(Note { number: self.number(), run, now, before, is_safe, pages });
    }
}

impl Item {
    /// # Safety
    /// As for [`CheckpointWriter::write_down`].
    unsafe fn write(
        &self,
        page: &mut Page,
        run: u32,
        (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
    ) -> Outcome {
        if let Place::Module(name) = self.place {
            let Some(instance) = program.instance(name) else { return Outcome::Absent };
            if self.data_type.is_none() {
                return Outcome::Opaque;
            }
            let Some(_pass) = instance.pass() else { return Outcome::Missing };
            // SAFETY: between two runs, and nobody from outside is in.
            unsafe { instance.write_state(&mut page.bytes) };
            return Outcome::Written;
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
                // SAFETY: promised by the caller.
                let is_there = unsafe {
                    program.look_at_port(topic, number, |port| {
                        port.inlets(&mut note);
                        port.write_received(bytes);
                    })
                };
                if fits && is_there { Outcome::Written } else { Outcome::Missing }
            }
            Place::Store(index) => {
                let cell = blackboard.store(index).cell();
                // SAFETY: between two runs.
                unsafe { page.write_value(cell.descriptor(), cell.view(), program.provenance_before(index, run)) }
            }
            Place::Input { import, imported, always } => {
                let import = &imports[import];
                if !always && import.source.is_some() && import.import.has_taken() {
                    return Outcome::Absent;
                }
                let (cell, provenance) = (blackboard.imported(imported), &blackboard.frame().imported[imported]);
                // SAFETY: between two runs; what is imported is held.
                unsafe { page.write_value(cell.descriptor(), cell.view(), Some(provenance)) }
            }
            Place::Samples(imported) => {
                let cell = blackboard.imported(imported);
                let collected = cell.collected();
                page.bytes.begin_sequence(collected.len(), FixedLength::No);
                for (index, &view) in collected.iter().enumerate() {
                    page.note(index, view, None);
                    // SAFETY: between two runs; what was collected is held.
                    unsafe { cell.descriptor().write_at(view.value, &mut page.bytes) };
                }
                page.bytes.end_sequence();
                page.views
                    .get(collected.len().wrapping_sub(1))
                    .map_or(if collected.is_empty() { Outcome::Written } else { Outcome::Missing }, |_| {
                        Outcome::Written
                    })
            }
        }
    }
}

impl CheckpointLine {
    pub(crate) fn set(&self, state: State) {
        self.shared.state.store(state as u8, Ordering::Relaxed);
    }

    /// The next part. Allocates.
    pub(crate) fn next(&mut self) -> Option<CyclePart> {
        let Note { number, run, now, before, is_safe, mut pages } = self.pages.pop()?;
        let (mut pieces, mut opaque, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for ((item, page), room) in self.items.iter().zip(&mut pages.items).zip(&mut self.rooms) {
            match page.outcome {
                Outcome::Absent => {}
                Outcome::Opaque => opaque.push(item.name.clone()),
                Outcome::Missing => missing.push(item.name.clone()),
                Outcome::Written => pieces.extend(item.piece(page)),
            }
            if page.bytes.is_full() {
                *room *= MORE_ROOM;
            }
            // What nearly found no room soon finds none.
            while 2 * page.bytes.bytes().len() > *room {
                *room *= 2;
            }
            if page.bytes.capacity() < *room {
                page.bytes = CdrWriter::bounded(*room);
            }
        }
        let published = self.publishers.iter().zip(&pages.published);
        let published = published.map(|(&(topic, _, place), &next)| Published { topic: topic.into(), place, next });
        let published = published.collect();
        _ = self.spare.push(pages);
        Some(CyclePart {
            cycle: self.cycle.clone(),
            number,
            run,
            now,
            before,
            is_safe,
            pieces,
            published,
            opaque,
            missing,
        })
    }

    /// Parts for which there was no room at all.
    pub(crate) fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }
}

impl Item {
    fn piece(&self, page: &Page) -> Option<Piece> {
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
