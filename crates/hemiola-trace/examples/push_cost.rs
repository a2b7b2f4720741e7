//! What recording an event costs: `cargo run --release -p hemiola-trace --example push_cost`.
//!
//! Method: batches of events pushed in a tight loop into a ring larger than the first cache, each with one reading of
//! the counter and of the core's number; the median batch and its spread, without and with a reader that drains the ring every millisecond.

use hemiola_trace::{Core, Event, Ring, TaskId, TickScale, Ticks};
use std::{
    hint::black_box,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

const EVENTS: u32 = 10_000;
const BATCHES: usize = 500;
const CAPACITY: usize = 1 << 14;

fn main() {
    let scale = TickScale::calibrate();
    println!("counter: {scale}; {EVENTS} events per batch, {BATCHES} batches, ring of {CAPACITY} x 32 bytes");
    report("reading the counter", &scale, || {
        for _ in 0..EVENTS {
            black_box(Ticks::now());
        }
    });
    let mut ring = Ring::with_capacity(CAPACITY);
    report("push with both readings", &scale, || record(&mut ring));

    let mut reader = ring.reader();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut events = Vec::with_capacity(CAPACITY);
            while !done.load(Ordering::Relaxed) {
                events.clear();
                reader.read(&mut events);
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        report("the same beside a reader", &scale, || record(&mut ring));
        done.store(true, Ordering::Relaxed);
    });
}

/// As a worker does it: a task's end is the next one's begin.
fn record(ring: &mut Ring) {
    let mut begin = Ticks::now();
    for run in 0..EVENTS {
        let end = Ticks::now();
        ring.push(black_box(Event::TaskRun { task: TaskId(1), core: Core::current(), run, ready: begin, begin, end }));
        begin = end;
    }
}

fn report(what: &str, scale: &TickScale, mut batch: impl FnMut()) {
    let mut costs: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let begin = Ticks::now();
            batch();
            scale.nanoseconds_between(begin, Ticks::now()) as f64 / f64::from(EVENTS)
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    let quantile = |q: f64| costs[(q * (costs.len() - 1) as f64) as usize];
    println!(
        "{what:<26} median {:5.1} ns, 1 % {:5.1} ns, 99 % {:5.1} ns",
        quantile(0.5),
        quantile(0.01),
        quantile(0.99)
    );
}
