use crate::{Bus, Signal, Topic, WhenFull};
use std::sync::Arc;

fn topic<T: crate::Message>() -> Topic<T> {
    Bus::new().topic("test").unwrap()
}

fn all<T: crate::Message + Copy>(queue: &mut crate::Queue<T>) -> Vec<T> {
    std::iter::from_fn(|| queue.receive().map(|message| *message)).collect()
}

#[test]
fn every_receiver_gets_every_message_in_order() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let mut queues: Vec<_> = (0..3).map(|_| topic.queue(8, WhenFull::DropOldest)).collect();
    (0..8).for_each(|value| publisher.publish(value));
    for queue in &mut queues {
        assert_eq!(all(queue), (0..8).collect::<Vec<i32>>());
    }
}

#[test]
fn a_message_is_not_copied() {
    let topic = topic::<[u8; 32]>();
    let mut publisher = topic.publisher();
    let (mut first, mut second) = (topic.queue(2, WhenFull::DropOldest), topic.latest());
    publisher.publish([7; 32]);
    assert!(std::ptr::eq(first.receive().unwrap().value(), second.get().unwrap().value()));
}

#[test]
fn receivers_of_copies_and_of_references_get_the_same() {
    let bus = Bus::with_timing();
    let topic = bus.topic("test").unwrap();
    let mut publisher = topic.publisher();
    let mut queues = [WhenFull::DropOldest, WhenFull::DropNewest, WhenFull::Wait]
        .map(|policy| topic.queue_of_copies(4, policy, Signal::Nothing));
    let mut latest = topic.latest();
    for value in 0..20_u64 {
        publisher.publish(value);
        let newest = latest.get().unwrap();
        assert_eq!((*newest, newest.sequence()), (value, value));
        for queue in &mut queues {
            let message = queue.receive().unwrap();
            assert_eq!((*message, message.sequence(), message.stamp()), (value, value, newest.stamp()));
        }
    }
}

#[test]
fn each_queue_of_copies_gets_its_own() {
    let topic = topic::<u64>();
    let mut publisher = topic.publisher();
    let queues = [WhenFull::DropNewest, WhenFull::Wait, WhenFull::DropOldest];
    let mut queues = queues.map(|policy| topic.queue_of_copies(2, policy, Signal::Nothing));
    let mut reader = topic.queue(2, WhenFull::DropOldest);
    publisher.publish(7);
    let [first, second, oldest] = queues.each_mut().map(|queue| queue.receive().unwrap().value());
    assert!(!std::ptr::eq(first, second));
    assert!(std::ptr::eq(oldest, reader.receive().unwrap().value()), "what drops the oldest gets references");
}

#[test]
fn what_only_one_can_have_is_not_given_twice() {
    use std::sync::Mutex;
    let topic = topic::<Mutex<Option<&'static mut u64>>>();
    let mut queues = [WhenFull::DropNewest, WhenFull::Wait].map(|policy| topic.queue(2, policy));
    topic.publisher().publish(Mutex::new(Some(Box::leak(Box::new(7)))));
    let given = queues.each_mut().map(|queue| queue.receive().unwrap().lock().unwrap().take().is_some());
    assert_eq!(given, [true, false]);
}

#[test]
fn the_only_receiver_of_copies_may_join_while_a_message_is_written() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let mut loan = publisher.loan();
    let mut queue = topic.queue_of_copies(2, WhenFull::DropNewest, Signal::Nothing);
    *loan = 7;
    loan.publish();
    publisher.publish(8);
    drop(topic.latest());
    assert_eq!(all(&mut queue), [7, 8]);
}

#[test]
fn a_publisher_of_copies_goes_on_when_its_only_receiver_is_gone_or_not_the_only_one() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let mut queue = topic.queue_of_copies(4, WhenFull::DropNewest, Signal::Nothing);
    publisher.publish(1);
    let mut latest = topic.latest();
    publisher.publish(2);
    assert_eq!(latest.get().as_deref(), Some(&2));
    drop(latest);
    publisher.publish(3);
    publisher.publish(4);
    assert_eq!(all(&mut queue), [1, 2, 3, 4]);
    drop(queue);
    publisher.publish(5);
    assert_eq!(publisher.published(), 5);
}

#[test]
fn who_joins_or_leaves_disturbs_nobody() {
    let topic = topic();
    let mut steady = topic.queue(100, WhenFull::DropOldest);
    let mut publisher = topic.publisher();
    for round in 0..50 {
        let mut guest = topic.queue(2, WhenFull::DropOldest);
        let mut latest = topic.latest();
        publisher.publish(2 * round);
        publisher.publish(2 * round + 1);
        assert_eq!(all(&mut guest), [2 * round, 2 * round + 1]);
        assert_eq!(latest.get().as_deref(), Some(&(2 * round + 1)));
    }
    assert_eq!(all(&mut steady), (0..100).collect::<Vec<i32>>());
}

#[test]
fn a_publisher_always_finds_a_slot() {
    let topic = topic();
    let mut publishers: Vec<_> = (0..3).map(|_| topic.publisher()).collect();
    let mut never_reads = topic.queue(3, WhenFull::DropNewest);
    let mut never_reads_either = topic.queue(5, WhenFull::DropOldest);
    let mut holds_a_batch = topic.queue(4, WhenFull::DropOldest);
    let mut latest = topic.latest();
    for value in 0..1000 {
        publishers.iter_mut().for_each(|publisher| publisher.publish(value));
        assert_eq!(holds_a_batch.batch(4).len(), 3);
        assert_eq!(*latest.get().unwrap(), value);
    }
    assert_eq!(never_reads.batch(3).iter().map(|value| *value).collect::<Vec<i32>>(), [0, 1, 2]);
    assert_eq!(never_reads_either.batch(5).iter().map(|value| *value).collect::<Vec<i32>>(), [995, 996, 997, 998, 999]);
}

#[test]
fn messages_outlive_their_publisher_and_the_next_one_goes_on() {
    let topic = topic();
    let mut queue = topic.queue(8, WhenFull::DropOldest);
    for value in 0..6 {
        topic.publisher().publish(value);
    }
    assert_eq!(all(&mut queue), (0..6).collect::<Vec<i32>>());
}

#[test]
fn publishers_take_turns() {
    let topic = topic();
    let mut queue = topic.queue(8, WhenFull::DropOldest);
    let (mut first, mut second) = (topic.publisher(), topic.publisher());
    (0..3).for_each(|value| first.publish(value));
    (10..12).for_each(|value| second.publish(value));
    assert_eq!(all(&mut queue), [0, 10, 1, 11, 2]);
}

#[test]
fn a_loaned_message_keeps_its_memory() {
    let topic = topic::<Vec<u8>>();
    let mut latest = topic.latest();
    let mut publisher = topic.publisher();
    for _ in 0..10 {
        let mut loan = publisher.loan();
        loan.clear();
        loan.reserve(100);
        loan.publish();
    }
    latest.get();
    let loan = publisher.loan();
    assert!(loan.capacity() >= 100);
}

#[test]
fn what_leaves_takes_its_messages_along() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let content = Arc::new(());
    let mut queue = topic.queue(4, WhenFull::DropOldest);
    (0..4).for_each(|_| publisher.publish(Some(content.clone())));
    assert!(queue.receive().is_some());
    drop((queue, publisher, topic));
    assert_eq!(Arc::strong_count(&content), 1);
}

#[test]
fn back_pressure_loses_nothing() {
    let topic = topic();
    let mut queue = topic.queue(4, WhenFull::Wait);
    let mut publisher = topic.publisher();
    let thread = std::thread::spawn(move || {
        for value in 0..20_000 {
            publisher.publish_waiting(value, std::time::Duration::from_secs(100)).unwrap();
        }
    });
    for expected in 0..20_000 {
        assert!(queue.wait(std::time::Duration::from_secs(100)));
        assert_eq!(*queue.receive().unwrap(), expected);
    }
    thread.join().unwrap();
}

#[test]
fn a_queue_that_leaves_ends_the_wait_for_it() {
    let topic = topic();
    let queue = topic.queue(1, WhenFull::Wait);
    let mut publisher = topic.publisher();
    publisher.publish(1);
    let thread = std::thread::spawn(move || publisher.publish_waiting(2, std::time::Duration::from_secs(100)));
    drop(queue);
    assert_eq!(thread.join().unwrap(), Ok(()));
}

#[test]
fn who_joins_late_gets_the_last_message_of_each_publisher_first() {
    let topic = topic();
    topic.keep_last();
    let (mut first, mut second) = (topic.publisher(), topic.publisher());
    (0..3).for_each(|value| first.publish(value));
    (10..13).for_each(|value| second.publish(value));
    let queues = [topic.queue(4, WhenFull::DropOldest), topic.queue_of_copies(4, WhenFull::Wait, Signal::Nothing)];
    first.publish(3);
    queues.into_iter().for_each(|mut late| assert_eq!(all(&mut late), [2, 12, 3]));
    assert!(topic.latest().get().is_some());
}

#[test]
fn a_topic_that_begins_to_keep_its_last_message_goes_on_with_copies() {
    let topic = topic();
    let mut early = topic.queue_of_copies(4, WhenFull::DropNewest, Signal::Nothing);
    let mut publisher = topic.publisher();
    publisher.publish(1);
    topic.keep_last();
    publisher.publish(2);
    let mut other = topic.publisher();
    other.publish(3);
    assert_eq!(all(&mut early), [1, 3, 2]);
    assert_eq!(all(&mut topic.queue(4, WhenFull::DropNewest)), [2, 3]);
}

#[test]
fn a_late_joiner_that_sleeps_is_woken_for_the_last_message() {
    let topic = topic();
    topic.keep_last();
    topic.publisher().publish(1);
    assert!(topic.queue(4, WhenFull::DropOldest).wait(std::time::Duration::from_secs(100)));
}

#[test]
fn what_is_dropped_is_counted_even_of_queues_that_are_gone() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let mut oldest = topic.queue(2, WhenFull::DropOldest);
    let newest = topic.queue(3, WhenFull::DropNewest);
    let mut latest = topic.latest();
    (0..10).for_each(|value| publisher.publish(value));
    assert_eq!((all(&mut oldest).len(), *latest.get().unwrap()), (2, 9));

    let report = topic.report();
    assert_eq!((report.published, report.publishers, report.dropped), (10, 1, 8 + 7));
    let counts: Vec<_> = report
        .subscribers
        .iter()
        .map(|subscriber| (subscriber.delivered, subscriber.dropped, subscriber.depth, subscriber.deepest))
        .collect();
    assert_eq!(counts, [(2, 8, 0, 2), (0, 7, 3, 3), (1, 9, 0, 1)]);

    drop((newest, publisher));
    let report = topic.report();
    assert_eq!((report.publishers, report.dropped, report.subscribers.len()), (0, 8 + 7, 2));
}

#[test]
fn a_gap_in_the_sequence_shows_what_was_dropped() {
    let topic = topic();
    let mut queue = topic.queue(2, WhenFull::DropOldest);
    let mut publisher = topic.publisher();
    (0..5).for_each(|value| publisher.publish(value));
    assert_eq!(queue.batch(2).iter().map(|message| message.sequence()).collect::<Vec<_>>(), [3, 4]);
}

#[test]
fn a_gap_in_the_sequence_shows_what_was_not_copied() {
    let topic = topic();
    let mut queue = topic.queue_of_copies(2, WhenFull::DropNewest, Signal::Nothing);
    let mut publisher = topic.publisher();
    (0..5).for_each(|value| publisher.publish(value));
    assert_eq!(queue.batch(1).iter().map(|message| message.sequence()).collect::<Vec<_>>(), [0]);
    publisher.publish(5);
    assert_eq!(queue.batch(2).iter().map(|message| message.sequence()).collect::<Vec<_>>(), [1, 5]);
}

#[test]
fn a_bus_that_measures_time_stamps_every_message() {
    let bus = Bus::with_timing();
    let topic = bus.topic::<u8>("test").unwrap();
    let (mut queue, mut latest) = (topic.queue(2, WhenFull::DropOldest), topic.latest());
    topic.publisher().publish(1);
    let stamp = queue.receive().unwrap().stamp().unwrap();
    assert_eq!(latest.get().unwrap().stamp(), Some(stamp));
    let latencies: Vec<_> = bus.topics()[0].subscribers.iter().map(|subscriber| subscriber.latency.unwrap()).collect();
    assert!(latencies.iter().all(|latency| latency.count == 1 && latency.maximum < 10_000_000_000));
}

#[test]
fn a_topic_exists_while_anyone_holds_it() {
    let bus = Bus::new();
    let topic = bus.topic::<u8>("test").unwrap();
    let queue = topic.queue(1, WhenFull::DropOldest);
    drop(topic);
    assert!(bus.topic::<u16>("test").is_err());
    assert_eq!(bus.topics().len(), 1);
    drop(queue);
    assert!(bus.topics().is_empty());
    assert!(bus.topic::<u16>("test").is_ok());
}

#[test]
fn a_receiver_that_panics_lets_go_what_it_held() {
    let topic = topic();
    let mut publisher = topic.publisher();
    let content = Arc::new(());
    let mut queue = topic.queue(1, WhenFull::DropOldest);
    publisher.publish(Some(content.clone()));
    let panicked = std::thread::spawn(move || {
        let _held = queue.receive().unwrap();
        std::panic::resume_unwind(Box::new("a receiver"));
    });
    assert!(panicked.join().is_err());
    let mut next = topic.queue(1, WhenFull::DropOldest);
    (0..10).for_each(|_| publisher.publish(None));
    assert!(next.receive().is_some());
    assert_eq!(Arc::strong_count(&content), 1);
}

#[test]
fn a_publisher_that_leaves_frees_what_receivers_had_that_left_before() {
    let topic = topic();
    let content = Arc::new(());
    let mut publisher = topic.publisher();
    let mut queue = topic.queue(2, WhenFull::DropOldest);
    (0..3).for_each(|_| publisher.publish(Some(content.clone())));
    assert!(queue.receive().is_some());
    drop((queue, publisher));
    // Nobody has joined since: all slots are the next publisher's.
    let mut publisher = topic.publisher();
    (0..5).for_each(|_| publisher.publish(None));
    assert_eq!(Arc::strong_count(&content), 1);
}

#[test]
fn the_last_to_leave_may_hold_messages() {
    let topic = topic();
    topic.keep_last();
    let content = Arc::new(());
    let (mut queue, mut latest, mut publisher) =
        (topic.queue(2, WhenFull::DropOldest), topic.latest(), topic.publisher());
    (0..3).for_each(|_| publisher.publish(Some(content.clone())));
    assert!(queue.receive().is_some() && latest.get().is_some());
    drop((topic, publisher));
    assert_eq!(queue.batch(2).len(), 1);
    drop(queue);
    drop(latest);
    assert_eq!(Arc::strong_count(&content), 1);
}
