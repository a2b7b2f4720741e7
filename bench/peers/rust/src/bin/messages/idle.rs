//! Threads that wait for forty topics, in several ways.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::idle::{Subscribed, TOPICS, measure};

use super::safe_queue::SafeQueue;

pub fn run(assignment: &Assignment) {
    match assignment.contestant() {
        "pollers" => measure(assignment, || Pollers::new(TOPICS)),
        "poller" => measure(assignment, || Pollers::new(1)),
        "crossbeam-channel" => measure(assignment, Channels::new),
        other => super::unknown("contestant", other),
    }
}

/// Queues with threads that poll them: a thread for each, or one for all.
struct Pollers {
    queues: Vec<Arc<SafeQueue<u64>>>,
    threads: Vec<JoinHandle<()>>,
    received: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
}

impl Pollers {
    fn new(count: usize) -> Self {
        let (received, over) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let queues: Vec<_> = (0..count).map(|_| Arc::new(SafeQueue::new(TOPICS))).collect();
        let threads = queues.iter().map(|queue| {
            let (queue, received, over) = (Arc::clone(queue), Arc::clone(&received), Arc::clone(&over));
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    if queue.pop().is_some() {
                        received.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        });
        Self { threads: threads.collect(), queues, received, over }
    }
}

impl Subscribed for Pollers {
    fn publish_to_all(&mut self) {
        (0..TOPICS).for_each(|topic| self.queues[topic % self.queues.len()].push(0));
    }

    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}

impl Drop for Pollers {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().expect("a poller"));
    }
}

/// Channels with a thread each, which blocks.
struct Channels {
    senders: Vec<crossbeam_channel::Sender<u64>>,
    received: Arc<AtomicU64>,
}

impl Channels {
    fn new() -> Self {
        let received = Arc::<AtomicU64>::default();
        let senders = (0..TOPICS).map(|_| {
            let (sender, receiver) = crossbeam_channel::bounded(1);
            let received = Arc::clone(&received);
            // The thread ends with the sender.
            std::thread::spawn(move || receiver.iter().for_each(|_| _ = received.fetch_add(1, Ordering::Relaxed)));
            sender
        });
        Self { senders: senders.collect(), received }
    }
}

impl Subscribed for Channels {
    fn publish_to_all(&mut self) {
        self.senders.iter().for_each(|sender| sender.send(0).expect("a receiver"));
    }

    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}
