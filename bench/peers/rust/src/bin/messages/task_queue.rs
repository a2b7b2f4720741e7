//! Queues that all threads share.

use std::collections::VecDeque;
use std::sync::Mutex;

use crossbeam_deque::{Steal, Stealer};
use crossbeam_queue::{ArrayQueue, SegQueue};
use hemiola_bench_contestant::messages::task_queue::{BATCH, TaskQueue, Worker, measure, task};
use hemiola_bench_contestant::messages::{Assignment, Patience};

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "mutex" => measure(assignment, |_| Shared(Mutex::new(VecDeque::<Boxed>::new()))),
        "mutex-batched" => measure(assignment, |_| Batched::default()),
        "seg-queue" => measure(assignment, |_| Shared(SegQueue::<Boxed>::new())),
        "array-queue" => measure(assignment, |threads| Shared(ArrayQueue::<Task>::new(threads * BATCH))),
        "crossbeam-deque" => measure(assignment, Stealing::new),
        other => super::unknown("contestant", other),
    }
}

/// A task where any closure may be one; the box of this one is empty, and not allocated.
type Boxed = Box<dyn FnOnce() + Send>;

/// A task that is known to capture nothing.
type Task = fn();

/// A queue from which one task at a time is dequeued.
trait OneByOne: Sync {
    fn add(&self);
    /// Runs a task if there is one, and returns whether there was.
    fn run(&self) -> bool;
}

impl OneByOne for Mutex<VecDeque<Boxed>> {
    fn add(&self) {
        self.lock().expect("nobody panics").push_back(Box::new(task));
    }

    fn run(&self) -> bool {
        let task = self.lock().expect("nobody panics").pop_front();
        task.map(|task| task()).is_some()
    }
}

impl OneByOne for SegQueue<Boxed> {
    fn add(&self) {
        self.push(Box::new(task));
    }

    fn run(&self) -> bool {
        self.pop().map(|task| task()).is_some()
    }
}

impl OneByOne for ArrayQueue<Task> {
    fn add(&self) {
        Patience::until(|| self.push(task).is_ok());
    }

    fn run(&self) -> bool {
        self.pop().map(|task| task()).is_some()
    }
}

/// A queue whose tasks are dequeued one by one.
struct Shared<Q>(Q);

impl<Q: OneByOne> TaskQueue for Shared<Q> {
    type Worker<'q>
        = SharedWorker<'q, Q>
    where
        Q: 'q;

    fn worker(&self, _: usize) -> SharedWorker<'_, Q> {
        SharedWorker(&self.0)
    }
}

struct SharedWorker<'q, Q>(&'q Q);

impl<Q: OneByOne> Worker for SharedWorker<'_, Q> {
    fn add(&mut self, count: usize) {
        (0..count).for_each(|_| self.0.add());
    }

    fn run(&mut self, limit: usize) -> usize {
        (0..limit).take_while(|_| self.0.run()).count()
    }
}

/// A queue whose lock is acquired once per hundred tasks.
#[derive(Default)]
struct Batched(Mutex<VecDeque<Task>>);

impl TaskQueue for Batched {
    type Worker<'q> = BatchedWorker<'q>;

    fn worker(&self, _: usize) -> BatchedWorker<'_> {
        BatchedWorker { queue: &self.0, taken: Vec::with_capacity(BATCH) }
    }
}

struct BatchedWorker<'q> {
    queue: &'q Mutex<VecDeque<Task>>,
    taken: Vec<Task>,
}

impl Worker for BatchedWorker<'_> {
    fn add(&mut self, count: usize) {
        self.queue.lock().expect("nobody panics").extend(std::iter::repeat_n(task as Task, count));
    }

    fn run(&mut self, limit: usize) -> usize {
        let mut queue = self.queue.lock().expect("nobody panics");
        let count = limit.min(queue.len());
        self.taken.extend(queue.drain(..count));
        drop(queue);
        self.taken.drain(..).for_each(|task| task());
        count
    }
}

/// A queue per thread, from which others steal.
struct Stealing {
    own: Vec<Mutex<Option<crossbeam_deque::Worker<Task>>>>,
    stealers: Vec<Stealer<Task>>,
}

impl Stealing {
    fn new(threads: usize) -> Self {
        let own: Vec<_> = (0..threads).map(|_| crossbeam_deque::Worker::new_fifo()).collect();
        let stealers = own.iter().map(crossbeam_deque::Worker::stealer).collect();
        Self { own: own.into_iter().map(|own| Mutex::new(Some(own))).collect(), stealers }
    }
}

impl TaskQueue for Stealing {
    type Worker<'q> = StealingWorker<'q>;

    fn worker(&self, index: usize) -> StealingWorker<'_> {
        let own = self.own[index].lock().expect("nobody panics").take().expect("each thread asks once");
        StealingWorker { own, shared: self }
    }
}

struct StealingWorker<'q> {
    own: crossbeam_deque::Worker<Task>,
    shared: &'q Stealing,
}

impl Worker for StealingWorker<'_> {
    fn add(&mut self, count: usize) {
        (0..count).for_each(|_| self.own.push(task));
    }

    fn run(&mut self, limit: usize) -> usize {
        let steal = || {
            let others = self.shared.stealers.iter().map(|stealer| stealer.steal_batch_and_pop(&self.own));
            others.collect::<Steal<Task>>().success()
        };
        (0..limit).map_while(|_| self.own.pop().or_else(steal)).map(|task| task()).count()
    }
}
