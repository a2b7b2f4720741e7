//! The provenance of messages of topics, on their way from an update that publishes to one that
//! subscribes, so that chains continue through topics.
//!
//! A message could carry its provenance, but then silence would carry none: that no whistle was
//! detected also derives from the microphone. So each publishing update records, before it is
//! called, what this run derives from and the number of its next message; and afterwards, that the
//! run has ended. A subscriber checks whether it has everything that a run published: if that run
//! had ended before the messages were received, or if one of its messages is among them. The latest
//! such run counts.
//!
//! # Protocol
//! The entries of the last few runs are used in turn; the number of a run is written into its entry
//! last.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | marks the entry as being written, then fills it | a release fence between: whoever sees a new word sees the mark |
//! | publisher | marks it as that run's | release: whoever sees the number sees the words |
//! | publisher | publishes, then notes that the run has ended | release: whoever sees the end finds the messages |
//! | subscriber | looks which run has ended, takes the messages | acquire: what was published before the end is there |
//! | subscriber | looks at the number of an entry, reads it, looks again | acquire, and an acquire fence before the second look: if both are the same, so is all between |
//!
//! One thread writes at a time, because an update runs once in a run of its cycle. A reader that is
//! held up for so long that the entry is overwritten learns nothing in this run; no thread waits.

mod news;
mod topic_inlet;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hemiola_model::Time;
use hemiola_model::module::Place;
use hemiola_trace::ExchangeId;

use crate::blackboard::feedback::{Entrance, Shape};
use crate::blackboard::provenance::Provenance;
use crate::sync::{AtomicU32, AtomicU64, Ordering, fence};
use news::{Listener, Monotony};
pub use news::{News, TopicNews};
pub use topic_inlet::TopicInlet;

/// The provenances of a robot's topics. Accessing them locks, so it is not for real-time threads.
#[derive(Default)]
pub struct Origins(Mutex<BTreeMap<&'static str, Arc<TopicOrigins>>>);

impl Origins {
    /// Returns the provenances of a topic's messages.
    pub fn of(&self, topic: &'static str) -> Arc<TopicOrigins> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(topic).or_default().clone()
    }
}

/// The provenances of a topic's messages by publisher, each in its place.
#[derive(Default)]
pub struct TopicOrigins {
    publishers: [OnceLock<PublisherOrigins>; PUBLISHERS],
    /// The parties that are notified when a run of a publisher has ended.
    listeners: [OnceLock<Arc<Listener>>; LISTENERS],
}

/// The number of publishers in cycles and sources that the subscriptions of a topic distinguish.
const IN_ROBOT: usize = 16;

/// The number of links that they distinguish, among the publishers elsewhere.
const OUTSIDE: usize = 8;

/// The number of all publishers that they distinguish.
pub const PUBLISHERS: usize = IN_ROBOT + OUTSIDE;

/// Returns the index of a publisher among those that subscriptions distinguish.
pub fn index_of(place: Place) -> Option<usize> {
    let (first, number, count) = match place {
        Place::Cycle(number) | Place::Source(number) => (0, number, IN_ROBOT),
        Place::Outside(number) => (IN_ROBOT, number, OUTSIDE),
    };
    usize::try_from(number).ok().filter(|number| *number < count).map(|number| first + number)
}

/// The number of links that can pass on what a topic's messages derive from.
const LISTENERS: usize = 16;

impl TopicOrigins {
    /// Adds a listener; returns `false` if there are too many.
    fn add(&self, listener: &Arc<Listener>) -> bool {
        self.listeners.iter().any(|place| place.set(listener.clone()).is_ok())
    }

    fn listeners(&self) -> impl Iterator<Item = &Listener> {
        self.listeners.iter().map_while(OnceLock::get).map(|listener| &**listener)
    }
}

/// The end of an update that publishes to a topic.
pub struct OriginWriter {
    topic: Arc<TopicOrigins>,
    index: usize,
}

impl OriginWriter {
    /// Creates the end of the publisher at that place; returns `None` if there are too many.
    /// Allocates.
    pub fn new(topic: Arc<TopicOrigins>, place: Place, shape: impl Into<Shape>, exchange: ExchangeId) -> Option<Self> {
        let shape = shape.into();
        let writer = Self { topic, index: index_of(place)? };
        let publisher = writer.topic.publishers.get(writer.index)?;
        let publisher = publisher.get_or_init(|| PublisherOrigins {
            exchange,
            runs: Runs::new(shape),
            monotony: Monotony::default(),
        });
        publisher.runs.writers.fetch_add(1, Ordering::Relaxed);
        Some(writer)
    }

    fn publisher(&self) -> Option<&PublisherOrigins> {
        self.topic.publishers.get(self.index)?.get()
    }

    /// Notes, before the update is called, its run, the number of its next message, and what it
    /// derives from.
    pub fn begin(&self, run: u32, next: u64, provenance: &Provenance) {
        if let Some(publisher) = self.publisher() {
            publisher.runs.begin(run, next, provenance);
            if self.topic.listeners().next().is_some() {
                publisher.monotony.begin(provenance.latest());
            }
        }
    }

    /// Notes, after the update was called, that the run has ended, and the number of the next
    /// message now. Returns the exchange under which traces list what it published.
    pub fn end(&self, next: u64) -> Option<ExchangeId> {
        let publisher = self.publisher()?;
        // Whoever sees the end of the run then sees when that was.
        let run = publisher.runs.begun.load(Ordering::Relaxed);
        self.topic.listeners().for_each(|listener| listener.note_end(self.index, run));
        publisher.runs.end();
        let first = publisher.monotony.end(run, next);
        self.topic.listeners().for_each(|listener| listener.notify(self.index, first));
        Some(publisher.exchange)
    }
}

impl Drop for OriginWriter {
    fn drop(&mut self) {
        if let Some(publisher) = self.publisher() {
            publisher.runs.writers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The end of an update that subscribes to a topic.
pub struct OriginReader {
    topic: Arc<TopicOrigins>,
    /// The run of each publisher that had ended before the messages were received.
    ended: [u64; PUBLISHERS],
    /// The latest known run of each publisher.
    latest: [u64; PUBLISHERS],
    /// The provenance of one publisher's messages.
    one: Provenance,
    /// The provenance of all publishers' messages together.
    all: Provenance,
    /// The entrance for samples that enter the cycle with the messages.
    entrance: Entrance,
}

impl OriginReader {
    /// Creates the end of an update that receives the messages of a topic. Allocates.
    pub fn new(topic: Arc<TopicOrigins>, shape: impl Into<Shape>, entrance: Entrance) -> Self {
        let none = Provenance::shaped(shape.into());
        Self { topic, ended: [0; PUBLISHERS], latest: [0; PUBLISHERS], one: none.clone(), all: none, entrance }
    }

    /// Notes which runs have ended, before messages are received.
    pub fn look(&mut self) {
        for (publisher, ended) in self.topic.publishers.iter().zip(&mut self.ended) {
            *ended = publisher.get().map_or(0, |publisher| publisher.runs.ended());
        }
    }

    /// Finds what the messages that were received derive from. `next` returns, for a publisher's
    /// index, the number of the first message that was not received. Calls `tell` for the runs
    /// about which something is new.
    pub fn hear(&mut self, next: impl Fn(usize) -> u64, tell: &mut dyn FnMut(ExchangeId, u32)) {
        self.all.clear();
        for (place, publisher) in self.topic.publishers.iter().enumerate() {
            let Some(PublisherOrigins { exchange, runs, .. }) = publisher.get() else { continue };
            let Some((number, run)) = runs.latest_known(self.ended[place], next(place), &mut self.one) else {
                continue;
            };
            self.all.hear_through(&self.one, self.entrance);
            if number > std::mem::replace(&mut self.latest[place], number) {
                tell(*exchange, run);
            }
        }
    }

    /// Returns what the messages of this run, and silence, derive from.
    pub fn heard(&self) -> &Provenance {
        &self.all
    }
}

struct PublisherOrigins {
    exchange: ExchangeId,
    runs: Runs,
    monotony: Monotony,
}

/// The last few runs of a publisher. They are numbered from 1 on, because a cycle's own numbers may
/// begin anywhere.
struct Runs {
    entries: [Entry; ENTRIES],
    begun: AtomicU64,
    ended: AtomicU64,
    /// The number of programs that have this publisher: without one, the entries are out of date.
    writers: AtomicU32,
}

/// The number of entries: one that is being written, one that readers use, and two for readers that
/// are held up.
const ENTRIES: usize = if cfg!(loom) { 2 } else { 4 };

struct Entry {
    number: AtomicU64,
    run: AtomicU32,
    /// The number of the run's first message, if it publishes some.
    first: AtomicU64,
    /// The oldest and the newest stamp of each source, by values and by messages, for each set of
    /// marks.
    words: Box<[AtomicU64]>,
}

/// The number of an entry that is being written; no run has it.
const BEING_WRITTEN: u64 = 0;

impl Runs {
    fn new(shape: impl Into<Shape>) -> Self {
        let Shape { sources, ways } = shape.into();
        let word = || AtomicU64::new(0);
        let entry = || Entry {
            number: word(),
            run: AtomicU32::new(0),
            first: word(),
            words: (0..4 * sources * ways).map(|_| word()).collect(),
        };
        Self { entries: std::array::from_fn(|_| entry()), begun: word(), ended: word(), writers: AtomicU32::new(0) }
    }

    fn entry(&self, number: u64) -> &Entry {
        &self.entries[number as usize % ENTRIES]
    }

    fn begin(&self, run: u32, next: u64, provenance: &Provenance) {
        let number = self.begun.load(Ordering::Relaxed) + 1;
        self.begun.store(number, Ordering::Relaxed);
        let entry = self.entry(number);
        entry.number.store(BEING_WRITTEN, Ordering::Relaxed);
        fence(Ordering::Release);
        entry.run.store(run, Ordering::Relaxed);
        entry.first.store(next, Ordering::Relaxed);
        let mut words = entry.words.iter();
        provenance.write_down(|time| {
            if let Some(word) = words.next() {
                word.store(time.nanoseconds() as u64, Ordering::Relaxed);
            }
        });
        entry.number.store(number, Ordering::Release);
    }

    fn end(&self) {
        self.ended.store(self.begun.load(Ordering::Relaxed), Ordering::Release);
    }

    fn ended(&self) -> u64 {
        self.ended.load(Ordering::Acquire)
    }

    /// Returns the number and the run of the latest entry that counts, and writes its provenance
    /// into `provenance`.
    fn latest_known(&self, ended: u64, next: u64, provenance: &mut Provenance) -> Option<(u64, u32)> {
        if self.writers.load(Ordering::Relaxed) == 0 {
            return None;
        }
        // Newer runs count only if one of their messages was received.
        let mut number = ended;
        while let Some((first, _)) = self.read(number + 1, None) {
            if first >= next {
                break;
            }
            number += 1;
        }
        self.read(number, Some(provenance)).map(|(_, run)| (number, run))
    }

    /// Reads an entry: the number of its first message, and the run.
    fn read(&self, number: u64, provenance: Option<&mut Provenance>) -> Option<(u64, u32)> {
        let entry = self.entry(number);
        if number == BEING_WRITTEN || entry.number.load(Ordering::Acquire) != number {
            return None;
        }
        let (first, run) = (entry.first.load(Ordering::Relaxed), entry.run.load(Ordering::Relaxed));
        if let Some(provenance) = provenance {
            let mut words = entry.words.iter().map(|word| word.load(Ordering::Relaxed) as i64);
            provenance.read_back(|| Time::from_nanoseconds(words.next().unwrap_or_default()));
        }
        fence(Ordering::Acquire);
        (entry.number.load(Ordering::Relaxed) == number).then_some((first, run))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_trace::ExchangeId;

    use super::*;

    fn sampled(second: i64) -> Provenance {
        let mut provenance = Provenance::none(1);
        provenance.include(0, Time::from_nanoseconds(second * 1_000_000_000));
        provenance
    }

    /// Returns what the reader knows if that many messages were received, in seconds, and the runs
    /// of which it derives that.
    fn heard(reader: &mut OriginReader, next: u64) -> (Option<i64>, Vec<u32>) {
        let mut runs = Vec::new();
        reader.hear(|_| next, &mut |_, run| runs.push(run));
        (reader.heard().heard(0).map(|(_, newest)| newest.nanoseconds() / 1_000_000_000), runs)
    }

    #[test]
    fn silence_tells_of_runs_that_have_ended_and_messages_of_those_that_have_not() {
        let origins = Origins::default();
        let writer = OriginWriter::new(origins.of("Whistle"), Place::Cycle(0), 1, ExchangeId(3)).unwrap();
        let mut reader = OriginReader::new(origins.of("Whistle"), 1, Entrance::default());
        reader.look();
        assert_eq!(heard(&mut reader, 0), (None, vec![]), "nobody has told anything yet");

        writer.begin(70, 0, &sampled(1));
        reader.look();
        assert_eq!(heard(&mut reader, 0), (None, vec![]), "it may still publish something");
        reader.look();
        writer.end(0);
        assert_eq!(
            heard(&mut reader, 0),
            (None, vec![]),
            "that may have been too late for the messages that were taken"
        );
        reader.look();
        assert_eq!(heard(&mut reader, 0), (Some(1), vec![70]));
        reader.look();
        assert_eq!(heard(&mut reader, 0), (Some(1), vec![]), "the same, and nothing new");

        writer.begin(71, 0, &sampled(2));
        reader.look();
        assert_eq!(heard(&mut reader, 1), (Some(2), vec![71]), "its first message came");
        writer.end(1);
        for run in 72..80 {
            writer.begin(run, 1, &sampled(i64::from(run)));
            writer.end(1);
        }
        assert_eq!(heard(&mut reader, 1).0, None, "what was seen before so many runs is gone");
        reader.look();
        assert_eq!(heard(&mut reader, 1), (Some(79), vec![79]));
    }

    #[test]
    fn a_publisher_that_no_program_has_any_more_tells_nothing() {
        let origins = Origins::default();
        let [old, new] =
            [0, 1].map(|_| OriginWriter::new(origins.of("Whistle"), Place::Cycle(2), 1, ExchangeId(0)).unwrap());
        let mut reader = OriginReader::new(origins.of("Whistle"), 1, Entrance::default());
        old.begin(1, 0, &sampled(1));
        old.end(0);
        drop(old);
        reader.look();
        assert_eq!(heard(&mut reader, 0).0, Some(1), "the next program goes on with it");
        drop(new);
        assert_eq!(heard(&mut reader, 0).0, None);
        let at = |place| OriginWriter::new(origins.of("Whistle"), place, 1, ExchangeId(0)).is_some();
        let last = [Place::Source(15), Place::Outside(7), Place::Cycle(16), Place::Outside(8)];
        assert_eq!(last.map(at), [true, true, false, false]);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use loom::thread;

    use super::*;
    use crate::sync::Arc;

    fn sampled(run: u32) -> Provenance {
        let mut provenance = Provenance::none(1);
        provenance.include(0, Time::from_nanoseconds(i64::from(run)));
        provenance
    }

    /// Runs 1, 2 and 3 publish one message each; `published` stands for the lane.
    #[test]
    fn loom_whoever_hears_of_a_run_has_its_messages_and_what_it_derives_from() {
        let mut model = loom::model::Builder::new();
        // More take hours, and a reader that is torn needs two.
        model.preemption_bound = Some(3);
        model.check(|| {
            let runs = Arc::new((Runs::new(1), AtomicU64::new(0)));
            runs.0.writers.fetch_add(1, Ordering::Relaxed);
            let publisher = {
                let runs = runs.clone();
                thread::spawn(move || {
                    for run in 1..=3 {
                        runs.0.begin(run, u64::from(run - 1), &sampled(run));
                        runs.1.store(u64::from(run), Ordering::Release);
                        runs.0.end();
                    }
                })
            };
            let ended = runs.0.ended();
            let next = runs.1.load(Ordering::Acquire);
            assert!(next >= ended, "what an ended run published is there");
            let mut provenance = Provenance::none(1);
            if let Some((number, run)) = runs.0.latest_known(ended, next, &mut provenance) {
                assert_eq!(number, u64::from(run));
                assert!(number <= next, "its message was taken");
                let stamp = Time::from_nanoseconds(i64::from(run));
                assert_eq!(provenance.span(0), Some((stamp, stamp)));
            }
            publisher.join().unwrap();
        });
    }
}
