//! Hands over what the service thread gathers: the journal, debug output of updates, statistics,
//! events.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::module::DebugRecord;
use hemiola_trace::{Event, Report, WorkerId};

use super::hand_over::{Giver, Presence, WhenFull, hand_over};
use super::observation::Observation;
use super::observer::{Gathered, SeenEvents};
use crate::debug::interest::Interest;
use crate::journal::JournalEntry;

/// The outlets to all observers that want some of it.
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

/// The capacity for entries: as many as the journal keeps, and some that arrive.
const ENTRIES: usize = 5120;
/// The capacity for records of updates: some seconds of a busy robot.
const DEBUG_RECORDS: usize = 1 << 13;
/// The capacity for events of all workers; one piece of each comes twenty times a second.
const EVENTS: usize = 1024;
/// A time longer than any robot runs.
const AGES: Duration = Duration::from_secs(u32::MAX as u64);
/// The capacity for statistics: older ones are of no use.
const REPORTS: usize = 4;

impl GatheredOutlets {
    /// Passes on what is requested from now on, and the entries that the journal still keeps.
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

    /// Removes observers that have left; returns whether one of them watched debug output.
    pub fn tidy(&mut self) -> bool {
        let watchers = self.debug.len();
        self.journal.retain(|giver| !giver.is_gone());
        self.debug.retain(|watcher| !watcher.giver.is_gone());
        self.statistics.retain(|periodic| !periodic.giver.is_gone());
        self.events.retain(|giver| !giver.is_gone());
        self.debug.len() < watchers
    }

    /// Returns the interest of all observers in debug output; `None` if nobody watches.
    pub fn interest(&self) -> Option<Interest> {
        let (first, others) = self.debug.split_first()?;
        let mut interest = (*first.interest).clone();
        others.iter().for_each(|other| interest.join(&other.interest));
        Some(interest)
    }

    /// Passes on an entry of the journal.
    pub fn entry(&mut self, entry: &JournalEntry) {
        for giver in &mut self.journal {
            giver.give(entry.clone());
            giver.notify();
        }
    }

    /// Passes on debug output of an update.
    pub fn show(&mut self, record: &DebugRecord) {
        let kind = record.content.kind();
        for Watcher { giver, .. } in self.debug.iter_mut().filter(|watcher| watcher.interest.wants(record.name, kind)) {
            giver.give(record.clone());
            giver.notify();
        }
    }

    /// Counts records of updates that did not fit into the queues of workers.
    pub fn lost_records(&self, count: u64) {
        self.debug.iter().for_each(|watcher| watcher.giver.count(count));
    }

    /// Passes on events of a worker or source.
    pub fn events(&mut self, worker: WorkerId, events: &[Event], lost: u64) {
        for giver in &mut self.events {
            giver.give(SeenEvents { worker, events: events.to_vec(), lost });
            giver.notify();
        }
    }

    /// Returns when the next statistics are due.
    pub fn due(&self) -> Option<Instant> {
        self.statistics.iter().map(|periodic| periodic.due).min()
    }

    /// Passes on statistics to observers whose period has elapsed.
    pub fn report(&mut self, report: impl FnOnce() -> Report) {
        let now = Instant::now();
        let mut due = self.statistics.iter_mut().filter(|periodic| periodic.due <= now).peekable();
        if due.peek().is_none() {
            return;
        }
        let report = Arc::new(report());
        for Periodic { giver, period, due } in due {
            giver.give(report.clone());
            giver.notify();
            // A period that no clock can represent never ends.
            *due = now.checked_add(*period).unwrap_or(now + AGES);
        }
    }
}
