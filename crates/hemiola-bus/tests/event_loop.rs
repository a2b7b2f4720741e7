//! The promises of event loops.

use hemiola_bus::{EventLoop, SendError, WaitStrategy, Waited};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

/// Far enough that what should not time out fails the test instead of hanging it.
const LONG: Duration = Duration::from_secs(60);
const PARK: WaitStrategy = WaitStrategy::Park;

#[derive(Default, Clone, Copy)]
struct Event {
    producer: usize,
    number: u64,
    copies: [u64; 6],
}

impl Event {
    fn fill(&mut self, producer: usize, number: u64) {
        *self = Event { producer, number, copies: [number; 6] };
    }
}

#[test]
fn no_event_is_lost_doubled_or_torn_and_all_consumers_see_one_order() {
    const PRODUCERS: usize = 4;
    const EVENTS: u64 = 20_000;
    for wait in [PARK, WaitStrategy::SpinThenPark(Duration::from_micros(5))] {
        let mut events = EventLoop::<Event>::new(64);
        let consumers: Vec<_> = (0..2).map(|_| events.consumer(wait)).collect();
        let first = events.producer();
        let producers: Vec<_> = (0..PRODUCERS).map(|_| first.clone()).collect();
        drop(first);
        let orders: Vec<Vec<_>> = thread::scope(|scope| {
            for (index, mut producer) in producers.into_iter().enumerate() {
                scope.spawn(move || {
                    for number in 0..EVENTS {
                        producer.publish_waiting(|event| event.fill(index, number), LONG).unwrap();
                    }
                });
            }
            let orders: Vec<_> = consumers
                .into_iter()
                .map(|mut consumer| {
                    scope.spawn(move || {
                        let (mut next, mut order) = ([0; PRODUCERS], Vec::new());
                        consumer.run_until_closed(|event| {
                            assert_eq!((event.number, event.copies), (next[event.producer], [event.number; 6]));
                            next[event.producer] += 1;
                            order.push(event.producer);
                        });
                        assert_eq!((consumer.panics(), next), (0, [EVENTS; PRODUCERS]));
                        order
                    })
                })
                .collect();
            orders.into_iter().map(|order| order.join().unwrap()).collect()
        });
        assert!(orders[0] == orders[1]);
    }
}

#[test]
fn one_producer_and_a_chain_of_consumers_survive_real_threads() {
    let mut events = EventLoop::for_one_producer(16);
    let mut first = events.consumer(PARK);
    let mut second = events.consumer_after(&[&first], WaitStrategy::SpinThenPark(Duration::from_micros(5)));
    let mut producer = events.producer();
    let seen_by_first = std::sync::atomic::AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            first.run_until_closed(|event: &Event| {
                seen_by_first.store(event.number, std::sync::atomic::Ordering::Release)
            });
        });
        scope.spawn(|| {
            let mut expected = 1;
            second.run_until_closed(|event| {
                assert_eq!(event.copies, [expected; 6]);
                assert!(seen_by_first.load(std::sync::atomic::Ordering::Acquire) >= expected);
                expected += 1;
            });
            assert_eq!((second.panics(), expected), (0, 50_001));
        });
        for number in (1..=50_000).step_by(2) {
            producer.publish_waiting(|event| event.fill(0, number), LONG).unwrap();
            while producer.publish_batch(1, |mut slots| slots.next().unwrap().fill(0, number + 1)).is_err() {
                thread::yield_now();
            }
        }
        drop(producer);
    });
}

#[test]
fn a_full_ring_refuses_and_counts_and_loses_nothing_else() {
    let mut events = EventLoop::new(4);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    (0..4).for_each(|number| producer.publish(|event| *event = number).unwrap());
    let Err(SendError::Full(write)) = producer.publish(|event| *event = 4) else { panic!("it is full") };
    assert!(matches!(producer.publish_batch(2, |_| ()), Err(SendError::Full(_))));
    assert!(matches!(producer.publish_waiting(|_| (), Duration::from_millis(1)), Err(SendError::Full(_))));
    assert_eq!((producer.refused(), consumer.waiting()), (4, 4));
    let mut seen = Vec::new();
    assert_eq!(consumer.poll(|event| seen.push(*event)), 4);
    producer.publish(write).unwrap();
    assert_eq!(consumer.poll(|event| seen.push(*event)), 1);
    assert_eq!(seen, [0, 1, 2, 3, 4]);
}

#[test]
fn a_batch_is_published_together_and_read_together() {
    let mut events = EventLoop::<u32>::new(8);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    for start in [0, 6, 12] {
        producer.publish_batch(6, |slots| slots.zip(start..).for_each(|(event, number)| *event = number)).unwrap();
        assert_eq!(consumer.batch(4).iter().copied().collect::<Vec<_>>(), (start..start + 4).collect::<Vec<_>>());
        assert_eq!(consumer.batch(4).iter().copied().collect::<Vec<_>>(), [start + 4, start + 5]);
    }
    assert_eq!(consumer.batch(4).iter().count(), 0);
}

#[test]
fn a_producer_that_panics_leaves_no_gap_and_no_half_written_event() {
    fn check<C: PanickingProducer>(mut producer: C, poll: &mut dyn FnMut() -> Vec<u32>) {
        for start in [1, 11, 21] {
            producer.publish(start);
            producer.panic();
            producer.publish(start + 1);
            assert_eq!(poll(), [start, start + 1]);
        }
    }
    trait PanickingProducer {
        fn publish(&mut self, number: u32);
        fn panic(&mut self);
    }
    impl<T: FnMut(Option<u32>)> PanickingProducer for T {
        fn publish(&mut self, number: u32) {
            self(Some(number));
        }
        fn panic(&mut self) {
            assert!(catch_unwind(AssertUnwindSafe(|| self(None))).is_err());
        }
    }
    let write = |event: &mut u32, number: Option<u32>| {
        *event = 1_000;
        *event = number.expect("on purpose");
    };

    let mut events = EventLoop::new(4);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    let mut poll = || {
        let mut seen = Vec::new();
        (0..3).for_each(|_| _ = consumer.poll(|event| seen.push(*event)));
        seen
    };
    check(|number| producer.publish(|event| write(event, number)).unwrap(), &mut poll);

    let mut events = EventLoop::for_one_producer(4);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    let mut poll = || consumer.batch(4).iter().copied().collect();
    check(|number| producer.publish(|event| write(event, number)).unwrap(), &mut poll);
}

#[test]
fn a_consumer_that_panics_loses_that_event_only() {
    let mut events = EventLoop::for_one_producer(8);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    (1..=4).for_each(|number| producer.publish(|event| *event = number).unwrap());
    drop(producer);
    let mut seen = Vec::new();
    consumer.run_until_closed(|number| {
        assert!(*number != 2, "on purpose");
        seen.push(*number);
    });
    assert_eq!(seen, [1, 3, 4]);
    assert_eq!(consumer.panics(), 1);
    assert!(consumer.last_panic().unwrap().ends_with("on purpose"));
}

#[test]
fn a_consumer_that_goes_holds_up_nobody() {
    let mut events = EventLoop::<u32>::new(4);
    let first = events.consumer(PARK);
    let mut second = events.consumer_after(&[&first], PARK);
    let mut producer = events.producer();
    (0..4).for_each(|number| producer.publish(|event| *event = number).unwrap());
    assert_eq!(second.poll(|_| ()), 0);
    drop(first);
    while second.poll(|_| ()) > 0 {}
    assert_eq!(second.waiting(), 0);
    producer.publish(|event| *event = 4).unwrap();
    drop(second);
    while producer.publish(|_| ()).is_ok() {}
    assert!(matches!(producer.publish(|_| ()), Err(SendError::NoReceiver(_))));
}

#[test]
fn a_consumer_sleeps_until_there_is_something_or_never_will_be() {
    for wait in [WaitStrategy::Spin, WaitStrategy::SpinThenPark(Duration::from_micros(50)), PARK] {
        let mut events = EventLoop::for_one_producer(8);
        let mut consumer = events.consumer(wait);
        let mut producer = events.producer();
        assert_eq!(consumer.wait(Duration::from_millis(1)), Waited::TimedOut);
        let publisher = thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            producer.publish(|event| *event = 1).unwrap();
            producer
        });
        assert_eq!(consumer.wait(LONG), Waited::Ready);
        assert_eq!(consumer.poll(|event| assert_eq!(*event, 1)), 1);
        drop(publisher.join().unwrap());
        assert_eq!(consumer.wait(LONG), Waited::Closed);
    }
}

#[test]
fn events_keep_their_buffers() {
    let mut events = EventLoop::<Vec<u8>>::for_one_producer(2);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    for round in 0..10 {
        let write = |event: &mut Vec<u8>| {
            assert!(round < 2 || event.capacity() >= 100);
            event.clear();
            event.resize(100, round);
        };
        producer.publish(write).unwrap();
        assert_eq!(consumer.poll(|event| assert_eq!(*event, [round; 100])), 1);
    }
}
