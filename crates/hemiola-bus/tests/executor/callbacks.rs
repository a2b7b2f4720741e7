//! Callbacks are added and removed, and may panic.

use std::sync::{Arc, mpsc};

use hemiola_bus::{Bus, BusError, Executor, Priority, RobotClock, Tick, WhenFull};

use super::{Bench, MILLISECOND, milliseconds, topic};

#[test]
fn a_panic_is_contained_and_counted_and_keeps_the_message_from_nobody() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.subscribe(&topic, 5, "before");
    let callback = |count: &u64| assert!(*count != 1, "no pose like {count}");
    bench.executor.subscribe(&topic, Priority(5), 64, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&topic, 5, "after");
    let mut publisher = topic.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 3);
    assert_eq!(bench.calls(), ["before 0", "after 0", "before 1", "after 1", "before 2", "after 2"]);
    let report = &bench.executor.handle().callbacks()[0];
    assert_eq!((report.calls, report.panics), (3, 1));
    let text = report.last_panic.as_ref().unwrap();
    assert!(text.contains("no pose like 1") && text.contains("tests/executor/callbacks.rs"), "{text}");
}

#[test]
fn a_removed_callback_is_not_called_and_the_others_are() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.subscribe(&topic, 5, "stays");
    let removed = Arc::new(());
    let kept = removed.clone();
    let callback = move |_: &u64| drop(kept.clone());
    let id = bench.executor.subscribe(&topic, Priority(5), 64, WhenFull::DropOldest, callback).unwrap();
    let timer = bench.executor.every(MILLISECOND, Priority(1), |_| panic!("it was removed")).unwrap();
    let mut publisher = topic.publisher();
    publisher.publish(1);
    bench.executor.remove(id).unwrap();
    bench.executor.remove(timer).unwrap();
    bench.executor.remove(timer).unwrap();
    bench.clock.set(milliseconds(1));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["stays 1"]);
    assert_eq!(bench.executor.handle().callbacks().len(), 1);
    assert_eq!(Arc::strong_count(&removed), 1, "what it held is let go");
}

#[test]
fn callbacks_that_are_called_together_are_told_apart_whoever_added_them() {
    let mut bench = Bench::new();
    let (topic, handle) = (topic("pose"), bench.executor.handle());
    let (priority, when_full) = (Priority(5), WhenFull::DropOldest);
    let callback = |name: &'static str| {
        let log = bench.log.clone();
        move |_: &u64| log.send(name.into()).unwrap()
    };
    bench.executor.subscribe(&topic, priority, 64, when_full, callback("a")).unwrap();
    // This callback was not added yet when the executor itself adds another one.
    let sent = handle.subscribe(&topic, priority, 64, when_full, callback("b")).unwrap();
    let own = bench.executor.subscribe(&topic, priority, 64, when_full, callback("c")).unwrap();
    handle.subscribe(&topic, priority, 64, when_full, callback("d")).unwrap();
    for (removed, left) in [(sent, &["a", "c", "d"][..]), (own, &["a", "d"])] {
        handle.remove(removed).unwrap();
        topic.publisher().publish(1);
        bench.executor.run_ready();
        assert_eq!(bench.calls(), left);
    }
}

#[test]
fn a_callback_may_add_and_remove_callbacks() {
    let mut bench = Bench::new();
    let topic = topic("goal");
    let (handle, log) = (bench.executor.handle(), bench.log.clone());
    let once = move |count: &u64| {
        let log = log.clone();
        let report = move |tick: Tick| log.send(format!("{:?}", tick.due)).unwrap();
        handle.once(*count as u32 * MILLISECOND, Priority(1), report).unwrap();
    };
    bench.executor.subscribe(&topic, Priority(1), 4, WhenFull::DropOldest, once).unwrap();
    topic.publisher().publish(20);
    bench.executor.run_ready();
    assert_eq!(bench.executor.next_due(), Some(milliseconds(20)));
    bench.clock.set(milliseconds(20));
    assert_eq!(bench.executor.run_ready(), 1);
    assert_eq!(bench.calls(), [format!("{:?}", milliseconds(20))]);
}

#[test]
fn a_callback_for_one_message_is_called_for_the_next_and_leaves_the_topic() {
    let topic = Bus::new().topic::<u32>("kick-off").unwrap();
    let mut executor = Executor::new("behaviour", &Arc::new(RobotClock::stepped()));
    let (called, calls) = mpsc::channel();
    let mut publisher = topic.publisher();
    publisher.publish(0); // before it was wanted
    let [again, removed] = [called.clone(), called.clone()];
    executor.subscribe_once(&topic, Priority(1), move |message| called.send(*message).unwrap()).unwrap();
    let unwanted = executor.subscribe_once(&topic, Priority(1), move |_| removed.send(99).unwrap()).unwrap();
    executor.remove(unwanted).unwrap();
    (1..=3).for_each(|message| publisher.publish(message));
    assert_eq!(executor.run_ready(), 1);
    publisher.publish(4);
    assert_eq!(executor.run_ready(), 0);
    assert!(executor.handle().callbacks().is_empty());
    assert!(topic.report().subscribers.is_empty());

    executor.subscribe_once(&topic, Priority(1), move |message| again.send(*message).unwrap()).unwrap();
    publisher.publish(5);
    executor.run_ready();
    assert_eq!(calls.try_iter().collect::<Vec<_>>(), [1, 5]);
}

#[test]
fn an_executor_without_room_says_so_and_has_room_again_when_a_callback_is_gone() {
    let mut bench = Bench::new();
    let mut add = || bench.executor.once(MILLISECOND, Priority(1), |_| ());
    let full = loop {
        if let Err(error) = add() {
            break error;
        }
    };
    assert!(matches!(full, BusError::TooManyCallbacks { limit: 251, .. }), "{full}");
    bench.clock.set(milliseconds(1));
    assert_eq!(bench.executor.run_ready(), 251);
    bench.executor.once(MILLISECOND, Priority(1), |_| ()).unwrap();
}

#[test]
fn an_executor_that_is_gone_or_does_not_run_takes_no_callbacks() {
    let bench = Bench::new();
    let handle = bench.executor.handle();
    let busy = loop {
        if let Err(error) = handle.once(MILLISECOND, Priority(1), |_| ()) {
            break error;
        }
    };
    assert!(matches!(busy, BusError::ExecutorBusy { .. }), "{busy}");
    drop(bench);
    let gone = handle.once(MILLISECOND, Priority(1), |_| ()).unwrap_err();
    assert!(matches!(gone, BusError::ExecutorGone { .. }), "{gone}");
}
