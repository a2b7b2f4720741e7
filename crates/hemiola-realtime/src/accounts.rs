//! The kernel's accounts of threads and cores: which threads had a core, which waited for one, and
//! what the host of a virtual machine took.

use crate::affinity::CoreId;
use crate::os;
use crate::thread::KernelThread;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// The account that the kernel keeps of a thread, open to be read repeatedly from any thread: two
/// system calls, and no allocation.
///
/// ```
/// use hemiola_realtime::{KernelThread, ThreadAccount};
///
/// # #[cfg(target_os = "linux")] {
/// let account = ThreadAccount::of(KernelThread::current())?;
/// let before = account.read()?;
/// let sum: u64 = std::hint::black_box((0..100_000).sum());
/// assert!(account.read()?.running > before.running);
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ThreadAccount {
    thread: KernelThread,
    schedstat: File,
}

/// The times that a thread had and waited for cores since it began: [`ThreadAccount::read`].
///
/// See [`ThreadAccount`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadTimes {
    /// The time on a core, up to this moment if it is on one; what the host took meanwhile is
    /// excluded where the kernel knows (`CONFIG_PARAVIRT_TIME_ACCOUNTING`).
    pub running: Duration,
    /// The time that it could have run while others had the cores. A wait that has not ended is not
    /// included.
    pub waiting: Duration,
}

impl ThreadAccount {
    /// Opens the account of a thread of this process.
    ///
    /// # Errors
    /// Fails if the thread has ended, or the system keeps no such accounts: Linux does, with
    /// `CONFIG_SCHED_INFO`.
    pub fn of(thread: KernelThread) -> io::Result<Self> {
        let schedstat = File::open(format!("/proc/self/task/{}/schedstat", thread.number()))?;
        let account = Self { thread, schedstat };
        account.read()?;
        Ok(account)
    }

    /// Returns the present times.
    ///
    /// # Errors
    /// Fails if the thread has ended.
    pub fn read(&self) -> io::Result<ThreadTimes> {
        let mut bytes = [0; 128];
        let length = self.schedstat.read_at(&mut bytes, 0)?;
        let waiting = waited(&bytes[..length]).ok_or(io::ErrorKind::InvalidData)?;
        // For a running thread, the file shows what was true at the last tick of its core.
        Ok(ThreadTimes { running: os::processor_time(self.thread.number())?, waiting })
    }
}

/// The time that the host of a virtual machine took of its cores, since the machine was started:
/// time in which cores had work and could not do it.
///
/// ```
/// use hemiola_realtime::StolenTime;
///
/// # #[cfg(target_os = "linux")] {
/// let mut stolen = StolenTime::open()?;
/// assert!(stolen.read()?.count() >= 1); // one entry per core; zero on a physical machine
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct StolenTime {
    stat: File,
    bytes: Vec<u8>,
}

impl StolenTime {
    /// The step in which the kernel counts: less is not shown until it has added up to that.
    pub const STEP: Duration = Duration::from_millis(10);

    /// Opens the account of all cores.
    ///
    /// # Errors
    /// Fails if the system keeps no such account.
    pub fn open() -> io::Result<Self> {
        Ok(Self { stat: File::open("/proc/stat")?, bytes: vec![0; LONGEST_STAT] })
    }

    /// Returns the present times, core by core. This takes one system call, in which the kernel
    /// writes all of `/proc/stat`.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn read(&mut self) -> io::Result<impl Iterator<Item = (CoreId, Duration)>> {
        let length = self.stat.read_at(&mut self.bytes, 0)?;
        Ok(stolen(&self.bytes[..length]))
    }
}

/// The length that is read: the lines of cores come first, some 60 bytes each.
const LONGEST_STAT: usize = 1 << 14;

/// Parses `/proc/PID/task/TID/schedstat` (time on cores, time waiting for one, and turns) and
/// returns the time waiting.
fn waited(schedstat: &[u8]) -> Option<Duration> {
    let waiting = std::str::from_utf8(schedstat).ok()?.split_ascii_whitespace().nth(1)?;
    waiting.parse().ok().map(Duration::from_nanos)
}

/// Parses the lines `cpuN user nice system idle iowait irq softirq steal ...` of `/proc/stat`,
/// which are in hundredths of a second.
fn stolen(stat: &[u8]) -> impl Iterator<Item = (CoreId, Duration)> {
    stat.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
        let mut words = std::str::from_utf8(line).ok()?.strip_suffix('\n')?.split_ascii_whitespace();
        let core = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        let steps: u32 = words.nth(7)?.parse().ok()?;
        Some((CoreId(core), StolenTime::STEP.checked_mul(steps)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn what_a_thread_waited_is_the_second_number() {
        assert_eq!(waited(b"811437289 2084375 1204\n"), Some(Duration::from_nanos(2_084_375)));
        for damaged in [&b""[..], b"811437289", b"1 -2 3", b"1 \xff 3"] {
            assert_eq!(waited(damaged), None);
        }
    }

    #[test]
    fn what_the_host_took_is_told_core_by_core() {
        let stat = b"cpu  1007010 594375 139205 1485380 12381 0 1469 3970 0 0
cpu0 497972 296329 65055 757613 2993 0 108 1850 0 0
cpu11 509038 298046 74149 727766 9388 0 1361 2119 0 0
cpu12 1 2
intr 4711 0 9 0 0 0 0 0 0 0
";
        let told: Vec<_> = stolen(stat).collect();
        assert_eq!(told, [(CoreId(0), 18_500 * MILLISECOND), (CoreId(11), 21_190 * MILLISECOND)]);
        assert!((0..stat.len()).all(|cut| stolen(&stat[..cut]).all(|line| told.contains(&line))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_has_ended_has_no_account() {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            tell.send(KernelThread::current()).unwrap();
            ended.recv().unwrap_err();
        });
        let account = ThreadAccount::of(told.recv().unwrap()).unwrap();
        account.read().unwrap();
        drop(end);
        thread.join().unwrap();
        // The kernel may still be removing the thread.
        while account.read().is_ok() {
            std::thread::yield_now();
        }
    }
}
