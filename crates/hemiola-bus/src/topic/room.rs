//! For a publisher that waits until there is room in a lane.

use crate::sync::{AtomicBool, Ordering, spin_loop};
use hemiola_realtime::{Generation, MonotonicTime, Wakeup, monotonic_now};
use std::time::Duration;

/// How a receiver tells a publisher that there is room. The receiver does not wait for anybody: it
/// stores no fence, and may so overlook a publisher that is just about to sleep. That is why the
/// publisher looks again now and then.
#[derive(Default)]
pub(crate) struct Room {
    awaited: AtomicBool,
    wakeup: Wakeup,
}

/// How often a publisher looks before it sleeps.
const LOOKS_BEFORE_SLEEP: usize = if cfg!(loom) { 1 } else { 1000 };

/// How long it sleeps before it looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

impl Room {
    /// Sleeps until there is room; tells whether there is. Only for the publisher.
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

    /// Under the model checker no time passes: the sleep ends as soon as others have got on.
    #[cfg(loom)]
    fn sleep(&self, _: Generation, _: MonotonicTime) {
        loom::thread::yield_now();
    }

    /// Whether a publisher waits. Only for the receiver.
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
