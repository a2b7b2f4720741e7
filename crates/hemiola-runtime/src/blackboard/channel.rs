//! From one blackboard to another: snapshots of current values, and queues of all values.
//!
//! A snapshot names slots of the publisher's stores; the values stay where they are. The publisher holds each of them when it
//! publishes, and gives them back when the snapshot's buffer comes back to it. Sample queues carry held values one by one, and
//! a second queue brings them back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hemiola_model::Time;
use hemiola_trace::{Event, ExchangeId, Ticks};

use super::Blackboard;
use super::provenance::Provenance;
use super::store::Held;
use hemiola_bus::exchange::{LatestReader, LatestWriter, QueueReader, QueueWriter, latest, queue};

/// Values of one publisher for one consumer.
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
    snapshots: LatestWriter<Snapshot>,
    lines: Box<[ExportLine]>,
    /// Snapshots that the consumer never took.
    overwritten: Arc<AtomicU64>,
    exchange: ExchangeId,
}

struct ExportLine {
    store: usize,
    samples: Option<SampleExport>,
    /// What the last value came from; of use when the present one is stale.
    last: Provenance,
}

struct SampleExport {
    queue: QueueWriter<Held>,
    returned: QueueReader<u32>,
    dropped: Arc<AtomicU64>,
}

/// The consumer's end of a channel.
pub struct Import {
    snapshots: LatestReader<Snapshot>,
    lines: Box<[ImportLine]>,
    overwritten: Arc<AtomicU64>,
    overwritten_seen: u64,
    exchange: ExchangeId,
    /// The values live there.
    _publisher: Arc<Blackboard>,
}

struct ImportLine {
    imported: usize,
    samples: Option<SampleImport>,
}

struct SampleImport {
    queue: QueueReader<Held>,
    returns: QueueWriter<u32>,
    taken: Vec<u32>,
    dropped: Arc<AtomicU64>,
}

/// One representation of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The publisher's store.
    pub store: usize,
    /// The consumer's number for it.
    pub imported: usize,
    /// How many values a sample queue holds; `None` when nobody asks for samples.
    pub samples: Option<usize>,
}

impl Line {
    /// How many values of the store this line may hold at the same time: two snapshots' (the newest, the reader's), and one
    /// on its way between them; a full queue, a full one that was taken, and one that finds no room.
    pub fn holds(self) -> usize {
        3 + self.samples.map_or(0, |capacity| 2 * capacity + 1)
    }
}

/// Half of a channel that waits for the publisher's blackboard to exist.
pub struct UnboundImport {
    snapshots: LatestReader<Snapshot>,
    lines: Box<[ImportLine]>,
    overwritten: Arc<AtomicU64>,
    exchange: ExchangeId,
}

/// A channel of these representations.
pub fn channel(lines: &[Line], sources: usize, exchange: ExchangeId) -> (Export, UnboundImport) {
    let (writer, reader) = latest(|| Snapshot {
        entries: lines.iter().map(|_| Entry { held: None, provenance: Provenance::none(sources) }).collect(),
        run: 0,
    });
    let overwritten = Arc::new(AtomicU64::new(0));
    let mut exports = Vec::new();
    let mut imports = Vec::new();
    for line in lines {
        let (export, import) = match line.samples {
            None => (None, None),
            Some(capacity) => {
                let dropped = Arc::new(AtomicU64::new(0));
                let (values, values_reader) = queue(capacity);
                // As many as can be under way: a full queue, and a full one that was taken.
                let (returns, returned) = queue(2 * capacity);
                (
                    Some(SampleExport { queue: values, returned, dropped: dropped.clone() }),
                    Some(SampleImport { queue: values_reader, returns, taken: Vec::with_capacity(capacity), dropped }),
                )
            }
        };
        exports.push(ExportLine { store: line.store, samples: export, last: Provenance::none(sources) });
        imports.push(ImportLine { imported: line.imported, samples: import });
    }
    (
        Export { snapshots: writer, lines: exports.into(), overwritten: overwritten.clone(), exchange },
        UnboundImport { snapshots: reader, lines: imports.into(), overwritten, exchange },
    )
}

impl Export {
    /// The stores of its lines.
    pub fn stores(&self) -> Vec<usize> {
        self.lines.iter().map(|line| line.store).collect()
    }

    /// Publishes the current values of these lines (with what they come from) as one snapshot. Tells what to put in the trace.
    ///
    /// # Safety
    /// By the task that publishes this export, ordered after the providers of the lines.
    pub unsafe fn publish<'p>(
        &mut self,
        blackboard: &Blackboard,
        lines: impl Iterator<Item = (usize, &'p Provenance)>,
        run: u32,
        now: Ticks,
    ) -> Event {
        let Self { snapshots, lines: all, overwritten, exchange } = self;
        snapshots.with_back(|snapshot| {
            snapshot.run = run;
            for (index, provenance) in lines {
                let line = &mut all[index];
                let store = blackboard.store(line.store);
                // SAFETY: ordered after the provider, as the caller promises.
                let held = unsafe { store.hold() };
                if !held.view.stale {
                    line.last.copy_from(provenance);
                }
                let entry = &mut snapshot.entries[index];
                entry.held = Some(held);
                entry.provenance.copy_from(&line.last);
                if let Some(samples) = &mut line.samples {
                    while let Some(slot) = samples.returned.pop() {
                        store.release(slot);
                    }
                    // SAFETY: as above.
                    let held = unsafe { store.hold() };
                    if samples.queue.push(held).is_err() {
                        store.release(held.slot);
                        samples.dropped.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        if !snapshots.publish() {
            overwritten.fetch_add(1, Ordering::Relaxed);
        }
        snapshots.with_back(|older| {
            for (entry, line) in older.entries.iter_mut().zip(&*all) {
                if let Some(held) = entry.held.take() {
                    blackboard.store(line.store).release(held.slot);
                }
            }
        });
        Event::Publish { exchange: *exchange, run, at: now }
    }
}

impl UnboundImport {
    /// Binds it to the publisher's blackboard.
    pub fn bind(self, publisher: Arc<Blackboard>) -> Import {
        Import {
            snapshots: self.snapshots,
            lines: self.lines,
            overwritten: self.overwritten,
            overwritten_seen: 0,
            exchange: self.exchange,
            _publisher: publisher,
        }
    }
}

/// What taking a snapshot brought.
pub struct Taken {
    /// The exchange.
    pub exchange: ExchangeId,
    /// The publisher's run that it comes from, if it is a new one.
    pub run: Option<u32>,
    /// Snapshots that were overwritten by newer ones since the last time, before they were taken.
    pub overwritten: u64,
    /// Samples for which there was no room since the last time.
    pub dropped: u64,
}

impl Import {
    /// Shows the newest snapshot, if there is a new one, and all samples since the last time, to the updates.
    ///
    /// # Safety
    /// By worker 0 of the consumer, between two runs.
    pub unsafe fn take(&mut self, blackboard: &Blackboard) -> Taken {
        let new = self.snapshots.take();
        if new {
            // SAFETY: between two runs.
            let frame = unsafe { blackboard.frame_mut() };
            self.snapshots.with_front(|snapshot| {
                for (entry, line) in snapshot.entries.iter().zip(&self.lines) {
                    let Some(held) = entry.held else { continue };
                    frame.imported[line.imported].copy_from(&entry.provenance);
                    let cell = blackboard.imported(line.imported);
                    // SAFETY: between two runs; the publisher holds the value until this snapshot goes back to it.
                    unsafe {
                        cell.set_current(held.view);
                        cell.age();
                    }
                }
            });
        }
        let mut dropped = 0;
        for line in &mut self.lines {
            let Some(samples) = &mut line.samples else { continue };
            // SAFETY: between two runs.
            let collected = unsafe { blackboard.imported(line.imported).collected_mut() };
            collected.clear();
            for slot in samples.taken.drain(..) {
                // It has room for all that can be under way.
                _ = samples.returns.push(slot);
            }
            while samples.taken.len() < samples.taken.capacity() {
                let Some(held) = samples.queue.pop() else { break };
                collected.push(held.view);
                samples.taken.push(held.slot);
            }
            dropped += samples.dropped.swap(0, Ordering::Relaxed);
        }
        let overwritten_ever = self.overwritten.load(Ordering::Relaxed);
        let overwritten = overwritten_ever - self.overwritten_seen;
        self.overwritten_seen = overwritten_ever;
        let run = new.then(|| self.snapshots.with_front(|snapshot| snapshot.run));
        Taken { exchange: self.exchange, run, overwritten, dropped }
    }
}

impl Import {
    /// Whether there is a snapshot that was not taken yet.
    pub fn has_new(&self) -> bool {
        self.snapshots.has_new()
    }

    /// The stamp of the newest sample behind the snapshot taken last.
    pub fn newest_stamp(&self) -> Option<Time> {
        self.snapshots
            .with_front(|snapshot| snapshot.entries.iter().filter_map(|entry| entry.provenance.newest()).max())
    }

    /// Makes room for the samples of these lines, so that taking them allocates nothing.
    ///
    /// # Safety
    /// Before the consumer runs.
    pub unsafe fn reserve(&self, blackboard: &Blackboard) {
        for line in &self.lines {
            if let Some(samples) = &line.samples {
                // SAFETY: promised by the caller.
                unsafe { blackboard.imported(line.imported).collected_mut() }.reserve(samples.taken.capacity());
            }
        }
    }
}
