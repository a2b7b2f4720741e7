//! The duty of a thread that waits for the events of a set, which those who notify may do in its
//! place while it sleeps.
//!
//! # Protocol
//! Whoever holds the lock is the waiter in the protocol of [`WakeupSet`], and may take events and
//! prepare a sleep. The thread holds it unless it sleeps.
//!
//! | who | step | effect |
//! |---|---|---|
//! | thread | D1 | takes events and does its work (E1), prepares to sleep (E2 and E3), unlocks, sleeps (E4), locks |
//! | notifier | D2 | is to ring (S3): tries to lock, and never waits for that |
//! | | D3 | has locked: takes events and does the work (E1), prepares the sleep again (E2 and E3), unlocks; then nobody rings |
//! | | D4 | could not lock, or something is left: rings, which ends the thread's sleep, or its next one |
//!
//! No wake-up is lost. After D3 the set is as it was when the thread began to sleep, with a sleep
//! of a later number: those who notify then ring, or do D2, for that one. A notifier that notes the
//! earlier sleep as over has no effect on it. After D4 the thread's sleep ends, and it takes what
//! was notified, for it does E1 after each sleep.
//!
//! A notifier that finds the lock held cannot know whether the holder will still see its event: it
//! rings. It does so as well while the thread waits for the lock, so that notifiers who follow each
//! other closely cannot keep the lock from it for long.
//!
//! The loom model in `duty/tests.rs` runs this code.

use std::fmt;
use std::sync::PoisonError;

use super::WakeupSet;
use crate::sync::{AtomicBool, Mutex, MutexGuard, Ordering};

/// The duty of a thread that waits for the events of a [`WakeupSet`], with the state that it needs
/// for it. A thread that is about to end the sleep may do it instead: then it need not wake the
/// other one.
///
/// ```
/// use hemiola_realtime::{Duty, WakeupSet};
/// use std::sync::{Arc, mpsc};
///
/// struct Counting {
///     set: WakeupSet,
///     count: usize,
/// }
///
/// fn count(work: &mut Counting) -> bool {
///     let Counting { set, count } = work;
///     set.take(|_| *count += 1);
///     true
/// }
///
/// let duty = Arc::new(Duty::default());
/// let (bell, rung) = mpsc::sync_channel(1);
/// let ring = {
///     let duty = duty.clone();
///     move || {
///         if !duty.stand_in(|work: &Counting| &work.set, count) {
///             _ = bell.try_send(());
///         }
///     }
/// };
/// let set = WakeupSet::new(1, ring);
/// let event = set.event(0);
/// assert!(set.prepare_to_sleep());
/// duty.begin(Counting { set, count: 0 });
/// event.notify_one(); // counts it on this thread
/// assert!(rung.try_recv().is_err());
/// assert_eq!(duty.end().unwrap().count, 1);
/// ```
pub struct Duty<W> {
    work: Mutex<Option<W>>,
    /// Set while the thread waits for the lock. A hint, on which nothing rests.
    is_wanted: AtomicBool,
}

/// The number of times that somebody who stands in does what was notified meanwhile, before it
/// leaves the rest to the thread.
const MOST_ROUNDS: usize = if cfg!(loom) { 2 } else { 4 };

impl<W> Duty<W> {
    /// Begins the duty with this state.
    pub fn begin(&self, work: W) {
        *self.lock() = Some(work);
    }

    /// Ends the duty, and returns its state; `None` if it has not begun, or has ended. To be called
    /// before the set is dropped, whose `ring` refers to this.
    pub fn end(&self) -> Option<W> {
        self.lock().take()
    }

    /// Applies `act` to the state, as soon as nobody stands in any more (step D1). Returns `None`
    /// if the duty has ended. Only for the thread whose duty it is.
    pub fn hold<R>(&self, act: impl FnOnce(&mut W) -> R) -> Option<R> {
        self.is_wanted.store(true, Ordering::Relaxed);
        let mut work = self.lock();
        self.is_wanted.store(false, Ordering::Relaxed);
        work.as_mut().map(act)
    }

    /// Does the duty in place of the thread, which sleeps (steps D2 and D3). `serve` does what was
    /// notified, and returns whether nothing is left to do. Returns `false` if the thread has to be
    /// woken. This never waits, unless `serve` does; for threads that [may do
    /// errands](crate::may_do_errands).
    pub fn stand_in(&self, set: impl Fn(&W) -> &WakeupSet, mut serve: impl FnMut(&mut W) -> bool) -> bool {
        if self.is_wanted.load(Ordering::Relaxed) {
            return false;
        }
        let Ok(mut held) = self.work.try_lock() else { return false };
        let Some(work) = held.as_mut() else { return false };
        for _ in 0..MOST_ROUNDS {
            if !serve(work) {
                return false;
            }
            if set(work).prepare_to_sleep() {
                return true;
            }
        }
        false
    }

    fn lock(&self) -> MutexGuard<'_, Option<W>> {
        // Whoever panics under the lock says so itself.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Default for Duty<W> {
    fn default() -> Self {
        Self { work: Mutex::new(None), is_wanted: AtomicBool::new(false) }
    }
}

impl<W> fmt::Debug for Duty<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Duty").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
