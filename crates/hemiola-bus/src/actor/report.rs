//! What passes through an actor, in numbers.

use crate::statistics::per_second;
use crate::sync::{AtomicU64, Ordering};
use hemiola_realtime::{MonotonicTime, monotonic_now};

/// An actor at one moment, as of its last turn. To be found by [`Bus::actors`](crate::Bus::actors) if it is
/// [listed](crate::Bus::list_actor).
///
/// ```
/// use hemiola_bus::{Actor, Bus};
///
/// let bus = Bus::new();
/// let (mut actor, mut handle) = Actor::new(0, 2);
/// bus.list_actor("counter", &actor);
/// let refused = (0..3).filter(|_| handle.send(|count| *count += 1).is_err()).count();
/// actor.run(8);
///
/// let [counter] = &bus.actors()[..] else { panic!("one actor") };
/// assert_eq!((counter.name.as_str(), counter.calls, counter.refused), ("counter", 2, refused as u64));
/// assert_eq!((counter.largest_turn, counter.panics), (2, 0));
/// drop(actor);
/// assert!(bus.actors().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorReport {
    /// By which it was listed.
    pub name: String,
    /// When the report was made.
    pub at: MonotonicTime,
    /// How many calls it has run.
    pub calls: u64,
    /// How many were refused because as many of their sender waited as may.
    pub refused: u64,
    /// How many panicked.
    pub panics: u64,
    /// The most calls that were run in one turn: at least so many had waited.
    pub largest_turn: u64,
}

impl ActorReport {
    /// Calls per second since an earlier report of the same actor; zero if no time has passed.
    pub fn rate_since(&self, earlier: &ActorReport) -> f64 {
        per_second((earlier.at, earlier.calls), (self.at, self.calls))
    }
}

/// Written by the actor after each turn, read by anyone.
#[derive(Default)]
pub(crate) struct Figures {
    calls: AtomicU64,
    refused: AtomicU64,
    panics: AtomicU64,
    largest_turn: AtomicU64,
}

impl Figures {
    #[inline]
    pub(super) fn note_turn(&self, calls: u64, refused: u64, panics: u64) {
        self.calls.store(self.calls.load(Ordering::Relaxed) + calls, Ordering::Relaxed);
        self.refused.store(refused, Ordering::Relaxed);
        self.panics.store(panics, Ordering::Relaxed);
        if calls > self.largest_turn.load(Ordering::Relaxed) {
            self.largest_turn.store(calls, Ordering::Relaxed);
        }
    }

    pub(crate) fn report(&self, name: &str) -> ActorReport {
        let [calls, refused, panics, largest_turn] =
            [&self.calls, &self.refused, &self.panics, &self.largest_turn].map(|figure| figure.load(Ordering::Relaxed));
        ActorReport { name: name.to_owned(), at: monotonic_now(), calls, refused, panics, largest_turn }
    }
}
