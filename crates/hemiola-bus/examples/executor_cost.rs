//! The cost of a callback executor: `cargo run --release -p hemiola-bus --example executor_cost`.

use std::hint::black_box;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use hemiola_bus::{Batch, Bus, Executor, Priority, RobotClock, Tick, Topic, WhenFull};

/// A module that counts and sums what it receives.
#[derive(Default)]
struct Module {
    count: u64,
    sum: u64,
}

impl Module {
    #[inline]
    fn receive(&mut self, count: u64) {
        self.count += 1;
        self.sum += count;
    }
}

const REPETITIONS: usize = 15;

fn main() {
    row("publish, then the callback, on the same thread", "hand-over", 1, hand_over);
    row("the same, with a timer that is not due", "hand-over", 1, hand_over_beside_a_timer);
    for modules in [10, 100, 1000] {
        row(&format!("a plain list of {modules} closures"), "call", modules, || call_list(modules));
        row(&format!("one message to {modules} callbacks"), "delivery", modules, || deliver(modules));
        row(&format!("64 messages at once to {modules} callbacks"), "delivery", modules, || batched(modules));
    }
    lateness("a timer", |executor| executor);
    lateness("a timer of an executor that wakes early", |executor| executor.wake_early(Duration::from_micros(200)));
}

/// Prints how late a timer is called that is due each millisecond.
fn lateness(text: &str, prepare: impl FnOnce(Executor) -> Executor) {
    const TICKS: usize = 2000;
    let mut executor = prepare(bench().1);
    let (handle, mut late) = (executor.handle(), Vec::with_capacity(TICKS));
    let (told, all) = mpsc::channel();
    let callback = move |tick: Tick| {
        late.push(tick.now.since(tick.due).as_nanos() as f64 / 1000.0);
        if late.len() == TICKS {
            handle.stop();
            // This cannot fail: the receiver outlives the executor.
            _ = told.send(std::mem::take(&mut late));
        }
    };
    executor.every(Duration::from_millis(1), Priority(1), callback).unwrap();
    executor.run();
    let mut late = all.recv().unwrap();
    late.sort_by(f64::total_cmp);
    println!("{text:<50} {:>7.2} µs late; 99 % at most {:.1}", late[TICKS / 2], late[TICKS * 99 / 100]);
}

/// Prints the median time per message and per `what`.
fn row(text: &str, what: &str, per_message: usize, mut measure: impl FnMut() -> (Duration, usize)) {
    let mut nanoseconds: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let (duration, messages) = measure();
            duration.as_nanos() as f64 / (messages * per_message) as f64
        })
        .collect();
    nanoseconds.sort_by(f64::total_cmp);
    let [least, median, most] = [0, REPETITIONS / 2, REPETITIONS - 1].map(|index| nanoseconds[index]);
    println!("{text:<50} {median:>7.2} ns per {what} ({least:.2} to {most:.2})");
}

fn bench() -> (Topic<u64>, Executor) {
    let executor = Executor::new("bench", &Arc::new(RobotClock::running(1.0)));
    (Bus::new().topic("count").unwrap(), executor)
}

fn hand_over() -> (Duration, usize) {
    let (topic, executor) = bench();
    ping(&topic, executor)
}

fn hand_over_beside_a_timer() -> (Duration, usize) {
    let (topic, mut executor) = bench();
    executor.every(Duration::from_secs(3600), Priority(1), |_| ()).unwrap();
    ping(&topic, executor)
}

fn ping(topic: &Topic<u64>, mut executor: Executor) -> (Duration, usize) {
    const MESSAGES: usize = 100_000;
    let mut module = Module::default();
    let callback = move |count: &u64| module.receive(black_box(*count));
    executor.subscribe(topic, Priority(1), 16, WhenFull::DropOldest, callback).unwrap();
    let mut publisher = topic.publisher();
    let start = Instant::now();
    for count in 0..MESSAGES {
        publisher.publish(count as u64);
        executor.run_one();
    }
    (start.elapsed(), MESSAGES)
}

/// Calls the closures of a plain list, which no executor can beat.
fn call_list(modules: usize) -> (Duration, usize) {
    let closure = |_| -> Box<dyn FnMut(&u64)> {
        let mut module = Module::default();
        Box::new(move |count: &u64| module.receive(*count))
    };
    let mut list: Vec<_> = (0..modules).map(closure).collect();
    let messages = 200_000 / modules;
    let start = Instant::now();
    for count in 0..messages as u64 {
        list.iter_mut().for_each(|callback| callback(black_box(&count)));
    }
    (start.elapsed(), messages)
}

fn deliver(modules: usize) -> (Duration, usize) {
    let (topic, mut executor) = bench();
    for _ in 0..modules {
        let mut module = Module::default();
        let callback = move |count: &u64| module.receive(*count);
        executor.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    }
    flood(&topic, executor, modules)
}

fn batched(modules: usize) -> (Duration, usize) {
    let (topic, mut executor) = bench();
    for _ in 0..modules {
        let mut module = Module::default();
        let callback = move |counts: Batch<u64>| counts.iter().for_each(|count| module.receive(*count));
        executor.subscribe_batched(&topic, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    }
    flood(&topic, executor, modules)
}

fn flood(topic: &Topic<u64>, mut executor: Executor, modules: usize) -> (Duration, usize) {
    let rounds = 200_000 / modules / 64 + 2;
    let mut publisher = topic.publisher();
    let start = Instant::now();
    for _ in 0..rounds {
        (0..64).for_each(|count| publisher.publish(count));
        executor.run_ready();
    }
    (start.elapsed(), 64 * rounds)
}
