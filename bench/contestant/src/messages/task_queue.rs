//! T threads share a queue of tasks: each adds a hundred, then dequeues and runs up to a hundred,
//! over and over.
//!
//! A task is a function that captures nothing and counts in its thread, so that it needs no
//! allocation. The time is from the first thread's begin to the last one's end, by their own
//! clocks, per hundred tasks.

use std::cell::Cell;
use std::sync::Barrier;

use super::Assignment;
use super::assignment::print;
use crate::monotonic_ns;

/// The number of tasks that are added and run without a pause in between.
pub const BATCH: usize = 100;

/// A queue that many threads use.
pub trait TaskQueue: Sync {
    /// A thread's end of it.
    type Worker<'q>: Worker
    where
        Self: 'q;

    /// Returns the end for the calling thread, the `index`th.
    fn worker(&self, index: usize) -> Self::Worker<'_>;
}

/// A thread's end of a queue.
pub trait Worker {
    /// Adds [`task`] `count` times.
    fn add(&mut self, count: usize);

    /// Dequeues and runs up to `limit` tasks, no matter which thread has added them; returns how
    /// many. It may stop when there seems to be none.
    fn run(&mut self, limit: usize) -> usize;
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The task that is added and run. A queue of arbitrary tasks calls it through a pointer.
pub fn task() {
    COUNT.set(COUNT.get() + 1);
}

/// Measures a contestant, with a queue made anew for every repetition for that many threads.
///
/// # Panics
/// If a task did not run, or ran twice.
pub fn measure<Q: TaskQueue>(assignment: &Assignment, mut make: impl FnMut(usize) -> Q) {
    let threads = assignment.number("threads") as usize;
    let rounds = assignment.number("rounds") / threads as u64;
    let mut per_batch = Vec::new();
    for repetition in 0..=assignment.number("repetitions") {
        let queue = make(threads);
        let barrier = Barrier::new(threads);
        let work = |index: usize| {
            let mut worker = queue.worker(index);
            barrier.wait();
            let begin = monotonic_ns();
            for _ in 0..rounds {
                worker.add(BATCH);
                worker.run(BATCH);
            }
            let end = monotonic_ns();
            // This runs the tasks for which other threads were too early.
            barrier.wait();
            while worker.run(BATCH) > 0 {}
            (begin, end, COUNT.get())
        };
        let spans: Vec<(u64, u64, u64)> = std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> = (0..threads).map(|index| scope.spawn(move || work(index))).collect();
            threads.into_iter().map(|thread| thread.join().expect("a worker")).collect()
        });
        let ran: u64 = spans.iter().map(|span| span.2).sum();
        assert_eq!(ran, rounds * (threads * BATCH) as u64, "tasks that ran");
        let begin = spans.iter().map(|span| span.0).min().unwrap_or_default();
        let end = spans.iter().map(|span| span.1).max().unwrap_or_default();
        if repetition > 0 {
            per_batch.push((end - begin) * 1000 / (rounds * threads as u64));
        }
    }
    print("batch_ps", per_batch);
}
