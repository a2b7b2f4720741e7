//! An executor allocates nothing on its thread, lets it sleep, and loses nothing that other threads
//! send to it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use hemiola_bus::{Bus, Executor, Priority, RobotClock, Topic, WhenFull};
use hemiola_realtime::{AllocationGuard, ThreadSettings, Wakeup, allocations_on_this_thread, monotonic_now};

use super::{Bench, MILLISECOND, topic};

/// The same is true while callbacks come and go: the threads that add and remove them create and
/// drop them.
#[test]
fn the_executors_thread_neither_allocates_nor_frees() {
    let topic = topic("pose");
    let sum = Arc::new(AtomicUsize::new(0));
    let adding = |sum: &Arc<AtomicUsize>| {
        let sum = sum.clone();
        move |count: &u64| _ = sum.fetch_add(*count as usize, Ordering::Relaxed)
    };
    let mut executor = Executor::new("bench", &Arc::new(RobotClock::running(1.0)));
    let (thread, events) = executor.record(&hemiola_trace::Catalog::new("bench"), 64, None).unwrap();
    let whole = Arc::new(AtomicUsize::new(0));
    executor.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, adding(&whole)).unwrap();
    let (counted, calls) = mpsc::sync_channel(2);
    let running = executor.spawn(ThreadSettings::new("bench")).unwrap();
    let handle = running.handle();
    let count_at = |priority| {
        let counted = counted.clone();
        let count = move |_| counted.send(allocations_on_this_thread()).unwrap();
        handle.once(Duration::ZERO, Priority(priority), count).unwrap();
        calls.recv().unwrap()
    };
    count_at(9);
    let before = count_at(9);
    let mut publisher = topic.publisher();
    for round in 0..200 {
        let ids: Vec<_> = (0..5)
            .map(|_| handle.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, adding(&sum)).unwrap())
            .collect();
        let slow = handle.subscribe(&topic, Priority(2), 8, WhenFull::DropOldest, adding(&sum)).unwrap();
        (0..10).for_each(|count| publisher.publish(count));
        handle.every(Duration::from_micros(10), Priority(3), |_| ()).and_then(|id| handle.remove(id)).unwrap();
        ids.into_iter().chain([slow]).for_each(|id| handle.remove(id).unwrap());
        // This waits for what was sent, as there is room for 64 changes only.
        let after = count_at(1);
        assert_eq!(after, before, "in round {round}");
    }
    drop((thread, events));
    // The tick that ends a round arrives after its messages, and has the same priority: callbacks
    // that were there all the time have received all of them.
    assert_eq!(whole.load(Ordering::Relaxed), 200 * 45);
}

#[test]
fn publishing_to_a_callback_on_the_same_thread_allocates_nothing() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.executor.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, |_: &u64| ()).unwrap();
    let mut publisher = topic.publisher();
    bench.executor.run_ready();
    let guard = AllocationGuard::new();
    for count in 0..1000 {
        publisher.publish(count);
        bench.executor.run_ready();
    }
    assert_eq!(guard.counted().calls(), 0);
}

#[test]
fn an_idle_executor_is_not_woken_at_all() {
    let bus = Bus::new();
    let mut executor = Executor::new("idle", &Arc::new(RobotClock::running(1.0)));
    let topics: Vec<Topic<u64>> = (0..40).map(|index| bus.topic(&format!("topic {index}")).unwrap()).collect();
    let called = Arc::new(Wakeup::new());
    for topic in &topics {
        let called = called.clone();
        executor.subscribe(topic, Priority(1), 4, WhenFull::DropOldest, move |_: &u64| called.notify_all()).unwrap();
    }
    let running = executor.spawn(ThreadSettings::new("idle")).unwrap();
    let seen = called.generation();
    topics[7].publisher().publish(1);
    called.wait(seen, None);
    // It is woken once for its begin and once for the message, whenever it gets to either; nothing
    // else wakes it.
    while running.handle().wake_ups() == 0 {
        std::thread::yield_now();
    }
    std::thread::sleep(220 * MILLISECOND);
    assert!(running.handle().wake_ups() <= 2);
}

#[test]
fn messages_of_several_threads_all_arrive_in_the_order_of_each() {
    const MESSAGES: u64 = 50_000;
    let topic: Topic<(usize, u64)> = Bus::new().topic("count").unwrap();
    let mut executor = Executor::new("stress", &Arc::new(RobotClock::running(1.0)));
    let done = Arc::new(Wakeup::new());
    let (mut next, mut received, finished) = ([0; 3], 0, done.clone());
    let callback = move |&(thread, count): &(usize, u64)| {
        assert_eq!(count, next[thread]);
        next[thread] += 1;
        received += 1;
        if received == 3 * MESSAGES {
            finished.notify_all();
        }
    };
    executor.subscribe(&topic, Priority(1), 256, WhenFull::Wait, callback).unwrap();
    let running = executor.spawn(ThreadSettings::new("stress")).unwrap();
    let seen = done.generation();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let mut publisher = topic.publisher();
            scope.spawn(move || {
                for count in 0..MESSAGES {
                    publisher.publish_waiting((thread, count), Duration::from_secs(60)).unwrap();
                }
            });
        }
    });
    let in_time = monotonic_now() + Duration::from_secs(60);
    assert_eq!(done.wait(seen, Some(in_time)), hemiola_realtime::Reason::Signalled);
    assert_eq!(running.handle().callbacks()[0].panics, 0);
}
