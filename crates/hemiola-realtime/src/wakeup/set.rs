//! Events for all of which one thread waits, in a sleep of its own: as a rule in `epoll_wait`,
//! together with sockets.
//!
//! # Protocol
//! A bit per event, 64 of them to a leaf; a bit per leaf that may have some, 63 of them to a root.
//! The last bit of a root is set while the waiter sleeps.
//!
//! | who | step | effect |
//! |---|---|---|
//! | notifier | S1 | sets the event's bit in its leaf |
//! | | S2 | sets the leaf's bit in its root, then checks whether the waiter sleeps |
//! | | S3 | if so, and nobody has rung for this sleep: rings, then notes that this sleep is over |
//! | waiter | E1 | takes all bits of a root (swaps in zero), and of the leaves that these name |
//! | | E2 | nothing left: gives the sleep a number |
//! | | E3 | sets the sleeping bit of every root, and sees in the same instruction whether another one is set: if so, E1 without E4 |
//! | | E4 | sleeps until it is rung for, also if that has happened since E2 |
//! | | E5 | E1: which clears the sleeping bits, too |
//!
//! S1 and S2 release and E1 acquires: what was written before the notification is seen once its bit
//! is taken. A bit in a leaf is never left behind, because whoever sets it sets the root's bit
//! afterwards: a waiter that has taken the leaf before checks again and finds nothing.
//!
//! No wake-up is lost. S2 and E3 change the same word: if S2 came first, E3 sees its bit; if E3
//! did, S2 sees the sleeping bit. Then S3 reads the number of that sleep (which E3 releases) or of
//! a later one. If a later one, E1 has taken the bit in between, or E3 of that sleep has seen it.
//! If that number is noted as over, somebody has rung after E2 of that sleep, which ends E4: a ring
//! is kept until a sleep takes it. A thread that is preempted between S2 and S3 delays only itself:
//! the next notifier sees the sleeping bit as well, and rings.
//!
//! Who the waiter is may change between two sleeps, under a lock: [`Duty`](super::Duty).
//!
//! So a notification costs two additions to words while the waiter is awake, and all together ring
//! once per sleep. Finding what was notified takes time for each event that was, and for each root.
//!
//! The loom model in `set/tests.rs` runs this code, with a bell of loom's own parts.

use std::fmt;
use std::sync::Arc;

use super::Wakeup;
use crate::sync::{AtomicU64, Ordering};

/// Events for all of which one thread waits, together with something else that ends its sleep, such
/// as sockets. Each of them is a [`Wakeup`]: what notifies one can notify such a thread.
///
/// Notifying is wait-free. It rings, which is as a rule a system call, only if the thread sleeps,
/// and once for each sleep.
///
/// ```
/// use hemiola_realtime::WakeupSet;
/// use std::sync::mpsc;
///
/// let (bell, rung) = mpsc::sync_channel(1); // as a rule the waker of an `epoll`
/// let set = WakeupSet::new(1000, move || _ = bell.try_send(()));
/// let battery = set.event(7);
/// std::thread::scope(|scope| {
///     scope.spawn(move || battery.notify_one());
///     let mut notified = Vec::new();
///     while notified.is_empty() {
///         if set.prepare_to_sleep() {
///             rung.recv().unwrap();
///         }
///         set.take(|event| notified.push(event));
///     }
///     assert_eq!(notified, [7]);
/// });
/// ```
pub struct WakeupSet {
    shared: Arc<Shared>,
}

/// The place of an event in its set.
#[derive(Clone)]
pub(super) struct Mark {
    shared: Arc<Shared>,
    event: usize,
}

#[repr(align(128))]
struct Shared {
    roots: Box<[AtomicU64]>,
    leaves: Box<[AtomicU64]>,
    /// The number of the latest sleep. `rung` is the number of the latest one for which somebody
    /// has rung.
    sleep: AtomicU64,
    rung: AtomicU64,
    ring: Box<dyn Fn() + Send + Sync>,
}

const EVENTS_PER_LEAF: usize = 64;
const LEAVES_PER_ROOT: usize = 63;
const ASLEEP: u64 = 1 << 63;

impl WakeupSet {
    /// Creates a set of `events` events, none of which is notified. `ring` ends the sleep of the
    /// thread that waits, or the next one if it does not sleep; threads that notify call it, so it
    /// must not wait for anything.
    pub fn new(events: usize, ring: impl Fn() + Send + Sync + 'static) -> Self {
        let words = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect();
        let leaves = events.div_ceil(EVENTS_PER_LEAF);
        Self {
            shared: Arc::new(Shared {
                roots: words(leaves.div_ceil(LEAVES_PER_ROOT)),
                leaves: words(leaves),
                sleep: AtomicU64::new(0),
                rung: AtomicU64::new(0),
                ring: Box::new(ring),
            }),
        }
    }

    /// Returns an event of the set. It may also be waited for by itself, as any [`Wakeup`] may be.
    ///
    /// # Panics
    /// Panics if the set has fewer events.
    pub fn event(&self, event: usize) -> Arc<Wakeup> {
        assert!(event / EVENTS_PER_LEAF < self.shared.leaves.len(), "the set has fewer than {event} events");
        Arc::new(Wakeup::marking(Mark { shared: self.shared.clone(), event }))
    }

    /// Calls `take` with each event that was notified since it was last taken (step E1). Only for
    /// the thread that waits, or one that [stands in](crate::Duty::stand_in) for it.
    pub fn take(&self, mut take: impl FnMut(usize)) {
        let Shared { roots, leaves, .. } = &*self.shared;
        for (root, word) in roots.iter().enumerate() {
            // Relaxed: it decides only whether to check further.
            if word.load(Ordering::Relaxed) == 0 {
                continue;
            }
            for leaf in bits(word.swap(0, Ordering::AcqRel) & !ASLEEP) {
                let leaf = root * LEAVES_PER_ROOT + leaf;
                for event in bits(leaves[leaf].swap(0, Ordering::AcqRel)) {
                    take(leaf * EVENTS_PER_LEAF + event);
                }
            }
        }
    }

    /// Records that the thread is about to sleep, so that notifiers ring (steps E2 and E3). Returns
    /// `false` if an event was notified before: then there is something to [`take`](Self::take),
    /// and possibly nobody rings. Only for the thread that waits, or one that [stands
    /// in](crate::Duty::stand_in) for it.
    pub fn prepare_to_sleep(&self) -> bool {
        let Shared { roots, sleep, .. } = &*self.shared;
        // Only this thread writes it. Relaxed: whoever sees a sleeping bit sees this, for E3
        // releases.
        sleep.store(sleep.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        roots.iter().all(|root| root.fetch_or(ASLEEP, Ordering::AcqRel) & !ASLEEP == 0)
    }
}

impl Mark {
    /// Records that the event was notified, and ends the waiter's sleep (steps S1 to S3).
    pub(super) fn set(&self) {
        let Shared { roots, leaves, sleep, rung, ring } = &*self.shared;
        let leaf = self.event / EVENTS_PER_LEAF;
        leaves[leaf].fetch_or(1 << (self.event % EVENTS_PER_LEAF), Ordering::AcqRel);
        let root = &roots[leaf / LEAVES_PER_ROOT];
        root.fetch_or(1 << (leaf % LEAVES_PER_ROOT), Ordering::AcqRel);
        // The instruction before does not use the old word, which would make it a loop. A waiter
        // that has woken up since needs no ring; one that has gone to sleep since has seen the bit.
        if root.load(Ordering::Acquire) & ASLEEP != 0 {
            let number = sleep.load(Ordering::Relaxed);
            if rung.load(Ordering::Acquire) != number {
                ring();
                rung.store(number, Ordering::Release);
            }
        }
    }
}

impl fmt::Debug for WakeupSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WakeupSet").finish_non_exhaustive()
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Mark").field(&self.event).finish()
    }
}

/// Returns the numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests;
