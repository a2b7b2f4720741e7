use std::sync::Arc;
use std::time::Duration;

use hemiola_model::module::Debug;
use hemiola_trace::{Event, Ring, RingReader, TaskId};

use crate::containment::quietly;
use crate::debug::outlet::{Call, DebugInlet, DebugOutlet};
use crate::run::FailureRecord;
use crate::sync::{AtomicU32, Ordering};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

/// The state of each worker: its ends for events, failures, plots and drawings.
pub struct WorkerState {
    ring: Ring,
    failures: QueueWriter<FailureRecord>,
    debug: DebugOutlet,
    running: Arc<RunningTask>,
}

/// The other ends, for the thread that gathers the output.
pub struct WorkerOutputs {
    pub events: RingReader,
    pub failures: QueueReader<FailureRecord>,
    pub debug: DebugInlet,
    pub running: Arc<RunningTask>,
}

/// The task that a worker runs at present, for the watchdog.
#[repr(align(128))]
#[derive(Default)]
pub struct RunningTask(AtomicU32);

/// The maximum number of events that a worker keeps, 32 bytes each.
const MOST_EVENTS: usize = 1 << 15;
/// The time for which there is room for all events of a cycle's worker.
const KEPT: Duration = Duration::from_secs(4);
/// The number of runs for which there is room as well: events of a stepped robot are gathered every
/// 64 steps.
const KEPT_RUNS: usize = 128;
const FAILURES: usize = 64;

/// Returns the number of events that a worker keeps for a cycle with that period, if it has one,
/// and with that many events per run.
pub fn events_kept(per_run: usize, period: Option<Duration>) -> usize {
    let Some(period) = period else { return MOST_EVENTS };
    let runs = KEPT.as_nanos().checked_div(period.as_nanos()).unwrap_or(u128::MAX);
    let runs = usize::try_from(runs).unwrap_or(usize::MAX).max(KEPT_RUNS);
    per_run.saturating_mul(runs).clamp(1, MOST_EVENTS)
}

impl WorkerState {
    /// Creates the state of a worker that keeps at least that many events.
    pub fn new(events: usize) -> (Self, WorkerOutputs) {
        let ring = Ring::with_capacity(events);
        let events = ring.reader();
        let (failures, failure_reader) = queue(FAILURES);
        let (debug, debug_inlet) = DebugOutlet::new();
        let running = Arc::<RunningTask>::default();
        let outputs = WorkerOutputs { events, failures: failure_reader, debug: debug_inlet, running: running.clone() };
        (Self { ring, failures, debug, running }, outputs)
    }

    #[inline]
    pub fn trace(&mut self, event: Event) {
        self.ring.push(event);
    }

    pub fn report(&mut self, failure: FailureRecord) {
        // A module that fails without end fills the queue; its failures are counted from the trace
        // nevertheless. The payload of a failure is the user's, and so is its destructor.
        if let Err(failure) = self.failures.push(failure) {
            _ = quietly(|| drop(failure));
        }
    }

    /// Returns where the debug output of an update goes in a call: nowhere if nobody watches.
    #[inline]
    pub fn debug(&mut self, is_watched: bool, call: impl FnOnce() -> Call) -> Debug<'_> {
        if !is_watched {
            return Debug::default();
        }
        self.debug.begin(call());
        Debug::new(&self.debug)
    }

    /// Notes what this worker is running from now on.
    #[inline]
    pub fn running(&self, task: Option<TaskId>) {
        self.running.0.store(task.map_or(0, |task| u32::from(task.0) + 1), Ordering::Relaxed);
    }
}

impl RunningTask {
    pub fn get(&self) -> Option<TaskId> {
        let number = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        u16::try_from(number).ok().map(TaskId)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_worker_keeps_seconds_of_a_busy_cycle_and_not_more_of_a_small_one() {
        let period = |rate: f64| Some(Duration::from_secs_f64(1.0 / rate));
        assert_eq!(events_kept(40, period(100.0)), 40 * 400);
        assert_eq!(events_kept(40, period(1.0)), 40 * 128); // a stepped robot runs so often between two looks, and more
        assert_eq!(events_kept(40, period(10_000.0)), MOST_EVENTS);
        assert_eq!(events_kept(40, None), MOST_EVENTS); // nobody knows
        assert_eq!((events_kept(0, period(1.0)), events_kept(usize::MAX, Some(Duration::ZERO))), (1, MOST_EVENTS));
    }
}
