//! Publishers that wait for room, in every interleaving. Their sleeps end by time: that a receiver
//! ends one earlier is not guaranteed.

use std::sync::Arc;
use std::time::Duration;

use crate::signal::Signal;
use crate::sync::model;
use crate::topic::hub::Hub;
use crate::topic::{Publisher, Queue, Seat};
use crate::when_full::WhenFull;

const LONG: Duration = Duration::from_secs(1000);

/// Creates a publisher, and a queue with room for one of its messages.
fn ends() -> (Publisher<u64>, Queue<u64>) {
    let hub = Arc::new(Hub::new("test".into(), None));
    let publisher = Publisher::join(hub.clone(), Seat::Outside);
    (publisher, Queue::join(hub, 1, WhenFull::Wait, Signal::Nothing, None))
}

#[test]
fn loom_a_publisher_that_waits_for_room_gets_it_and_loses_nothing() {
    model(2, || {
        let (mut publisher, mut queue) = ends();
        let thread = loom::thread::spawn(move || {
            for value in 1..=3 {
                assert!(publisher.publish_waiting(value, LONG).is_ok());
            }
        });
        let mut received = Vec::new();
        while received.len() < 3 {
            match queue.receive().map(|message| *message) {
                Some(value) => received.push(value),
                None => loom::thread::yield_now(),
            }
        }
        thread.join().unwrap();
        assert_eq!(received, [1, 2, 3]);
    });
}

#[test]
fn loom_a_publisher_does_not_wait_for_a_queue_that_leaves() {
    model(2, || {
        let (mut publisher, queue) = ends();
        publisher.publish(1);
        let thread = loom::thread::spawn(move || assert!(publisher.publish_waiting(2, LONG).is_ok()));
        drop(queue);
        thread.join().unwrap();
    });
}
