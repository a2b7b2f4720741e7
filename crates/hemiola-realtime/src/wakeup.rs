//! An event for which threads sleep or spin.
//!
//! # Protocol
//! One 64-bit word holds two numbers: in the upper half, how often the event was signalled (the
//! generation, wrapping); in the lower half, how many threads sleep or are about to.
//!
//! | who | step | effect |
//! |---|---|---|
//! | notifier | N1 | adds one generation, and sees in the same instruction how many sleep |
//! | | N2 | if any: asks the kernel to wake one or all |
//! | waiter | W1 | adds one sleeper, and sees in the same instruction the generation: if it moved, W3 |
//! | | W2 | asks the kernel to sleep while the generation is the one seen (the kernel compares and queues as one step with respect to N2) |
//! | | W3 | subtracts one sleeper |
//!
//! No wake-up is lost: N1 and W1 change the same word, so one comes first. If N1 does, W1 sees the
//! new generation and does not sleep. If W1 does, N1 sees a sleeper and N2 follows; by then the
//! generation has moved, so that W2 either finds that out or was queued before N2 and is woken. A
//! waiter that spins or has not yet arrived is not a sleeper, and costs the notifier nothing: one
//! atomic addition and no system call.
//!
//! An event of a [`WakeupSet`] permanently has one more sleeper, which is woken in another way:
//! then N2 marks the event in its set. Notifying other events costs nothing for that.
//!
//! N1 releases and every reading of the generation acquires: what was written before the
//! notification is seen after it.
//!
//! The loom model in `wakeup/tests.rs` runs this code with the futex replaced by
//! `parking::Parking`'s portable form.

mod duty;
mod parking;
mod set;

pub use duty::Duty;
pub use set::WakeupSet;

use crate::sync::{AtomicU64, Ordering, spin_loop};
use crate::time::{MonotonicTime, monotonic_now};
use parking::Parking;
use set::Mark;

/// An event for which one or more threads wait, without lost wake-ups, and without a system call
/// when nobody sleeps.
///
/// Read [`Wakeup::generation`], check whether there is something to do, and if not wait for the
/// generation to move on.
///
/// ```
/// use hemiola_realtime::{Reason, Wakeup, monotonic_now};
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::time::Duration;
///
/// let (wakeup, ready) = (Wakeup::new(), AtomicBool::new(false));
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         ready.store(true, Ordering::Relaxed);
///         wakeup.notify_all();
///     });
///     loop {
///         let seen = wakeup.generation();
///         if ready.load(Ordering::Relaxed) {
///             break;
///         }
///         wakeup.wait(seen, None);
///     }
/// });
/// let deadline = monotonic_now() + Duration::from_millis(1);
/// assert_eq!(wakeup.wait(wakeup.generation(), Some(deadline)), Reason::TimedOut);
/// ```
#[derive(Debug)]
pub struct Wakeup {
    word: AtomicU64,
    parking: Parking,
    /// The place in a set, if it is an event of one.
    mark: Option<Mark>,
}

/// The number of times that an event had been signalled when it was read.
///
/// ```
/// use hemiola_realtime::{Reason, Wakeup};
///
/// let wakeup = Wakeup::new();
/// let seen = wakeup.generation();
/// wakeup.notify_one();
/// assert_ne!(wakeup.generation(), seen);
/// assert_eq!(wakeup.wait(seen, None), Reason::Signalled); // at once: nothing is lost
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Generation(u32);

/// The reason why a wait ended.
///
/// ```
/// use hemiola_realtime::{Reason, Wakeup, monotonic_now};
/// use std::time::Duration;
///
/// let wakeup = Wakeup::new();
/// let soon = monotonic_now() + Duration::from_micros(100);
/// assert_eq!(wakeup.spin(wakeup.generation(), soon), Reason::TimedOut);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The event was signalled since the generation that the waiter had seen.
    Signalled,
    /// The deadline passed first.
    TimedOut,
}

const ONE_GENERATION: u64 = 1 << 32;
const ONE_SLEEPER: u64 = 1;
/// The number of pauses (10 to 140 cycles each, as the processor's maker chose) between two
/// readings of the clock.
const PAUSES_PER_LOOK: u32 = 8;

impl Wakeup {
    /// Creates an event that has not been signalled.
    pub fn new() -> Self {
        Wakeup { word: AtomicU64::new(0), parking: Parking::new(), mark: None }
    }

    /// Creates an event of a set, whose waiter is permanently counted as a sleeper.
    fn marking(mark: Mark) -> Self {
        Wakeup { word: AtomicU64::new(ONE_SLEEPER), parking: Parking::new(), mark: Some(mark) }
    }

    /// Returns how often the event was signalled so far. Read it before looking for work, and pass
    /// it to a wait.
    pub fn generation(&self) -> Generation {
        generation(self.word.load(Ordering::Acquire))
    }

    /// Signals the event to all threads that spin or come later, and wakes one of those that sleep:
    /// the one of highest priority.
    ///
    /// This costs one atomic addition, and a system call (6.5 µs on a small virtual machine) only
    /// if a thread sleeps.
    pub fn notify_one(&self) {
        let sleepers = self.advance();
        if sleepers > 0 {
            self.wake(sleepers, 1);
        }
    }

    /// Signals the event to all threads. This costs as much as [`Wakeup::notify_one`].
    pub fn notify_all(&self) {
        let sleepers = self.advance();
        if sleepers > 0 {
            self.wake(sleepers, u32::MAX);
        }
    }

    /// Sleeps until the event is signalled after `seen`, or until `deadline`. Returns at once if it
    /// has been signalled.
    ///
    /// A thread that sleeps through exactly 2^32 signals misses them.
    pub fn wait(&self, seen: Generation, deadline: Option<MonotonicTime>) -> Reason {
        if self.generation() != seen {
            return Reason::Signalled;
        }
        // W1. Acquire: if the generation moved, what came before the notification is seen.
        let reason = if generation(self.word.fetch_add(ONE_SLEEPER, Ordering::Acquire)) == seen {
            self.sleep(seen, deadline)
        } else {
            Reason::Signalled
        };
        // W3. Relaxed: it publishes nothing, and a notifier that sees too many sleepers only makes
        // a needless system call.
        self.word.fetch_sub(ONE_SLEEPER, Ordering::Relaxed);
        reason
    }

    /// Spins until the event is signalled after `seen`, or until `deadline`, without a system call.
    /// The event is checked at least once.
    pub fn spin(&self, seen: Generation, deadline: MonotonicTime) -> Reason {
        loop {
            for _ in 0..PAUSES_PER_LOOK {
                if self.generation() != seen {
                    return Reason::Signalled;
                }
                spin_loop();
            }
            if monotonic_now() >= deadline {
                return Reason::TimedOut;
            }
        }
    }

    /// Spins until `spin_until`, then sleeps until `deadline`: for an event that is likely to come
    /// soon.
    pub fn spin_then_wait(
        &self,
        seen: Generation,
        spin_until: MonotonicTime,
        deadline: Option<MonotonicTime>,
    ) -> Reason {
        let spin_until = deadline.map_or(spin_until, |deadline| spin_until.min(deadline));
        match self.spin(seen, spin_until) {
            Reason::Signalled => Reason::Signalled,
            Reason::TimedOut => self.wait(seen, deadline),
        }
    }

    /// Makes step N1, and returns how many threads sleep.
    fn advance(&self) -> u32 {
        // The generation is the upper half: when it wraps, the carry leaves the word and the
        // sleepers stay intact. The lower half, to which the word is truncated, is the number of
        // sleepers.
        self.word.fetch_add(ONE_GENERATION, Ordering::Release) as u32
    }

    /// Makes step N2: wakes at most `count` of the threads that sleep, and the waiter of the set.
    fn wake(&self, sleepers: u32, count: u32) {
        if let Some(mark) = &self.mark {
            mark.set();
            if u64::from(sleepers) == ONE_SLEEPER {
                return;
            }
        }
        self.parking.wake(&self.word, count);
    }

    /// Makes step W2, again after every spurious wake-up.
    fn sleep(&self, seen: Generation, deadline: Option<MonotonicTime>) -> Reason {
        loop {
            self.parking.sleep(&self.word, seen, deadline);
            if self.generation() != seen {
                return Reason::Signalled;
            }
            if deadline.is_some_and(|deadline| monotonic_now() >= deadline) {
                return Reason::TimedOut;
            }
        }
    }
}

impl Default for Wakeup {
    fn default() -> Self {
        Self::new()
    }
}

fn generation(word: u64) -> Generation {
    Generation((word >> 32) as u32)
}

#[cfg(test)]
mod tests;
