//! Requests of safe code that are strange but must be harmless.
#![cfg(not(loom))]

use hemiola_bus::exchange::{QueueReader, QueueWriter, queue};
use hemiola_bus::{Bus, EventLoop, SendError, WaitStrategy, WhenFull};

/// Whoever can be shared by threads shares nothing that cannot; `exchange::LatestReader` says in
/// its documentation what is refused.
#[test]
fn ends_go_from_thread_to_thread_with_what_may() {
    fn is_send<T: Send>() {}
    is_send::<QueueWriter<std::cell::Cell<u8>>>();
    is_send::<QueueReader<std::cell::Cell<u8>>>();
    is_send::<hemiola_bus::exchange::LatestReader<std::cell::Cell<u8>>>();
    fn is_sync<T: Sync>() {}
    is_sync::<hemiola_bus::exchange::LatestReader<u8>>();
    is_sync::<hemiola_bus::Client<std::cell::Cell<u8>, std::cell::Cell<u8>>>();
}

#[test]
fn a_batch_of_more_events_than_there_is_room_for_is_refused_and_touches_no_event() {
    let mut events = EventLoop::<Vec<u64>>::new(4);
    let mut consumer = events.consumer(WaitStrategy::Spin);
    let mut producer = events.producer();
    producer.publish(|event| *event = vec![42; 1000]).unwrap();
    let batch = consumer.batch(usize::MAX);
    let event = batch.iter().next().unwrap();
    for count in [usize::MAX, usize::MAX - 1, 1 << 63, 5] {
        let refused = producer.publish_batch(count, |_| panic!("there is no room for {count} events"));
        assert!(matches!(refused, Err(SendError::Full(_))));
    }
    assert_eq!(producer.refused(), u64::MAX, "counted as far as numbers go");
    producer.publish(|event| *event = Vec::new()).unwrap();
    assert_eq!(event, &[42; 1000]);
    drop(batch);
    producer.publish_batch(2, |slots| slots.for_each(|event| event.push(7))).unwrap();
    let mut lengths = Vec::new();
    assert_eq!(consumer.poll(|event| lengths.push(event.len())), 3);
    assert_eq!(lengths, [0, 1, 1]);
}

#[test]
fn the_same_holds_for_one_producer() {
    let mut events = EventLoop::<u64>::for_one_producer(4);
    let mut consumer = events.consumer(WaitStrategy::Spin);
    let mut producer = events.producer();
    producer.publish(|event| *event = 1).unwrap();
    assert!(producer.publish_batch(usize::MAX, |_| ()).is_err());
    assert_eq!(consumer.poll(|event| assert_eq!(*event, 1)), 1);
    assert_eq!(consumer.poll(|_| panic!("there was but one event")), 0);
}

#[test]
fn rings_of_more_places_than_there_can_be_are_refused() {
    let refused = |make: fn()| std::panic::catch_unwind(make).expect_err("no memory has so many places");
    refused(|| drop(queue::<()>(usize::MAX)));
    refused(|| drop(queue::<u64>(usize::MAX)));
    refused(|| drop(EventLoop::<()>::new(usize::MAX)));
    refused(|| drop(EventLoop::<()>::for_one_producer((1 << 63) + 1)));
}

#[test]
fn a_queue_that_asks_for_too_much_leaves_its_topic_as_it_was() {
    let topic = Bus::new().topic::<u64>("count").unwrap();
    let mut publisher = topic.publisher();
    for capacity in [usize::MAX, 1 << 63, 1 << 61] {
        let joining = std::panic::AssertUnwindSafe(|| topic.queue(capacity, WhenFull::DropOldest));
        assert!(std::panic::catch_unwind(joining).is_err());
    }
    let mut queue = topic.queue(2, WhenFull::DropOldest);
    (0..100).for_each(|count| publisher.publish(count));
    assert_eq!(queue.batch(2).iter().map(|count| *count).collect::<Vec<_>>(), [98, 99]);
    assert_eq!(topic.report().subscribers.len(), 1);
}
