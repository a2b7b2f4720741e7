//! Threads that may do a little work for others.
//!
//! Waking a thread that then makes a system call takes longer than making that call oneself. A
//! thread that shares time may do so; a real-time thread does its own work only, however short the
//! other is, and so does a thread that declares it: a worker of a cycle that was refused its
//! priority keeps its promises all the same.

use std::cell::Cell;

use crate::os;
use crate::policy::Policy;

/// The conditions on which a thread does errands.
#[derive(Clone, Copy)]
enum Errands {
    /// The thread does them if it shares time. The answer of the system is believed for so many
    /// more errands.
    ByPolicy {
        shares_time: bool,
        believed: u8,
    },
    Never,
    Always,
}

impl Errands {
    /// Nothing is known of the thread's policy yet.
    const UNKNOWN: Self = Self::ByPolicy { shares_time: false, believed: 0 };
}

/// The number of errands for which the system is asked once. A system call for each takes a fifth
/// of the time of a message to another process. The policy of a thread changes before its work
/// begins, as a rule; if not, it does so many errands too many at most.
const ERRANDS_PER_ANSWER: u8 = 64;

thread_local! {
    static ERRANDS: Cell<Errands> = const { Cell::new(Errands::UNKNOWN) };
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
    ERRANDS.set(Errands::Never);
}

/// Declares that the calling thread may do work for others, whatever its policy is: the thread of a
/// driver, say, that publishes at a real-time priority, and for which a message that leaves at once
/// is worth the microseconds of sending it.
///
/// ```
/// use hemiola_realtime::{Policy, Priority, ThreadSettings, accept_errands, may_do_errands, spawn};
///
/// let driver = ThreadSettings::new("driver").policy(Policy::Fifo(Priority::new(60)?));
/// let driver = spawn(driver, || {
///     accept_errands();
///     may_do_errands()
/// })?;
/// assert!(driver.thread.join().unwrap());
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
pub fn accept_errands() {
    ERRANDS.set(Errands::Always);
}

/// Returns whether the calling thread may allocate, lock and make system calls for another thread
/// at this moment, where that is faster than waking it. `false` where the system does not tell
/// whether the thread shares time.
///
/// Unless the thread has declared what it does, one of 64 calls is a system call of a fraction of a
/// microsecond: for use in the place of a longer one. Hence a policy that is changed by other means
/// than [`ThreadSettings`](crate::ThreadSettings) is known after 64 calls.
///
/// ```
/// use hemiola_realtime::{Policy, Priority, ThreadSettings, may_do_errands, spawn};
///
/// let motion = spawn(ThreadSettings::new("motion").policy(Policy::Fifo(Priority::new(60)?)), may_do_errands)?;
/// assert!(!motion.thread.join().unwrap()); // whether or not the priority was granted
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
pub fn may_do_errands() -> bool {
    match ERRANDS.get() {
        Errands::ByPolicy { shares_time, believed } => {
            let (shares_time, believed) = match believed.checked_sub(1) {
                Some(believed) => (shares_time, believed),
                // Thread 0 is the calling one.
                None => (cfg!(target_os = "linux") && !os::is_real_time(0), ERRANDS_PER_ANSWER - 1),
            };
            ERRANDS.set(Errands::ByPolicy { shares_time, believed });
            shares_time
        }
        Errands::Never => false,
        Errands::Always => true,
    }
}

/// Notes the policy that is requested for the calling thread.
pub(crate) fn note_policy(policy: Policy) {
    ERRANDS.set(if matches!(policy, Policy::TimeSharing { .. }) { Errands::UNKNOWN } else { Errands::Never });
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
            let refused = may_do_errands();
            accept_errands();
            (answers, refused, may_do_errands())
        };
        assert_eq!(std::thread::spawn(changes).join().unwrap(), ([false, true], false, true));
    }
}
