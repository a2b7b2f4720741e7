//! Real threads that send as many messages as fit into some seconds. Every message carries its
//! sender, and its number twice.
//!
//! Hours' worth of messages in a minute: `HEMIOLA_STRESS=200 cargo test --release -p hemiola-bus
//! --lib stress -- --nocapture --test-threads 1` sends that many times as many, and prints how long
//! a robot with 40 topics at 100 Hz takes to send them.

use crate::{Bus, Publisher, Signal, WhenFull};
use hemiola_realtime::Wakeup;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// The number of messages of each publisher.
static MESSAGES: LazyLock<u64> = LazyLock::new(|| 100_000 * factor());

/// Returns the factor that the environment asks for, or one.
fn factor() -> u64 {
    std::env::var("HEMIOLA_STRESS").map_or(1, |text| text.parse().expect("HEMIOLA_STRESS is a number of times"))
}

/// Prints what was done, if more than usual was asked for.
fn tell(test: &str, start: Instant) {
    if factor() > 1 {
        let messages = *MESSAGES * PUBLISHERS as u64;
        let (hours, seconds) = (messages as f64 / (40.0 * 100.0 * 3600.0), start.elapsed().as_secs_f64());
        println!("{test}: {messages} messages in {seconds:.1} s, {hours:.1} hours of 40 topics at 100 Hz");
    }
}

const PUBLISHERS: usize = 2;
const LONG: Duration = Duration::from_secs(1000);

#[derive(Default, Clone, Copy)]
struct Numbered {
    publisher: usize,
    number: u64,
    again: u64,
}

impl Numbered {
    fn new(publisher: usize, number: u64) -> Self {
        Self { publisher, number, again: number }
    }
}

/// The messages that a receiver has seen: whole ones only, each once, in order.
#[derive(Default)]
struct Seen {
    count: u64,
    next: [u64; PUBLISHERS],
}

impl Seen {
    fn see(&mut self, message: &Numbered) {
        assert_eq!(message.number, message.again);
        assert!(message.number >= self.next[message.publisher]);
        self.next[message.publisher] = message.number + 1;
        self.count += 1;
    }

    fn is_complete(&self) -> bool {
        self.next == [*MESSAGES; PUBLISHERS]
    }
}

/// Runs publishers that publish all they have, beside whatever else is `spawn`ed.
fn run<'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    publishers: [Publisher<Numbered>; PUBLISHERS],
    publish: impl Fn(&mut Publisher<Numbered>, Numbered) + Copy + Send + 'scope,
) {
    for (index, mut publisher) in publishers.into_iter().enumerate() {
        scope.spawn(move || (0..*MESSAGES).for_each(|number| publish(&mut publisher, Numbered::new(index, number))));
    }
}

#[test]
fn with_back_pressure_nothing_is_lost() {
    let start = Instant::now();
    let topic = Bus::new().topic::<Numbered>("stress").unwrap();
    let publishers = [topic.publisher(), topic.publisher()];
    let wakeup = || Signal::from(Arc::new(Wakeup::new()));
    let copies = |capacity| topic.queue_of_copies(capacity, WhenFull::Wait, wakeup());
    let mut queues = [topic.queue(64, WhenFull::Wait), topic.queue(3, WhenFull::Wait), copies(64), copies(3)];
    std::thread::scope(|scope| {
        run(scope, publishers, |publisher, message| {
            assert!(publisher.publish_waiting(message, LONG).is_ok());
        });
        for queue in &mut queues {
            scope.spawn(move || {
                let mut seen = Seen::default();
                while !seen.is_complete() {
                    assert!(queue.wait(LONG));
                    queue.batch(16).iter().for_each(|message| seen.see(&message));
                }
                assert_eq!(seen.count, *MESSAGES * PUBLISHERS as u64);
            });
        }
    });
    tell("with back pressure nothing is lost", start);
}

#[test]
fn the_only_receiver_polls_for_copies_of_everything() {
    let start = Instant::now();
    let topic = Bus::new().topic::<Numbered>("stress").unwrap();
    let publishers = [topic.publisher(), topic.publisher()];
    let mut queue = topic.queue_of_copies(64, WhenFull::Wait, Signal::Nothing);
    std::thread::scope(|scope| {
        run(scope, publishers, |publisher, message| assert!(publisher.publish_waiting(message, LONG).is_ok()));
        let mut seen = Seen::default();
        while !seen.is_complete() {
            queue.batch(64).iter().for_each(|message| seen.see(&message));
        }
        assert_eq!(seen.count, *MESSAGES * PUBLISHERS as u64);
    });
    tell("the only receiver polls for copies of everything", start);
}

#[test]
fn without_it_all_is_received_or_counted() {
    let start = Instant::now();
    let topic = Bus::new().topic::<Numbered>("stress").unwrap();
    let publishers = [topic.publisher(), topic.publisher()];
    let mut queues = [
        topic.queue(5, WhenFull::DropOldest),
        topic.queue(5, WhenFull::DropNewest),
        topic.queue_of_copies(5, WhenFull::DropNewest, Arc::new(Wakeup::new()).into()),
    ];
    let mut latest = topic.latest();
    let done = AtomicBool::new(false);
    let received: u64 = std::thread::scope(|scope| {
        let receivers: Vec<_> = queues
            .iter_mut()
            .map(|queue| {
                let done = &done;
                scope.spawn(move || {
                    let mut seen = Seen::default();
                    loop {
                        let was_done = done.load(Ordering::Acquire);
                        while let Some(message) = queue.receive() {
                            seen.see(&message);
                        }
                        if was_done {
                            return seen.count;
                        }
                        queue.wait(Duration::from_millis(1));
                    }
                })
            })
            .collect();
        let newest = scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                if let Some(message) = latest.take() {
                    assert_eq!(message.number, message.again);
                }
            }
        });
        std::thread::scope(|scope| run(scope, publishers, |publisher, message| publisher.publish(message)));
        done.store(true, Ordering::Release);
        newest.join().unwrap();
        receivers.into_iter().map(|receiver| receiver.join().unwrap()).sum()
    });
    let report = topic.report();
    let dropped: u64 = report.subscribers[..3].iter().map(|subscriber| subscriber.dropped).sum();
    assert_eq!(report.published, *MESSAGES * PUBLISHERS as u64);
    assert_eq!(received + dropped, 3 * report.published);
    assert_eq!(received, report.subscribers[..3].iter().map(|subscriber| subscriber.delivered).sum::<u64>());
    assert!(latest.get().is_some_and(|message| message.number == *MESSAGES - 1));
    tell("without it all is received or counted", start);
}

#[test]
fn receivers_and_publishers_come_and_go() {
    let start = Instant::now();
    let topic = Bus::new().topic::<Numbered>("stress").unwrap();
    topic.keep_last();
    let publishers = [topic.publisher(), topic.publisher()];
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_usize.. {
                let mut queue = topic.queue(1 + round % 7, WhenFull::DropOldest);
                let mut latest = topic.latest();
                let mut seen = Seen::default();
                for _ in 0..round % 50 {
                    queue.batch(4).iter().for_each(|message| seen.see(&message));
                    if let Some(message) = latest.get() {
                        assert_eq!(message.number, message.again);
                    }
                }
                if done.load(Ordering::Acquire) {
                    break;
                }
            }
        });
        scope.spawn(|| {
            while !done.load(Ordering::Acquire) {
                drop((topic.publisher(), topic.publisher()));
            }
        });
        std::thread::scope(|scope| run(scope, publishers, |publisher, message| publisher.publish(message)));
        done.store(true, Ordering::Release);
    });
    let last = topic.queue(1, WhenFull::DropOldest).batch(2).iter().map(|message| message.number).collect::<Vec<_>>();
    assert!(last.contains(&(*MESSAGES - 1)));
    tell("receivers and publishers come and go", start);
}
