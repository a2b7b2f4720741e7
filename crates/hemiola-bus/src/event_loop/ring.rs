//! The events, and the rules by which threads access them.
//!
//! # Invariant
//! Events are numbered from 0; number n lies in slot n modulo the capacity. Slots are accessed by:
//!
//! | who | which numbers | how |
//! |---|---|---|
//! | a producer | those it has claimed and not yet published | alone: claims do not overlap ([`claims`](super::claims)), and no consumer is at that slot's last event |
//! | a consumer | from its cursor on, those published, and passed by all that it follows | together with other consumers, reading |
//!
//! A producer claims n only when all cursors are beyond n - capacity (acquire; consumers release).
//! A consumer reads n only after it was published (release, acquire), or passed by one that it
//! follows (release, acquire), which did the same.
//!
//! One event of [`TIMED_ONE_OF`] has a stamp of when it was published, which belongs to whoever
//! owns the event; it is zero if nobody measured. No stamp is stale: whoever claims a number that
//! had a stamp a round ago has synchronised, by the cursors, with the producer that stamped, and so
//! sees that somebody measures.
//!
//! A consumer that is gone has its cursor at the end of all numbers: it delays nobody.
#![expect(unsafe_code, reason = "events are shared between threads as the invariant above says")]

use super::claims::{Claims, Content, Slots};
use crate::circle::Circle;
use crate::statistics::{Latencies, TIMED_ONE_OF};
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, CellAccess, Line, Ordering, UnsafeCell};
use hemiola_realtime::Wakeup;
use hemiola_trace::{Summary, TickScale, Ticks};
use std::ops::Range;
use std::sync::OnceLock;

pub(super) struct Ring<E, C: Claims> {
    slots: Slots<E, C>,
    pub(super) claims: C,
    /// Notified after each publication and consumption, if anybody may sleep.
    pub(super) wakeup: Wakeup,
    anybody_sleeps: AtomicBool,
    producers: AtomicUsize,
    /// The number of events that there will ever be, known when all producers are gone.
    end: AtomicU64,
    refused: AtomicU64,
    is_timed: AtomicBool,
    stamps: Circle<AtomicU64>,
}

/// The place of an event.
pub struct Slot<E, M> {
    pub(super) mark: M,
    event: UnsafeCell<E>,
}

// SAFETY: see the invariant: one writes, or several read.
unsafe impl<E: Send + Sync, C: Claims> Sync for Ring<E, C> {}
// SAFETY: as above.
unsafe impl<E: Send + Sync, C: Claims> Send for Ring<E, C> {}

/// Returns the first number after this one that is timed.
#[inline]
pub(super) fn next_timed(number: u64) -> u64 {
    number / TIMED_ONE_OF * TIMED_ONE_OF + TIMED_ONE_OF
}

/// The progress of a consumer.
pub(super) struct Cursor {
    /// The number of events that the consumer is done with, and the largest number that it ever
    /// found waiting.
    done_and_deepest: Line<(AtomicU64, AtomicU64)>,
    latencies: OnceLock<Latencies>,
}

/// The cursor of a consumer that is gone, and the end of a ring that has producers.
pub(super) const NEVER: u64 = u64::MAX;
/// The stamp of events that were published while nobody measured.
const NO_TIME: Ticks = Ticks(0);

impl Cursor {
    pub(super) fn new() -> Self {
        Cursor { done_and_deepest: Line((AtomicU64::new(0), AtomicU64::new(0))), latencies: OnceLock::new() }
    }

    #[inline]
    pub(super) fn get(&self) -> u64 {
        self.done_and_deepest.0.0.load(Ordering::Acquire)
    }

    #[inline]
    pub(super) fn set(&self, done: u64) {
        self.done_and_deepest.0.0.store(done, Ordering::Release);
    }

    /// Records how many events wait. Only for the consumer.
    #[inline]
    pub(super) fn note_depth(&self, depth: u64) {
        if depth > self.deepest() {
            self.done_and_deepest.0.1.store(depth, Ordering::Relaxed);
        }
    }

    #[inline]
    pub(super) fn deepest(&self) -> u64 {
        self.done_and_deepest.0.1.load(Ordering::Relaxed)
    }

    /// Measures latencies from now on.
    pub(super) fn measure(&self, scale: &TickScale) {
        self.latencies.get_or_init(|| Latencies::new(scale.clone()));
    }

    fn note_wait(&self, published: Ticks) {
        if let Some(latencies) = self.latencies.get().filter(|_| published != NO_TIME) {
            latencies.record(published, Ticks::now());
        }
    }

    pub(super) fn latency(&self) -> Option<Summary> {
        self.latencies.get().map(Latencies::summary)
    }
}

impl<E: Default, C: Claims> Ring<E, C> {
    pub(super) fn new(capacity: usize, claims: C) -> Self {
        Ring {
            slots: Circle::new(capacity, || Slot { mark: C::Mark::default(), event: UnsafeCell::new(E::default()) }),
            claims,
            wakeup: Wakeup::new(),
            anybody_sleeps: AtomicBool::new(false),
            producers: AtomicUsize::new(0),
            end: AtomicU64::new(NEVER),
            refused: AtomicU64::new(0),
            is_timed: AtomicBool::new(false),
            stamps: Circle::new(capacity.div_ceil(TIMED_ONE_OF as usize), || AtomicU64::new(NO_TIME.0)),
        }
    }
}

impl<E, C: Claims> Ring<E, C> {
    #[inline]
    pub(super) fn capacity(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Reads an event.
    ///
    /// # Safety
    /// The caller is a consumer, and the number is among those that it may read.
    #[inline]
    pub(super) unsafe fn read<R>(&self, number: u64, read: impl FnOnce(&E) -> R) -> R {
        // SAFETY: see the invariant.
        self.slots.at(number).event.look(|event| read(unsafe { &*event }))
    }

    /// Returns an event to read, for as long as the consumer's cursor is not beyond it.
    ///
    /// # Safety
    /// The conditions of [`read`](Self::read) hold.
    #[inline]
    pub(super) unsafe fn peek(&self, number: u64) -> &E {
        // SAFETY: see the invariant.
        self.slots.at(number).event.look(|event| unsafe { &*event })
    }

    /// Returns an event to write, for as long as it is not published.
    ///
    /// # Safety
    /// The caller is a producer that has claimed the number and not published it yet, and calls
    /// this once.
    #[inline]
    pub(super) unsafe fn write(&self, number: u64) -> *mut E {
        self.slots.at(number).event.change(|event| event)
    }

    /// Publishes claimed numbers.
    #[inline]
    pub(super) fn publish(&self, first: u64, count: u64, content: Content) {
        self.claims.publish(&self.slots, first, count, content);
    }

    /// Returns the number, at most `limit`, up to which everything from `from` on is published.
    #[inline]
    pub(super) fn published(&self, from: u64, limit: u64) -> u64 {
        self.claims.published(&self.slots, from, limit)
    }

    /// Returns whether a published number holds nothing.
    #[inline]
    pub(super) fn is_void(&self, number: u64) -> bool {
        self.claims.is_void(&self.slots, number)
    }

    /// Stamps events from now on.
    pub(super) fn measure(&self) {
        self.is_timed.store(true, Ordering::Relaxed);
    }

    /// Stamps the numbers that a producer is about to publish.
    #[inline]
    pub(super) fn stamp(&self, numbers: Range<u64>) {
        if self.is_timed.load(Ordering::Relaxed) {
            let first = numbers.start.next_multiple_of(TIMED_ONE_OF);
            if first < numbers.end {
                self.stamp_from(first, numbers.end);
            }
        }
    }

    #[cold]
    fn stamp_from(&self, first: u64, end: u64) {
        let now = Ticks::now();
        for number in (first..end).step_by(TIMED_ONE_OF as usize) {
            self.stamp_of(number).store(now.0, Ordering::Relaxed);
        }
    }

    /// Records how long an event waited that the consumer with that cursor is about to handle.
    #[inline]
    pub(super) fn note_wait(&self, number: u64, cursor: &Cursor) {
        if number.is_multiple_of(TIMED_ONE_OF) && !self.is_void(number) {
            cursor.note_wait(Ticks(self.stamp_of(number).load(Ordering::Relaxed)));
        }
    }

    fn stamp_of(&self, number: u64) -> &AtomicU64 {
        self.stamps.at(number / TIMED_ONE_OF)
    }

    /// Notes that consumers may sleep. Must be called before there are producers.
    pub(super) fn expect_sleepers(&self) {
        self.anybody_sleeps.store(true, Ordering::Relaxed);
    }

    pub(super) fn may_sleep(&self) -> bool {
        self.anybody_sleeps.load(Ordering::Relaxed)
    }

    /// Notifies all threads that may sleep that something was published or consumed. Costs nothing
    /// where all of them spin.
    #[inline]
    pub(super) fn signal(&self) {
        if self.may_sleep() {
            self.wakeup.notify_all();
        }
    }

    pub(super) fn producer_joins(&self) {
        self.producers.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn producers(&self) -> usize {
        self.producers.load(Ordering::Relaxed)
    }

    pub(super) fn producer_leaves(&self) {
        // The last producer sees all that the others have claimed.
        if self.producers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end.store(self.claims.claimed(), Ordering::Release);
            self.wakeup.notify_all();
        }
    }

    /// Returns how many events there will ever be; [`NEVER`] while there are producers. Whoever
    /// sees the end sees all events before it.
    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::Acquire)
    }

    pub(super) fn count_refused(&self, count: u64) {
        let add = |refused: u64| Some(refused.saturating_add(count));
        // The update cannot fail: `add` always returns a value.
        _ = self.refused.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}
