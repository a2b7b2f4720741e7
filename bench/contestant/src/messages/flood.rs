//! A chain of two important callbacks, a thousand times per second, on an executor that unimportant
//! messages flood.
//!
//! One core feeds, the other one executes. The callback for an unimportant message takes 50 µs, and
//! there are always more of them; the chain's callbacks take 20 µs each. Callbacks are not
//! preempted: at best, the chain waits for one unimportant callback.

use std::hint::black_box;
use std::sync::Arc;

use super::Assignment;
use super::assignment::print;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::{monotonic_ns, system, work};

/// The number of unimportant messages that may wait.
pub const CAPACITY: usize = 64;

const UNIMPORTANT_NS: u64 = 50_000;
const IMPORTANT_NS: u64 = 20_000;
const PERIOD_NS: u64 = 1_000_000;

/// The callbacks that the executor calls.
#[derive(Debug, Clone)]
pub struct Callbacks(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    important_steps: u64,
    unimportant_steps: u64,
    unimportant: AtomicU64,
    ended: AtomicU64,
    over: AtomicBool,
}

impl Callbacks {
    /// Handles an unimportant message.
    pub fn unimportant(&self) {
        work::chain(self.0.unimportant_steps);
        self.0.unimportant.fetch_add(1, Ordering::Relaxed);
    }

    /// Handles an important message; returns the same stamp for the chain's second topic.
    pub fn first(&self, stamp: u64) -> u64 {
        work::chain(self.0.important_steps);
        stamp
    }

    /// Handles the message that the first callback has published.
    pub fn second(&self, stamp: u64) {
        work::chain(self.0.important_steps);
        black_box(stamp);
        self.0.ended.store(monotonic_ns(), Ordering::Release);
    }

    /// Returns whether the executor is to end.
    pub fn is_over(&self) -> bool {
        self.0.over.load(Ordering::Acquire)
    }
}

/// The publishing ends of all topics, for the thread that feeds.
pub trait Feeder: Send {
    /// Publishes to the chain's first topic.
    fn important(&mut self, stamp: u64);

    /// Publishes an unimportant message if there is room for one.
    fn unimportant(&mut self);
}

/// Measures a contestant. `make` makes the publishing ends, and a closure for the executing thread
/// that returns when the callbacks are over.
///
/// # Panics
/// If a chain does not come to its end.
pub fn measure<F: Feeder, E: FnOnce() + Send>(assignment: &Assignment, make: impl FnOnce(Callbacks) -> (F, E)) {
    let steps_per_ns = work::steps_per_nanosecond();
    let steps = |ns: u64| (ns as f64 * steps_per_ns) as u64;
    let callbacks = Callbacks(Arc::new(Shared {
        important_steps: steps(IMPORTANT_NS),
        unimportant_steps: steps(UNIMPORTANT_NS),
        unimportant: AtomicU64::new(0),
        ended: AtomicU64::new(0),
        over: AtomicBool::new(false),
    }));
    let shared = Arc::clone(&callbacks.0);
    let (mut feeder, execute) = make(callbacks);
    let chains = assignment.number("chains");
    let (responses, alone) = std::thread::scope(|scope| {
        let executing = scope.spawn(move || {
            system::keep_to_core(1);
            execute();
        });
        let feeding = scope.spawn(|| {
            system::keep_to_core(0);
            let mut one = |flood: bool, chain: u64| {
                shared.ended.store(0, Ordering::Relaxed);
                // The time of an important message is not in step with the unimportant ones.
                let due = monotonic_ns() + PERIOD_NS - UNIMPORTANT_NS + chain * 7_919 % (2 * UNIMPORTANT_NS);
                while monotonic_ns() < due {
                    if flood {
                        feeder.unimportant();
                    }
                }
                let published = monotonic_ns();
                feeder.important(published);
                let limit = published + 1_000_000_000;
                loop {
                    let ended = shared.ended.load(Ordering::Acquire);
                    if ended != 0 {
                        return ended - published;
                    }
                    assert!(monotonic_ns() < limit, "chain {chain} has not come to its end within a second");
                    if flood {
                        feeder.unimportant();
                    }
                }
            };
            let alone: Vec<u64> = (0..chains / 4).map(|chain| one(false, chain)).collect();
            let responses: Vec<u64> = (0..chains).map(|chain| one(true, chain)).collect();
            shared.over.store(true, Ordering::Release);
            // This message wakes an executor that sleeps, so that it sees the end.
            feeder.unimportant();
            (responses, alone)
        });
        let outcome = feeding.join().expect("the feeder");
        executing.join().expect("the executor");
        outcome
    });
    let flooded = shared.unimportant.load(Ordering::Relaxed);
    assert!(flooded > chains, "only {flooded} unimportant callbacks: that is no flood");
    print("response_ns", responses);
    print("alone_ns", alone);
    print("flood", [flooded]);
}

/// The response time of the chain at best when it has to wait for one unimportant callback.
pub const BOUND_NS: u64 = 2 * IMPORTANT_NS + UNIMPORTANT_NS;
