//! Checks stores and channels under every interleaving (loom): the real ones, with a representation
//! whose value loom watches. What a reader sees is never rewritten meanwhile, and a provider always
//! finds a value to write to.

#![expect(unsafe_code, reason = "loom checks what it promises")]

use std::sync::Arc;

use hemiola_model::module::BetweenRuns;
use hemiola_model::{Form, Representation, RepresentationDescriptor, Time};
use hemiola_trace::{ExchangeId, Ticks};
use loom::cell::UnsafeCell;
use loom::thread;

use super::Blackboard;
use super::channel::{Export, Import, Line, channel};
use super::imported::Imported;
use super::provenance::Provenance;
use super::slot::Held;
use super::store::{Holds, Store, Writing};
use crate::coherence::{Coherence, Views};

/// The run that wrote the value; 0 if it was not written. Loom sees every access that is not
/// ordered by synchronisation.
#[derive(Default)]
struct Watched(UnsafeCell<u32>);

// SAFETY: stores order all accesses, which is what the model checks.
unsafe impl Send for Watched {}
// SAFETY: as above.
unsafe impl Sync for Watched {}

impl Watched {
    fn get(&self) -> u32 {
        // SAFETY: see above.
        self.0.with(|value| unsafe { *value })
    }

    fn set(&mut self, run: u32) {
        // SAFETY: see above.
        self.0.with_mut(|value| unsafe { *value = run });
    }
}

impl Representation for Watched {
    const NAME: &'static str = "Watched";

    fn form() -> Form<Self> {
        Form::opaque()
    }

    fn reset(&mut self) {
        self.set(0);
    }
}

fn watched() -> &'static RepresentationDescriptor {
    RepresentationDescriptor::of::<Watched>()
}

/// A cycle that provides several values to others.
struct Publisher {
    blackboard: Arc<Blackboard>,
    run: u32,
}

/// A cycle that reads all these values.
struct Reader {
    blackboard: Blackboard,
    import: Import,
}

/// Creates that many values, and readers of them, with a sample queue of the first value if a
/// capacity is given.
fn cycles(values: usize, readers: usize, capacity: Option<usize>) -> (Publisher, Vec<Reader>) {
    let line = |store| Line { store, imported: store, samples: capacity.filter(|_| store == 0) };
    let lines: Vec<Line> = (0..values).map(line).collect();
    let holds = |line: &Line| {
        let Holds { most, usual } = line.holds();
        Holds { most: readers * most, usual: readers * usual }
    };
    let stores = lines.iter().map(|line| Store::new(watched(), holds(line))).collect();
    let (exports, imports): (Vec<Export>, Vec<Import>) =
        (0..readers).map(|_| channel(&lines, 0, ExchangeId(0), None)).unzip();
    let reader = |import: Import| {
        let imported = (0..values).map(|_| Imported::new(watched(), Held::new(watched().create()))).collect();
        let blackboard = Blackboard::new(Vec::new(), imported, Vec::new(), 0);
        // SAFETY: nothing runs.
        import.reserve(&blackboard, &mut unsafe { BetweenRuns::assume() });
        Reader { blackboard, import }
    };
    let publisher = Publisher { blackboard: Arc::new(Blackboard::new(stores, Vec::new(), exports, 0)), run: 0 };
    (publisher, imports.into_iter().map(reader).collect())
}

impl Publisher {
    /// Runs the cycle: all values are written, and these are published to every reader.
    fn run(&mut self, published: &[usize]) {
        self.run += 1;
        for store in self.blackboard.stores() {
            let stores = [store];
            // SAFETY: one thread, and nobody reads before it publishes.
            let mut writing = unsafe { Writing::begin(&stores) }.expect("there is a free value");
            writing.reset();
            writing.values().for_each(|mut value| value.downcast_mut::<Watched>().unwrap().set(self.run));
            writing.commit(Time::ZERO);
        }
        let nothing = Provenance::none(0);
        for export in 0..self.blackboard.exports() {
            let lines = published.iter().map(|&line| (line, &nothing));
            // SAFETY: one thread, after the providers.
            unsafe { self.blackboard.publish(export, lines, self.run, Ticks(0)) };
        }
    }
}

impl Reader {
    /// Runs the cycle: it reads what is new, and looks at all of it twice.
    fn run(&mut self) -> Vec<u32> {
        // SAFETY: one thread, and what is read below is read within the run.
        self.import.take(&Views::default(), &self.blackboard, &mut unsafe { BetweenRuns::assume() });
        let values = self.look();
        thread::yield_now();
        assert_eq!(self.look(), values, "a value changed while it was read");
        values
    }

    fn look(&self) -> Vec<u32> {
        let lines = self.import.representations().map(|(imported, _)| imported);
        let value = |imported| {
            let cell = self.blackboard.imported(imported).cell();
            // SAFETY: within the run nothing changes, which is what the model checks.
            let see = |view: &hemiola_model::module::cell::View| unsafe { &*view.value.cast::<Watched>() }.get();
            cell.collected().iter().chain([&cell.view()]).map(see).collect::<Vec<_>>()
        };
        lines.flat_map(value).collect()
    }
}

fn model(check: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(check);
}

#[test]
fn loom_a_published_value_stays_until_the_reader_shows_another() {
    model(|| {
        let (mut publisher, mut readers) = cycles(1, 1, None);
        let mut reader = readers.remove(0);
        let reading = thread::spawn(move || {
            let mut last = 0;
            for _ in 0..2 {
                let values = reader.run();
                assert!(values[0] >= last, "the newest snapshot is taken");
                last = values[0];
            }
        });
        for _ in 0..3 {
            publisher.run(&[0]);
        }
        reading.join().unwrap();
    });
}

#[test]
fn loom_a_value_that_is_not_published_for_a_while_is_not_rewritten_under_its_reader() {
    model(|| {
        let (mut publisher, mut readers) = cycles(2, 1, None);
        let mut reader = readers.remove(0);
        let reading = thread::spawn(move || {
            for _ in 0..2 {
                let values = reader.run();
                assert!(values[0] == values[1] || values[0] == 0, "of one run, or the default: {values:?}");
            }
        });
        // The reader's provider is switched to one that does not need the first value, and back
        // again.
        publisher.run(&[0, 1]);
        publisher.run(&[1]);
        publisher.run(&[1]);
        publisher.run(&[0, 1]);
        reading.join().unwrap();
    });
}

#[test]
fn loom_what_is_no_longer_published_is_shown_as_a_stale_default() {
    model(|| {
        let (mut publisher, mut readers) = cycles(2, 1, None);
        let mut reader = readers.remove(0);
        publisher.run(&[0, 1]);
        assert_eq!(reader.run(), [1, 1]);
        publisher.run(&[1]);
        assert_eq!(reader.run(), [0, 2]);
        assert!(reader.blackboard.imported(0).cell().view().stale);
        publisher.run(&[0, 1]);
        assert_eq!(reader.run(), [3, 3]);
        assert!(!reader.blackboard.imported(0).cell().view().stale);
    });
}

#[test]
fn loom_what_several_sources_show_together_is_read_together() {
    model(|| {
        let coherence = Arc::new(Coherence::default());
        let mut views = Views::default();
        let (mut sources, mut readers) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let (mut source, mut reader) = cycles(1, 1, None);
            source.run(&[0]);
            let view = views.number_of(&coherence);
            reader[0].import.by_view(Some(view));
            readers.append(&mut reader);
            sources.push(source);
        }
        let reading = thread::spawn(move || {
            let mut last = 0;
            for _ in 0..2 {
                views.open();
                readers.iter_mut().for_each(|reader| reader.import.acquire(&views));
                views.close();
                let mut values = Vec::new();
                for Reader { import, blackboard } in &mut readers {
                    // SAFETY: one thread, and what is read below is read within the run.
                    import.take(&views, blackboard, &mut unsafe { BetweenRuns::assume() });
                }
                readers.iter().for_each(|reader| values.extend(reader.look()));
                assert!(values[0] == values[1] && values[0] >= last, "of one run: {values:?}");
                last = values[0];
            }
        });
        for _ in 0..2 {
            coherence.show(|| sources.iter_mut().for_each(|source| source.run(&[0])));
        }
        reading.join().unwrap();
    });
}

#[test]
fn loom_several_readers_hold_one_value() {
    model(|| {
        let (mut publisher, readers) = cycles(1, 2, None);
        let reading = readers.into_iter().map(|mut reader| thread::spawn(move || _ = reader.run()));
        let reading: Vec<_> = reading.collect();
        publisher.run(&[0]);
        publisher.run(&[0]);
        reading.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

#[test]
fn loom_a_reader_that_goes_away_leaves_its_values_free() {
    model(|| {
        let (mut publisher, mut readers) = cycles(1, 1, Some(1));
        let mut reader = readers.remove(0);
        let reading = thread::spawn(move || _ = reader.run());
        for _ in 0..3 {
            publisher.run(&[0]);
        }
        reading.join().unwrap();
        for _ in 0..3 {
            publisher.run(&[0]);
        }
    });
}

#[test]
fn loom_a_publisher_that_goes_away_leaves_what_is_held() {
    model(|| {
        let (mut publisher, mut readers) = cycles(1, 1, Some(1));
        let mut reader = readers.remove(0);
        publisher.run(&[0]);
        let reading = thread::spawn(move || {
            reader.run();
            reader.run();
        });
        publisher.run(&[0]);
        drop(publisher);
        reading.join().unwrap();
    });
}

#[test]
fn loom_samples_stay_until_the_reader_takes_the_next() {
    model(|| {
        let (mut publisher, mut readers) = cycles(1, 1, Some(2));
        let mut reader = readers.remove(0);
        let reading = thread::spawn(move || {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let mut values = reader.run();
                values.pop();
                seen.append(&mut values);
            }
            assert!(seen.is_sorted(), "samples come in order: {seen:?}");
        });
        for _ in 0..3 {
            publisher.run(&[0]);
        }
        reading.join().unwrap();
    });
}

#[test]
fn loom_an_override_waits_until_nobody_reads_the_last_one() {
    model(|| {
        let (mut publisher, mut readers) = cycles(1, 1, None);
        let mut reader = readers.remove(0);
        let reading = thread::spawn(move || {
            reader.run();
            reader.run();
        });
        for number in [100, 200, 300] {
            let mut value = watched().create();
            value.downcast_mut::<Watched>().unwrap().set(number);
            // SAFETY: one thread, between two of its runs.
            let mut between = unsafe { BetweenRuns::assume() };
            publisher.blackboard.store(0).set_override(&mut value, &mut between);
            publisher.run(&[0]);
        }
        publisher.blackboard.store(0).end_override();
        publisher.run(&[0]);
        reading.join().unwrap();
    });
}

#[test]
fn loom_an_observer_holds_a_value_while_others_are_written() {
    model(|| {
        let (mut publisher, _) = cycles(1, 1, None);
        publisher.run(&[0]);
        // SAFETY: one thread, between two of its runs.
        let held = publisher.blackboard.store(0).hold(&unsafe { BetweenRuns::assume() });
        let observing = thread::spawn(move || {
            let see = || held.value().downcast_ref::<Watched>().unwrap().get();
            assert_eq!((see(), see()), (1, 1));
        });
        for _ in 0..4 {
            publisher.run(&[0]);
        }
        observing.join().unwrap();
    });
}
