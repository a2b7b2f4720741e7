//! Publishers and receivers that join a topic and leave it, at any moment.

use super::{assert_ascending, bounded};
use crate::signal::Signal;
use crate::topic::hub::Hub;
use crate::topic::{Latest, Publisher, Queue, Sample, Seat};
use crate::when_full::WhenFull;
use loom::thread::JoinHandle;
use std::ops::RangeInclusive;
use std::sync::Arc;

fn hub() -> Arc<Hub<u64>> {
    Arc::new(Hub::new("model".into(), None))
}

/// Creates a topic with a publisher.
fn topic() -> (Arc<Hub<u64>>, Publisher<u64>) {
    let hub = hub();
    let publisher = Publisher::join(hub.clone(), Seat::Outside);
    (hub, publisher)
}

/// Creates a topic that keeps its last message, which is 1; meanwhile 2 is published.
fn topic_that_keeps_its_last() -> (Arc<Hub<u64>>, JoinHandle<Publisher<u64>>) {
    let (hub, mut publisher) = topic();
    hub.keep_last();
    publisher.publish(1);
    (hub, publish(publisher, 2..=2))
}

/// Publishes on another thread, which then returns the publisher.
fn publish(mut publisher: Publisher<u64>, values: RangeInclusive<u64>) -> JoinHandle<Publisher<u64>> {
    loom::thread::spawn(move || {
        values.for_each(|value| publisher.publish(value));
        publisher
    })
}

/// Asserts that a publisher that is done on the other thread has everything back with the next
/// message.
fn assert_keeps_no_slot(publisher: JoinHandle<Publisher<u64>>) -> Publisher<u64> {
    let mut publisher = publisher.join().unwrap();
    publisher.publish(9);
    assert_eq!(publisher.slots_in_use(), 0);
    publisher
}

/// Creates a queue for so many messages that drops the oldest.
fn queue_of(hub: &Arc<Hub<u64>>, capacity: usize) -> Queue<u64> {
    Queue::join(hub.clone(), capacity, WhenFull::DropOldest, Signal::Nothing, None)
}

fn latest_of(hub: &Arc<Hub<u64>>) -> Latest<u64> {
    Latest::join(hub.clone(), Signal::Nothing)
}

/// Copies a message.
fn value(message: Option<Sample<'_, u64>>) -> Option<u64> {
    message.map(|message| *message)
}

/// Receives all that waits in a queue.
fn rest(queue: &mut Queue<u64>) -> Vec<u64> {
    std::iter::from_fn(|| value(queue.receive())).collect()
}

#[test]
fn loom_a_queue_that_leaves_while_a_message_comes_keeps_no_slot() {
    bounded(|| {
        let (hub, publisher) = topic();
        let queue = queue_of(&hub, 1);
        let publishing = publish(publisher, 1..=1);
        drop(queue);
        let mut publisher = assert_keeps_no_slot(publishing);
        // The next receiver finds the slots that it needs.
        let mut next = queue_of(&hub, 1);
        publisher.publish(3);
        publisher.publish(4);
        assert_eq!(value(next.receive()), Some(4));
    });
}

#[test]
fn loom_a_queue_that_leaves_with_a_message_gives_it_back_when_it_is_done() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let mut queue = queue_of(&hub, 1);
        publisher.publish(1);
        // The model checker reports if one of these is written while the receiver reads.
        let publishing = publish(publisher, 2..=4);
        assert!(value(queue.receive()).is_none_or(|value| (1..=4).contains(&value)));
        drop(queue);
        assert_keeps_no_slot(publishing);
    });
}

#[test]
fn loom_a_word_that_is_left_while_a_message_comes_keeps_no_slot() {
    bounded(|| {
        let (hub, publisher) = topic();
        let mut latest = latest_of(&hub);
        let publishing = publish(publisher, 1..=2);
        assert!(value(latest.get()).is_none_or(|value| (1..=2).contains(&value)));
        drop(latest);
        assert_keeps_no_slot(publishing);
    });
}

#[test]
fn loom_what_a_publisher_that_left_has_sent_is_read_while_the_next_one_goes_on() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let mut queue = queue_of(&hub, 1);
        publisher.publish(1);
        let publishing = loom::thread::spawn(move || {
            drop(publisher);
            let mut next = Publisher::join(hub, Seat::Outside);
            (2..=4).for_each(|value| next.publish(value));
            next
        });
        assert_ascending((0..2).filter_map(|_| value(queue.receive())));
        drop(queue);
        assert_keeps_no_slot(publishing);
    });
}

#[test]
fn loom_who_leaves_at_the_same_time_after_the_publisher_keeps_no_slot() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let queue = queue_of(&hub, 1);
        let mut latest = latest_of(&hub);
        publisher.publish(1);
        drop(publisher);
        let leaving = loom::thread::spawn(move || drop(queue));
        assert_eq!(value(latest.get()), Some(1));
        drop(latest);
        leaving.join().unwrap();
        assert_eq!(Publisher::join(hub, Seat::Outside).slots_in_use(), 0);
    });
}

#[test]
fn loom_a_queue_that_joins_gets_all_from_some_message_on() {
    bounded(|| {
        let (hub, publisher) = topic();
        let publishing = publish(publisher, 1..=2);
        let mut queue = queue_of(&hub, 2);
        publishing.join().unwrap();
        assert!([1, 2].ends_with(&rest(&mut queue)));
    });
}

#[test]
fn loom_who_joins_a_topic_that_keeps_its_last_message_misses_none() {
    bounded(|| {
        let (hub, publishing) = topic_that_keeps_its_last();
        let mut queue = queue_of(&hub, 2);
        publishing.join().unwrap();
        let received = rest(&mut queue);
        assert!(received == [1, 2] || received == [2]);
    });
}

#[test]
fn loom_who_asks_for_the_newest_of_a_topic_that_keeps_its_last_message_gets_it() {
    bounded(|| {
        let (hub, publishing) = topic_that_keeps_its_last();
        let mut latest = latest_of(&hub);
        assert!(latest.get().is_some());
        publishing.join().unwrap();
        assert_eq!(value(latest.get()), Some(2));
    });
}

#[test]
fn loom_two_publishers_share_a_word() {
    bounded(|| {
        let hub = hub();
        let mut latest = latest_of(&hub);
        let publishing = [1, 2].map(|value| publish(Publisher::join(hub.clone(), Seat::Outside), value..=value));
        latest.get();
        publishing.into_iter().for_each(|thread| _ = thread.join().unwrap());
        assert!(value(latest.get()).is_some_and(|value| value == 1 || value == 2));
    });
}
