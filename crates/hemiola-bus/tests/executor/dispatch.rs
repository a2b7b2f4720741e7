//! The choice of the next callback, and of its message.

use std::sync::mpsc;

use hemiola_bus::{Actor, Batch, Order, Priority, Publisher, Topic, WhenFull};

use super::{Bench, MILLISECOND, milliseconds, topic};

#[test]
fn a_flood_delays_a_more_important_message_by_one_callback_at_most() {
    let mut bench = Bench::new();
    let (flood, urgent) = (topic("flood"), topic("urgent"));
    let mut flooding = flood.publisher();
    // The callback publishes to its own topic, so that there is always another message.
    let mut feeding = flood.publisher();
    let log = bench.log.clone();
    let callback = move |count: &u64| {
        feeding.publish(count + 1);
        log.send(format!("flood {count}")).unwrap();
    };
    bench.executor.subscribe(&flood, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&urgent, 2, "urgent");
    let mut publisher = urgent.publisher();
    (0..10).for_each(|count| flooding.publish(count));
    for count in 0..3 {
        (0..5).for_each(|_| assert!(bench.executor.run_one()));
        publisher.publish(count);
        assert!(bench.executor.run_one());
        let calls = bench.calls();
        assert_eq!(calls.len(), 6);
        assert_eq!(calls[5], format!("urgent {count}"));
    }
}

#[test]
fn a_callback_is_never_preempted_by_another_one() {
    let mut bench = Bench::new();
    let (slow, fast) = (topic("slow"), topic("fast"));
    let (mut publisher, log) = (fast.publisher(), bench.log.clone());
    let callback = move |_: &u64| {
        publisher.publish(7);
        log.send("slow is done".into()).unwrap();
    };
    bench.executor.subscribe(&slow, Priority(1), 4, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&fast, 9, "fast");
    slow.publisher().publish(0);
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["slow is done", "fast 7"]);
}

#[test]
fn callbacks_of_equal_priority_take_turns() {
    let mut bench = Bench::new();
    let topics = ["a", "b", "c"].map(topic);
    for (topic, name) in topics.iter().zip(["a", "b", "c"]) {
        bench.subscribe(topic, 5, name);
    }
    let mut publishers = topics.each_ref().map(Topic::publisher);
    for count in 0..3 {
        publishers.iter_mut().for_each(|publisher| publisher.publish(count));
    }
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["a 0", "b 0", "c 0", "a 1", "b 1", "c 1", "a 2", "b 2", "c 2"]);
}

#[test]
fn the_messages_of_a_chain_arrive_in_order() {
    let mut bench = Bench::new();
    let (first, second) = (topic("first"), topic("second"));
    let mut publisher = second.publisher();
    let relay = move |count: &u64| publisher.publish(10 * count);
    bench.executor.subscribe(&first, Priority(1), 16, WhenFull::DropOldest, relay).unwrap();
    bench.subscribe(&second, 2, "second");
    let mut publisher = first.publisher();
    (1..=4).for_each(|count| publisher.publish(count));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["second 10", "second 20", "second 30", "second 40"]);
}

#[test]
fn callbacks_of_one_topic_and_priority_count_as_one_and_each_gets_every_message() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    ["first", "second", "third"].into_iter().for_each(|name| bench.subscribe(&topic, 5, name));
    bench.subscribe(&topic, 6, "important");
    let mut publisher = topic.publisher();
    (0..2).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 4);
    let order = ["important 0", "important 1", "first 0", "second 0", "third 0", "first 1", "second 1", "third 1"];
    assert_eq!(bench.calls(), order);
    let reports = bench.executor.handle().callbacks();
    assert_eq!(reports.iter().map(|report| report.callbacks).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn a_batch_holds_all_that_is_there() {
    let mut bench = Bench::new();
    let (topic, log) = (topic("range"), bench.log.clone());
    let callback = move |batch: Batch<u64>| {
        log.send(format!("{:?}", batch.iter().map(|count| *count).collect::<Vec<_>>())).unwrap();
    };
    bench.executor.subscribe_batched(&topic, Priority(1), 4, WhenFull::DropOldest, callback).unwrap();
    let mut publisher = topic.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 1);
    (3..5).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 1);
    assert_eq!(bench.calls(), ["[0, 1, 2]", "[3, 4]"]);
}

#[test]
fn in_ros2s_order_each_callback_is_called_once_per_look() {
    let mut bench = Bench::new().order(Order::Ros2);
    let (first, second) = (topic("first"), topic("second"));
    bench.subscribe(&first, 1, "first");
    bench.subscribe(&second, 9, "second");
    let (mut publisher, log) = (second.publisher(), bench.log.clone());
    let timer = move |_| {
        publisher.publish(9);
        log.send("timer".into()).unwrap();
    };
    bench.executor.every(MILLISECOND, Priority(0), timer).unwrap();
    let mut publisher = first.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    bench.clock.set(milliseconds(1));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["timer", "first 0", "first 1", "second 9", "first 2"]);
}

#[test]
fn in_two_phases_what_is_sent_while_messages_are_delivered_waits_for_the_next_turn() {
    let mut bench = Bench::new();
    let (ping, pong) = (topic("ping"), topic("pong"));
    bench.subscribe(&pong, 9, "pong");
    let (mut back, log) = (pong.publisher(), bench.log.clone());
    let mut again = ping.publisher();
    let callback = move |batch: Batch<u64>| {
        batch.iter().for_each(|count| {
            back.publish(10 * *count);
            again.publish(*count + 1);
        });
        log.send(format!("{} pings", batch.len())).unwrap();
    };
    bench.executor.subscribe_batched(&ping, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    let mut publisher = ping.publisher();
    (1..=2).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_waiting(), 2);
    assert_eq!(bench.calls(), ["2 pings"]);
    assert_eq!(bench.executor.run_waiting(), 4);
    assert_eq!(bench.calls(), ["pong 10", "pong 20", "2 pings"]);
}

#[test]
fn an_actor_on_an_executor_is_called_by_priority_and_one_call_at_a_time() {
    let mut bench = Bench::new();
    let topic = topic("urgent");
    bench.subscribe(&topic, 9, "urgent");
    let state = (topic.publisher(), bench.log.clone());
    let make = |signal| {
        let (mut actor, handle) = Actor::with_signal(state, 16, signal);
        (move || actor.run(1) > 0, handle)
    };
    let (_, mut actor) = bench.executor.attend("actor", Priority(1), make).unwrap();
    for count in 0..3 {
        let call = move |(urgent, log): &mut (Publisher<u64>, mpsc::Sender<String>)| {
            urgent.publish(count);
            log.send(format!("actor {count}")).unwrap();
        };
        assert!(actor.send(call).is_ok());
    }
    assert_eq!(bench.executor.run_ready(), 6);
    assert_eq!(bench.calls(), ["actor 0", "urgent 0", "actor 1", "urgent 1", "actor 2", "urgent 2"]);
}
