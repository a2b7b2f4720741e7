//! For a publisher that waits until there is room in a lane.

use crate::sync::{AtomicBool, Ordering};
use hemiola_realtime::{MonotonicTime, Wakeup, monotonic_now};
use std::hint::spin_loop;
use std::time::Duration;

/// How a receiver tells a publisher that there is room. The receiver does not wait for anybody: it stores no fence, and may so overlook a
/// publisher that is just about to sleep. That is why the publisher looks again now and then.
#[derive(Default)]
pub(crate) struct Room {
    awaited: AtomicBool,
    wakeup: Wakeup,
}

/// How often a publisher looks before it sleeps.
const LOOKS_BEFORE_SLEEP: usize = 1000;

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
            self.wakeup.wait(seen, Some(deadline.min(now + LOOK_AGAIN)));
        }
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
