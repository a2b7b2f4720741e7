//! A topic with a callback on an executor.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::hand_over::{self, Callback, measure};
use hemiola_bus::{Bus, Executor, Priority, Publisher, RobotClock, WhenFull};

use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    match assignment.contestant() {
        "hemiola" => measure(assignment, |callback| {
            let topic = Bus::new().topic("number").expect("the first of its name");
            let mut executor = Executor::new("callbacks", &Arc::new(RobotClock::stepped()));
            let handle = executor.handle();
            let call = move |number: &u64| {
                if callback.call(*number) {
                    handle.stop();
                }
            };
            executor.subscribe(&topic, Priority(1), 16, WhenFull::DropNewest, call).expect("the first callback");
            (Publishing(topic.publisher()), Calling(executor))
        }),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}

struct Publishing(Publisher<u64>);

impl hand_over::Publisher for Publishing {
    fn publish(&mut self, number: u64) {
        self.0.publish(number);
    }
}

struct Calling(Executor);

impl hand_over::Executor for Calling {
    fn run(&mut self) {
        self.0.run_ready();
    }

    fn run_until_last(&mut self, _: &Callback) {
        self.0.run();
    }
}
