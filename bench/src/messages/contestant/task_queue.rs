//! Tasks as calls of an actor.

use std::sync::Mutex;

use hemiola_bench_contestant::messages::task_queue::{BATCH, TaskQueue, Worker, measure, task};
use hemiola_bench_contestant::messages::{Assignment, Patience};
use hemiola_bus::{Actor, ActorHandle};

use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    match assignment.contestant() {
        "hemiola" => measure(assignment, |_| Shared::new()),
        "hemiola-own" => measure(assignment, |_| PerThread),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

/// How many tasks of a thread may wait.
const CAPACITY: usize = 10 * BATCH;

/// Every thread has a lane to the same actor, and whoever finds nobody else at it runs what is there.
struct Shared(Mutex<Actor<()>>);

impl Shared {
    fn new() -> Self {
        Self(Mutex::new(Actor::new((), CAPACITY).0))
    }

    fn run(&self, limit: usize) -> usize {
        self.0.try_lock().map_or(0, |mut actor| actor.run(limit))
    }
}

impl TaskQueue for Shared {
    type Worker<'q> = SharedWorker<'q>;

    fn worker(&self, _: usize) -> SharedWorker<'_> {
        SharedWorker { shared: self, handle: self.0.lock().expect("nobody panics").handle() }
    }
}

struct SharedWorker<'q> {
    shared: &'q Shared,
    handle: ActorHandle<()>,
}

impl Worker for SharedWorker<'_> {
    fn add(&mut self, count: usize) {
        for _ in 0..count {
            Patience::until(|| {
                let sent = self.handle.send(|()| task()).is_ok();
                if !sent {
                    self.shared.run(BATCH);
                }
                sent
            });
        }
    }

    fn run(&mut self, limit: usize) -> usize {
        self.shared.run(limit)
    }
}

/// Nobody runs another thread's tasks.
struct PerThread;

impl TaskQueue for PerThread {
    type Worker<'q> = Own;

    fn worker(&self, _: usize) -> Own {
        let (actor, handle) = Actor::new((), CAPACITY);
        Own { actor, handle }
    }
}

struct Own {
    actor: Actor<()>,
    handle: ActorHandle<()>,
}

impl Worker for Own {
    fn add(&mut self, count: usize) {
        for _ in 0..count {
            assert!(self.handle.send(|()| task()).is_ok(), "there is room");
        }
    }

    fn run(&mut self, limit: usize) -> usize {
        self.actor.run(limit)
    }
}
