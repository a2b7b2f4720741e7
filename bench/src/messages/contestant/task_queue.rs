//! Tasks as calls of actors.

use std::sync::Mutex;

use hemiola_bench_contestant::messages::task_queue::{BATCH, TaskQueue, Worker, measure, task};
use hemiola_bench_contestant::messages::{Assignment, Patience};
use hemiola_bus::{Actor, ActorHandle};

use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    let most = match assignment.contestant() {
        "hemiola" => usize::MAX,
        "hemiola-one" => 1,
        _ => return Err(super::unknown(assignment)),
    };
    measure(assignment, |threads| Crew::new(threads.min(most)));
    Ok(())
}

/// The number of tasks of a thread that may wait.
const CAPACITY: usize = 2 * BATCH;

/// The actors that hold tasks. Every thread adds to one of them, in batches; it runs what is there,
/// then what waits at others, unless another thread is running that already.
struct Crew(Vec<Mutex<Actor<()>>>);

impl Crew {
    fn new(actors: usize) -> Self {
        Self((0..actors).map(|_| Mutex::new(Actor::new((), CAPACITY).0)).collect())
    }

    fn run(&self, first: usize, limit: usize) -> usize {
        let mut ran = 0;
        for actor in self.0[first..].iter().chain(&self.0[..first]) {
            if ran < limit {
                ran += actor.try_lock().map_or(0, |mut actor| actor.run(limit - ran));
            }
        }
        ran
    }
}

impl TaskQueue for Crew {
    type Worker<'q> = Member<'q>;

    fn worker(&self, index: usize) -> Member<'_> {
        let index = index % self.0.len();
        Member { crew: self, index, handle: self.0[index].lock().expect("nobody panics").handle() }
    }
}

struct Member<'q> {
    crew: &'q Crew,
    index: usize,
    handle: ActorHandle<()>,
}

impl Worker for Member<'_> {
    fn add(&mut self, count: usize) {
        let mut batch = self.handle.batch();
        for _ in 0..count {
            Patience::until(|| {
                let sent = batch.send(|()| task()).is_ok();
                if !sent {
                    self.crew.run(self.index, BATCH);
                }
                sent
            });
        }
    }

    fn run(&mut self, limit: usize) -> usize {
        self.crew.run(self.index, limit)
    }
}
