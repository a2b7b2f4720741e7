//! One publisher, one receiver, and messages that are copied from one to the other.

use super::{assert_ascending, bounded};
use crate::ready::ReadySet;
use crate::signal::Signal;
use crate::topic::copies::IsCopy;
use crate::topic::hub::Hub;
use crate::topic::{Batch, Publisher, Queue, Seat};
use crate::when_full::WhenFull;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Creates a topic with a publisher and a queue for so many messages, which gets copies.
fn ends(capacity: usize) -> (Publisher<u64>, Queue<u64>) {
    let hub = Arc::new(Hub::new("model".into(), None));
    let queue = join(&hub, capacity);
    (Publisher::join(hub, Seat::Outside), queue)
}

fn join(hub: &Arc<Hub<u64>>, capacity: usize) -> Queue<u64> {
    Queue::join(hub.clone(), capacity, WhenFull::DropNewest, Signal::Nothing, Some(IsCopy::new()))
}

/// Publishes these messages, each in another way than the one before.
fn publish(publisher: &mut Publisher<u64>, values: RangeInclusive<u64>) {
    for value in values {
        if value % 2 == 0 {
            publisher.publish(value);
        } else {
            let mut loan = publisher.loan();
            *loan = value;
            loan.publish();
        }
    }
}

/// Receives all messages, which have the numbers that follow from their values.
fn rest(queue: &mut Queue<u64>) -> Vec<u64> {
    std::iter::from_fn(|| queue.receive().map(|message| (*message, message.sequence())))
        .map(|(value, sequence)| {
            assert_eq!(value, sequence + 1);
            value
        })
        .collect()
}

#[test]
fn loom_copies_come_in_order_and_with_their_numbers() {
    bounded(|| {
        let (mut publisher, mut queue) = ends(2);
        let publishing = loom::thread::spawn(move || publish(&mut publisher, 1..=4));
        let mut received = rest(&mut queue);
        publishing.join().unwrap();
        received.extend(rest(&mut queue));
        assert!(received.starts_with(&[1, 2]));
        assert_ascending(received);
    });
}

/// Reads a batch and receives others, while the publisher fills the ring for the second and third
/// time. The model checker reports if it writes what the receiver reads.
fn around_the_ring(capacity: u64) {
    bounded(move || {
        let (mut publisher, mut queue) = ends(capacity as usize);
        publish(&mut publisher, 1..=capacity);
        assert_eq!(queue.batch(capacity as usize).len() as u64, capacity);
        // Now each place of the ring has a message that is held, or waits.
        publish(&mut publisher, capacity + 1..=2 * capacity);
        let publishing = loom::thread::spawn(move || publish(&mut publisher, 2 * capacity + 1..=5 * capacity));
        let mut last = 0;
        let mut read = |batch: Batch<'_, u64>| {
            for message in batch.iter() {
                assert!(*message > last && message.sequence() + 1 == *message);
                last = *message;
            }
        };
        read(queue.last_batch());
        read(queue.batch(capacity as usize));
        read(queue.batch(capacity as usize));
        publishing.join().unwrap();
    });
}

#[test]
fn loom_a_copy_stays_as_it_is_until_the_next() {
    around_the_ring(1);
}

#[test]
fn loom_a_batch_of_copies_stays_as_it_is_until_the_next() {
    around_the_ring(2);
}

#[test]
fn loom_a_queue_that_gets_copies_joins_while_messages_are_sent() {
    bounded(|| {
        let hub = Arc::new(Hub::new("model".into(), None));
        let mut publisher = Publisher::join(hub.clone(), Seat::Outside);
        let mut references = Queue::join(hub.clone(), 2, WhenFull::DropOldest, Signal::Nothing, None);
        let publishing = loom::thread::spawn(move || {
            publish(&mut publisher, 1..=2);
            publisher
        });
        let mut copies = join(&hub, 2);
        let mut publisher = publishing.join().unwrap();
        assert!([1, 2].ends_with(&rest(&mut copies)));
        assert_eq!(rest(&mut references), [1, 2]);
        drop((references, copies));
        publisher.publish(3);
        assert_eq!(publisher.slots_in_use(), 0);
    });
}

#[test]
fn loom_a_copy_comes_with_the_number_of_its_arrival() {
    loom::model(|| {
        let callbacks = ReadySet::new();
        let hub = Arc::new(Hub::new("model".into(), None));
        let signal = Signal::from(callbacks.ready(0));
        let mut queue = Queue::join(hub.clone(), 1, WhenFull::DropNewest, signal, Some(IsCopy::new()));
        let mut publisher = Publisher::join(hub, Seat::Outside);
        // It is not zero, which is there before.
        let expected = callbacks.arrive() + 1;
        let receiving = loom::thread::spawn(move || queue.next_arrival());
        publisher.publish(1);
        assert!(receiving.join().unwrap().is_none_or(|arrival| arrival == expected));
    });
}
