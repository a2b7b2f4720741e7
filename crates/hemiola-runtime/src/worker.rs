use std::sync::Arc;

use hemiola_model::module::Debug;
use hemiola_trace::{Event, Ring, RingReader, TaskId};

use crate::containment::quietly;
use crate::debug::outlet::{Call, DebugInlet, DebugOutlet};
use crate::run::FailureRecord;
use crate::sync::{AtomicU32, Ordering};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

/// What each worker has of its own: where its events, failures, plots and drawings go.
pub struct WorkerState {
    ring: Ring,
    failures: QueueWriter<FailureRecord>,
    debug: DebugOutlet,
    running: Arc<RunningTask>,
}

/// The other ends, for the thread that collects.
pub struct WorkerOutputs {
    pub events: RingReader,
    pub failures: QueueReader<FailureRecord>,
    pub debug: DebugInlet,
    pub running: Arc<RunningTask>,
}

/// What a worker runs at present, for the watchdog.
#[repr(align(128))]
#[derive(Default)]
pub struct RunningTask(AtomicU32);

/// Holds some seconds of a busy cycle, 32 bytes each.
const EVENTS: usize = 1 << 15;
const FAILURES: usize = 64;

impl WorkerState {
    pub fn new() -> (Self, WorkerOutputs) {
        let ring = Ring::with_capacity(EVENTS);
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
        // A module that fails without end fills the queue; its failures are counted from the trace all the same. What it failed with is the
        // user's, and so is what happens when it is dropped.
        if let Err(failure) = self.failures.push(failure) {
            _ = quietly(|| drop(failure));
        }
    }

    /// Where goes what an update shows in a call: nowhere if nobody watches.
    #[inline]
    pub fn debug(&mut self, is_watched: bool, call: impl FnOnce() -> Call) -> Debug<'_> {
        if !is_watched {
            return Debug::default();
        }
        self.debug.begin(call());
        Debug::new(&self.debug)
    }

    /// Says what this worker runs from now on.
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
