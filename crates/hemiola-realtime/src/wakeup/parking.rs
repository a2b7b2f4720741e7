//! The place where the sleepers of a [`Wakeup`](super::Wakeup) are queued: in the kernel (a futex),
//! or on a condition variable where the system has no futex and under loom.

#[cfg(all(target_os = "linux", not(loom)))]
pub(super) use kernel::Parking;
#[cfg(any(not(target_os = "linux"), loom))]
pub(super) use portable::Parking;

#[cfg(all(target_os = "linux", not(loom)))]
mod kernel {
    use crate::os;
    use crate::sync::AtomicU64;
    use crate::time::MonotonicTime;
    use crate::wakeup::Generation;

    #[derive(Debug)]
    pub(in crate::wakeup) struct Parking;

    impl Parking {
        pub(in crate::wakeup) fn new() -> Self {
            Parking
        }

        pub(in crate::wakeup) fn sleep(&self, word: &AtomicU64, seen: Generation, deadline: Option<MonotonicTime>) {
            os::futex_wait(word, seen.0, deadline.map(MonotonicTime::as_nanoseconds));
        }

        pub(in crate::wakeup) fn wake(&self, word: &AtomicU64, count: u32) {
            os::futex_wake(word, count);
        }
    }
}

#[cfg(any(not(target_os = "linux"), loom))]
mod portable {
    use crate::sync::{AtomicU64, Condvar, Mutex, Ordering};
    use crate::time::{MonotonicTime, monotonic_now};
    use crate::wakeup::{Generation, generation};

    /// A replacement for a futex: comparing and queueing is one step with respect to waking,
    /// because both hold the lock.
    #[derive(Debug)]
    pub(in crate::wakeup) struct Parking {
        lock: Mutex<()>,
        woken: Condvar,
    }

    impl Parking {
        pub(in crate::wakeup) fn new() -> Self {
            Parking { lock: Mutex::new(()), woken: Condvar::new() }
        }

        pub(in crate::wakeup) fn sleep(&self, word: &AtomicU64, seen: Generation, deadline: Option<MonotonicTime>) {
            // The lock guards nothing that a panic could leave half done.
            let guard = self.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if generation(word.load(Ordering::Relaxed)) != seen {
                return;
            }
            match deadline {
                None => drop(self.woken.wait(guard)),
                Some(deadline) => drop(self.woken.wait_timeout(guard, deadline - monotonic_now())),
            }
        }

        pub(in crate::wakeup) fn wake(&self, _word: &AtomicU64, count: u32) {
            let guard = self.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if count == 1 {
                self.woken.notify_one();
            } else {
                self.woken.notify_all();
            }
            drop(guard);
        }
    }
}
