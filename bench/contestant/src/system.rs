//! Clocks, sleeping, priority: the few calls into the system that a contestant needs.

use std::fmt;
use std::mem::MaybeUninit;

/// What the system granted to the process.
///
/// ```
/// use hemiola_bench_contestant::Granted;
/// assert_eq!(Granted::RealTime { priority: 80 }.to_string(), "SCHED_FIFO 80");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granted {
    /// SCHED_FIFO.
    RealTime {
        /// 1 to 99.
        priority: i32,
    },
    /// Real-time priority was refused: it shares time like everybody.
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

/// All contestants run at this priority.
const PRIORITY: i32 = 80;

/// Asks for SCHED_FIFO and keeps to the first `workers` cores that the process may use, at least two, because many pools have a
/// thread that waits beside those that work. Threads that are made from now on inherit both.
pub fn request_real_time(workers: usize) -> Granted {
    keep_to_cores(workers.max(2));
    // SAFETY: `parameters` is valid for the duration of the call.
    let refused = unsafe {
        let parameters = libc::sched_param { sched_priority: PRIORITY };
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters)
    };
    if refused == 0 { Granted::RealTime { priority: PRIORITY } } else { Granted::TimeSharing }
}

fn keep_to_cores(count: usize) {
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: both sets are valid for `size` bytes, all zeros is the empty set, and core numbers stay below CPU_SETSIZE.
    unsafe {
        let mut allowed: libc::cpu_set_t = MaybeUninit::zeroed().assume_init();
        let mut chosen: libc::cpu_set_t = MaybeUninit::zeroed().assume_init();
        if libc::sched_getaffinity(0, size, &mut allowed) != 0 {
            return;
        }
        let cores = (0..libc::CPU_SETSIZE as usize).filter(|&core| libc::CPU_ISSET(core, &allowed));
        cores.take(count).for_each(|core| libc::CPU_SET(core, &mut chosen));
        // Where it is refused, all cores that are allowed anyway stay.
        libc::sched_setaffinity(0, size, &chosen);
    }
}

/// The monotonic clock, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Processor time that all threads of the process have used, in nanoseconds.
pub(crate) fn process_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn read_clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; both clocks exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Sleeps until a time of the monotonic clock.
pub fn sleep_until_ns(due: u64) {
    let time = libc::timespec { tv_sec: (due / 1_000_000_000) as _, tv_nsec: (due % 1_000_000_000) as _ };
    // SAFETY: `time` is valid; no remaining time is asked for. Interrupted by a signal it sleeps on.
    while unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &time, std::ptr::null_mut()) }
        == libc::EINTR
    {}
}
