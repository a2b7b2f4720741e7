//! Clocks, sleeping, priority: the few calls into the system that a contestant needs.
#![expect(unsafe_code, reason = "system calls")]

use std::fmt;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The policy that the system granted to the process.
///
/// ```
/// use hemiola_bench_contestant::Granted;
/// assert_eq!(Granted::RealTime { priority: 80 }.to_string(), "SCHED_FIFO 80");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granted {
    /// SCHED_FIFO.
    RealTime {
        /// The priority, from 1 to 99.
        priority: i32,
    },
    /// Real-time priority was refused: the process shares time.
    TimeSharing,
}

impl fmt::Display for Granted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Granted::RealTime { priority } => write!(formatter, "SCHED_FIFO {priority}"),
            Granted::TimeSharing => formatter.write_str("time sharing"),
        }
    }
}

/// The priority of contestants where the command line names none.
pub(crate) const PRIORITY: i32 = 80;

/// Asks for SCHED_FIFO at this priority and keeps to the first `workers` cores that the process may
/// use, at least two, because many pools have a thread that waits beside those that work. Threads
/// that are made from now on inherit both.
pub fn request_real_time(workers: usize, priority: i32) -> Granted {
    keep_to_cores(workers.max(2));
    if set_priority(priority) { Granted::RealTime { priority } } else { Granted::TimeSharing }
}

/// Runs an activity on the `index`th core that the thread may use, before any other thread of the
/// process.
pub(crate) fn on_core<R>(index: usize, priority: i32, activity: impl FnOnce() -> R) -> R {
    let allowed = cores();
    // The higher priority preempts a thread of the process that may spin there.
    set_priority(priority + 1);
    set_cores(allowed.get(index % allowed.len().max(1)).copied());
    let result = activity();
    set_cores(allowed.iter().copied());
    set_priority(priority);
    result
}

/// Keeps this thread on the `index`th core that the process may use, or on the last one if there
/// are fewer.
pub(crate) fn keep_to_core(index: usize) {
    let allowed = PROCESS_CORES.get_or_init(cores);
    set_cores(allowed.get(index).or(allowed.last()).copied());
}

/// The cores of the process before any thread was confined.
static PROCESS_CORES: OnceLock<Vec<usize>> = OnceLock::new();

/// Leaves the session, whose threads share their part of the processor, and asks that the new one
/// come before all others; returns whether that was granted.
pub(crate) fn leave_for_a_session_of_its_own() -> bool {
    // SAFETY: no memory is involved. It fails only for the leader of a group, who has one to
    // itself.
    unsafe { libc::setsid() };
    std::fs::write("/proc/self/autogroup", "-20").is_ok()
}

/// Lets the kernel end this process as soon as the thread has ended that has started it.
pub(crate) fn end_with_parent() {
    // SAFETY: no memory is involved.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) };
}

fn set_priority(priority: i32) -> bool {
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: `parameters` is valid for the duration of the call. It concerns the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) == 0 }
}

fn keep_to_cores(count: usize) {
    set_cores(cores().into_iter().take(count));
}

/// Returns the cores that this thread may use.
fn cores() -> Vec<usize> {
    // SAFETY: the set is valid for its size, all zeros is the empty set, and core numbers stay
    // below CPU_SETSIZE.
    unsafe {
        let mut allowed: libc::cpu_set_t = MaybeUninit::zeroed().assume_init();
        // The set stays empty where that is refused.
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut allowed);
        (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &allowed)).collect()
    }
}

/// Confines this thread to these cores; where that is refused, it keeps those that it has.
fn set_cores(cores: impl IntoIterator<Item = usize>) {
    // SAFETY: as in `cores`.
    unsafe {
        let mut chosen: libc::cpu_set_t = MaybeUninit::zeroed().assume_init();
        cores.into_iter().for_each(|core| libc::CPU_SET(core, &mut chosen));
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &chosen);
    }
}

/// Returns the time of the monotonic clock, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Returns the processor time that all threads of the process have used, in nanoseconds.
pub(crate) fn process_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The resources that all threads of a process have used since it began.
///
/// ```
/// use hemiola_bench_contestant::Usage;
///
/// let before = Usage::now();
/// std::thread::sleep(std::time::Duration::from_millis(1));
/// assert!(Usage::now().since(&before).sleeps >= 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Processor time.
    pub cpu_ns: u64,
    /// The number of times that a thread gave up its core because it had to wait. Each time it has
    /// to be woken.
    pub sleeps: u64,
}

impl Usage {
    /// Returns the usage until now.
    pub fn now() -> Self {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: `usage` is valid for writing, and all zeros is a value of it.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        Self { cpu_ns: process_cpu_ns(), sleeps: usage.ru_nvcsw as u64 }
    }

    /// Returns the usage since an earlier one.
    pub fn since(&self, before: &Usage) -> Usage {
        Usage { cpu_ns: self.cpu_ns - before.cpu_ns, sleeps: self.sleeps - before.sleeps }
    }
}

/// Returns the processor time that this thread has used, in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read_clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; these clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps until a time of the monotonic clock.
pub fn sleep_until_ns(due: u64) {
    let time = libc::timespec { tv_sec: (due / 1_000_000_000) as _, tv_nsec: (due % 1_000_000_000) as _ };
    // SAFETY: `time` is valid; no remaining time is asked for. Interrupted by a signal it sleeps
    // on.
    while unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &time, std::ptr::null_mut()) }
        == libc::EINTR
    {}
}
