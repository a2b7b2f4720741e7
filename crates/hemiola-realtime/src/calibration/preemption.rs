//! What it costs to be interrupted.

use std::sync::Arc;
use std::time::Duration;

use super::{above_others, measuring};
use crate::affinity::Affinity;
use crate::latency::LatencyDistribution;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::thread::spawn;
use crate::time::{monotonic_now, sleep_until};

/// What each of the two threads works on: most of a core's nearest cache, so that they drive each other out of it.
const BYTES: usize = 32 * 1024;
const PERIOD: Duration = Duration::from_millis(1);

/// What a thread takes longer when another one on the same core interrupts it, beside what that one runs: two switches, the timer's
/// interrupt, and what the caches have lost. `None` without real-time priority: then nobody interrupts at once.
pub(super) fn cost(interruptions: usize) -> Option<LatencyDistribution> {
    let affinity = Affinity::of_this_thread();
    let core = Affinity::of(affinity.cores().last().copied());
    let desk = Arc::new(Desk::default());
    let interrupted = {
        let desk = Arc::clone(&desk);
        spawn(measuring("interrupted").affinity(core.clone()), move || desk.work(interruptions)).ok()?
    };
    let interrupter = if interrupted.report.policy.is_granted() {
        let desk = Arc::clone(&desk);
        spawn(above_others("interrupter", 1).affinity(core), move || desk.interrupt(interruptions)).ok()
    } else {
        None
    };
    if let Some(interrupter) = interrupter {
        interrupter.thread.join().ok()?;
    }
    desk.over.store(true, Ordering::Relaxed);
    let mut costs = interrupted.thread.join().ok()?;
    (!costs.is_empty()).then(|| LatencyDistribution::of(&mut costs))
}

/// Where one works and is interrupted by another one.
#[derive(Default)]
struct Desk {
    interruptions: AtomicU64,
    /// How long the interrupter has run so far, in nanoseconds.
    spent: AtomicU64,
    over: AtomicBool,
}

impl Desk {
    fn interrupt(&self, times: usize) {
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

    /// What each interruption cost.
    fn work(&self, most: usize) -> Vec<Duration> {
        let mut data = vec![1u8; BYTES];
        let mut costs = Vec::with_capacity(most);
        let (mut usual, mut interrupted) = (Duration::MAX, None);
        let (mut begun, mut interruptions, mut spent) = (monotonic_now(), 0, 0);
        while !self.over.load(Ordering::Relaxed) {
            touch(&mut data);
            let ended = monotonic_now();
            let all = (self.interruptions.load(Ordering::Relaxed), self.spent.load(Ordering::Relaxed));
            let own = (ended - begun).saturating_sub(Duration::from_nanos(all.1 - spent));
            match interrupted.take() {
                _ if all.0 > interruptions => interrupted = Some(own),
                // What was lost from the caches may be missed only in the round after.
                Some(before) => costs.push((before + own).saturating_sub(usual * 2)),
                None => usual = usual.min(own),
            }
            begun = ended;
            (interruptions, spent) = all;
        }
        costs
    }
}

/// Changes something in every cache line.
fn touch(data: &mut [u8]) {
    for line in std::hint::black_box(data).chunks_mut(64) {
        line[0] = line[0].wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn being_interrupted_costs_something_each_time() {
        match cost(50) {
            Some(cost) => assert!(cost.samples > 0 && cost.median > Duration::ZERO, "{cost:?}"),
            None => eprintln!("not measured: no permission for real-time priority"),
        }
    }
}
