//! Threads that may do a little work for others.
//!
//! Waking a thread that then makes a system call takes longer than making that call oneself. A
//! thread that shares time may do so; a real-time thread does its own work only, however short the
//! other is, and so does a thread that declares it: a worker of a cycle that was refused its
//! priority keeps its promises all the same.

use std::cell::Cell;

use crate::os;
use crate::policy::Policy;

thread_local! {
    static DOES_NO_ERRANDS: Cell<bool> = const { Cell::new(false) };
}

/// Declares that the calling thread does no work for other threads, whatever its policy is.
///
/// A thread for which [`ThreadSettings`](crate::ThreadSettings) request a real-time policy does
/// none from its beginning on, even if the system refuses the policy.
///
/// ```
/// use hemiola_realtime::{may_do_errands, refuse_errands};
///
/// std::thread::spawn(|| {
///     refuse_errands();
///     assert!(!may_do_errands());
/// })
/// .join()
/// .unwrap();
/// ```
pub fn refuse_errands() {
    DOES_NO_ERRANDS.set(true);
}

/// Returns whether the calling thread may allocate, lock and make system calls for another thread
/// at this moment, where that is faster than waking it. `false` where the system does not tell
/// whether the thread shares time.
///
/// This is a system call of a fraction of a microsecond: for use in the place of a longer one.
///
/// ```
/// use hemiola_realtime::{Policy, Priority, ThreadSettings, may_do_errands, spawn};
///
/// let motion = spawn(ThreadSettings::new("motion").policy(Policy::Fifo(Priority::new(60)?)), may_do_errands)?;
/// assert!(!motion.thread.join().unwrap()); // whether or not the priority was granted
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
pub fn may_do_errands() -> bool {
    // Thread 0 is the calling one.
    cfg!(target_os = "linux") && !DOES_NO_ERRANDS.get() && !os::is_real_time(0)
}

/// Notes the policy that is requested for the calling thread.
pub(crate) fn note_policy(policy: Policy) {
    DOES_NO_ERRANDS.set(!matches!(policy, Policy::TimeSharing { .. }));
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::policy::{Niceness, Priority};
    use crate::thread::{ThreadSettings, apply_to_this_thread, spawn};

    fn of_thread(settings: ThreadSettings) -> bool {
        spawn(settings, may_do_errands).unwrap().thread.join().unwrap()
    }

    #[test]
    fn only_threads_that_share_time_and_are_meant_to_do_errands() {
        let priority = Policy::Fifo(Priority::new(1).unwrap());
        let shared = Policy::TimeSharing { nice: Niceness::new(0).unwrap() };
        assert!(std::thread::spawn(may_do_errands).join().unwrap());
        assert!(of_thread(ThreadSettings::new("free")));
        assert!(of_thread(ThreadSettings::new("free").policy(shared)));
        assert!(!of_thread(ThreadSettings::new("urgent").policy(priority)));
        let changes = move || {
            let answers = [priority, shared].map(|policy| {
                apply_to_this_thread(&ThreadSettings::new("changes").policy(policy)).unwrap();
                may_do_errands()
            });
            refuse_errands();
            (answers, may_do_errands())
        };
        assert_eq!(std::thread::spawn(changes).join().unwrap(), ([false, true], false));
    }
}
