//! A ring of events: one writer that never waits, and any number of readers that never affect it.
//!
//! # Protocol
//!
//! Events are numbered from zero in the order in which they are pushed; event `i` lives in slot
//! `i % capacity` until event `i + capacity` overwrites it. There is one counter, `pushed`: all
//! events below it are written.
//!
//! | `pushed = p` | state of event `i` |
//! |---|---|
//! | `i > p` | not there yet |
//! | `i == p` | perhaps being written, over event `p - capacity` |
//! | `p - capacity < i < p` | readable: complete, and nobody writes its slot |
//! | `i <= p - capacity` | overwritten, or being overwritten |
//!
//! | | writer | reader |
//! |---|---|---|
//! | 1 | `fence(Release)` | `p = pushed` (Acquire): sees the words of all events below `p` |
//! | 2 | four words into the slot of event `p` (Relaxed) | four words of each event `i < p` (Relaxed) |
//! | 3 | `pushed = p + 1` (Release) | `fence(Acquire)` |
//! | 4 | | `q = pushed` (Relaxed): keeps the events `i > q - capacity`, counts the others as lost |
//!
//! Why a kept event is intact: had the reader seen any word of event `i + capacity`, then the
//! writer's fence before that word and the reader's fence after it synchronise, and the store
//! `pushed = i + capacity`, which came before the writer's fence, is visible in step 4. Then `q >=
//! i + capacity` and the event is not kept. The slots are atomics, so that a word read while it is
//! written is old or new, and never a data race. No `unsafe` is needed.
//!
//! On x86-64 both fences cost nothing, so a push is five plain stores. The writer allocates nothing
//! and is never disturbed by readers, because they write nothing that it reads.

use crate::{
    event::{Event, WORDS},
    sync::{Arc, AtomicBool, AtomicU64, Ordering, fence},
};

/// The writing end of a ring: the events of one worker, of which the oldest are overwritten first.
///
/// ```
/// use hemiola_trace::{CycleId, Event, Ring, Ticks};
///
/// let mut ring = Ring::with_capacity(4);
/// let mut reader = ring.reader();
/// for run in 0..6 {
///     ring.push(Event::CycleEnd { cycle: CycleId(0), run, at: Ticks::now() });
/// }
/// let mut events = Vec::new();
/// let lost = reader.read(&mut events);
/// // One slot fewer than the capacity can be read: the writer may be writing the other one.
/// assert_eq!((events.len(), lost), (3, 3));
/// assert!(matches!(events[0], Event::CycleEnd { run: 3, .. }));
/// ```
#[derive(Debug)]
pub struct Ring {
    shared: Arc<Shared>,
    /// The writer's own copy of `Shared::pushed`.
    pushed: u64,
}

impl Ring {
    /// Creates a ring of at least `events` slots of 32 bytes, rounded up to a power of two. They
    /// are allocated and touched here.
    ///
    /// # Panics
    /// Panics if the memory cannot be allocated.
    pub fn with_capacity(events: usize) -> Self {
        let capacity = events.max(2).next_power_of_two();
        // The slots are not zeros: zeros would come from pages that the kernel has not backed yet,
        // and the writer would fault on them.
        let slots = (0..capacity).map(|_| Slot(std::array::from_fn(|_| AtomicU64::new(u64::MAX)))).collect();
        let (pushed, closed) = (Position(AtomicU64::new(0)), AtomicBool::new(false));
        Self { shared: Arc::new(Shared { pushed, closed, slots }), pushed: 0 }
    }

    /// Records an event. It is wait-free: four stores and a counter, no allocation, no system call.
    /// It is always inlined, like the conversion of the event to words.
    #[inline(always)]
    pub fn push(&mut self, event: Event) {
        let shared = &*self.shared;
        fence(Ordering::Release);
        let slot = &shared.slots[self.pushed as usize & (shared.slots.len() - 1)];
        for (cell, word) in slot.0.iter().zip(event.to_words()) {
            cell.store(word, Ordering::Relaxed);
        }
        self.pushed += 1;
        shared.pushed.0.store(self.pushed, Ordering::Release);
    }

    /// Returns a reader that starts at the oldest event still held. While the ring is in use
    /// elsewhere, an earlier reader can be cloned instead.
    pub fn reader(&self) -> RingReader {
        let mut reader = RingReader { shared: Arc::clone(&self.shared), cursor: 0 };
        reader.rewind();
        reader
    }

    /// Returns the number of events that a reader that falls behind can still read.
    pub fn capacity(&self) -> usize {
        self.shared.readable()
    }

    /// Returns the number of events pushed so far.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }
}

impl Drop for Ring {
    /// Marks the ring as closed, so that readers know that nothing more will come.
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
    }
}

/// A reading end with its own position. Clones read independently, and the writer is unaware of
/// them.
///
/// ```
/// use hemiola_trace::{CycleId, Event, Ring, Ticks};
///
/// let mut ring = Ring::with_capacity(64);
/// let mut reader = ring.reader();
/// ring.push(Event::CycleEnd { cycle: CycleId(0), run: 0, at: Ticks::now() });
///
/// let mut events = Vec::new();
/// assert_eq!(reader.read(&mut events), 0, "nothing lost");
/// assert_eq!(events.len(), 1);
/// reader.read(&mut events);
/// assert_eq!(events.len(), 1, "nothing new");
/// ```
#[derive(Clone, Debug)]
pub struct RingReader {
    shared: Arc<Shared>,
    /// The number of the next event to read.
    cursor: u64,
}

impl RingReader {
    /// Appends the events since the last call to `into` and returns the number of lost events,
    /// which had been overwritten. It drains what is there when it is called and does not chase the
    /// writer.
    pub fn read(&mut self, into: &mut Vec<Event>) -> u64 {
        let pushed = self.shared.pushed.0.load(Ordering::Acquire);
        let mut lost = self.skip_to(self.shared.oldest(pushed));
        into.reserve((pushed - self.cursor) as usize);
        let mut batch = [[0; WORDS]; BATCH];
        while self.cursor < pushed {
            let count = (pushed - self.cursor).min(BATCH as u64) as usize;
            for (words, number) in batch.iter_mut().zip(self.cursor..self.cursor + count as u64) {
                *words = self.shared.slot(number).load();
            }
            fence(Ordering::Acquire);
            let oldest = self.shared.oldest(self.shared.pushed.0.load(Ordering::Relaxed));
            let torn = (oldest.saturating_sub(self.cursor) as usize).min(count);
            into.extend(batch[torn..count].iter().filter_map(|&words| Event::from_words(words)));
            lost += torn as u64;
            self.cursor += count as u64;
            lost += self.skip_to(oldest.min(pushed));
        }
        lost
    }

    /// Goes back to the oldest event still held, to capture the recent past.
    pub fn rewind(&mut self) {
        self.cursor = self.shared.oldest(self.shared.pushed.0.load(Ordering::Acquire));
    }

    /// Skips everything recorded so far.
    pub fn skip_to_present(&mut self) {
        self.cursor = self.shared.pushed.0.load(Ordering::Acquire);
    }

    /// Returns the number of unread events, including those already overwritten.
    pub fn backlog(&self) -> u64 {
        self.shared.pushed.0.load(Ordering::Relaxed).saturating_sub(self.cursor)
    }

    /// Returns whether the writer is gone: a read after this has returned `true` gets the last
    /// events.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    /// Advances to event `number` unless that is behind; returns the number of events skipped.
    fn skip_to(&mut self, number: u64) -> u64 {
        let skipped = number.saturating_sub(self.cursor);
        self.cursor += skipped;
        skipped
    }
}

/// The number of events that a reader copies before it checks them: small enough for its stack,
/// large enough to touch the writer's counter seldom.
const BATCH: usize = if cfg!(loom) { 2 } else { 64 };

#[derive(Debug)]
struct Shared {
    pushed: Position,
    closed: AtomicBool,
    slots: Box<[Slot]>,
}

impl Shared {
    fn slot(&self, number: u64) -> &Slot {
        &self.slots[number as usize & (self.slots.len() - 1)]
    }

    /// Returns the number of the oldest readable event when `pushed` events have been pushed.
    fn oldest(&self, pushed: u64) -> u64 {
        pushed.saturating_sub(self.readable() as u64)
    }

    fn readable(&self) -> usize {
        self.slots.len() - 1
    }
}

/// A counter alone on its cache lines (a pair, for processors that fetch two at once).
#[derive(Debug)]
#[repr(align(128))]
struct Position(AtomicU64);

#[derive(Debug)]
struct Slot([AtomicU64; WORDS]);

impl Slot {
    fn load(&self) -> [u64; WORDS] {
        std::array::from_fn(|index| self.0[index].load(Ordering::Relaxed))
    }
}

#[cfg(test)]
#[path = "ring/tests.rs"]
mod tests;
