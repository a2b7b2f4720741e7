//! Three topics with a callback each, on one executor.

use std::sync::Arc;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::flood::{CAPACITY, Callbacks, Feeder, measure};
use hemiola_bus::{Bus, BusError, Executor, Order, Priority, Publisher, RobotClock, WhenFull};

use crate::error::BenchError;

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    let order = match assignment.contestant() {
        "hemiola" => Order::Priority,
        "hemiola-ros2" => Order::Ros2,
        _ => return Err(super::unknown(assignment)),
    };
    measure(assignment, |callbacks| {
        let (feeding, mut executor) = connect(order, callbacks).expect("three topics and callbacks");
        (feeding, move || executor.run())
    });
    Ok(())
}

struct Feeding {
    important: Publisher<u64>,
    unimportant: Publisher<u64>,
}

impl Feeder for Feeding {
    fn important(&mut self, stamp: u64) {
        self.important.publish(stamp);
    }

    fn unimportant(&mut self) {
        self.unimportant.publish(0);
    }
}

const IMPORTANT: Priority = Priority(10);
const UNIMPORTANT: Priority = Priority(1);

fn connect(order: Order, callbacks: Callbacks) -> Result<(Feeding, Executor), BusError> {
    let bus = Bus::new();
    let (first, second, unimportant) = (bus.topic("first")?, bus.topic("second")?, bus.topic("unimportant")?);
    let mut executor = Executor::new("callbacks", &Arc::new(RobotClock::stepped())).order(order);
    let handle = executor.handle();

    let (mut chain, work) = (second.publisher(), callbacks.clone());
    let forward = move |stamp: &u64| chain.publish(work.first(*stamp));
    executor.subscribe(&first, IMPORTANT, 4, WhenFull::DropNewest, forward)?;
    let work = callbacks.clone();
    executor.subscribe(&second, IMPORTANT, 4, WhenFull::DropNewest, move |stamp: &u64| work.second(*stamp))?;
    let fill_time = move |_: &u64| {
        callbacks.unimportant();
        if callbacks.is_over() {
            handle.stop();
        }
    };
    executor.subscribe(&unimportant, UNIMPORTANT, CAPACITY, WhenFull::DropNewest, fill_time)?;
    Ok((Feeding { important: first.publisher(), unimportant: unimportant.publisher() }, executor))
}
