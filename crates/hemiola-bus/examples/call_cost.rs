//! The cost of a call of an actor and of an event of an event loop, without and with timing: `cargo
//! run --release -p hemiola-bus --example call_cost`
//!
//! Medians over rounds on one thread, in nanoseconds.

use hemiola_bus::{Actor, Bus, EventLoop, WaitStrategy};
use hemiola_trace::Ticks;
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
const TURNS: usize = 500;
const CAPACITY: usize = 1024;

fn main() {
    println!("a look at the clock: {:.1}", median(look_at_the_clock));
    for (what, bus) in [("without timing", Bus::new()), ("with timing", Bus::with_timing())] {
        let (send, run) = medians(|| call(&bus));
        println!("{what}: send a call {send:.1}, run it {run:.1}");
        let (publish, handle) = medians(|| event(&bus));
        println!("{what}: publish an event {publish:.1}, handle it {handle:.1}");
    }
}

fn look_at_the_clock() -> f64 {
    let start = Instant::now();
    (0..TURNS * CAPACITY).for_each(|_| _ = black_box(Ticks::now()));
    per_item(start.elapsed())
}

fn call(bus: &Bus) -> (f64, f64) {
    let (mut actor, mut handle) = Actor::new(0_u64, CAPACITY);
    bus.list_actor("cost", &actor);
    let send = |number: u64| handle.send(move |sum| *sum += number).expect("there is room");
    let receive = || {
        black_box(actor.run(CAPACITY));
    };
    times(send, receive)
}

fn event(bus: &Bus) -> (f64, f64) {
    let mut events = EventLoop::for_one_producer(CAPACITY);
    let mut consumer = events.consumer(WaitStrategy::Spin);
    let mut producer = events.producer();
    bus.list_event_loop("cost", &producer);
    let send = |number: u64| producer.publish(move |event| *event = number).expect("there is room");
    let mut sum = 0;
    times(send, || _ = black_box(consumer.poll(|event| sum += event)))
}

/// Fills a queue and empties it; returns how long each took per item.
fn times(mut send: impl FnMut(u64), mut receive: impl FnMut()) -> (f64, f64) {
    let (mut sending, mut receiving) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..TURNS {
        let start = Instant::now();
        (0..CAPACITY as u64).for_each(|number| send(black_box(number)));
        let middle = Instant::now();
        receive();
        sending += middle - start;
        receiving += middle.elapsed();
    }
    (per_item(sending), per_item(receiving))
}

fn per_item(time: Duration) -> f64 {
    time.as_nanos() as f64 / (TURNS * CAPACITY) as f64
}

fn medians(mut measure: impl FnMut() -> (f64, f64)) -> (f64, f64) {
    let (sending, receiving): (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| measure()).unzip();
    (middle(sending), middle(receiving))
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    middle((0..ROUNDS).map(|_| measure()).collect())
}

fn middle(mut measured: Vec<f64>) -> f64 {
    measured.sort_by(f64::total_cmp);
    measured[ROUNDS / 2]
}
