//! The cost of being interrupted.

use std::sync::Arc;
use std::time::Duration;

use super::{above_others, measuring};
use crate::affinity::Affinity;
use crate::latency::LatencyDistribution;
use crate::os;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::thread::{KernelThread, spawn};
use crate::time::{MonotonicTime, monotonic_now, sleep_until};

/// The memory on which each of the two threads works: most of a core's nearest cache, so that they
/// evict each other's data from it.
const BYTES: usize = 32 * 1024;
const PERIOD: Duration = Duration::from_millis(1);
/// The time without an interruption after which the measurement ends.
const PATIENCE: Duration = Duration::from_secs(3);

/// Measures how much longer a thread takes when another one on the same core interrupts it, not
/// counting the time that this one runs: two switches, the timer's interrupt, and what the caches
/// have lost. Time in which other threads had the core, by the kernel's accounts of both threads,
/// is excluded: on a busy machine, Linux takes it from real-time threads for 50 ms from time to
/// time, and no interruption costs that.
///
/// The interrupted thread ends by itself and never waits for the other one, which may wait in the
/// kernel for a lock of a thread that gets no core because of this one.
///
/// The result is `None` without real-time priority: then nobody interrupts at once.
pub(super) fn cost(interruptions: usize) -> Option<LatencyDistribution> {
    let affinity = Affinity::of_this_thread();
    let core = Affinity::of(affinity.cores().last().copied());
    let desk = Arc::new(Desk::default());
    let interrupted = {
        let desk = Arc::clone(&desk);
        spawn(measuring("interrupted").affinity(core.clone()), move || desk.work(interruptions, PATIENCE)).ok()?
    };
    let interrupter = if interrupted.report.policy.is_granted() {
        let desk = Arc::clone(&desk);
        spawn(above_others("interrupter", 1).affinity(core), move || desk.interrupt(interruptions)).ok()
    } else {
        None
    };
    match interrupter {
        Some(interrupter) => interrupter.thread.join().ok()?,
        None => desk.over.store(true, Ordering::Relaxed),
    }
    let mut costs = interrupted.thread.join().ok()?;
    (!costs.is_empty()).then(|| LatencyDistribution::of(&mut costs))
}

/// The state that the interrupted thread and its interrupter share.
#[derive(Default)]
struct Desk {
    /// The kernel's number of the thread that interrupts.
    interrupter: AtomicU64,
    interruptions: AtomicU64,
    /// The time that the interrupter has run so far, in nanoseconds.
    spent: AtomicU64,
    /// Set if the interrupter could not be started, so that nobody waits for it.
    over: AtomicBool,
}

impl Desk {
    fn interrupt(&self, times: usize) {
        self.interrupter.store(u64::from(KernelThread::current().number()), Ordering::Relaxed);
        let mut data = vec![1u8; BYTES];
        let mut due = monotonic_now();
        for _ in 0..times {
            due = due.max(monotonic_now()) + PERIOD;
            sleep_until(due);
            let begun = monotonic_now();
            touch(&mut data);
            self.spent.fetch_add((monotonic_now() - begun).as_nanos() as u64, Ordering::Relaxed);
            self.interruptions.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Works until there were `most` interruptions, or none for too long; returns the cost of each
    /// one.
    fn work(&self, most: usize, patience: Duration) -> Vec<Duration> {
        let mut data = vec![1u8; BYTES];
        let mut costs = Vec::with_capacity(most);
        let mut accounts = Accounts::open();
        let (mut usual, mut interrupted) = (None::<Duration>, None);
        let (mut begun, mut interruptions, mut spent) = (monotonic_now(), 0, 0);
        let mut since = begun;
        // The cost of an interruption is known a round after it.
        while !self.over.load(Ordering::Relaxed)
            && (interruptions < most as u64 || interrupted.is_some())
            && begun - since < patience
        {
            touch(&mut data);
            let ended = monotonic_now();
            let all = (self.interruptions.load(Ordering::Relaxed), self.spent.load(Ordering::Relaxed));
            let own = (ended - begun).saturating_sub(Duration::from_nanos(all.1 - spent));
            match interrupted.take() {
                _ if all.0 > interruptions => (interrupted, since) = (Some(own), ended),
                // What was lost from the caches may be missed only in the round after.
                Some(before) => {
                    let others = accounts.others_since_last(self.interrupter.load(Ordering::Relaxed));
                    // What the very first round takes is not known to be usual.
                    costs.extend(usual.map(|usual| (before + own).saturating_sub(usual * 2 + others)));
                    (begun, (interruptions, spent)) = (monotonic_now(), all);
                    continue;
                }
                None => usual = Some(usual.map_or(own, |usual| usual.min(own))),
            }
            (begun, (interruptions, spent)) = (ended, all);
        }
        costs
    }
}

/// The kernel's accounts of the threads that had the core.
struct Accounts {
    own: u32,
    /// The time of the last reading, and how long both threads had been on a core by then.
    last: (MonotonicTime, Duration),
}

impl Accounts {
    fn open() -> Self {
        let own = KernelThread::current().number();
        Self { own, last: (monotonic_now(), os::processor_time(own).unwrap_or_default()) }
    }

    /// Returns how long neither of the two had the core since the last reading; zero if the system
    /// does not show it. Interrupts do not count as others: what is shorter than a long interrupt
    /// is excluded.
    fn others_since_last(&mut self, interrupter: u64) -> Duration {
        let Ok(interrupter) = u32::try_from(interrupter) else { return Duration::ZERO };
        let (Ok(own), Ok(other)) = (os::processor_time(self.own), os::processor_time(interrupter)) else {
            return Duration::ZERO;
        };
        let (now, both, before) = (monotonic_now(), own + other, self.last);
        self.last = (now, both);
        let others = (now - before.0).saturating_sub(both.saturating_sub(before.1));
        if others > LONG_INTERRUPT { others } else { Duration::ZERO }
    }
}

const LONG_INTERRUPT: Duration = Duration::from_micros(100);

/// Changes something in every cache line.
fn touch(data: &mut [u8]) {
    for line in std::hint::black_box(data).chunks_mut(64) {
        line[0] = line[0].wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps the core from both for 3 of 10 ms.
    fn intrude(over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            let begun = monotonic_now();
            while monotonic_now() - begun < Duration::from_millis(3) {
                std::hint::spin_loop();
            }
            sleep_until(begun + Duration::from_millis(10));
        }
    }

    #[test]
    fn what_others_take_is_no_cost_of_being_interrupted() {
        let over = Arc::new(AtomicBool::new(false));
        let core = Affinity::of(Affinity::of_this_thread().cores().last().copied());
        let intruder = {
            let over = Arc::clone(&over);
            spawn(above_others("intruder", 5).affinity(core), move || intrude(&over)).unwrap()
        };
        // The host of a virtual machine may take the core as well, without the kernel knowing: but
        // not every time.
        let mut costs = Vec::new();
        while costs.len() < 10
            && costs.last().is_none_or(|&last| last >= Duration::from_millis(1))
            && let Some(cost) = cost(50)
        {
            costs.push(cost.p99);
        }
        over.store(true, Ordering::Relaxed);
        intruder.thread.join().unwrap();
        match costs.last() {
            Some(least) => assert!(*least < Duration::from_millis(1), "{costs:?}"),
            None => eprintln!("SKIPPED: no permission for real-time priority"),
        }
    }

    #[test]
    fn who_is_never_interrupted_does_not_wait_for_ever() {
        let desk = Desk::default();
        assert!(desk.work(3, Duration::from_millis(5)).is_empty());
        // An interruption before anybody knows how long a round takes usually.
        desk.interruptions.store(1, Ordering::Relaxed);
        assert!(desk.work(3, Duration::from_millis(5)).is_empty());
    }

    #[test]
    fn being_interrupted_costs_something_each_time() {
        match cost(50) {
            Some(cost) => assert!(cost.samples > 0 && cost.median > Duration::ZERO, "{cost:?}"),
            None => eprintln!("not measured: no permission for real-time priority"),
        }
    }
}
