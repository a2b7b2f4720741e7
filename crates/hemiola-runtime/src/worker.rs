use std::cell::RefCell;
use std::sync::Arc;

use hemiola_model::module::{Debug, DebugRecord, DebugSink};
use hemiola_trace::{Event, Ring, RingReader, TaskId};

use crate::containment::quietly;
use crate::run::FailureRecord;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};

/// What each worker has of its own: where its events, failures, plots and drawings go.
pub struct WorkerState {
    ring: Ring,
    failures: QueueWriter<FailureRecord>,
    debug: DebugQueue,
    running: Arc<RunningTask>,
}

/// The other ends, for the thread that collects.
pub struct WorkerOutputs {
    pub events: RingReader,
    pub failures: QueueReader<FailureRecord>,
    pub debug: DebugReader,
    pub running: Arc<RunningTask>,
}

/// What a worker runs at present, for the watchdog.
#[repr(align(128))]
#[derive(Default)]
pub struct RunningTask(AtomicU32);

/// Plots and drawings of one worker, and how many did not fit.
pub struct DebugReader {
    pub records: QueueReader<DebugRecord>,
    pub dropped: Arc<AtomicU64>,
}

/// Holds some seconds of a busy cycle, 32 bytes each.
const EVENTS: usize = 1 << 15;
const FAILURES: usize = 64;
const DEBUG_RECORDS: usize = 4096;

impl WorkerState {
    pub fn new() -> (Self, WorkerOutputs) {
        let ring = Ring::with_capacity(EVENTS);
        let events = ring.reader();
        let (failures, failure_reader) = queue(FAILURES);
        let (records, reader) = queue(DEBUG_RECORDS);
        let (dropped, running) = (Arc::<AtomicU64>::default(), Arc::<RunningTask>::default());
        let debug = DebugReader { records: reader, dropped: dropped.clone() };
        let debug_queue = DebugQueue { records: RefCell::new(records), dropped };
        let outputs = WorkerOutputs { events, failures: failure_reader, debug, running: running.clone() };
        (Self { ring, failures, debug: debug_queue, running }, outputs)
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

    /// Where an update's plots and drawings go: nowhere if nobody watches.
    pub fn debug(&self, is_watched: bool) -> Debug<'_> {
        if is_watched { Debug::new(&self.debug) } else { Debug::default() }
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

struct DebugQueue {
    records: RefCell<QueueWriter<DebugRecord>>,
    dropped: Arc<AtomicU64>,
}

impl DebugSink for DebugQueue {
    fn record(&self, record: DebugRecord) {
        if self.records.borrow_mut().push(record).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}
