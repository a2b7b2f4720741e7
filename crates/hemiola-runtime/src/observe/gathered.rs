//! Hands on what the service thread gathers: the journal, what updates show, figures, events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::module::DebugRecord;
use hemiola_trace::{Event, Report, WorkerId};

use super::hand_over::{Giver, Presence, WhenFull, hand_over};
use super::observation::Observation;
use super::observer::{Gathered, SeenEvents};
use crate::debug::interest::Interest;
use crate::journal::JournalEntry;

/// All who want some of it.
#[derive(Default)]
pub struct GatheredOutlets {
    journal: Vec<Giver<JournalEntry>>,
    debug: Vec<Watcher>,
    statistics: Vec<Periodic>,
    events: Vec<Giver<SeenEvents>>,
}

struct Watcher {
    giver: Giver<DebugRecord>,
    interest: Arc<Interest>,
}

struct Periodic {
    giver: Giver<Arc<Report>>,
    period: Duration,
    due: Instant,
}

/// As many entries as the journal keeps, and some that come.
const ENTRIES: usize = 5120;
/// Some seconds of a busy robot.
const DEBUG_RECORDS: usize = 1 << 13;
/// Of all workers; one piece of each comes twenty times a second.
const EVENTS: usize = 1024;
/// More than any robot runs.
const AGES: Duration = Duration::from_secs(u32::MAX as u64);
/// Older figures are of no use.
const REPORTS: usize = 4;

impl GatheredOutlets {
    /// Passes on what is asked for from now on, and what the journal still knows.
    pub fn observe(&mut self, asked: &Observation, presence: &Arc<Presence>, journal: Vec<JournalEntry>) -> Gathered {
        let mut gathered = Gathered::default();
        if asked.journal {
            let (mut giver, taker) = hand_over(presence, ENTRIES, WhenFull::Drop);
            journal.into_iter().for_each(|entry| _ = giver.give(entry));
            self.journal.push(giver);
            gathered.journal = Some(taker);
        }
        if let Some(interest) = asked.debug.clone() {
            let (giver, taker) = hand_over(presence, DEBUG_RECORDS, WhenFull::Drop);
            self.debug.push(Watcher { giver, interest });
            gathered.debug = Some(taker);
        }
        if let Some(period) = asked.statistics {
            let (giver, taker) = hand_over(presence, REPORTS, WhenFull::Drop);
            self.statistics.push(Periodic { giver, period, due: Instant::now() });
            gathered.statistics = Some(taker);
        }
        if asked.events {
            let (giver, taker) = hand_over(presence, EVENTS, WhenFull::Drop);
            self.events.push(giver);
            gathered.events = Some(taker);
        }
        gathered
    }

    /// Lets go of those who have left; tells whether somebody has who watched what updates show.
    pub fn tidy(&mut self) -> bool {
        let watchers = self.debug.len();
        self.journal.retain(|giver| !giver.is_gone());
        self.debug.retain(|watcher| !watcher.giver.is_gone());
        self.statistics.retain(|periodic| !periodic.giver.is_gone());
        self.events.retain(|giver| !giver.is_gone());
        self.debug.len() < watchers
    }

    /// What anybody wants of what updates show; `None` if nobody watches.
    pub fn interest(&self) -> Option<Interest> {
        let (first, others) = self.debug.split_first()?;
        let mut interest = (*first.interest).clone();
        others.iter().for_each(|other| interest.join(&other.interest));
        Some(interest)
    }

    /// Something has happened.
    pub fn entry(&mut self, entry: &JournalEntry) {
        self.journal.iter_mut().for_each(|giver| _ = giver.give(entry.clone()));
    }

    /// An update has shown something.
    pub fn show(&mut self, record: &DebugRecord) {
        let kind = record.content.kind();
        for Watcher { giver, .. } in self.debug.iter_mut().filter(|watcher| watcher.interest.wants(record.name, kind)) {
            giver.give(record.clone());
        }
    }

    /// So much of what updates show did not fit where workers leave it.
    pub fn lost_records(&self, count: u64) {
        self.debug.iter().for_each(|watcher| watcher.giver.count(count));
    }

    /// A worker or source has done something.
    pub fn events(&mut self, worker: WorkerId, events: &[Event], lost: u64) {
        self.events.iter_mut().for_each(|giver| _ = giver.give(SeenEvents { worker, events: events.to_vec(), lost }));
    }

    /// Passes on figures to those for whom it is time.
    pub fn report(&mut self, report: impl FnOnce() -> Report) {
        let now = Instant::now();
        let mut due = self.statistics.iter_mut().filter(|periodic| periodic.due <= now).peekable();
        if due.peek().is_none() {
            return;
        }
        let report = Arc::new(report());
        for Periodic { giver, period, due } in due {
            giver.give(report.clone());
            // A period that no clock can show never comes round.
            *due = now.checked_add(*period).unwrap_or(now + AGES);
        }
    }
}
