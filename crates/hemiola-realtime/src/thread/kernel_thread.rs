//! A thread by its number in the kernel, so that another one can change how it is scheduled.

use crate::os;
use crate::policy::Policy;
use std::io;
use std::time::Duration;

/// A running thread, whose scheduling policy others can change, as a watchdog does.
///
/// It is a number that the kernel reuses once the thread has ended, so use it only while the thread
/// runs.
///
/// ```
/// use hemiola_realtime::{KernelThread, Niceness, Policy, Priority, ThreadSettings, spawn};
/// use std::sync::mpsc::channel;
///
/// let (end, ended) = channel::<()>();
/// let motion = spawn(ThreadSettings::new("motion").policy(Policy::Fifo(Priority::LOWEST)), move || ended.recv())?;
/// if let Some(thread) = motion.report.thread.filter(|thread| thread.is_real_time()) {
///     assert_eq!(thread.priority(), Some(1));
///     thread.set_policy(Policy::TimeSharing { nice: Niceness::default() })?;
///     assert!(!thread.is_real_time());
///     assert_eq!(thread.priority(), Some(0));
/// }
/// drop(end);
/// # motion.thread.join().unwrap().unwrap_err();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelThread(u32);

impl KernelThread {
    /// Returns the calling thread.
    pub fn current() -> Self {
        KernelThread(os::this_thread())
    }

    /// Returns whether the thread has a real-time policy at present. A thread that has ended has
    /// none.
    pub fn is_real_time(self) -> bool {
        os::is_real_time(self.0)
    }

    /// Returns the thread's real-time priority, from 1 to 99; 0 if it shares time with all others;
    /// `None` if it is scheduled in another way, has ended, or the system does not show it. This
    /// takes two system calls.
    pub fn priority(self) -> Option<u8> {
        os::priority(self.0)
    }

    /// Returns the budget and the period that the kernel reserves for the thread
    /// ([`Policy::Deadline`]); `None` if it reserves nothing, the thread has ended, or the system
    /// does not show it. This takes one system call.
    ///
    /// ```
    /// use hemiola_realtime::KernelThread;
    ///
    /// assert_eq!(KernelThread::current().reservation(), None);
    /// ```
    pub fn reservation(self) -> Option<(Duration, Duration)> {
        os::reservation(self.0)
    }

    /// Changes how the kernel schedules the thread, from now on. This takes one system call.
    ///
    /// # Errors
    /// Returns the error of the system: the permission is missing, the policy does not fit, the
    /// thread has ended, or the system has no such call.
    pub fn set_policy(self, policy: Policy) -> io::Result<()> {
        os::set_policy_of(self.0, policy)
    }

    /// Returns for how long the thread has been on cores since it began. This takes one system
    /// call.
    ///
    /// ```
    /// use hemiola_realtime::KernelThread;
    ///
    /// # #[cfg(target_os = "linux")] {
    /// let before = KernelThread::current().processor_time()?;
    /// std::hint::black_box((0..100_000_u64).sum::<u64>());
    /// assert!(KernelThread::current().processor_time()? > before);
    /// # }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the thread has ended, or the system does not show it.
    pub fn processor_time(self) -> io::Result<Duration> {
        os::processor_time(self.0)
    }

    /// Returns the kernel's number of the thread, never 0.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the thread with that number.
    pub fn from_number(number: u32) -> Self {
        KernelThread(number)
    }
}
