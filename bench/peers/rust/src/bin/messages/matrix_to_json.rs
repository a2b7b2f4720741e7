//! One or several queues with a consumer each, an event ring with one, and producers that do the
//! work themselves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use disruptor::{BusySpin, MultiProducer, Polling, Producer, SingleConsumerBarrier, build_multi_producer};
use hemiola_bench_contestant::messages::matrix_to_json::{
    CAPACITY, Gathered, Gathering, Pipeline, Publisher, Vector, measure,
};
use hemiola_bench_contestant::messages::{Assignment, Patience};
use hemiola_bench_contestant::monotonic_ns;

use super::safe_queue::SafeQueue;

pub fn run(assignment: &Assignment) {
    let waits = assignment.number("rate-hz") == 0;
    match assignment.contestant() {
        "single" => measure(assignment, || Queues::new(Consumers::One, waits)),
        "multi" => measure(assignment, || Queues::new(Consumers::OnePerProducer, waits)),
        "direct" => measure(assignment, Direct::default),
        "disruptor" => measure(assignment, || Ring::new(waits)),
        other => super::unknown("contestant", other),
    }
}

#[derive(Clone, Copy)]
enum Consumers {
    One,
    OnePerProducer,
}

/// Queues behind a mutex, with consumers that all fill the same matrix.
struct Queues {
    consumers: Consumers,
    waits: bool,
    queues: Vec<Arc<SafeQueue<Vector>>>,
    threads: Vec<JoinHandle<()>>,
    gathering: Arc<Mutex<Gathering>>,
    over: Arc<AtomicBool>,
}

impl Queues {
    fn new(consumers: Consumers, waits: bool) -> Self {
        let (queues, threads) = (Vec::new(), Vec::new());
        Self { consumers, waits, queues, threads, gathering: Arc::default(), over: Arc::default() }
    }

    fn start(&mut self) -> Arc<SafeQueue<Vector>> {
        let queue = Arc::new(SafeQueue::new(CAPACITY));
        let (own, gathering, over) = (Arc::clone(&queue), Arc::clone(&self.gathering), Arc::clone(&self.over));
        self.threads.push(std::thread::spawn(move || {
            loop {
                let is_over = over.load(Ordering::Acquire);
                match own.pop() {
                    Some(vector) => {
                        let received = monotonic_ns();
                        gathering.lock().expect("nobody panics").handle(&vector, received);
                    }
                    None if is_over => break,
                    None => {}
                }
            }
        }));
        self.queues.push(Arc::clone(&queue));
        queue
    }
}

struct QueuePublisher {
    queue: Arc<SafeQueue<Vector>>,
    waits: bool,
}

impl Publisher for QueuePublisher {
    fn publish(&mut self, mut fill: impl FnMut(&mut Vector)) -> bool {
        let mut vector = [0.0; 100];
        fill(&mut vector);
        if self.waits {
            self.queue.push(vector);
            return true;
        }
        self.queue.try_push(vector)
    }
}

impl Pipeline for Queues {
    type Publisher = QueuePublisher;

    fn publishers(&mut self, count: usize) -> Vec<QueuePublisher> {
        let waits = self.waits;
        match self.consumers {
            Consumers::One => {
                let queue = self.start();
                (0..count).map(|_| QueuePublisher { queue: Arc::clone(&queue), waits }).collect()
            }
            Consumers::OnePerProducer => (0..count).map(|_| QueuePublisher { queue: self.start(), waits }).collect(),
        }
    }

    fn finish(self) -> Gathered {
        self.over.store(true, Ordering::Release);
        self.threads.into_iter().for_each(|thread| thread.join().expect("a consumer"));
        let gathering = Arc::into_inner(self.gathering).expect("the threads have ended");
        gathering.into_inner().expect("nobody panics").finish()
    }
}

/// Producers that do the work themselves, one at a time.
#[derive(Default)]
struct Direct(Arc<Mutex<Gathering>>);

struct DirectPublisher(Arc<Mutex<Gathering>>);

impl Publisher for DirectPublisher {
    fn publish(&mut self, mut fill: impl FnMut(&mut Vector)) -> bool {
        let mut vector = [0.0; 100];
        fill(&mut vector);
        let received = monotonic_ns();
        self.0.lock().expect("nobody panics").handle(&vector, received);
        true
    }
}

impl Pipeline for Direct {
    type Publisher = DirectPublisher;

    fn publishers(&mut self, count: usize) -> Vec<DirectPublisher> {
        (0..count).map(|_| DirectPublisher(Arc::clone(&self.0))).collect()
    }

    fn finish(self) -> Gathered {
        Arc::into_inner(self.0).expect("the producers have ended").into_inner().expect("nobody panics").finish()
    }
}

type RingProducer = MultiProducer<Vector, SingleConsumerBarrier>;

/// The disruptor crate. Its consumers spin or sleep, so this one sleeps a tenth of a millisecond
/// when there is nothing.
struct Ring {
    waits: bool,
    producer: RingProducer,
    consumer: JoinHandle<Gathered>,
}

impl Ring {
    fn new(waits: bool) -> Self {
        let (mut poller, builder) = build_multi_producer(CAPACITY, || [0.0; 100], BusySpin).new_event_poller();
        let consumer = std::thread::spawn(move || {
            let mut gathering = Gathering::default();
            loop {
                match poller.poll() {
                    Ok(mut vectors) => vectors.for_each(|vector| gathering.handle(vector, monotonic_ns())),
                    Err(Polling::NoEvents) => std::thread::sleep(Duration::from_micros(100)),
                    Err(Polling::Shutdown) => break gathering.finish(),
                }
            }
        });
        Self { waits, producer: builder.build(), consumer }
    }
}

struct RingPublisher {
    producer: RingProducer,
    waits: bool,
}

impl Publisher for RingPublisher {
    fn publish(&mut self, mut fill: impl FnMut(&mut Vector)) -> bool {
        if self.waits {
            Patience::until(|| self.producer.try_publish(&mut fill).is_ok());
            return true;
        }
        self.producer.try_publish(fill).is_ok()
    }
}

impl Pipeline for Ring {
    type Publisher = RingPublisher;

    fn publishers(&mut self, count: usize) -> Vec<RingPublisher> {
        (0..count).map(|_| RingPublisher { producer: self.producer.clone(), waits: self.waits }).collect()
    }

    fn finish(self) -> Gathered {
        drop(self.producer);
        self.consumer.join().expect("the consumer")
    }
}
