//! A topic whose subscribers are callbacks of one executor, which delivers messages as they come,
//! or in a phase of its own, as RRC's synchronous core does.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::fan_out::{self, Message, Module, measure};
use hemiola_bus::{Batch, Bus, Executor, Priority, Publisher, RobotClock, Topic, WhenFull};

use crate::error::BenchError;

/// The number of messages that may wait.
const CAPACITY: usize = 128;
const PRIORITY: Priority = Priority(1);

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    let (listening, deliver): (_, fn(&mut Executor) -> usize) = match assignment.contestant() {
        "hemiola" => (Listening::ToEach, Executor::run_ready),
        "hemiola-batched" => (Listening::ToBatches, Executor::run_ready),
        "hemiola-synchronous" => (Listening::ToEach, Executor::run_waiting),
        _ => return Err(super::unknown(assignment)),
    };
    measure(assignment, || Listeners::new(listening, deliver));
    Ok(())
}

#[derive(Clone, Copy)]
enum Listening {
    ToEach,
    ToBatches,
}

struct Listeners {
    listening: Listening,
    deliver: fn(&mut Executor) -> usize,
    topic: Topic<Message>,
    publisher: Publisher<Message>,
    executor: Executor,
    /// The number of messages that wait.
    waiting: usize,
}

impl Listeners {
    fn new(listening: Listening, deliver: fn(&mut Executor) -> usize) -> Self {
        let topic = Bus::new().topic("test").expect("the first of its name");
        let executor = Executor::new("modules", &Arc::new(RobotClock::stepped()));
        Self { listening, deliver, publisher: topic.publisher(), topic, executor, waiting: 0 }
    }
}

impl fan_out::Topic for Listeners {
    fn subscribe(&mut self, module: &'static Module) {
        let Self { topic, executor, .. } = self;
        let subscribed = match self.listening {
            Listening::ToEach => {
                let take = move |message: &Message| module.take(message);
                executor.subscribe(topic, PRIORITY, CAPACITY, WhenFull::DropNewest, take)
            }
            Listening::ToBatches => {
                let take = move |batch: Batch<Message>| module.take_all(batch.iter().map(|message| message.value()));
                executor.subscribe_batched(topic, PRIORITY, CAPACITY, WhenFull::DropNewest, take)
            }
        };
        subscribed.expect("callbacks of one topic and priority take the room of one");
    }

    fn publish(&mut self, message: Message) {
        self.publisher.publish(message);
        self.waiting += 1;
        if self.waiting == CAPACITY {
            self.synchronise();
        }
    }

    fn synchronise(&mut self) {
        (self.deliver)(&mut self.executor);
        self.waiting = 0;
    }
}
