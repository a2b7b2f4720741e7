//! The wait of a publisher until there is room in a lane.

use crate::sync::{AtomicBool, Ordering, spin_loop};
use hemiola_realtime::{Generation, MonotonicTime, Wakeup, monotonic_now};
use std::time::Duration;

/// The notification of a publisher by a receiver that there is room. The receiver never waits: it
/// issues no fence, and may therefore miss a publisher that is just about to sleep. That is why the
/// publisher checks again from time to time.
#[derive(Default)]
pub(crate) struct Room {
    awaited: AtomicBool,
    wakeup: Wakeup,
}

/// The number of checks of a publisher before it sleeps.
const LOOKS_BEFORE_SLEEP: usize = if cfg!(loom) { 1 } else { 1000 };

/// The time for which a publisher sleeps before it checks again.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

impl Room {
    /// Sleeps until there is room or the deadline has passed, and returns whether there is. Only
    /// for the publisher.
    pub(crate) fn wait(&self, has_room: impl Fn() -> bool, deadline: MonotonicTime) -> bool {
        for _ in 0..LOOKS_BEFORE_SLEEP {
            if has_room() {
                return true;
            }
            spin_loop();
        }
        loop {
            let seen = self.wakeup.generation();
            self.awaited.store(true, Ordering::SeqCst);
            let now = monotonic_now();
            if has_room() || now >= deadline {
                self.awaited.store(false, Ordering::Relaxed);
                return has_room();
            }
            self.sleep(seen, deadline.min(now + LOOK_AGAIN));
        }
    }

    #[cfg(not(loom))]
    fn sleep(&self, seen: Generation, until: MonotonicTime) {
        self.wakeup.wait(seen, Some(until));
    }

    /// Lets others run instead of sleeping: under the model checker no time passes.
    #[cfg(loom)]
    fn sleep(&self, _: Generation, _: MonotonicTime) {
        loom::thread::yield_now();
    }

    /// Returns whether a publisher waits. Only for the receiver.
    #[inline]
    pub(crate) fn is_awaited(&self) -> bool {
        self.awaited.load(Ordering::Relaxed)
    }

    /// Wakes the publisher. Only for the receiver.
    pub(crate) fn tell(&self) {
        self.awaited.store(false, Ordering::Relaxed);
        self.wakeup.notify_one();
    }
}
