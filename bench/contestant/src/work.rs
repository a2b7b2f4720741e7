//! The work of tasks: a chain of integer operations, each of which needs the result of the one
//! before, for as long as the task's duration.

use std::hint::black_box;
use std::time::Duration;

use crate::graph::Graph;
use crate::sync::{AtomicBool, AtomicU64, Ordering};
use crate::system::{monotonic_ns, thread_cpu_ns};

/// The work of all tasks of a graph, calibrated for this process.
///
/// ```
/// use hemiola_bench_contestant::{Graph, Work};
/// let work = Work::calibrated(&Graph::parse("0 200000").unwrap());
/// work.run(0); // takes 0.2 ms
/// ```
#[derive(Debug)]
pub struct Work {
    /// The operations of each task. They change only between two runs; whatever starts a run on
    /// other threads makes them visible there.
    steps: Box<[AtomicU64]>,
    steps_per_ns: f64,
    /// True while the begin of the first task is to be recorded.
    note_first: AtomicBool,
    /// The time at which the first task began; 0 before.
    first: AtomicU64,
}

impl Work {
    /// Measures how many operations each task's duration stands for.
    pub fn calibrated(graph: &Graph) -> Self {
        let work = Work {
            steps: (0..graph.len()).map(|_| AtomicU64::new(0)).collect(),
            steps_per_ns: steps_per_nanosecond(),
            note_first: AtomicBool::new(false),
            first: AtomicU64::new(0),
        };
        work.take((0..graph.len()).map(|task| graph.duration_ns(task)));
        work
    }

    /// Sets how long the tasks take from the next run on, in nanoseconds, in the order of their
    /// numbers.
    pub fn take(&self, durations_ns: impl IntoIterator<Item = u64>) {
        for (steps, duration) in self.steps.iter().zip(durations_ns) {
            steps.store((duration as f64 * self.steps_per_ns).round() as u64, Ordering::Relaxed);
        }
    }

    /// Does the work of one task.
    #[inline]
    pub fn run(&self, task: usize) {
        if self.note_first.load(Ordering::Relaxed) && self.first.load(Ordering::Relaxed) == 0 {
            // Two tasks may be first at the same time: one of them wins, and they began within
            // nanoseconds.
            _ = self.first.compare_exchange(0, monotonic_ns(), Ordering::Relaxed, Ordering::Relaxed);
        }
        chain(self.steps[task].load(Ordering::Relaxed));
    }

    /// Runs all tasks one after the other, in the order of their numbers: every contestant is
    /// compared with that.
    pub fn run_in_order(&self) {
        (0..self.steps.len()).for_each(|task| self.run(task));
    }

    pub(crate) fn watch_first_task(&self) {
        self.note_first.store(true, Ordering::SeqCst);
        self.first.store(0, Ordering::SeqCst);
    }

    /// Returns when the first task since [`watch_first_task`](Self::watch_first_task) began, and
    /// ends the watch.
    pub(crate) fn first_task_ns(&self) -> u64 {
        self.note_first.store(false, Ordering::SeqCst);
        self.first.load(Ordering::SeqCst)
    }
}

/// Computes until this thread has used that much processor time, however often others interrupt it:
/// exact to some microseconds.
///
/// ```
/// use std::time::{Duration, Instant};
/// let begin = Instant::now();
/// hemiola_bench_contestant::compute_for(Duration::from_micros(200));
/// assert!(begin.elapsed() >= Duration::from_micros(190)); // the two clocks may differ a little
/// ```
pub fn compute_for(processor_time: Duration) {
    /// The steps between two readings of the clock, which is a call into the system: some
    /// microseconds.
    const STEPS: u64 = 2_000;
    let end = thread_cpu_ns() + processor_time.as_nanos() as u64;
    while thread_cpu_ns() < end {
        chain(STEPS);
    }
}

/// Computes that many steps, each a multiplication and an addition (Knuth's MMIX generator).
#[inline]
pub(crate) fn chain(steps: u64) {
    let mut value = steps;
    for _ in 0..steps {
        value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    }
    black_box(value);
}

/// Returns the speed in the fastest of some attempts: the others were disturbed.
pub(crate) fn steps_per_nanosecond() -> f64 {
    const ATTEMPTS: usize = 40;
    const STEPS: u64 = 100_000;
    let attempt = |_| {
        let begin = monotonic_ns();
        chain(STEPS);
        monotonic_ns() - begin
    };
    let fastest = (0..ATTEMPTS).map(attempt).min().unwrap_or(1);
    STEPS as f64 / fastest.max(1) as f64
}
