//! The cost of a message: `cargo run --release -p hemiola-bus --example topic_cost`
//!
//! Medians over rounds, in nanoseconds per message. With two threads, they run on the first two
//! cores, whose distance is printed (the time that a cache line takes from one to the other); on a
//! virtual machine it changes.

use hemiola_bus::{Bus, Message, Queue, Signal, Topic, WhenFull};
use hemiola_realtime::{Affinity, CoreId, ThreadSettings, apply_to_this_thread};
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;
const CAPACITY: usize = 1024;

/// A message of one kilobyte.
type Large = [[u64; 16]; 8];

type MakeQueue<T> = fn(&Topic<T>) -> Queue<T>;

fn main() {
    println!("one thread");
    let queues: [(_, MakeQueue<u64>); 3] =
        [("drop the oldest", dropping_oldest), ("drop the newest", dropping_newest), ("copies", copying)];
    for (what, queue) in queues {
        let mut cost = OneThread::new(Bus::new(), queue);
        println!("  {what}: publish {:.1}, receive {:.1}, batch {:.1}", cost.publish(), cost.receive(), cost.batch());
    }
    let mut cost = OneThread::new(Bus::with_timing(), dropping_oldest);
    println!("  with timing: publish {:.1}, receive {:.1}, batch {:.1}", cost.publish(), cost.receive(), cost.batch());
    println!("  to the newest: publish {:.1}, get {:.1}", publish_to_newest(), get_newest());
    println!("  join and leave, queue of 100: {:.0}", join_and_leave());

    println!("two threads, queue of {CAPACITY}, nothing lost");
    for _ in 0..3 {
        let distance = distance();
        let (small, small_batch) = (across::<u64>(sharing, one_by_one), across::<u64>(sharing, in_batches));
        let (copied, copied_batch) = (across::<u64>(copying, one_by_one), across::<u64>(copying, in_batches));
        let (large, large_batch) = (across::<Large>(sharing, one_by_one), across::<Large>(sharing, in_batches));
        println!(
            "  8 bytes {small:.1}, in batches {small_batch:.1}; copied {copied:.1}, in batches {copied_batch:.1}; 1 KiB {large:.0}, in batches {large_batch:.0} (cores {distance:.0} to {:.0} apart)",
            self::distance()
        );
    }
}

struct OneThread {
    topic: Topic<u64>,
    queue: MakeQueue<u64>,
}

impl OneThread {
    fn new(bus: Bus, queue: MakeQueue<u64>) -> Self {
        Self { topic: bus.topic("cost").expect("a new bus"), queue }
    }

    /// Fills a queue and empties it as `receive` does; returns how long each took per message.
    fn times(&mut self, receive: impl Fn(&mut Queue<u64>)) -> (f64, f64) {
        let mut queue = (self.queue)(&self.topic);
        let mut publisher = self.topic.publisher();
        let (mut publishing, mut receiving) = (Duration::ZERO, Duration::ZERO);
        const TURNS: usize = 200;
        for _ in 0..TURNS {
            let start = Instant::now();
            (0..CAPACITY as u64).for_each(|value| publisher.publish(black_box(value)));
            let middle = Instant::now();
            receive(&mut queue);
            publishing += middle - start;
            receiving += middle.elapsed();
        }
        let per_message = |time: Duration| time.as_nanos() as f64 / (TURNS * CAPACITY) as f64;
        (per_message(publishing), per_message(receiving))
    }

    fn publish(&mut self) -> f64 {
        median(|| self.times(one_at_a_time).0)
    }

    fn receive(&mut self) -> f64 {
        median(|| self.times(one_at_a_time).1)
    }

    fn batch(&mut self) -> f64 {
        median(|| {
            self.times(|queue| {
                black_box(queue.batch(CAPACITY).iter().map(|value| *value).sum::<u64>());
            })
            .1
        })
    }
}

fn one_at_a_time(queue: &mut Queue<u64>) {
    while let Some(value) = queue.receive() {
        black_box(*value);
    }
}

fn publish_to_newest() -> f64 {
    let topic = Bus::new().topic::<u64>("cost").expect("a new bus");
    let (_latest, mut publisher) = (topic.latest(), topic.publisher());
    median(|| per_call(|| publisher.publish(black_box(1))))
}

fn get_newest() -> f64 {
    let topic = Bus::new().topic::<u64>("cost").expect("a new bus");
    let mut latest = topic.latest();
    topic.publisher().publish(1);
    median(|| {
        per_call(|| {
            black_box(latest.get().map(|value| *value));
        })
    })
}

fn join_and_leave() -> f64 {
    let topic = Bus::new().topic::<u64>("cost").expect("a new bus");
    let _publisher = topic.publisher();
    median(|| per_call(|| drop(black_box(topic.queue(100, WhenFull::DropOldest)))))
}

fn per_call(mut call: impl FnMut()) -> f64 {
    const CALLS: u32 = 100_000;
    let start = Instant::now();
    (0..CALLS).for_each(|_| call());
    start.elapsed().as_nanos() as f64 / f64::from(CALLS)
}

/// Nanoseconds per message from one core to the other, the publisher waiting for room.
fn across<T: Message + Copy>(queue: MakeQueue<T>, receive: fn(&mut Queue<T>) -> u64) -> f64 {
    const MESSAGES: u64 = 1_000_000;
    let topic = Bus::new().topic::<T>("cost").expect("a new bus");
    let mut queue = queue(&topic);
    let mut publisher = topic.publisher();
    std::thread::scope(|scope| {
        let start = Instant::now();
        scope.spawn(move || {
            pin(0);
            let value = T::default();
            for _ in 0..MESSAGES {
                while !publisher.wait_for_room(Duration::from_secs(1)) {}
                publisher.publish(*black_box(&value));
            }
        });
        pin(1);
        let mut received = 0;
        while received < MESSAGES {
            match receive(&mut queue) {
                0 => spin_loop(),
                some => received += some,
            }
        }
        start.elapsed().as_nanos() as f64 / MESSAGES as f64
    })
}

fn dropping_oldest(topic: &Topic<u64>) -> Queue<u64> {
    topic.queue_with_signal(CAPACITY, WhenFull::DropOldest, Signal::Nothing)
}

fn dropping_newest(topic: &Topic<u64>) -> Queue<u64> {
    topic.queue_with_signal(CAPACITY, WhenFull::DropNewest, Signal::Nothing)
}

fn sharing<T: Message>(topic: &Topic<T>) -> Queue<T> {
    topic.queue_with_signal(CAPACITY, WhenFull::Wait, Signal::Nothing)
}

fn copying<T: Message + Copy>(topic: &Topic<T>) -> Queue<T> {
    topic.queue_of_copies(CAPACITY, WhenFull::Wait, Signal::Nothing)
}

fn one_by_one<T: Message>(queue: &mut Queue<T>) -> u64 {
    queue.receive().map_or(0, |message| {
        black_box(message.value());
        1
    })
}

fn in_batches<T: Message>(queue: &mut Queue<T>) -> u64 {
    let batch = queue.batch(64);
    for message in batch.iter() {
        black_box(message.value());
    }
    batch.len() as u64
}

/// Nanoseconds that a cache line takes from one core to the other.
fn distance() -> f64 {
    const TURNS: u64 = 20_000;
    let ball = AtomicU64::new(0);
    let play = |mine: u64| {
        for turn in 0..TURNS {
            while ball.load(Ordering::Acquire) != 2 * turn + mine {}
            ball.store(2 * turn + mine + 1, Ordering::Release);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pin(0);
            play(0);
        });
        pin(1);
        let start = Instant::now();
        play(1);
        start.elapsed().as_nanos() as f64 / (2 * TURNS) as f64
    })
}

fn pin(core: usize) {
    let settings = ThreadSettings::new("cost").affinity(Affinity::of([CoreId(core)]));
    apply_to_this_thread(&settings).expect("the name is fine");
}

fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut measured: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    measured.sort_by(f64::total_cmp);
    measured[ROUNDS / 2]
}
