//! A topic whose subscribers are callbacks of an executor, which are added and removed.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::come_and_go::{self, measure};
use hemiola_bench_contestant::messages::fan_out::{Message, Module};
use hemiola_bus::{Bus, CallbackId, Executor, Priority, Publisher, RobotClock, Topic, WhenFull};

use crate::error::BenchError;

const CAPACITY: usize = 4;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.contestant() != "hemiola" {
        return Err(super::unknown(assignment));
    }
    let topic = Bus::new().topic("test")?;
    let executor = Executor::new("modules", &Arc::new(RobotClock::stepped()));
    measure(assignment, Listeners { publisher: topic.publisher(), topic, executor });
    Ok(())
}

struct Listeners {
    topic: Topic<Message>,
    publisher: Publisher<Message>,
    executor: Executor,
}

impl come_and_go::Topic for Listeners {
    type Place = CallbackId;

    fn subscribe(&mut self, module: &'static Module) -> CallbackId {
        let take = move |message: &Message| module.take(message);
        let subscribed = self.executor.subscribe(&self.topic, Priority(1), CAPACITY, WhenFull::DropNewest, take);
        subscribed.expect("callbacks of one topic and priority take the room of one")
    }

    fn unsubscribe(&mut self, place: CallbackId) {
        self.executor.remove(place).expect("nobody else sends changes");
    }

    fn publish(&mut self, message: Message) {
        self.publisher.publish(message);
    }

    fn synchronise(&mut self) {
        self.executor.run_ready();
    }
}
