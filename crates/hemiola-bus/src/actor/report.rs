//! Statistics of what passes through an actor.

use crate::exchange::Depth;
use crate::statistics::{Latencies, per_second};
use crate::sync::{AtomicU64, Ordering};
use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_trace::{Summary, TickScale, Ticks};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The state of an actor at one moment, its runs as of its last turn.
/// [`Bus::actors`](crate::Bus::actors) returns it for actors that are
/// [listed](crate::Bus::list_actor).
///
/// ```
/// use hemiola_bus::{Actor, Bus};
///
/// let bus = Bus::with_timing();
/// let (mut actor, mut handle) = Actor::new(0, 2);
/// bus.list_actor("counter", &actor);
/// let refused = (0..3).filter(|_| handle.send(|count| *count += 1).is_err()).count();
/// assert_eq!(bus.actors()[0].depth, 2);
/// actor.run(8);
///
/// let [counter] = &bus.actors()[..] else { panic!("one actor") };
/// assert_eq!((counter.name.as_str(), counter.calls, counter.refused), ("counter", 2, refused as u64));
/// assert_eq!((counter.depth, counter.largest_turn, counter.panics), (0, 2, 0));
/// assert_eq!(counter.latency.unwrap().count, 1); // the first of sixteen
/// drop(actor);
/// assert!(bus.actors().is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorReport {
    /// The name by which the actor is listed.
    pub name: String,
    /// The time at which the report was made.
    pub at: MonotonicTime,
    /// The number of calls that the actor has run.
    pub calls: u64,
    /// The number of calls that were refused because their sender's lane was full.
    pub refused: u64,
    /// The number of calls that panicked.
    pub panics: u64,
    /// The number of calls that wait or are being run.
    pub depth: u64,
    /// The most calls that were run in one turn: at least so many had waited.
    pub largest_turn: u64,
    /// The time from sending a call to running it, in nanoseconds, to some 6 %; only of actors that
    /// are listed on a bus that [measures time](crate::Bus::with_timing).
    ///
    /// The first call of each handle and every sixteenth from there on are measured: reading the
    /// clock takes longer than to send and run a call. The stamp needs a word in the call; calls
    /// that want an answer and fill their 48 bytes go without.
    pub latency: Option<Summary>,
}

impl ActorReport {
    /// Returns the calls per second since an earlier report of the same actor; zero if no time has
    /// passed.
    pub fn rate_since(&self, earlier: &ActorReport) -> f64 {
        per_second((earlier.at, earlier.calls), (self.at, self.calls))
    }
}

/// An actor's statistics: written by the actor after each turn, read by anyone.
#[derive(Default)]
pub(crate) struct Figures {
    calls: AtomicU64,
    refused: AtomicU64,
    panics: AtomicU64,
    largest_turn: AtomicU64,
    handles: Arc<Handles>,
}

impl Figures {
    /// Measures latencies from now on.
    pub(crate) fn measure(&self, scale: &TickScale) {
        self.handles.latencies.get_or_init(|| Latencies::new(scale.clone()));
    }

    #[inline]
    pub(super) fn note_turn(&self, calls: u64, refused: u64, panics: u64) {
        self.calls.store(self.calls.load(Ordering::Relaxed) + calls, Ordering::Relaxed);
        self.refused.store(refused, Ordering::Relaxed);
        self.panics.store(panics, Ordering::Relaxed);
        if calls > self.largest_turn.load(Ordering::Relaxed) {
            self.largest_turn.store(calls, Ordering::Relaxed);
        }
    }

    /// Records the wait of a call that was sent at `sent` and that the actor is about to run.
    pub(super) fn note_wait(&self, sent: Ticks) {
        if let Some(latencies) = self.handles.latencies.get() {
            latencies.record(sent, Ticks::now());
        }
    }

    pub(super) fn handles(&self) -> &Arc<Handles> {
        &self.handles
    }

    pub(crate) fn report(&self, name: &str) -> ActorReport {
        let [calls, refused, panics, largest_turn] =
            [&self.calls, &self.refused, &self.panics, &self.largest_turn].map(|figure| figure.load(Ordering::Relaxed));
        ActorReport {
            name: name.to_owned(),
            at: monotonic_now(),
            calls,
            refused,
            panics,
            depth: self.handles.depth(),
            largest_turn,
            latency: self.handles.latencies.get().map(Latencies::summary),
        }
    }
}

/// The state that an actor's handles share: whether calls are measured, and how many of them wait.
#[derive(Default)]
pub(super) struct Handles {
    /// Set if calls are measured.
    latencies: OnceLock<Latencies>,
    /// The functions that return, for each handle, how many calls wait in its lane.
    depths: Mutex<Vec<Depth>>,
}

impl Handles {
    #[inline]
    pub(super) fn are_timed(&self) -> bool {
        self.latencies.get().is_some()
    }

    #[cfg(not(loom))]
    pub(super) fn add(&self, depth: Depth) {
        let mut depths = self.lock();
        depths.retain(|depth| depth().is_some());
        depths.push(depth);
    }

    fn depth(&self) -> u64 {
        self.lock().iter().filter_map(|depth| depth()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Depth>> {
        self.depths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
