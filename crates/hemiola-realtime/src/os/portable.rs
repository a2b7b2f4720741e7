//! Unixes other than Linux: POSIX scheduling, and refusals of what only Linux has.
//!
//! # Safety
//! As in `linux`: numbers, or pointers to values that are borrowed while a call runs.
#![expect(unsafe_code, reason = "system calls")]

use crate::locking::Locking;
use crate::policy::Policy;
use std::io;
use std::mem::MaybeUninit;
use std::time::Duration;

pub(crate) fn set_name(_name: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn set_affinity(_cores: impl Iterator<Item = usize>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn affinity() -> io::Result<Vec<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns a constant, because no thread can be found by a number here.
pub(crate) fn this_thread() -> u32 {
    1
}

pub(crate) fn is_real_time(_thread: u32) -> bool {
    false
}

pub(crate) fn priority(_thread: u32) -> Option<u8> {
    None
}

pub(crate) fn reservation(_thread: u32) -> Option<(Duration, Duration)> {
    None
}

pub(crate) fn scheduler_tick() -> Option<Duration> {
    None
}

pub(crate) fn processor_time(_thread: u32) -> io::Result<Duration> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn set_policy_of(_thread: u32, _policy: Policy) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn set_policy(policy: Policy) -> io::Result<()> {
    let (class, priority) = match policy {
        Policy::Fifo(priority) => (libc::SCHED_FIFO, priority),
        Policy::RoundRobin(priority) => (libc::SCHED_RR, priority),
        Policy::Deadline { .. } | Policy::TimeSharing { .. } => return Err(io::ErrorKind::Unsupported.into()),
    };
    // SAFETY: a call with numbers only.
    let highest = unsafe { libc::sched_get_priority_max(class) };
    // SAFETY: a struct of integers (on some targets with padding that cannot be named).
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    // Other systems have fewer levels, often 15 to 47: the order among ours is kept as far as they
    // reach.
    parameters.sched_priority = i32::from(priority.level()).min(highest);
    // SAFETY: the calling thread exists, `parameters` is readable.
    let status = unsafe { libc::pthread_setschedparam(libc::pthread_self(), class, &parameters) };
    if status == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(status)) }
}

pub(crate) fn remove_timer_slack() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn monotonic_nanoseconds() -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `now` is writable, and the call fails only for an unknown clock; POSIX has
    // CLOCK_MONOTONIC.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, now.as_mut_ptr());
        now.assume_init()
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

pub(crate) fn clock_resolution() -> Option<Duration> {
    None
}

pub(crate) fn sleep_until(nanoseconds: u64) {
    while let Some(remaining @ 1..) = nanoseconds.checked_sub(monotonic_nanoseconds()) {
        std::thread::sleep(Duration::from_nanos(remaining));
    }
}

pub(crate) fn lock_memory(locking: Locking) -> io::Result<()> {
    let flags = match locking {
        Locking::PresentAndFuture => libc::MCL_CURRENT | libc::MCL_FUTURE,
        Locking::WhenTouched => return Err(io::ErrorKind::Unsupported.into()),
        Locking::Present => libc::MCL_CURRENT,
    };
    // SAFETY: a call with numbers only, which changes no contents of memory.
    super::check(unsafe { libc::mlockall(flags) })
}

pub(crate) fn release_stack_beyond(_bytes: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn prefer_huge_pages(_memory: &mut [u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn keep_heap() -> bool {
    false
}

pub(crate) fn stack() -> io::Result<std::ops::Range<usize>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Memory that processes share, which this system lacks.
#[derive(Debug)]
#[cfg(not(loom))]
pub(crate) enum Mapping {}

#[cfg(not(loom))]
impl Mapping {
    pub(crate) fn create(_length: usize) -> io::Result<(Self, std::os::fd::OwnedFd)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn open(_file: &std::os::fd::OwnedFd, _length: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn address(&self) -> std::ptr::NonNull<u8> {
        match *self {}
    }

    pub(crate) fn length(&self) -> usize {
        match *self {}
    }
}
