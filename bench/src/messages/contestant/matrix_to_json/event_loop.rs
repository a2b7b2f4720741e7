//! An event loop of vectors, and a thread that fills matrices with them and serialises these.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use hemiola_bench_contestant::messages::matrix_to_json::{CAPACITY, Gathered, Gathering, Pipeline, Publisher, Vector};
use hemiola_bench_contestant::monotonic_ns;
use hemiola_bus::{EventLoop, Producer, WaitStrategy};

use super::executors::Row;

pub struct Ring {
    /// The first producer, until all have been handed out: the loop ends when none is left.
    producer: Option<Producer<Row>>,
    waits: bool,
    consumer: JoinHandle<Gathered>,
}

impl Ring {
    pub fn start(waits: bool) -> Self {
        let mut rows = EventLoop::<Row>::new(CAPACITY);
        let mut consumer = rows.consumer(WaitStrategy::Park);
        let consumer = thread::spawn(move || {
            let mut gathering = Gathering::default();
            consumer.run_until_closed(|row| gathering.handle(&row.0, monotonic_ns()));
            gathering.finish()
        });
        Self { producer: Some(rows.producer()), waits, consumer }
    }
}

pub struct RingPublisher {
    producer: Producer<Row>,
    waits: bool,
}

impl Publisher for RingPublisher {
    fn publish(&mut self, mut fill: impl FnMut(&mut Vector)) -> bool {
        let mut write = |row: &mut Row| fill(&mut row.0);
        if !self.waits {
            return self.producer.publish(&mut write).is_ok();
        }
        while self.producer.publish_waiting(&mut write, Duration::from_secs(1)).is_err() {}
        true
    }
}

impl Pipeline for Ring {
    type Publisher = RingPublisher;

    fn publishers(&mut self, count: usize) -> Vec<RingPublisher> {
        let producer = self.producer.take().expect("publishers are asked for once");
        vec![producer; count].into_iter().map(|producer| RingPublisher { producer, waits: self.waits }).collect()
    }

    fn finish(self) -> Gathered {
        self.consumer.join().expect("nobody panics")
    }
}
