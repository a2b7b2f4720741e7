//! Forty topics, and an executor that sleeps until there is something on one of them.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::idle::{Subscribed, TOPICS, measure};
use hemiola_bus::{Bus, BusError, Executor, Priority, Publisher, RobotClock, RunningExecutor, WhenFull};
use hemiola_realtime::ThreadSettings;

use crate::error::BenchError;
use crate::sync::{AtomicU64, Ordering};

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.contestant() != "hemiola" {
        return Err(super::unknown(assignment));
    }
    let received = Arc::<AtomicU64>::default();
    let (publishers, executor) = subscribe(&received)?;
    let executor = executor.spawn(ThreadSettings::new("callbacks"))?;
    measure(assignment, || Listening { publishers, received, _executor: executor });
    Ok(())
}

fn subscribe(received: &Arc<AtomicU64>) -> Result<(Vec<Publisher<u64>>, Executor), BusError> {
    let bus = Bus::new();
    let mut executor = Executor::new("callbacks", &Arc::new(RobotClock::running(1.0)));
    let publishers = (0..TOPICS).map(|topic| {
        let topic = bus.topic(&format!("topic {topic}"))?;
        let received = Arc::clone(received);
        let count = move |_: &u64| _ = received.fetch_add(1, Ordering::Relaxed);
        executor.subscribe(&topic, Priority(1), 4, WhenFull::DropOldest, count)?;
        Ok(topic.publisher())
    });
    let publishers = publishers.collect::<Result<_, BusError>>()?;
    Ok((publishers, executor))
}

struct Listening {
    publishers: Vec<Publisher<u64>>,
    received: Arc<AtomicU64>,
    _executor: RunningExecutor,
}

impl Subscribed for Listening {
    fn publish_to_all(&mut self) {
        self.publishers.iter_mut().for_each(|publisher| publisher.publish(0));
    }

    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
}
