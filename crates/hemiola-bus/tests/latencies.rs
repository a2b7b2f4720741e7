//! The reports of a bus about how long calls and events wait, and how many do.
#![cfg(not(loom))]

use hemiola_bus::{Actor, ActorReport, Bus, EventLoop, EventLoopReport, WaitStrategy};
use hemiola_realtime::monotonic_now;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const WAIT: Duration = Duration::from_millis(2);
/// The time that must be seen of two milliseconds: a sixteenth may be lost to rounding, and some
/// parts per million to the clock.
const SEEN: u64 = 1_800_000;
const PARK: WaitStrategy = WaitStrategy::Park;

fn let_wait() {
    let start = monotonic_now();
    while monotonic_now() < start + WAIT {}
}

fn actor(bus: &Bus) -> ActorReport {
    bus.actors().pop().expect("one is listed")
}

fn event_loop(bus: &Bus) -> EventLoopReport {
    bus.event_loops().pop().expect("one is listed")
}

#[test]
fn of_each_handles_calls_the_first_of_sixteen_is_timed() {
    let bus = Bus::with_timing();
    let (mut actor, mut left) = Actor::new(0, 64);
    let mut right = left.clone();
    left.send(|count| *count += 1).unwrap();
    actor.run(64);
    bus.list_actor("counter", &actor);
    (1..33).for_each(|_| left.send(|count| *count += 1).unwrap());
    (0..16).for_each(|_| right.send(|count| *count += 1).unwrap());
    let_wait();
    actor.run(64);

    let latency = self::actor(&bus).latency.unwrap();
    assert_eq!((actor.state(), latency.count), (&49, 2 + 1), "the very first was sent while nobody measured");
    assert!(latency.p01 >= SEEN && latency.maximum >= latency.p01, "{latency:?}");
}

#[test]
fn calls_that_ask_are_timed_unless_the_stamp_needed_a_box() {
    let bus = Bus::with_timing();
    let (mut actor, mut handle) = Actor::new((), 64);
    bus.list_actor("adder", &actor);
    let count = |bus: &Bus| self::actor(bus).latency.unwrap().count;
    let small = [1_u64; 5];
    let answer = handle.call_async(move |()| small.iter().sum::<u64>()).unwrap();
    actor.run(64);
    assert_eq!(count(&bus), 1);
    drop(answer);

    (1..16).for_each(|_| handle.send(|()| ()).unwrap());
    let large = [1_u64; 6];
    let answer = handle.call_async(move |()| large.iter().sum::<u64>()).unwrap();
    actor.run(64);
    assert_eq!(count(&bus), 1);
    drop(answer);

    (1..16).for_each(|_| handle.send(|()| ()).unwrap());
    handle.send(move |()| assert_eq!(large.len(), 6)).unwrap();
    actor.run(64);
    assert_eq!((count(&bus), actor.panics()), (2, 0), "one that nobody waits for has room for it");
}

#[test]
fn a_timed_call_that_is_refused_comes_back_as_it_was() {
    let bus = Bus::with_timing();
    let (mut actor, mut handle) = Actor::new(Vec::new(), 16);
    bus.list_actor("list", &actor);
    (0..16).for_each(|number| handle.send(move |list| list.push(number)).unwrap());
    let Err(refused) = handle.send(|list| list.push(16)) else { panic!("it is full") };
    actor.run(64);
    handle.send(refused.into_inner()).unwrap();
    actor.run(64);
    assert_eq!(actor.state(), &(0..17).collect::<Vec<_>>());
    assert_eq!(self::actor(&bus).latency.unwrap().count, 2);
}

#[test]
fn calls_that_wait_are_counted_also_of_handles_that_are_gone() {
    let bus = Bus::new();
    let (mut actor, mut left) = Actor::new(0, 64);
    bus.list_actor("counter", &actor);
    let mut right = left.clone();
    (0..5).for_each(|_| left.send(|count| *count += 1).unwrap());
    (0..7).for_each(|_| right.send(|count| *count += 1).unwrap());
    drop(right);
    assert_eq!(self::actor(&bus).depth, 12);
    actor.run(8);
    assert_eq!(self::actor(&bus).depth, 4);
    actor.run(8);
    let mut third = left.clone(); // in the lane of the second
    third.send(|count| *count += 1).unwrap();
    let report = self::actor(&bus);
    assert_eq!((report.depth, report.calls, report.latency), (1, 12, None), "this bus measures no time");
}

#[test]
fn of_sixteen_events_each_consumer_times_the_first() {
    let bus = Bus::with_timing();
    let mut events = EventLoop::for_one_producer(64);
    let mut one_by_one = events.consumer(PARK);
    let mut in_batches = events.consumer(PARK);
    let mut producer = events.producer();
    producer.publish(|event| *event = 0).unwrap();
    bus.list_event_loop("numbers", &producer);
    (1..20).for_each(|number| producer.publish(|event| *event = number).unwrap());
    producer.publish_batch(30, |slots| slots.zip(20..).for_each(|(event, number)| *event = number)).unwrap();
    let_wait();
    let mut sum = 0;
    while one_by_one.poll(|event| sum += event) > 0 {}
    assert_eq!((sum, in_batches.batch(64).iter().sum::<u64>()), (49 * 50 / 2, 49 * 50 / 2));

    for consumer in event_loop(&bus).consumers {
        let latency = consumer.latency.unwrap();
        assert_eq!((consumer.depth, latency.count), (0, 3), "16, 32 and 48; nobody measured when 0 was published");
        assert!(latency.p01 >= SEEN, "{latency:?}");
    }
}

#[test]
fn a_small_ring_times_as_many_events_as_a_large_one_and_none_that_was_not_written() {
    let bus = Bus::with_timing();
    let mut events = EventLoop::new(4);
    let mut consumer = events.consumer(PARK);
    let mut producer = events.producer();
    bus.list_event_loop("numbers", &producer);
    let fail = |_: &mut u64| panic!("on purpose");
    for number in 0..64_u64 {
        if number == 32 {
            assert!(catch_unwind(AssertUnwindSafe(|| producer.publish(fail))).is_err());
        } else {
            producer.publish(|event| *event = number).unwrap();
        }
        assert_eq!(consumer.poll(|event| assert_eq!(*event, number)), usize::from(number != 32));
    }
    let numbers = event_loop(&bus);
    assert_eq!((numbers.published, numbers.consumers[0].latency.unwrap().count), (64, 3));
    assert!(numbers.consumers[0].latency.unwrap().maximum < 60_000_000_000, "no stamp is old: {numbers:?}");
}

#[test]
fn event_loops_on_a_bus_that_measures_no_time_have_no_latency() {
    let bus = Bus::new();
    let mut events = EventLoop::<u8>::new(4);
    let _consumer = events.consumer(PARK);
    let mut producer = events.producer();
    bus.list_event_loop("numbers", &producer);
    producer.publish(|event| *event = 1).unwrap();
    let consumer = event_loop(&bus).consumers[0];
    assert_eq!((consumer.depth, consumer.latency), (1, None));
}
