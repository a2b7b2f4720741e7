use std::cell::{Cell, RefCell};

use hemiola_model::module::{Debug, DebugRecord, DebugSink};
use hemiola_trace::{Event, Ring, RingReader};

use crate::exchange::{QueueReader, QueueWriter, queue};
use crate::program::FailureRecord;

/// What each worker has of its own: where its events, failures, plots and drawings go.
pub struct WorkerState {
    ring: Ring,
    failures: QueueWriter<FailureRecord>,
    debug: DebugQueue,
}

/// The other ends, for the thread that collects.
pub struct WorkerOutputs {
    pub events: RingReader,
    pub failures: QueueReader<FailureRecord>,
    pub debug: QueueReader<DebugRecord>,
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
        let (records, debug) = queue(DEBUG_RECORDS);
        let debug_queue = DebugQueue { records: RefCell::new(records), dropped: Cell::new(0) };
        (Self { ring, failures, debug: debug_queue }, WorkerOutputs { events, failures: failure_reader, debug })
    }

    #[inline]
    pub fn trace(&mut self, event: Event) {
        self.ring.push(event);
    }

    pub fn report(&mut self, failure: FailureRecord) {
        // A module that fails without end fills the queue; its failures are counted from the trace all the same.
        _ = self.failures.push(failure);
    }

    pub fn debug(&self) -> Debug<'_> {
        Debug::new(&self.debug)
    }
}

struct DebugQueue {
    records: RefCell<QueueWriter<DebugRecord>>,
    dropped: Cell<u64>,
}

impl DebugSink for DebugQueue {
    fn record(&self, record: DebugRecord) {
        if self.records.borrow_mut().push(record).is_err() {
            self.dropped.set(self.dropped.get() + 1);
        }
    }
}
