//! Channels from one blackboard to another: snapshots of current values, and queues of all values.
//!
//! A snapshot holds values of the publisher's stores; the values stay where they are. The consumer
//! moves the holds into its cells when it reads the snapshot, and they stay there until it shows
//! other values. Holds that were never read are released by the publisher when the snapshot's
//! buffer comes back to it. Sample queues carry held values one by one.
//!
//! A value that was not put into the publisher's snapshot, because nothing needed it at that time,
//! is no longer shown by the consumer's cell: the cell shows the default, marked as stale, until a
//! snapshot arrives that contains the value.

use std::mem;
use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::module::BetweenRuns;
use hemiola_trace::{Event, ExchangeId, Ticks};

use super::Blackboard;
use super::feedback::{Entrance, Shape};
use super::imported::Imported;
use super::provenance::Provenance;
use super::slot::Held;
use super::snapshots::{self, SnapshotReader, SnapshotWriter};
use super::store::Holds;
use crate::coherence::Views;
use crate::record::{InputRecord, NO_SNAPSHOT, SampleSpan};
use crate::sync::{AtomicU64, Ordering};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

/// A snapshot of one publisher's values for one consumer.
struct Snapshot {
    entries: Box<[Entry]>,
    run: u32,
}

struct Entry {
    held: Option<Held>,
    provenance: Provenance,
}

/// The publisher's end of a channel.
pub struct Export {
    snapshots: SnapshotWriter<Snapshot>,
    lines: Box<[ExportLine]>,
    /// The number of snapshots that the consumer never read.
    overwritten: Arc<AtomicU64>,
    exchange: ExchangeId,
}

struct ExportLine {
    store: usize,
    samples: Option<SampleExport>,
    /// The provenance of the last value, which is needed when the present one is stale.
    last: Provenance,
}

struct SampleExport {
    queue: QueueWriter<Sample>,
    /// In a replay, the samples that will be read, the next ones last.
    wanted: Option<Vec<SampleSpan>>,
    dropped: Arc<AtomicU64>,
}

/// A value, and the run of the publisher in which it was published.
struct Sample {
    held: Held,
    run: u32,
}

/// The consumer's end of a channel.
pub struct Import {
    snapshots: SnapshotReader<Snapshot>,
    lines: Box<[ImportLine]>,
    overwritten: Arc<AtomicU64>,
    overwritten_seen: u64,
    exchange: ExchangeId,
    /// The run whose snapshot was read last, if that was new.
    taken: Option<u32>,
    /// The reader's view by which it is shown together with others.
    view: Option<usize>,
    /// Set if a snapshot was acquired that is not shown yet.
    is_acquired: bool,
}

struct ImportLine {
    imported: usize,
    entrance: Entrance,
    samples: Option<SampleImport>,
}

struct SampleImport {
    queue: QueueReader<Sample>,
    /// The maximum number of samples that are read at once.
    at_once: usize,
    /// The samples that were read last.
    span: SampleSpan,
    dropped: Arc<AtomicU64>,
}

/// One representation of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The publisher's store.
    pub store: usize,
    /// The consumer's number of the representation.
    pub imported: usize,
    /// The capacity of the sample queue; `None` when nothing reads samples.
    pub samples: Option<usize>,
}

/// The recorded exchanges of a channel, which are all that it passes on in a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// The runs of the publisher whose snapshots were read, in order.
    pub snapshots: Vec<u32>,
    /// The maximum number of snapshots that wait at the same time.
    pub waiting: usize,
    /// The samples that were read from each line with samples.
    pub samples: Vec<RecordedSamples>,
}

/// The recorded samples of one line: see [`Recorded`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedSamples {
    pub spans: Vec<SampleSpan>,
    /// The maximum number of samples that wait at the same time.
    pub waiting: usize,
    /// The maximum number of samples that are read at once.
    pub at_once: usize,
}

impl Recorded {
    /// Returns how many values a line may hold, like [`Line::holds`]; `index` is its number among
    /// those with samples, if it is one.
    pub fn holds(&self, index: Option<usize>) -> Holds {
        let of_samples = |samples: &RecordedSamples| samples.waiting + 2 * samples.at_once + 1;
        let samples = index.map_or(0, |index| self.samples.get(index).map_or(1, of_samples));
        // A replay has no real-time threads.
        Holds { most: snapshots::buffers(self.waiting) + samples, usual: 1 }
    }
}

impl Line {
    /// Returns how many values of the store this line may hold at the same time: the one that the
    /// reader's cell shows, the one that it is about to show, and the newest snapshot's; a full
    /// queue, a full queue that was drained, and one value for which there is no room.
    ///
    /// As long as every value is published before the next one is written, the newest snapshot has
    /// the current value, and the reader holds one: it releases what it shows before it reads what
    /// is new.
    pub fn holds(self) -> Holds {
        let samples = self.samples.map_or(0, |capacity| 2 * capacity + 1);
        Holds { most: 3 + samples, usual: 1 + samples }
    }
}

/// Creates a channel of these representations; in a replay, for what was recorded.
pub fn channel(
    lines: &[Line],
    shape: impl Into<Shape>,
    exchange: ExchangeId,
    recorded: Option<&Recorded>,
) -> (Export, Import) {
    let shape = shape.into();
    let make = || Snapshot {
        entries: lines.iter().map(|_| Entry { held: None, provenance: Provenance::shaped(shape) }).collect(),
        run: 0,
    };
    let (writer, reader) = match recorded {
        None => snapshots::newest(make),
        Some(recorded) => snapshots::recorded(&recorded.snapshots, recorded.waiting, make),
    };
    let overwritten = Arc::new(AtomicU64::new(0));
    let mut exports = Vec::new();
    let mut imports = Vec::new();
    let mut recorded_samples = recorded.map(|recorded| recorded.samples.iter());
    for line in lines {
        let (export, import) = match line.samples {
            None => (None, None),
            Some(capacity) => {
                let recorded = recorded_samples.as_mut().map(|lines| lines.next().cloned().unwrap_or_default());
                let (export, import) = samples(capacity, recorded);
                (Some(export), Some(import))
            }
        };
        exports.push(ExportLine { store: line.store, samples: export, last: Provenance::shaped(shape) });
        imports.push(ImportLine { imported: line.imported, samples: import, entrance: Entrance::default() });
    }
    (
        Export { snapshots: writer, lines: exports.into(), overwritten: overwritten.clone(), exchange },
        Import {
            snapshots: reader,
            lines: imports.into(),
            overwritten,
            overwritten_seen: 0,
            exchange,
            taken: None,
            view: None,
            is_acquired: false,
        },
    )
}

fn samples(capacity: usize, recorded: Option<RecordedSamples>) -> (SampleExport, SampleImport) {
    let (waiting, at_once) = match &recorded {
        None => (capacity, capacity),
        Some(recorded) => (recorded.waiting.max(1), recorded.at_once.max(1)),
    };
    let wanted = recorded.map(|recorded| recorded.spans.into_iter().rev().collect());
    let dropped = Arc::new(AtomicU64::new(0));
    let (queue, values) = self::queue(waiting);
    (
        SampleExport { queue, wanted, dropped: dropped.clone() },
        SampleImport { queue: values, at_once, span: SampleSpan::default(), dropped },
    )
}

impl Export {
    /// Returns the stores of the lines.
    pub fn stores(&self) -> Vec<usize> {
        self.lines.iter().map(|line| line.store).collect()
    }

    /// Publishes a snapshot for [`Blackboard::publish`]; `hold` returns the current value of a
    /// store.
    pub(super) fn publish<'p>(
        &mut self,
        hold: impl Fn(usize) -> Held,
        lines: impl Iterator<Item = (usize, &'p Provenance)>,
        run: u32,
        now: Ticks,
    ) -> Event {
        let Self { snapshots, lines: all, overwritten, exchange } = self;
        let is_wanted = snapshots.wants(run);
        snapshots.with_back(|snapshot| {
            snapshot.run = run;
            for (index, provenance) in lines {
                let line = &mut all[index];
                let held = hold(line.store);
                if !held.stale {
                    line.last.copy_from(provenance);
                }
                let entry = &mut snapshot.entries[index];
                entry.held = Some(held);
                entry.provenance.copy_from(&line.last);
                if let Some(samples) = &mut line.samples {
                    samples.publish(|| hold(line.store), run);
                }
            }
        });
        if is_wanted && !snapshots.publish() {
            overwritten.fetch_add(1, Ordering::Relaxed);
        }
        snapshots.with_back(|older| {
            // These are the values that the consumer did not read.
            older.entries.iter_mut().for_each(|entry| entry.held = None);
        });
        Event::Publish { exchange: *exchange, run, at: now }
    }
}

impl Export {
    /// Restores the origins of the last values of the lines, when a robot resumes from a
    /// checkpoint.
    pub fn restore(&mut self, origins: &[Provenance]) {
        self.lines.iter_mut().zip(origins).for_each(|(line, provenance)| line.last.copy_from(provenance));
    }

    /// Removes the ages of what derives from the last values.
    pub fn lapse(&mut self) {
        self.lines.iter_mut().for_each(|line| line.last.forget_ages());
    }
}

impl SampleExport {
    fn publish(&mut self, hold: impl FnOnce() -> Held, run: u32) {
        if let Some(wanted) = &mut self.wanted
            && !take_from(wanted, run)
        {
            return;
        }
        if self.queue.push(Sample { held: hold(), run }).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns whether the run belongs to the last one of these spans, which are in reverse order; if
/// so, it is removed from the span.
fn take_from(spans: &mut Vec<SampleSpan>, run: u32) -> bool {
    while spans.last().is_some_and(|span| span.count == 0) {
        spans.pop();
    }
    let Some(span) = spans.last_mut().filter(|span| span.first == run) else { return false };
    span.first = run.wrapping_add(1);
    span.count -= 1;
    true
}

/// The outcome of reading a snapshot.
pub struct Taken {
    /// The exchange.
    pub exchange: ExchangeId,
    /// The publisher's run from which it comes, if it is a new one.
    pub run: Option<u32>,
    /// The number of snapshots that were overwritten by newer ones since the last time, before they
    /// were read.
    pub overwritten: u64,
    /// The number of samples for which there was no room since the last time.
    pub dropped: u64,
}

impl Import {
    /// Sets the entrance of samples for each of the consumer's imports.
    pub fn through(mut self, entrance: impl Fn(usize) -> Entrance) -> Self {
        self.lines.iter_mut().for_each(|line| line.entrance = entrance(line.imported));
        self
    }

    /// Sets the view by which it is shown together with others.
    pub fn by_view(&mut self, view: Option<usize>) {
        self.view = view;
    }

    /// Acquires the newest snapshot if it is shown together with others, and none of them is being
    /// shown right now.
    pub fn acquire(&mut self, views: &Views) {
        if self.view.is_some_and(|view| views.is_settled(view)) {
            // What is shown stays as it is: perhaps it is shown for longer.
            self.is_acquired |= self.snapshots.take(|| {});
        }
    }

    /// Shows the updates the newest snapshot, if there is a new one, and all samples since the last
    /// time; nothing new if that does not belong together with what else has been
    /// [acquired](Self::acquire).
    pub fn take(&mut self, views: &Views, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) -> Taken {
        let is_whole = self.view.is_none_or(|view| views.is_settled(view));
        match self.view {
            None => self.take_snapshot(blackboard, between),
            Some(_) => {
                self.taken = None;
                if is_whole && mem::take(&mut self.is_acquired) {
                    self.show(blackboard, between);
                }
            }
        }
        let mut dropped = 0;
        for line in &mut self.lines {
            let Some(samples) = &mut line.samples else { continue };
            let limit = if is_whole { samples.at_once } else { 0 };
            samples.take(blackboard.imported(line.imported), limit, between);
            dropped += samples.dropped.swap(0, Ordering::Relaxed);
        }
        let overwritten_ever = self.overwritten.load(Ordering::Relaxed);
        let overwritten = overwritten_ever - self.overwritten_seen;
        self.overwritten_seen = overwritten_ever;
        Taken { exchange: self.exchange, run: self.taken, overwritten, dropped }
    }

    /// Shows what was read in the recording; returns `false` if it is not there.
    pub fn take_recorded(
        &mut self,
        blackboard: &Blackboard,
        record: &InputRecord,
        between: &mut BetweenRuns<'_>,
    ) -> bool {
        self.taken = None;
        if record.snapshot.is_some() {
            self.take_snapshot(blackboard, between);
        }
        let mut is_there = self.taken == record.snapshot;
        let lines = self.lines.iter_mut().filter_map(|line| Some((line.imported, line.samples.as_mut()?)));
        for ((imported, samples), record) in lines.zip(&record.samples) {
            samples.take(blackboard.imported(imported), record.span.count as usize, between);
            is_there &= samples.span == record.span;
        }
        is_there
    }

    /// Notes what was read in the recording and is shown already, because the robot resumes from a
    /// checkpoint.
    pub fn take_restored(&mut self, record: &InputRecord) {
        self.taken = record.snapshot;
        let samples = self.lines.iter_mut().filter_map(|line| line.samples.as_mut());
        samples.zip(&record.samples).for_each(|(samples, record)| samples.span = record.span);
    }

    fn take_snapshot(&mut self, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) {
        self.taken = None;
        let lines = &self.lines;
        let release = || lines.iter().for_each(|line| blackboard.imported(line.imported).show_default(between));
        if self.snapshots.take(release) {
            self.show(blackboard, between);
        }
    }

    /// Shows the snapshot that was acquired last.
    fn show(&mut self, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) {
        let lines = &self.lines;
        self.taken = Some(self.snapshots.with_front_mut(|snapshot| {
            for (entry, line) in snapshot.entries.iter_mut().zip(lines) {
                let imported = blackboard.imported(line.imported);
                let provenance = &mut blackboard.frame_mut(between).imported[line.imported];
                match entry.held.take() {
                    Some(held) => {
                        provenance.enter(&entry.provenance, line.entrance);
                        imported.show(held, between);
                    }
                    None => {
                        provenance.clear();
                        imported.show_default(between);
                    }
                }
            }
            snapshot.run
        }));
    }

    /// Writes what was read last, one word for the snapshot and two for each line with samples.
    /// Returns the remaining words.
    pub fn write_down<'w>(&self, words: &'w mut [u32]) -> &'w mut [u32] {
        let samples = self.lines.iter().filter_map(|line| line.samples.as_ref());
        let spans = samples.flat_map(|samples| [samples.span.first, samples.span.count]);
        let mut written = 0;
        for (word, value) in words.iter_mut().zip([self.taken.unwrap_or(NO_SNAPSHOT)].into_iter().chain(spans)) {
            *word = value;
            written += 1;
        }
        &mut words[written..]
    }
}

impl SampleImport {
    /// Shows the next values, at most `limit`, and releases the previous ones.
    fn take(&mut self, imported: &Imported, limit: usize, between: &mut BetweenRuns<'_>) {
        imported.forget_samples(between);
        self.span = SampleSpan::default();
        while (self.span.count as usize) < limit {
            let Some(Sample { held, run }) = self.queue.pop() else { break };
            imported.collect(held, between);
            self.span.extend(run);
        }
    }
}

impl Import {
    /// Returns whether there is a snapshot that can be read, and was not read yet: one that is
    /// shown together with others must have been [acquired](Self::acquire).
    pub fn has_new(&self, views: &Views) -> bool {
        match self.view {
            None => self.snapshots.has_new(),
            Some(view) => self.is_acquired && views.is_settled(view),
        }
    }

    /// Returns whether a new snapshot was read last time.
    pub fn has_taken(&self) -> bool {
        self.taken.is_some()
    }

    /// Returns the representations, by the consumer's number, and whether samples of each are kept.
    pub fn representations(&self) -> impl Iterator<Item = (usize, bool)> {
        self.lines.iter().map(|line| (line.imported, line.samples.is_some()))
    }

    /// Returns the stamp of the newest sample behind the snapshot that was read last.
    pub fn newest_stamp(&self) -> Option<Time> {
        self.snapshots
            .with_front(|snapshot| snapshot.entries.iter().filter_map(|entry| entry.provenance.newest()).max())
    }

    /// Reserves memory for the samples of these lines, so that reading them allocates nothing.
    pub fn reserve(&self, blackboard: &Blackboard, between: &mut BetweenRuns<'_>) {
        for line in &self.lines {
            if let Some(samples) = &line.samples {
                blackboard.imported(line.imported).reserve(samples.at_once, between);
            }
        }
    }
}
