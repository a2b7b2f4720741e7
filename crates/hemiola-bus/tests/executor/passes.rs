//! An executor that calls one callback for several messages in a row behaves as one that checks for
//! others after each message.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::{Executor, ExecutorHandle, Priority, RobotClock, Topic, WhenFull};
use hemiola_model::Time;
use proptest::prelude::*;

use super::topic;

type Log = Arc<Mutex<Vec<String>>>;

fn executor(clock: &Arc<RobotClock>) -> Executor {
    Executor::new("passes", clock)
}

/// Subscribes a callback that logs its name and the message, and then calls `then`.
fn subscribe(
    executor: &ExecutorHandle,
    (topic, priority): (&Topic<u64>, u16),
    log: &Log,
    mut then: impl FnMut(u64) + Send + 'static,
) {
    let (name, log) = (topic.name().to_owned(), log.clone());
    let callback = move |count: &u64| {
        log.lock().unwrap().push(format!("{name} {count}"));
        then(*count);
    };
    executor.subscribe(topic, Priority(priority), 64, WhenFull::DropNewest, callback).unwrap();
}

fn calls(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[test]
fn whatever_becomes_ready_ends_a_pass() {
    let (clock, log) = (Arc::new(RobotClock::stepped()), Log::default());
    let mut executor = executor(&clock);
    let handle = executor.handle();
    let [flood, urgent, unimportant] = ["flood", "urgent", "unimportant"].map(topic);
    subscribe(&handle, (&urgent, 3), &log, |_| ());
    subscribe(&handle, (&unimportant, 1), &log, |_| ());
    let timer_log = log.clone();
    let tick = move |_| timer_log.lock().unwrap().push("tick".into());
    executor.every(Duration::from_millis(1), Priority(3), tick).unwrap();
    let (mut interrupting, mut adding, stopping) = (urgent.publisher(), unimportant.publisher(), handle.clone());
    subscribe(&handle, (&flood, 2), &log, move |count| match count {
        1 => interrupting.publish(1),
        2 => clock.set(Time::from_seconds(0.001)),
        3 => adding.publish(3),
        4 => stopping.stop(),
        _ => {}
    });
    let mut publisher = flood.publisher();
    (0..6).for_each(|count| publisher.publish(count));
    executor.run();
    assert_eq!(calls(&log), ["flood 0", "flood 1", "urgent 1", "flood 2", "tick", "flood 3", "flood 4"]);
    assert_eq!(executor.run_ready(), 2);
    assert_eq!(calls(&log), ["flood 5", "unimportant 3"]);
}

/// A callback: its priority, and the relays to which it passes on what it receives, reduced by one,
/// until nothing is left.
type Relay = (u16, Vec<usize>);

/// Returns the order in which a system of relays processes messages (the receiver, and how often
/// each is passed on).
fn order_of_calls(relays: &[Relay], messages: &[(usize, u64)], run: fn(&mut Executor)) -> Vec<String> {
    let (mut executor, log) = (executor(&Arc::new(RobotClock::stepped())), Log::default());
    let topics: Vec<_> = (0..relays.len()).map(|relay| topic(&relay.to_string())).collect();
    let topic_of = |relay: &usize| &topics[relay % topics.len()];
    for (topic, (priority, receivers)) in topics.iter().zip(relays) {
        let mut publishers: Vec<_> = receivers.iter().map(|receiver| topic_of(receiver).publisher()).collect();
        subscribe(&executor.handle(), (topic, *priority), &log, move |left| {
            if left > 0 {
                publishers.iter_mut().for_each(|publisher| publisher.publish(left - 1));
            }
        });
    }
    let mut publishers: Vec<_> = topics.iter().map(Topic::publisher).collect();
    messages.iter().for_each(|(receiver, left)| publishers[receiver % topics.len()].publish(*left));
    run(&mut executor);
    calls(&log)
}

proptest! {
    #[test]
    fn calls_come_in_the_same_order_in_passes_as_one_by_one(
        relays in prop::collection::vec((0_u16..3, prop::collection::vec(0_usize..5, 0..3)), 1..5),
        messages in prop::collection::vec((0_usize..5, 0_u64..5), 1..20),
    ) {
        let one_by_one = order_of_calls(&relays, &messages, |executor| while executor.run_one() {});
        let in_passes = order_of_calls(&relays, &messages, |executor| _ = executor.run_ready());
        prop_assert_eq!(in_passes, one_by_one);
    }
}
