use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_realtime::{Affinity, MonotonicTime, Policy, Priority, ThreadSettings, monotonic_now, sleep_until, spawn};

use crate::error::BenchError;
use crate::sync::{AtomicBool, Ordering};

/// The period of the sentinels: short enough to see what matters to a chain, for a few thousandths
/// of a core each.
const PERIOD: Duration = Duration::from_millis(2);
/// The shortest stall that counts: bounds include shorter ones as a late timer, or as a share of
/// interrupts.
pub const LEAST: TimeSpan = TimeSpan::microseconds(300);

/// Sentinels: a thread on each core, above all others. When one did not run although it was due,
/// the core ran no thread of this machine, as the kernel or the host had it. What the machine takes
/// for itself is to be measured while they are there.
pub struct Sentinels {
    stalls: Arc<Mutex<Vec<Stall>>>,
    ends: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

/// A time in which a core ran no thread of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stall {
    begin: MonotonicTime,
    end: MonotonicTime,
}

/// Stalls in the time of an application's clock.
#[derive(Debug, Default)]
pub struct Stalls(Vec<(TimeSpan, TimeSpan)>);

impl Sentinels {
    /// Starts sentinels on all cores; without permission for real-time priorities there are none.
    pub fn start() -> Result<Self, BenchError> {
        let (stalls, ends) = (Arc::<Mutex<Vec<Stall>>>::default(), Arc::<AtomicBool>::default());
        let mut sentinels = Self { stalls, ends, threads: Vec::new() };
        for (number, &core) in Affinity::of_this_thread().cores().iter().enumerate() {
            let settings = ThreadSettings::new(format!("sentinel-{number}"))
                .policy(Policy::Fifo(Priority::new(99)?))
                .affinity(Affinity::of([core]));
            let (stalls, ends) = (sentinels.stalls.clone(), sentinels.ends.clone());
            let spawned = spawn(settings, move || watch(&stalls, &ends))?;
            let is_above = spawned.report.denials().next().is_none();
            sentinels.threads.push(spawned.thread);
            if !is_above {
                sentinels.end();
            }
        }
        Ok(sentinels)
    }

    /// Returns the stalls since an application's clock showed zero.
    pub fn since(&self, zero: MonotonicTime) -> Stalls {
        let stalls = self.stalls.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = |time: MonotonicTime| TimeSpan::from(time.since(zero));
        Stalls(stalls.iter().map(|stall| (shown(stall.begin), shown(stall.end))).collect())
    }

    fn end(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        // A sentinel that panicked has nothing to report.
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}

impl Drop for Sentinels {
    fn drop(&mut self) {
        self.end();
    }
}

fn watch(stalls: &Mutex<Vec<Stall>>, ends: &AtomicBool) {
    let mut due = monotonic_now() + PERIOD;
    while !ends.load(Ordering::Relaxed) {
        sleep_until(due);
        let now = monotonic_now();
        if TimeSpan::from(now.since(due)) > LEAST {
            stalls.lock().unwrap_or_else(PoisonError::into_inner).push(Stall { begin: due, end: now });
        }
        due = now.max(due) + PERIOD;
    }
}

impl Stalls {
    #[cfg(test)]
    pub fn of(stalls: impl Iterator<Item = (TimeSpan, TimeSpan)>) -> Self {
        Self(stalls.collect())
    }

    /// Adds other stalls: one that is over before a sentinel is due can be seen by a thread that
    /// ran then.
    pub fn and(&self, others: Vec<(TimeSpan, TimeSpan)>) -> Self {
        Self(self.0.iter().copied().chain(others).collect())
    }

    /// Returns for how long, within this time, some core was stalled.
    pub fn within(&self, begin: TimeSpan, end: TimeSpan) -> TimeSpan {
        let mut parts: Vec<(TimeSpan, TimeSpan)> =
            self.0.iter().map(|&(from, to)| (from.max(begin), to.min(end))).filter(|(from, to)| from < to).collect();
        parts.sort_unstable();
        let (mut sum, mut until) = (TimeSpan::ZERO, begin);
        for (from, to) in parts {
            sum += to.max(until) - from.max(until);
            until = until.max(to);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_of_several_cores_at_once_count_once() {
        let ms = TimeSpan::milliseconds;
        let stalls = Stalls([(10, 20), (40, 50), (15, 25), (90, 99)].map(|(begin, end)| (ms(begin), ms(end))).into());
        assert_eq!(stalls.within(ms(0), ms(60)), ms(25));
        assert_eq!(stalls.within(ms(18), ms(45)), ms(12));
        assert_eq!(stalls.within(ms(60), ms(80)), ms(0));
    }
}
