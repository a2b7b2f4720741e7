//! The cost of an executor's messages, ticks and calls, for `valgrind --tool=callgrind`, which
//! counts instructions:
//!
//! ```text
//! cargo build --release -p hemiola-bus --example executor_instructions
//! for count in 1000 2000; do
//!     valgrind --tool=callgrind target/release/examples/executor_instructions message $count
//! done
//! ```
//!
//! The difference of two counts is free of what starting costs.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::{Actor, Bus, Executor, Priority, Publisher, RobotClock, WhenFull};
use hemiola_model::Time;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let count = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    match what.as_str() {
        "message" => messages(1, count),
        "two" => messages(2, count),
        "ten" => messages(10, count),
        "all" => messages(250, count),
        "set-up" => set_up(count),
        "timer" => ticks(count),
        "call" => calls(count),
        _ => eprintln!("message, two, ten, all, set-up, timer or call?"),
    }
}

/// Publishes a message for each of the callbacks, which have the same priority, and runs them;
/// repeats this `rounds` times.
fn messages(callbacks: usize, rounds: u64) {
    let (bus, clock) = (Bus::new(), Arc::new(RobotClock::stepped()));
    let mut executor = Executor::new("cost", &clock);
    let mut publishers: Vec<Publisher<u64>> = (0..callbacks)
        .map(|number| {
            let topic = bus.topic(&number.to_string()).unwrap();
            let callback = |count: &u64| _ = black_box(*count);
            executor.subscribe(&topic, Priority(1), 16, WhenFull::DropOldest, callback).unwrap();
            topic.publisher()
        })
        .collect();
    for count in 0..rounds {
        publishers.iter_mut().for_each(|publisher| publisher.publish(count));
        executor.run_ready();
    }
}

/// Lets ten callbacks listen to a topic, calls them for a hundred messages, and drops everything;
/// repeats this `rounds` times.
fn set_up(rounds: u64) {
    for _ in 0..rounds {
        let topic = Bus::new().topic("cost").unwrap();
        let mut publisher = topic.publisher();
        let mut executor = Executor::new("cost", &Arc::new(RobotClock::stepped()));
        for _ in 0..10 {
            let callback = |count: &u64| _ = black_box(*count);
            executor.subscribe(&topic, Priority(1), 128, WhenFull::DropNewest, callback).unwrap();
        }
        (0..100).for_each(|count| publisher.publish(count));
        executor.run_ready();
    }
}

fn ticks(count: u64) {
    let clock = Arc::new(RobotClock::stepped());
    let mut executor = Executor::new("cost", &clock);
    executor.every(Duration::from_millis(1), Priority(1), |tick| _ = black_box(tick)).unwrap();
    for millisecond in 1..=count {
        clock.set(Time::ZERO + Duration::from_millis(millisecond));
        executor.run_ready();
    }
}

fn calls(count: u64) {
    let mut executor = Executor::new("cost", &Arc::new(RobotClock::stepped()));
    let attended = executor.attend("actor", Priority(1), |signal| {
        let (mut actor, handle) = Actor::with_signal(0, 16, signal);
        (move || actor.run(1) > 0, handle)
    });
    let (_, mut handle) = attended.unwrap();
    for number in 0..count {
        assert!(handle.send(move |sum| *sum += number).is_ok());
        executor.run_ready();
    }
}
