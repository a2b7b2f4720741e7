//! Linux: calls through rustix where that has a safe interface, else through the C library.
//!
//! # Safety
//! Every call receives numbers, or pointers to values that are borrowed while it runs and as large
//! as the arguments state.
#![expect(unsafe_code, reason = "system calls")]

use super::check;
use crate::locking::Locking;
use crate::policy::Policy;
#[cfg(not(loom))]
use crate::sync::AtomicU64;
use rustix::io::Errno;
use rustix::mm::MlockAllFlags;
use rustix::thread::{self, CpuSet};
use std::ffi::CString;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::num::NonZeroU64;
use std::ops::Range;
use std::time::Duration;

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// Names the calling thread; the kernel keeps 15 bytes.
pub(crate) fn set_name(name: &str) -> io::Result<()> {
    Ok(thread::set_name(&CString::new(name)?)?)
}

/// Restricts the calling thread to some cores.
pub(crate) fn set_affinity(cores: impl Iterator<Item = usize>) -> io::Result<()> {
    let mut set = CpuSet::new();
    for core in cores {
        if core >= CpuSet::MAX_CPU {
            return Err(Errno::INVAL.into());
        }
        set.set(core);
    }
    Ok(thread::sched_setaffinity(None, &set)?)
}

/// Returns the cores on which the calling thread may run.
pub(crate) fn affinity() -> io::Result<Vec<usize>> {
    let set = thread::sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// Returns the calling thread's number in the kernel.
pub(crate) fn this_thread() -> u32 {
    thread::gettid().as_raw_pid().unsigned_abs()
}

/// Returns whether a thread has a real-time policy.
pub(crate) fn is_real_time(thread: u32) -> bool {
    [libc::SCHED_FIFO, libc::SCHED_RR, libc::SCHED_DEADLINE].contains(&scheduling_class(thread))
}

/// Returns a thread's real-time priority; 0 if it shares time.
pub(crate) fn priority(thread: u32) -> Option<u8> {
    match scheduling_class(thread) {
        libc::SCHED_FIFO | libc::SCHED_RR => {
            let mut parameters = MaybeUninit::<libc::sched_param>::uninit();
            // SAFETY: `parameters` is writable; for a thread that does not exist the call fails.
            check(unsafe { libc::sched_getparam(thread.cast_signed(), parameters.as_mut_ptr()) }).ok()?;
            // SAFETY: the call has succeeded, and so has written it.
            u8::try_from(unsafe { parameters.assume_init() }.sched_priority).ok()
        }
        libc::SCHED_OTHER | libc::SCHED_BATCH | libc::SCHED_IDLE => Some(0),
        _ => None,
    }
}

/// Returns the budget and the period of a thread under `SCHED_DEADLINE`.
pub(crate) fn reservation(thread: u32) -> Option<(Duration, Duration)> {
    let mut attributes = MaybeUninit::<libc::sched_attr>::zeroed();
    let size = size_of::<libc::sched_attr>();
    // SAFETY: the kernel writes at most `size` bytes, which is the size of `attributes`; for a
    // thread that does not exist the call fails.
    check(unsafe { libc::syscall(libc::SYS_sched_getattr, thread, attributes.as_mut_ptr(), size, 0) }).ok()?;
    // SAFETY: all of it was zero, and zeros and whatever the kernel writes are numbers.
    let attributes = unsafe { attributes.assume_init() };
    let is_reserved = attributes.sched_policy == libc::SCHED_DEADLINE as u32;
    let of = |nanoseconds| Duration::from_nanos(nanoseconds);
    is_reserved.then(|| (of(attributes.sched_runtime), of(attributes.sched_period)))
}

/// Returns the longest time from which the kernel looks at what threads have used to when it looks
/// again: a tick of its scheduler.
pub(crate) fn scheduler_tick() -> Option<Duration> {
    let mut resolution = timespec(0);
    // SAFETY: `resolution` is writable. This clock is set at every tick.
    check(unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &mut resolution) }).ok()?;
    Some(Duration::new(resolution.tv_sec as u64, resolution.tv_nsec as u32))
}

/// Returns the scheduling class, such as `SCHED_FIFO`; none of them for a thread that does not
/// exist.
fn scheduling_class(thread: u32) -> i32 {
    // SAFETY: a call with a number; for a thread that does not exist it returns -1.
    unsafe { libc::sched_getscheduler(thread.cast_signed()) & !libc::SCHED_RESET_ON_FORK }
}

/// Sets the calling thread's policy.
pub(crate) fn set_policy(policy: Policy) -> io::Result<()> {
    // Thread 0 is the calling one.
    set_policy_of(0, policy)
}

/// Sets a thread's policy.
pub(crate) fn set_policy_of(thread: u32, policy: Policy) -> io::Result<()> {
    let mut attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: 0,
        // A module's own helper threads never inherit a real-time policy. SCHED_DEADLINE insists on
        // this flag, too.
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    match policy {
        Policy::Fifo(priority) => {
            attributes.sched_policy = libc::SCHED_FIFO as u32;
            attributes.sched_priority = priority.level().into();
        }
        Policy::RoundRobin(priority) => {
            attributes.sched_policy = libc::SCHED_RR as u32;
            attributes.sched_priority = priority.level().into();
        }
        Policy::Deadline { runtime, deadline, period } => {
            attributes.sched_policy = libc::SCHED_DEADLINE as u32;
            attributes.sched_runtime = saturating_nanoseconds(runtime);
            attributes.sched_deadline = saturating_nanoseconds(deadline);
            attributes.sched_period = saturating_nanoseconds(period);
        }
        Policy::TimeSharing { nice } => {
            attributes.sched_policy = libc::SCHED_OTHER as u32;
            attributes.sched_nice = nice.level().into();
        }
    }
    // SAFETY: the kernel reads `attributes.size` bytes, which is the size of `attributes`.
    check(unsafe { libc::syscall(libc::SYS_sched_setattr, thread, &raw const attributes, 0) })
}

/// Returns the time that a thread of this process was on cores.
pub(crate) fn processor_time(thread: u32) -> io::Result<Duration> {
    // The clock is made as by the C library's `pthread_getcpuclockid`: of the number of the thread,
    // the flag that it is one (4), and the clock of the scheduler (2).
    let clock = !(thread.cast_signed()) << 3 | 4 | 2;
    let mut time = timespec(0);
    // SAFETY: `time` is writable; for a thread that does not exist the call fails.
    check(unsafe { libc::clock_gettime(clock, &mut time) })?;
    Ok(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Makes the calling thread's timers fire without the 50 µs that the kernel may otherwise add to
/// batch them.
pub(crate) fn remove_timer_slack() -> io::Result<()> {
    // The slack is one nanosecond, because zero would mean "back to the default".
    Ok(thread::set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// Returns the time of `CLOCK_MONOTONIC`.
pub(crate) fn monotonic_nanoseconds() -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `now` is writable, and the call fails only for an unknown clock; CLOCK_MONOTONIC
    // exists on every Linux.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, now.as_mut_ptr());
        now.assume_init()
    };
    now.tv_sec as u64 * NANOSECONDS_PER_SECOND + now.tv_nsec as u64
}

/// Returns the resolution of timers on `CLOCK_MONOTONIC`.
pub(crate) fn clock_resolution() -> Option<Duration> {
    let resolution = rustix::time::clock_getres(thread::ClockId::Monotonic);
    Some(Duration::new(resolution.tv_sec as u64, resolution.tv_nsec as u32))
}

/// Sleeps until this time on `CLOCK_MONOTONIC`.
pub(crate) fn sleep_until(nanoseconds: u64) {
    let due = thread::Timespec {
        tv_sec: (nanoseconds / NANOSECONDS_PER_SECOND) as _,
        tv_nsec: (nanoseconds % NANOSECONDS_PER_SECOND) as _,
    };
    // A signal ends the sleep early, and because the time is absolute it is resumed as it was.
    while thread::clock_nanosleep_absolute(thread::ClockId::Monotonic, &due) == Err(Errno::INTR) {}
}

/// Sleeps while the upper half of `word` equals `expected`, at most until `deadline` on
/// `CLOCK_MONOTONIC`. It may also return spuriously.
#[cfg(not(loom))]
pub(crate) fn futex_wait(word: &AtomicU64, expected: u32, deadline: Option<u64>) {
    let deadline = deadline.map(timespec);
    let timeout = deadline.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the address is that of the upper half of `word`: aligned to four bytes, and borrowed,
    // thus alive, during the call. FUTEX_WAIT_BITSET (unlike FUTEX_WAIT) takes an absolute time on
    // CLOCK_MONOTONIC, read from `timeout` if not null.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            upper_half(word),
            libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG,
            expected,
            timeout,
            std::ptr::null::<u32>(),
            libc::FUTEX_BITSET_MATCH_ANY,
        );
    }
}

/// Wakes at most `count` threads that sleep in [`futex_wait`] on `word`.
#[cfg(not(loom))]
pub(crate) fn futex_wake(word: &AtomicU64, count: u32) {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    // SAFETY: the kernel uses the address only as a key, and does not access it.
    unsafe {
        libc::syscall(libc::SYS_futex, upper_half(word), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, count);
    }
}

#[cfg(not(loom))]
fn upper_half(word: &AtomicU64) -> *const u32 {
    let halves = word.as_ptr().cast::<u32>().cast_const();
    // `wrapping_add` stays within the eight bytes of `word`.
    if cfg!(target_endian = "little") { halves.wrapping_add(1) } else { halves }
}

/// Locks the process' memory.
pub(crate) fn lock_memory(locking: Locking) -> io::Result<()> {
    let flags = match locking {
        Locking::PresentAndFuture => MlockAllFlags::CURRENT | MlockAllFlags::FUTURE,
        Locking::WhenTouched => MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT,
        Locking::Present => MlockAllFlags::CURRENT,
    };
    Ok(rustix::mm::mlockall(flags)?)
}

/// The advice to join pages now, of Linux 6.1. The libc crate lacks it for musl.
const MADV_COLLAPSE: libc::c_int = 25;

/// Requests that the whole pages of `memory` be gathered into huge ones: those that are resident
/// now, all others when they are touched.
pub(crate) fn prefer_huge_pages(memory: &mut [u8]) -> io::Result<()> {
    let page = rustix::param::page_size();
    let all = memory.as_mut_ptr_range();
    let first = all.start.addr().next_multiple_of(page);
    let end = all.end.addr() / page * page;
    if end <= first {
        return Ok(());
    }
    let (address, length) = (all.start.with_addr(first).cast(), end - first);
    // SAFETY: whole pages of `memory`, which is borrowed; neither call changes what is in them.
    check(unsafe { libc::madvise(address, length, libc::MADV_HUGEPAGE) })?;
    // Older kernels do not have this, and it fails where nothing is resident yet.
    // SAFETY: as above.
    _ = check(unsafe { libc::madvise(address, length, MADV_COLLAPSE) });
    Ok(())
}

/// Configures the C library's allocator to keep what it has. Returns whether it can do so.
pub(crate) fn keep_heap() -> bool {
    #[cfg(target_env = "gnu")]
    {
        /// The largest block that glibc lets the heap serve instead of a mapping of its own (on
        /// 64-bit systems).
        const LARGEST_THRESHOLD: libc::c_int = 32 * 1024 * 1024;
        // SAFETY: `mallopt` takes numbers and guards its state with the allocator's own lock.
        unsafe {
            libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX) == 1
                && libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_THRESHOLD) == 1
        }
    }
    #[cfg(not(target_env = "gnu"))]
    {
        false
    }
}

/// Returns the addresses of the calling thread's stack, above the guard.
pub(crate) fn stack() -> io::Result<Range<usize>> {
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: `attributes` is writable; the calling thread exists.
    let status = unsafe { libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) };
    if status != 0 {
        return Err(io::Error::from_raw_os_error(status));
    }
    let mut lowest = std::ptr::null_mut();
    let mut size = 0;
    // SAFETY: `attributes` was initialised by the call that just succeeded; both results are
    // writable.
    let status = unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &mut lowest, &mut size) };
    // SAFETY: as above; it is not used any more.
    unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
    if status == 0 { Ok(lowest.addr()..lowest.addr() + size) } else { Err(io::Error::from_raw_os_error(status)) }
}

/// Releases the pages of the calling thread's stack that lie more than `bytes` below the caller,
/// which has at least a page there. They become resident again when they are touched, and are
/// locked from then on if they were locked before.
pub(crate) fn release_stack_beyond(bytes: usize) -> io::Result<()> {
    // SAFETY: a call with a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).map_err(io::Error::other)?;
    let here = std::hint::black_box(&mut 0_u8 as *mut u8);
    let stack = stack()?;
    if !stack.contains(&here.addr()) {
        // A sanitizer keeps local variables elsewhere, so that it is not known what is in use.
        return Err(io::ErrorKind::Unsupported.into());
    }
    let first = stack.start.next_multiple_of(page);
    // At least some pages are spared for the frames of this function and of those that it calls.
    let end = here.addr().saturating_sub(bytes.max(SPARED_PAGES * page)) / page * page;
    if end <= first {
        return Ok(());
    }
    // SAFETY: whole pages of this thread's stack, below all of its frames: nothing in them has been
    // used yet, or will be again.
    check(unsafe { libc::madvise(here.with_addr(first).cast(), end - first, libc::MADV_DONTNEED_LOCKED) })
}

const SPARED_PAGES: usize = 8;

fn timespec(nanoseconds: u64) -> libc::timespec {
    // SAFETY: a struct of integers (on some targets with padding that cannot be named).
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    time.tv_sec = (nanoseconds / NANOSECONDS_PER_SECOND) as _;
    time.tv_nsec = (nanoseconds % NANOSECONDS_PER_SECOND) as _;
    time
}

fn saturating_nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
