#![expect(unsafe_code, reason = "the tests are the only thread")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hemiola_model::module::BetweenRuns;
use hemiola_model::{Form, Representation, RepresentationDescriptor, Time};
use hemiola_trace::{ExchangeId, Ticks};

use super::{Holds, OWN_SLOTS, Store, Writing};
use crate::blackboard::Blackboard;
use crate::blackboard::channel::{Import, Line, channel};
use crate::blackboard::imported::Imported;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::slot::Held;
use crate::coherence::Views;

/// Counts the values of a type in a static of its own, for tests run at the same time.
macro_rules! counted {
    ($name:ident, $made:ident) => {
        static $made: AtomicUsize = AtomicUsize::new(0);

        struct $name;

        impl Default for $name {
            fn default() -> Self {
                $made.fetch_add(1, Ordering::Relaxed);
                Self
            }
        }

        impl Representation for $name {
            const NAME: &'static str = stringify!($name);

            fn form() -> Form<Self> {
                Form::opaque()
            }

            fn reset(&mut self) {}
        }
    };
}

counted!(Shown, SHOWN);
counted!(Kept, KEPT);

fn between() -> BetweenRuns<'static> {
    // SAFETY: one thread, and no run.
    unsafe { BetweenRuns::assume() }
}

fn provide(store: &Store) -> bool {
    let stores = [store];
    // SAFETY: one thread; nobody reads while it writes.
    let Some(mut writing) = (unsafe { Writing::begin(&stores) }) else { return false };
    writing.reset();
    writing.commit(Time::ZERO);
    true
}

#[test]
fn a_store_has_at_most_two_values_more_than_readers_whoever_reads_when() {
    const READERS: usize = 3;
    let descriptor = RepresentationDescriptor::of::<Shown>();
    let line = Line { store: 0, imported: 0, samples: None };
    let (exports, mut imports): (Vec<_>, Vec<Import>) =
        (0..READERS).map(|_| channel(&[line], 0, ExchangeId(0), None)).unzip();
    let mut holds = Holds::default();
    (0..READERS).for_each(|_| holds += line.holds());
    SHOWN.store(0, Ordering::Relaxed);
    let store = Store::new(descriptor, holds);
    let at_first = SHOWN.load(Ordering::Relaxed);
    assert_eq!(at_first, READERS + 2);
    let publisher = Arc::new(Blackboard::new(vec![store], Vec::new(), exports, 0));
    let default = Held::new(descriptor.create());
    let imported = || vec![Imported::new(descriptor, default.clone())];
    let readers: Vec<_> = imports.iter().map(|_| Blackboard::new(Vec::new(), imported(), Vec::new(), 0)).collect();
    SHOWN.store(at_first, Ordering::Relaxed);
    let nothing = Provenance::none(0);
    let mut random = 1_u32;
    for run in 0..10_000 {
        assert!(provide(publisher.store(0)));
        for export in 0..READERS {
            // SAFETY: one thread, after the provider.
            unsafe { publisher.publish(export, [(0, &nothing)].into_iter(), run, Ticks(0)) };
        }
        for (import, reader) in imports.iter_mut().zip(&readers) {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 30 == 0 {
                import.take(&Views::default(), reader, &mut between());
            }
        }
    }
    assert_eq!(SHOWN.load(Ordering::Relaxed), at_first, "no value is made while the robot runs");
}

#[test]
fn values_for_exceptions_are_made_when_they_are_needed_and_used_again() {
    let descriptor = RepresentationDescriptor::of::<Kept>();
    let store = Store::new(descriptor, Holds { most: 3, usual: 1 });
    let mut held = Vec::new();
    for _ in 0..OWN_SLOTS + 3 - 1 {
        assert!(provide(&store));
        held.push(store.hold(&between()));
    }
    assert!(!provide(&store), "there are no more than that");
    let made = KEPT.load(Ordering::Relaxed);
    for _ in 0..100 {
        held.remove(0);
        assert!(provide(&store));
        held.push(store.hold(&between()));
    }
    assert_eq!(KEPT.load(Ordering::Relaxed), made);
}
