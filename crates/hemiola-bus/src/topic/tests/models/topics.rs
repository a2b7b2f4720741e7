//! Those who join a topic and leave it, at whatever moment.

use super::{assert_ascending, bounded};
use crate::signal::Signal;
use crate::topic::hub::Hub;
use crate::topic::lane::WhenFull;
use crate::topic::{Latest, Publisher, Queue};
use std::sync::Arc;

fn hub() -> Arc<Hub<u64>> {
    Arc::new(Hub::new("model".into(), None))
}

/// A topic with a publisher.
fn topic() -> (Arc<Hub<u64>>, Publisher<u64>) {
    let hub = hub();
    let publisher = Publisher::join(hub.clone());
    (hub, publisher)
}

/// For so many messages, of which the oldest make room.
fn queue_of(hub: &Arc<Hub<u64>>, capacity: usize) -> Queue<u64> {
    Queue::join(hub.clone(), capacity, WhenFull::DropOldest, Signal::Nothing)
}

fn latest_of(hub: &Arc<Hub<u64>>) -> Latest<u64> {
    Latest::join(hub.clone(), Signal::Nothing)
}

/// What waits in a queue.
fn rest(queue: &mut Queue<u64>) -> Vec<u64> {
    std::iter::from_fn(|| queue.receive().map(|message| *message)).collect()
}

#[test]
fn loom_a_queue_that_leaves_while_a_message_comes_keeps_no_slot() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let queue = queue_of(&hub, 1);
        let thread = loom::thread::spawn(move || {
            publisher.publish(1);
            publisher
        });
        drop(queue);
        let mut publisher = thread.join().unwrap();
        publisher.publish(2);
        assert_eq!(publisher.slots_in_use(), 0);
        // Whatever the next receiver needs is there.
        let mut next = queue_of(&hub, 1);
        publisher.publish(3);
        publisher.publish(4);
        assert_eq!(next.receive().map(|message| *message), Some(4));
    });
}

#[test]
fn loom_a_queue_that_leaves_with_a_message_gives_it_back_when_it_is_done() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let mut queue = queue_of(&hub, 1);
        publisher.publish(1);
        let thread = loom::thread::spawn(move || {
            // The model checker finds out if one of these is written while the receiver reads.
            (2..=4).for_each(|value| publisher.publish(value));
            publisher
        });
        if let Some(message) = queue.receive() {
            assert!((1..=4).contains(&*message));
        }
        drop(queue);
        let mut publisher = thread.join().unwrap();
        publisher.publish(5);
        assert_eq!(publisher.slots_in_use(), 0);
    });
}

#[test]
fn loom_a_word_that_is_left_while_a_message_comes_keeps_no_slot() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let mut latest = latest_of(&hub);
        let thread = loom::thread::spawn(move || {
            (1..=2).for_each(|value| publisher.publish(value));
            publisher
        });
        if let Some(message) = latest.get() {
            assert!((1..=2).contains(&*message));
        }
        drop(latest);
        let mut publisher = thread.join().unwrap();
        publisher.publish(3);
        assert_eq!(publisher.slots_in_use(), 0);
    });
}

#[test]
fn loom_what_a_publisher_that_left_has_sent_is_read_while_the_next_one_goes_on() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let mut queue = queue_of(&hub, 1);
        publisher.publish(1);
        let thread = loom::thread::spawn(move || {
            drop(publisher);
            let mut next = Publisher::join(hub);
            (2..=4).for_each(|value| next.publish(value));
            next
        });
        assert_ascending((0..2).filter_map(|_| queue.receive().map(|message| *message)));
        let mut publisher = thread.join().unwrap();
        drop(queue);
        publisher.publish(5);
        assert_eq!(publisher.slots_in_use(), 0);
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
        let thread = loom::thread::spawn(move || drop(queue));
        assert_eq!(latest.get().map(|message| *message), Some(1));
        drop(latest);
        thread.join().unwrap();
        assert_eq!(Publisher::join(hub).slots_in_use(), 0);
    });
}

#[test]
fn loom_a_queue_that_joins_gets_all_from_some_message_on() {
    bounded(|| {
        let (hub, mut publisher) = topic();
        let thread = loom::thread::spawn(move || (1..=2).for_each(|value| publisher.publish(value)));
        let mut queue = queue_of(&hub, 2);
        thread.join().unwrap();
        let received = rest(&mut queue);
        assert!([1, 2].ends_with(&received));
    });
}

#[test]
fn loom_who_joins_a_topic_that_keeps_its_last_message_misses_none() {
    bounded(|| {
        let hub = hub();
        hub.keep_last();
        let mut publisher = Publisher::join(hub.clone());
        publisher.publish(1);
        let thread = loom::thread::spawn(move || publisher.publish(2));
        let mut queue = queue_of(&hub, 2);
        thread.join().unwrap();
        let received = rest(&mut queue);
        assert!(received == [1, 2] || received == [2]);
    });
}

#[test]
fn loom_who_asks_for_the_newest_of_a_topic_that_keeps_its_last_message_gets_it() {
    bounded(|| {
        let hub = hub();
        hub.keep_last();
        let mut publisher = Publisher::join(hub.clone());
        publisher.publish(1);
        let thread = loom::thread::spawn(move || publisher.publish(2));
        let mut latest = latest_of(&hub);
        assert!(latest.get().is_some());
        thread.join().unwrap();
        assert_eq!(latest.get().map(|message| *message), Some(2));
    });
}

#[test]
fn loom_two_publishers_share_a_word() {
    bounded(|| {
        let hub = hub();
        let mut latest = latest_of(&hub);
        let threads = [1, 2].map(|value| {
            let mut publisher = Publisher::join(hub.clone());
            loom::thread::spawn(move || publisher.publish(value))
        });
        let _ = latest.get().map(|message| *message);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(latest.get().is_some_and(|message| *message == 1 || *message == 2));
    });
}
