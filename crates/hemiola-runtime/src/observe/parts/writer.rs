//! A cycle's end, which writes parts down, and the recorder's, which takes them.

#![expect(unsafe_code, reason = "making a witness is a promise: nothing runs yet")]

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_model::module::{BetweenRuns, StateForm};

use super::cut::Cut;
use super::item::{Item, items};
use super::page::{Outcome, Page};
use crate::blackboard::Blackboard;
use crate::observe::values::{State, WhenFull};
use crate::program::Program;
use crate::record::{CyclePart, Published};
use crate::run::{Beginning, CycleImport};
use crate::sync::{AtomicU8, AtomicU64, Ordering};

/// So many parts can be on their way to the recorder. With one, what found no room in a part has it in the next.
const DEPTH: usize = 1;
/// The first snapshots do not wait for a long period: they come after this, twice this and so on, so that soon all pieces have the room that they
/// need, and a replay can begin early.
const EARLY: Duration = Duration::from_secs(1);
/// Room for a piece at first.
const ROOM: usize = 4096;
/// And later, times what was needed most: states grow.
const HEADROOM: usize = 4;

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
    /// How much room each item gets in the next page; empty if it gets what it needs.
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
    // SAFETY: nothing runs yet.
    let mut between = unsafe { BetweenRuns::assume() };
    let items: Arc<[Item]> = items(modules, blackboard, program, imports, with_sources, &between).into();
    let publishers: Arc<[PublisherPlace]> = program.publishers(&between).into();
    // Who chooses single runs has a robot that is stepped, where memory may grow.
    let grows = matches!(when, When::Runs(_));
    let rooms = if grows { Vec::new() } else { vec![ROOM; items.len()] };
    let (pages, reader) = queue(DEPTH);
    let (mut spare, spare_reader) = queue(DEPTH);
    for _ in 0..DEPTH {
        let bytes = || if grows { CdrWriter::default() } else { CdrWriter::bounded(ROOM) };
        let pages = items.iter().map(|item| Page::new(bytes(), item.depth(blackboard, &mut between), sources));
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

impl CheckpointWriter {
    /// Whether the run that begins is the first after a cut. At the beginning of each run, before it takes its inputs: see the module.
    pub fn is_due(&mut self, run: u32, now: Time) -> bool {
        match &mut self.when {
            When::Every(cut, period) => cut.is_due(wanted(now.since(Time::ZERO), *period)),
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

    /// Writes the cycle's part, when the inputs have been taken and the tasks have not begun. No allocation, no lock, no system call.
    pub fn write_down(
        &mut self,
        beginning: &Beginning<'_>,
        (before, is_safe): (Option<Time>, bool),
        (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
        between: &BetweenRuns<'_>,
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
            *next = program.published(topic, number, between);
        }
        for (item, page) in self.items.iter().zip(&mut pages.items) {
            item.write_down(page, beginning.run, (blackboard, program, imports), between);
        }
        let &Beginning { run, due: now, .. } = beginning;
        // There is room for all.
        _ = self.pages.push(Note { number: self.number(), run, now, before, is_safe, pages });
    }
}

/// How many snapshots there should be by then.
fn wanted(elapsed: Duration, period: Duration) -> u32 {
    let early = iter::successors(Some(EARLY), |early| early.checked_mul(2));
    let early = early.take_while(|&early| early < period && early <= elapsed).count();
    u32::try_from(elapsed.as_nanos() / period.as_nanos().max(1) + early as u128).unwrap_or(u32::MAX)
}

impl CheckpointLine {
    pub(crate) fn set(&self, state: State) {
        self.shared.state.store(state as u8, Ordering::Relaxed);
    }

    /// The next part. Allocates.
    pub(crate) fn next(&mut self) -> Option<CyclePart> {
        let Note { number, run, now, before, is_safe, mut pages } = self.pages.pop()?;
        let (mut pieces, mut opaque, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let mut rooms = self.rooms.iter_mut();
        for (item, page) in self.items.iter().zip(&mut pages.items) {
            match page.outcome {
                Outcome::Absent => {}
                Outcome::Opaque => opaque.push(item.name.clone()),
                Outcome::Missing => missing.push(item.name.clone()),
                Outcome::Written => pieces.extend(item.piece(page)),
            }
            let Some(room) = rooms.next() else { continue };
            *room = (*room).max(HEADROOM * page.bytes.needed());
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
