//! The promises of callback executors.
#![cfg(not(loom))]

mod arrival;
mod callbacks;
mod dispatch;
mod passes;
mod semantics;
mod services;
mod threads;
mod timers;
mod trace;

use std::sync::{Arc, mpsc};
use std::time::Duration;

use hemiola_bus::{Bus, Executor, Order, Priority, RobotClock, Topic, WhenFull};
use hemiola_model::Time;
use hemiola_realtime::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MILLISECOND: Duration = Duration::from_millis(1);

fn milliseconds(count: u64) -> Time {
    Time::ZERO + count as u32 * MILLISECOND
}

/// An executor whose clock stands still, and a log for its callbacks.
struct Bench {
    clock: Arc<RobotClock>,
    executor: Executor,
    log: mpsc::Sender<String>,
    logged: mpsc::Receiver<String>,
}

impl Bench {
    fn new() -> Self {
        let clock = Arc::new(RobotClock::stepped());
        let (log, logged) = mpsc::channel();
        Self { executor: Executor::new("bench", &clock), clock, log, logged }
    }

    fn order(self, order: Order) -> Self {
        Self { executor: self.executor.order(order), ..self }
    }

    /// Subscribes a callback that logs its name and the message.
    fn subscribe(&mut self, topic: &Topic<u64>, priority: u16, name: &'static str) {
        let log = self.log.clone();
        let callback = move |count: &u64| log.send(format!("{name} {count}")).unwrap();
        self.executor.subscribe(topic, Priority(priority), 64, WhenFull::DropOldest, callback).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        self.logged.try_iter().collect()
    }
}

fn topic(name: &str) -> Topic<u64> {
    Bus::new().topic(name).unwrap()
}
