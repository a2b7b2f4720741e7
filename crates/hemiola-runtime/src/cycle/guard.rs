//! The supervision of a cycle's runs: that they meet their deadline, and leave others a rest.

use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;
use hemiola_realtime::{KernelThread, MonotonicTime, Respite, monotonic_now};
use hemiola_trace::{Event, Ticks};

use super::Core;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Watches the runs of one cycle.
pub struct Guard {
    pub deadline: Option<Duration>,
    pub health: Arc<Health>,
    /// The rests of a cycle with real-time priority: if it cannot keep up, it must not stop those
    /// above it.
    pub respite: Option<Respite>,
}

/// The state of a cycle for a watchdog.
#[derive(Default)]
pub struct Health {
    /// The number of runs that have ended.
    pub runs: AtomicU64,
    /// The number of runs that ended after their deadline.
    pub overruns: AtomicU64,
    /// The end of the last run, in nanoseconds on the robot's clock.
    pub last_end: AtomicU64,
    /// The number of inputs that were lost.
    pub dropped: AtomicU64,
    /// The number of triggers of its timer that started no run.
    pub skipped: AtomicU64,
    /// The begin of the present run, in ticks; 0 between two runs.
    pub begun: AtomicU64,
    /// The kernel's ID of the thread that is worker 0; 0 before it has started.
    pub thread: AtomicU32,
}

impl Health {
    /// Returns the time at which the present run began.
    pub fn run_since(&self) -> Option<Ticks> {
        Some(self.begun.load(Ordering::Relaxed)).filter(|&ticks| ticks != 0).map(Ticks)
    }

    /// Returns the thread that is worker 0.
    pub fn thread(&self) -> Option<KernelThread> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|&number| number != 0).map(KernelThread::from_number)
    }

    pub fn last_end(&self) -> Time {
        Time::from_nanoseconds(self.last_end.load(Ordering::Relaxed) as i64)
    }
}

impl Guard {
    /// Makes the calling thread worker 0.
    pub fn settle(&self) {
        self.health.thread.store(KernelThread::current().number(), Ordering::Relaxed);
    }

    /// Notes that a run begins.
    pub fn begin_run(&self, begin: Ticks) {
        self.health.begun.store(begin.0, Ordering::Relaxed);
    }

    /// Counts inputs that were lost.
    pub fn note_lost(&self, count: u64) {
        if count > 0 {
            self.health.dropped.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Counts triggers of the timer that had passed before their run could begin.
    pub fn note_skipped(&self, core: &mut Core, count: u64) {
        if count > 0 {
            self.health.skipped.fetch_add(count, Ordering::Relaxed);
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            core.worker.trace(Event::TriggersSkipped { cycle: core.id, count, at: Ticks::now() });
        }
    }

    /// Notes that a run that was due at `due` has ended. Returns the time at which it ended.
    pub fn end_run(&self, core: &mut Core, run: u32, due: Ticks) -> Ticks {
        let at = Ticks::now();
        core.worker.trace(Event::CycleEnd { cycle: core.id, run, at });
        if let Some(deadline) = self.deadline
            && core.scale.nanoseconds_between(due, at) > deadline.as_nanos() as u64
        {
            self.health.overruns.fetch_add(1, Ordering::Relaxed);
            core.worker.trace(Event::Overrun { cycle: core.id, run, at });
        }
        self.health.last_end.store(core.robot.clock().now().nanoseconds().max(0) as u64, Ordering::Relaxed);
        self.health.begun.store(0, Ordering::Relaxed);
        self.health.runs.fetch_add(1, Ordering::Release);
        at
    }

    /// Returns until when the cycle's thread must rest after work that began at `begin`, if it
    /// must.
    pub fn rest_until(&mut self, begin: MonotonicTime) -> Option<MonotonicTime> {
        self.respite.as_mut()?.after_work(begin, monotonic_now())
    }
}
