//! The cheapest monotonic counter of the machine, and its calibration to nanoseconds.
//!
//! Reading the clock through the kernel's page takes 20 to 50 ns, more than everything else in
//! recording an event. A counter that runs at a constant rate in all power states is read in a few
//! nanoseconds; its unit is found by comparing it with `CLOCK_MONOTONIC` now and then, off the
//! real-time threads.
#![expect(unsafe_code, reason = "counters are read by instructions, and the kernel's clock through the C library")]

use std::{fmt, sync::LazyLock, time::Duration};

/// A reading of the machine's counter: monotonic, comparable between threads, of unknown unit.
///
/// [`TickScale`] turns it into nanoseconds. The counter is the time-stamp counter on x86-64 (when
/// it is invariant and the kernel trusts it), `cntvct_el0` on AArch64, and `CLOCK_MONOTONIC` in
/// nanoseconds elsewhere.
///
/// ```
/// use hemiola_trace::Ticks;
///
/// let before = Ticks::now();
/// let after = Ticks::now();
/// assert!(after.since(before) < 10_000_000_000);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Ticks(pub u64);

impl Ticks {
    /// Reads the counter, in a few nanoseconds and without a system call where the machine has a
    /// counter of constant rate.
    ///
    /// The processor may reorder the reading by some instructions; nothing here depends on such a
    /// fine order.
    #[inline]
    pub fn now() -> Self {
        match *COUNTER {
            #[cfg(target_arch = "x86_64")]
            Counter::TimeStamp => Self(read_time_stamp_counter()),
            #[cfg(target_arch = "aarch64")]
            Counter::Virtual => Self(read_virtual_counter()),
            Counter::Kernel => Self(monotonic_nanoseconds()),
        }
    }

    /// Returns the ticks from `earlier` to `self`; zero if `earlier` is later.
    #[inline]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A processor core, by the kernel's number: shows which tasks delayed each other.
///
/// ```
/// use hemiola_trace::Core;
///
/// // How many tasks ran on each core?
/// let mut tasks = [0; 4];
/// [Core(1), Core(3), Core(1)].iter().for_each(|core| tasks[core.index()] += 1);
/// assert_eq!(tasks, [0, 2, 0, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Core(pub u8);

impl Core {
    /// The value for a core that is unknown, or has a number above 254.
    pub const UNKNOWN: Self = Self(u8::MAX);

    /// Returns the core on which this thread is running. It takes some nanoseconds, because the
    /// kernel keeps the number in the thread's memory.
    #[inline]
    pub fn current() -> Self {
        // SAFETY: the call has no arguments and touches no memory of ours.
        let number = unsafe { libc::sched_getcpu() };
        u8::try_from(number).map_or(Self::UNKNOWN, Self)
    }

    /// Returns the number as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The scale from [`Ticks`] to nanoseconds of `CLOCK_MONOTONIC`.
///
/// The kernel's clock is steered (NTP), the counter is not, and a short calibration is only
/// accurate to some parts per million. Code that converts for hours calls
/// [`refresh`](Self::refresh) every few seconds: this measures the rate again, so that the error
/// stays at that of one interval.
///
/// ```
/// use hemiola_trace::{TickScale, Ticks};
///
/// let scale = TickScale::calibrate();
/// let begin = Ticks::now();
/// let end = Ticks::now();
/// let elapsed = scale.nanoseconds_between(begin, end);
/// assert!(elapsed < 10_000_000_000);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TickScale {
    anchor: Reading,
    /// Nanoseconds per tick, times 2^32.
    rate: u64,
}

impl TickScale {
    /// Compares the counter with the kernel's clock over [`CALIBRATION`], for which it sleeps once.
    ///
    /// It is accurate to about ten parts per million; [`refresh`](Self::refresh) improves on that.
    pub fn calibrate() -> Self {
        if let Counter::Kernel = *COUNTER {
            return Self::nanoseconds_per_tick_one();
        }
        let first = Reading::take();
        std::thread::sleep(CALIBRATION);
        let second = Reading::take();
        Self { anchor: second, rate: second.rate_since(&first).unwrap_or(ONE) }
    }

    /// Returns the scale of a counter in nanoseconds, for tests and for events that were not
    /// recorded with [`Ticks::now`].
    pub const fn nanoseconds_per_tick_one() -> Self {
        Self { anchor: Reading { ticks: Ticks(0), nanoseconds: 0 }, rate: ONE }
    }

    /// Measures the rate since the last refresh or calibration, and continues from the current
    /// reading.
    ///
    /// It does nothing if that was less than [`SHORTEST_REFRESH`] ago, or if the counter counts
    /// nanoseconds. It takes some microseconds and is not for real-time threads. Times converted
    /// before and after may disagree by the error that the refresh corrects.
    pub fn refresh(&mut self) {
        if self.anchor.nanoseconds != 0 {
            self.continue_from(Reading::take());
        }
    }

    fn continue_from(&mut self, now: Reading) {
        let elapsed = now.nanoseconds.saturating_sub(self.anchor.nanoseconds);
        if elapsed < SHORTEST_REFRESH.as_nanos() as u64 {
            return;
        }
        if let Some(rate) = now.rate_since(&self.anchor) {
            *self = Self { anchor: now, rate };
        }
    }

    /// Converts a reading to nanoseconds of `CLOCK_MONOTONIC`.
    pub fn nanoseconds(&self, ticks: Ticks) -> u64 {
        let offset = i128::from(ticks.0) - i128::from(self.anchor.ticks.0);
        let nanoseconds = i128::from(self.anchor.nanoseconds) + ((offset * i128::from(self.rate)) >> 32);
        nanoseconds.clamp(0, i128::from(u64::MAX)) as u64
    }

    /// Returns the nanoseconds from `begin` to `end`; zero if `end` is earlier.
    pub fn nanoseconds_between(&self, begin: Ticks, end: Ticks) -> u64 {
        let nanoseconds = (u128::from(end.since(begin)) * u128::from(self.rate)) >> 32;
        nanoseconds.min(u128::from(u64::MAX)) as u64
    }

    /// Returns the number of ticks in `duration`.
    pub fn ticks_in(&self, duration: Duration) -> u64 {
        ((duration.as_nanos() << 32) / u128::from(self.rate)).min(u128::from(u64::MAX)) as u64
    }

    /// Returns the reading of the counter at the moment at which `CLOCK_MONOTONIC` shows
    /// `nanoseconds`.
    pub fn ticks_at(&self, nanoseconds: u64) -> Ticks {
        let offset = i128::from(nanoseconds) - i128::from(self.anchor.nanoseconds);
        let ticks = i128::from(self.anchor.ticks.0) + (offset << 32) / i128::from(self.rate);
        Ticks(ticks.clamp(0, i128::from(u64::MAX)) as u64)
    }

    /// Returns the ticks per second, for display.
    pub fn frequency(&self) -> f64 {
        1e9 * ONE as f64 / self.rate as f64
    }
}

/// Prints the source and its frequency: `time-stamp counter, 2.400 GHz`.
impl fmt::Display for TickScale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}, {:.3} GHz", COUNTER.name(), self.frequency() / 1e9)
    }
}

/// The time for which [`TickScale::calibrate`] sleeps.
pub const CALIBRATION: Duration = Duration::from_millis(10);

/// The minimum time between refreshes: closer ones would measure the rate worse than it is known.
pub const SHORTEST_REFRESH: Duration = Duration::from_secs(1);

const ONE: u64 = 1 << 32;

/// The readings of both clocks at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    ticks: Ticks,
    nanoseconds: u64,
}

impl Reading {
    /// Returns the tightest of several attempts: the kernel's clock between two readings of the
    /// counter.
    fn take() -> Self {
        const ATTEMPTS: usize = 16;
        let attempt = || {
            let before = Ticks::now();
            let nanoseconds = monotonic_nanoseconds();
            let width = Ticks::now().since(before);
            (width, Self { ticks: Ticks(before.0 + width / 2), nanoseconds })
        };
        let mut tightest = attempt();
        for _ in 1..ATTEMPTS {
            let next = attempt();
            if next.0 < tightest.0 {
                tightest = next;
            }
        }
        tightest.1
    }

    /// Returns the nanoseconds per tick times 2^32, if both clocks advanced.
    fn rate_since(&self, earlier: &Self) -> Option<u64> {
        let ticks = self.ticks.since(earlier.ticks);
        let nanoseconds = self.nanoseconds.saturating_sub(earlier.nanoseconds);
        if ticks == 0 || nanoseconds == 0 {
            return None;
        }
        u64::try_from((u128::from(nanoseconds) << 32) / u128::from(ticks)).ok().filter(|&rate| rate > 0)
    }
}

/// The counters that [`Ticks::now`] may read.
enum Counter {
    #[cfg(target_arch = "x86_64")]
    TimeStamp,
    #[cfg(target_arch = "aarch64")]
    Virtual,
    #[cfg_attr(target_arch = "aarch64", expect(dead_code, reason = "there is always a virtual counter"))]
    Kernel,
}

impl Counter {
    #[cfg(target_arch = "x86_64")]
    fn detect() -> Self {
        if time_stamp_counter_is_invariant() && kernel_trusts_time_stamp_counter() {
            Self::TimeStamp
        } else {
            Self::Kernel
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn detect() -> Self {
        Self::Virtual
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn detect() -> Self {
        Self::Kernel
    }

    fn name(&self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::TimeStamp => "time-stamp counter",
            #[cfg(target_arch = "aarch64")]
            Self::Virtual => "virtual counter",
            Self::Kernel => "CLOCK_MONOTONIC",
        }
    }
}

static COUNTER: LazyLock<Counter> = LazyLock::new(Counter::detect);

#[cfg(target_arch = "x86_64")]
#[inline]
fn read_time_stamp_counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; it only reads a register.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Returns whether the counter runs at one rate in all power states, by the processor or, where a
/// hypervisor hides that leaf, by the kernel.
#[cfg(target_arch = "x86_64")]
fn time_stamp_counter_is_invariant() -> bool {
    const HIGHEST: u32 = 0x8000_0000;
    const POWER_MANAGEMENT: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    #[allow(unused_unsafe, reason = "the function is safe in newer versions of Rust")]
    let identify = |leaf| {
        // SAFETY: every x86-64 processor has the instruction; it only reads registers.
        unsafe { std::arch::x86_64::__cpuid(leaf) }
    };
    let by_processor = identify(HIGHEST).eax >= POWER_MANAGEMENT && identify(POWER_MANAGEMENT).edx & INVARIANT != 0;
    by_processor
        || std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| {
            text.lines().find(|line| line.starts_with("flags")).is_some_and(|flags| {
                let has = |wanted| flags.split_whitespace().any(|flag| flag == wanted);
                has("constant_tsc") && has("nonstop_tsc")
            })
        })
}

/// Returns whether the kernel trusts the counter. It stops using the counter when it sees the cores
/// disagree: then its clock is one of the slow ones.
#[cfg(target_arch = "x86_64")]
fn kernel_trusts_time_stamp_counter() -> bool {
    std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        .map_or(true, |source| !matches!(source.trim(), "hpet" | "acpi_pm" | "jiffies" | "refined-jiffies"))
}

#[cfg(target_arch = "aarch64")]
#[inline]
fn read_virtual_counter() -> u64 {
    let count: u64;
    // SAFETY: the register is readable from user space on every AArch64 Linux; the instruction
    // touches no memory.
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack, preserves_flags)) };
    count
}

/// The readings of the kernel's clocks at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelClocks {
    pub(crate) realtime: u64,
    pub(crate) monotonic: u64,
    pub(crate) boottime: u64,
}

impl KernelClocks {
    pub(crate) fn now() -> Self {
        Self {
            realtime: kernel_nanoseconds(libc::CLOCK_REALTIME),
            monotonic: monotonic_nanoseconds(),
            boottime: kernel_nanoseconds(libc::CLOCK_BOOTTIME),
        }
    }
}

fn monotonic_nanoseconds() -> u64 {
    kernel_nanoseconds(libc::CLOCK_MONOTONIC)
}

fn kernel_nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing; these clocks exist on every Linux, so the call cannot
    // fail.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
#[path = "clock/tests.rs"]
mod tests;
