//! The cycle's end, which writes parts, and the observer's end, which receives them.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::cdr::CdrWriter;
use hemiola_model::module::BetweenRuns;

use super::cut::Cut;
use super::item::{Inventory, Item};
use super::page::{Outcome, Page};
use crate::observe::hand_over::{Giver, Presence, Taker, WhenFull, circulating};
use crate::program::{PublisherEnd, World};
use crate::record::{CyclePart, Published};
use crate::run::Beginning;

/// The number of parts that can be in transit to an observer. With one, a piece for which there was
/// no room in a part has it in the next.
const DEPTH: usize = 1;
/// The time of the first checkpoint, if the period is longer: others follow after twice this and so
/// on, so that soon all pieces have the room that they need, and a replay can begin early.
const EARLY: Duration = Duration::from_secs(1);
/// The initial room for a piece.
const ROOM: usize = 4096;
/// The factor of later room, relative to the maximum that was needed: states grow.
const HEADROOM: usize = 4;

/// The end of a cycle that writes its parts.
pub struct PartWriter {
    pages: Giver<Box<Pages>>,
    items: Arc<[Item]>,
    publishers: Arc<[PublisherEnd]>,
    when: When,
    /// Set if the run that begins is the first after a cut.
    is_due: bool,
}

/// The runs that are the first after a cut.
pub enum When {
    /// The runs at which `period` has elapsed again since then.
    Every { cut: Cut, period: Duration, since: Time },
    /// The run with this number and the next one; samples of sources are written, too.
    Runs(u32),
}

/// A part in transit to an observer, which comes back to be filled again.
struct Pages {
    number: u32,
    run: u32,
    now: Time,
    before: Option<Time>,
    is_safe: bool,
    items: Box<[Page]>,
    /// The number of the next message of each publisher.
    published: Box<[u64]>,
}

/// The observer's end of a cycle's parts.
pub struct PartLine {
    cycle: Arc<str>,
    items: Arc<[Item]>,
    publishers: Arc<[PublisherEnd]>,
    pages: Taker<Box<Pages>>,
    /// The room that each item gets in the next page; empty if it gets what it needs.
    rooms: Vec<usize>,
}

/// Creates both ends for a cycle with this inventory.
pub fn parts(
    cycle: &Arc<str>,
    inventory: &Inventory,
    when: When,
    presence: &Arc<Presence>,
    full: WhenFull,
) -> (PartWriter, PartLine) {
    // Single runs are chosen for robots that are stepped, where memory may grow.
    let grows = matches!(when, When::Runs(_));
    let items: Arc<[Item]> = inventory.items(grows).into();
    let publishers = inventory.publishers.clone();
    let rooms = if grows { Vec::new() } else { vec![ROOM; items.len()] };
    let empty = || {
        let bytes = || if grows { CdrWriter::default() } else { CdrWriter::bounded(ROOM) };
        let pages = items.iter().map(|item| Page::new(bytes(), item.depth, inventory.sources));
        Box::new(Pages {
            number: 0,
            run: 0,
            now: Time::ZERO,
            before: None,
            is_safe: false,
            items: pages.collect(),
            published: vec![0; publishers.len()].into(),
        })
    };
    let (giver, pages) = circulating(presence, (0..DEPTH).map(|_| empty()).collect(), full);
    let line = PartLine { cycle: cycle.clone(), items: items.clone(), publishers: publishers.clone(), pages, rooms };
    (PartWriter { pages: giver, items, publishers, when, is_due: false }, line)
}

impl PartWriter {
    /// Checks whether the run that begins is the first after a cut. Called at the beginning of each
    /// run, before it reads its inputs: see the module.
    pub fn begin_run(&mut self, run: u32, now: Time) {
        self.is_due = match &mut self.when {
            When::Every { cut, period, since } => cut.is_due(wanted(now.since(*since), *period)),
            When::Runs(first) => run == *first || run == first.wrapping_add(1),
        }
    }

    /// Returns the number of the present checkpoint.
    fn number(&self) -> u32 {
        match &self.when {
            When::Every { cut, .. } => cut.number(),
            When::Runs(_) => 0,
        }
    }

    /// Writes the cycle's part, if it is due, after the inputs have been read and before the tasks
    /// have begun. No allocation, no lock, no system call.
    pub fn write_down(
        &mut self,
        beginning: &Beginning<'_>,
        (before, is_safe): (Option<Time>, bool),
        world: World<'_>,
        between: &BetweenRuns<'_>,
    ) {
        if !self.is_due {
            return;
        }
        let Some(mut pages) = self.pages.empty() else { return };
        for (&PublisherEnd { topic, number, .. }, next) in self.publishers.iter().zip(&mut pages.published) {
            *next = world.program.published(topic, number, between);
        }
        for (item, page) in self.items.iter().zip(&mut pages.items) {
            item.write_down(page, beginning.run, world, between);
        }
        (pages.number, pages.run, pages.now) = (self.number(), beginning.run, beginning.due);
        (pages.before, pages.is_safe) = (before, is_safe);
        // The queue has room for all pages.
        self.pages.give(pages);
    }
}

/// Returns the number of checkpoints that there should be by then.
fn wanted(elapsed: Duration, period: Duration) -> u32 {
    let early = iter::successors(Some(EARLY), |early| early.checked_mul(2));
    let early = early.take_while(|&early| early < period && early <= elapsed).count();
    u32::try_from(elapsed.as_nanos() / period.as_nanos().max(1) + early as u128).unwrap_or(u32::MAX)
}

impl PartLine {
    /// Returns the next part. Allocates.
    pub fn next(&mut self) -> Option<CyclePart> {
        let mut pages = self.pages.take()?;
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
        let published =
            published.map(|(&PublisherEnd { topic, place, .. }, &next)| Published { topic: topic.into(), place, next });
        let published = published.collect();
        let Pages { number, run, now, before, is_safe, .. } = *pages;
        self.pages.give_back(pages);
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

    /// Returns the number of parts for which there was no room at all.
    pub fn dropped(&self) -> u64 {
        self.pages.dropped()
    }
}
